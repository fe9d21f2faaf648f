"""`tf.summary.FileWriter`: what is in its files, and that no event is lost: full disk, interrupt, fork."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import tfbench as tf
from tfbench.formats import event_files, records


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("events.out.tfevents.*"))


def events(folder: Path) -> list[Any]:
    """All events in a folder's files, without the versions that files begin with."""
    found = []
    for path in files(folder):
        first, *rest = tf.train.summary_iterator(str(path))
        assert first.file_version == "brain.Event:2"
        found += rest
    return found


def steps(folder: Path) -> list[int]:
    return [event.step for event in events(folder)]


def summary(value: float, tag: str = "x") -> Any:
    return tf.Summary(value=[tf.Summary.Value(tag=tag, simple_value=value)])


def test_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    writer = tf.summary.FileWriter(str(folder), filename_suffix=".end")
    assert writer.get_logdir() == str(folder)
    before = time.time()
    writer.add_summary(summary(1.5), 3)
    writer.add_summary(summary(2.5).SerializeToString())
    writer.add_event(tf.Event(step=9, log_message=tf.LogMessage(message="said")))
    writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START, msg="go"), 4)
    writer.add_run_metadata(tf.RunMetadata(), "first run", 5)
    writer.close()
    (path,) = files(folder)
    parts = path.name.split(".")
    assert parts[:3] == ["events", "out", "tfevents"]
    assert abs(int(parts[3]) - before) < 60
    assert path.name.endswith(".end")
    one, two, said, log, run = events(folder)
    assert (one.step, one.summary.value[0].tag, one.summary.value[0].simple_value) == (3, "x", 1.5)
    assert before - 1 < one.wall_time < time.time() + 1
    assert (two.step, two.summary.value[0].simple_value) == (0, 2.5)
    assert (said.step, said.log_message.message) == (9, "said")
    assert (log.step, log.session_log.msg) == (4, "go")
    assert (run.step, run.tagged_run_metadata.tag) == (5, "first run")
    with pytest.raises(ValueError, match="already used"):
        writer.add_run_metadata(tf.RunMetadata(), "first run")


def test_bytes_of_events_are_protobufs() -> None:
    for wanted in (
        tf.Event(wall_time=1.25, step=7, summary=summary(1.0)),
        tf.Event(wall_time=-3.0, step=-1, graph_def=b""),
        tf.Event(session_log=tf.SessionLog()),
    ):
        kind = wanted.WhichOneof("what")
        payload = getattr(wanted, kind)
        number = tf.Event.DESCRIPTOR.fields_by_name[kind].number
        payload = payload if isinstance(payload, bytes) else payload.SerializeToString()
        assert event_files.event(number, payload, wanted.step, wanted.wall_time) == wanted.SerializeToString()


def test_a_graph(tmp_path: Path) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        tf.summary.scalar("s", tf.reduce_sum(x))
        with tf.summary.FileWriter(str(tmp_path), graph) as writer:
            writer.add_graph(graph, 3)
            writer.add_graph(None, graph_def=graph.as_graph_def())
            writer.add_meta_graph(tf.train.export_meta_graph(), 8)
            for wrong in (3, None, x):
                with pytest.raises(TypeError, match="must be an instance of `Graph`"):
                    writer.add_graph(wrong)
            with pytest.raises(ValueError, match="not both"):
                writer.add_graph(graph, graph_def=graph.as_graph_def())
            with pytest.raises(TypeError, match="MetaGraphDef, saw type"):
                writer.add_meta_graph(graph)
    first, meta, again, plain, last = events(tmp_path)
    with_shapes = graph.as_graph_def(add_shapes=True)
    assert tf.GraphDef.FromString(first.graph_def) == with_shapes
    meta_graph = tf.MetaGraphDef.FromString(meta.meta_graph_def)
    assert meta_graph.graph_def == with_shapes
    assert list(meta_graph.collection_def) == ["summaries"]
    assert (again.step, again.graph_def) == (3, first.graph_def)
    assert tf.GraphDef.FromString(plain.graph_def) == graph.as_graph_def()
    assert (last.step, last.WhichOneof("what")) == (8, "meta_graph_def")


def test_metadata_is_written_once(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session, tf.summary.FileWriter(str(tmp_path)) as writer:
        text = tf.summary.text("t", tf.constant(["a", "b"]))
        for step in range(3):
            writer.add_summary(session.run(text), step)
    values = [event.summary.value[0] for event in events(tmp_path)]
    assert [value.HasField("metadata") for value in values] == [True, False, False]
    assert {value.tensor.SerializeToString() for value in values} == {values[0].tensor.SerializeToString()}


@pytest.mark.parametrize("wrong", [1, None, "text", [summary(1.0)]])
def test_what_is_no_summary(tmp_path: Path, wrong: Any) -> None:
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        with pytest.raises(TypeError, match="add_summary takes the bytes"):
            writer.add_summary(wrong)
        with pytest.raises(TypeError, match="Expected an event_pb2"):
            writer.add_event(wrong)
        with pytest.raises(TypeError, match="SessionLog"):
            writer.add_session_log(wrong)
    assert files(tmp_path) == []


def test_a_summary_that_was_not_run(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.summary.FileWriter(str(tmp_path)) as writer:
        with pytest.raises(TypeError, match="Run it in a session first"):
            writer.add_summary(tf.summary.scalar("x", 1.0))
        with pytest.raises(ValueError, match="no Summary"):
            writer.add_summary(b"\xff\xff\xff")


def test_a_closed_writer_says_so_and_can_be_reopened(tmp_path: Path) -> None:
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.reopen()  # does nothing
    writer.add_summary(summary(1), 1)
    writer.close()
    writer.close()
    for call in (lambda: writer.add_summary(summary(2), 2), writer.flush):
        with pytest.warns(UserWarning, match="closed FileWriter"):
            call()
    writer.reopen()
    writer.add_summary(summary(3), 3)
    writer.close()
    assert len(files(tmp_path)) == 2  # within the same second TensorFlow would have written over the first
    assert steps(tmp_path) == [1, 3]


def test_many_writers_of_one_folder(tmp_path: Path) -> None:
    writers = [tf.summary.FileWriter(str(tmp_path)) for _ in range(5)]
    for step, writer in enumerate(writers):
        writer.add_summary(summary(step), step)
    for writer in writers:
        writer.close()
    assert len(files(tmp_path)) == 5
    assert sorted(steps(tmp_path)) == [0, 1, 2, 3, 4]


def test_it_is_written_soon_without_a_flush(tmp_path: Path) -> None:
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.add_summary(summary(1), 1)
    end = time.time() + 20
    while not (files(tmp_path) and steps(tmp_path)) and time.time() < end:
        time.sleep(0.05)
    assert steps(tmp_path) == [1]
    writer.close()


def test_a_short_queue_and_many_events(tmp_path: Path) -> None:
    with tf.summary.FileWriter(str(tmp_path), max_queue=2, flush_secs=0) as writer:
        for step in range(500):
            writer.add_summary(summary(step), step)
    assert steps(tmp_path) == list(range(500))


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.touch()
    with pytest.raises(tf.errors.FailedPreconditionError, match=r"file is not a directory"):
        tf.summary.FileWriter(str(path))
    with pytest.raises((tf.errors.FailedPreconditionError, tf.errors.NotFoundError)):
        tf.summary.FileWriter(str(path / "below"))


# -- trouble ----------------------------------------------------------------------------------------------------------


class Disk:
    """`os.write` on a disk with room for so many bytes more; what does not fit is written in part."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room = room
        self._write = os.write
        monkeypatch.setattr(records.os, "write", self)

    def __call__(self, file: int, data: Any) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        written = self._write(file, data[: self.room])
        self.room -= written
        return written


@pytest.mark.parametrize("room", [0, 5, 62 + 16, 100, 200])
def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    disk = Disk(monkeypatch, room)
    writer = tf.summary.FileWriter(str(tmp_path))
    failed = []
    for step in range(10):
        try:
            writer.add_summary(summary(step), step)
            writer.flush()
        except tf.errors.ResourceExhaustedError as error:
            failed.append(str(error))
    assert failed
    assert all(str(tmp_path) in message for message in failed)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        writer.close()
    disk.room = 1 << 20
    writer.close()
    assert steps(tmp_path) == list(range(10))


def test_the_error_comes_with_the_next_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch, 0)
    writer = tf.summary.FileWriter(str(tmp_path))
    writer.add_summary(summary(1), 1)
    end = time.time() + 20
    while writer.event_writer._channel.failure is None and time.time() < end:
        time.sleep(0.02)
    with pytest.raises(tf.errors.ResourceExhaustedError):
        writer.add_summary(summary(2), 2)
    disk.room = 1 << 20
    writer.add_summary(summary(3), 3)
    writer.close()
    assert steps(tmp_path) == [1, 2, 3]


PROGRAM = """
import sys, tfbench as tf
writer = tf.summary.FileWriter(sys.argv[1])
def add(steps):
    for step in steps:
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="x", simple_value=step)]), step)
"""


def program(folder: Path, text: str) -> Any:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM + text, str(folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.parametrize("end", ["pass", "raise ValueError('over')", "sys.exit(3)"])
def test_the_end_of_a_program(tmp_path: Path, end: str) -> None:
    program(tmp_path, f"add(range(7))\n{end}").communicate(timeout=60)
    assert steps(tmp_path) == list(range(7))


def test_an_interrupt(tmp_path: Path) -> None:
    process = program(tmp_path, "import itertools\nadd(range(50)); print('go', flush=True); add(itertools.count(50))")
    assert process.stdout.readline() == "go\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    found = steps(tmp_path)
    assert len(found) >= 50
    assert found == list(range(len(found)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_fork_writes_to_a_file_of_its_own(tmp_path: Path) -> None:
    text = (
        "import os, warnings\nwarnings.simplefilter('ignore')\nadd([1, 2])\n"
        "if os.fork() == 0:\n    add([3]); writer.close(); os._exit(0)\nos.wait(); add([4])"
    )
    program(tmp_path, text).communicate(timeout=60)
    assert sorted(steps(tmp_path)) == [1, 2, 3, 4]


# -- reading ----------------------------------------------------------------------------------------------------------


def test_damaged_files(tmp_path: Path) -> None:
    with tf.summary.FileWriter(str(tmp_path)) as writer:
        for step in range(3):
            writer.add_summary(summary(step), step)
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    second = 16 + len(event_files.version_event())
    path.write_bytes(whole[:-1])
    iterator = tf.train.summary_iterator(str(path))
    assert [next(iterator).step for _ in range(3)] == [0, 0, 1]  # the version, and what is whole
    with pytest.raises(tf.errors.DataLossError, match=r"truncated record at \d+ in .*tfevents"):
        next(iterator)
    path.write_bytes(whole[: second + 20] + b"?" + whole[second + 21 :])
    with pytest.raises(tf.errors.DataLossError, match=f"corrupted record at {second + 12} in .*tfevents"):
        list(tf.train.summary_iterator(str(path)))
    path.write_bytes(records.frame(b"\xff\xff"))
    with pytest.raises(tf.errors.DataLossError, match=r"Record 0 of .* is no Event"):
        list(tf.train.summary_iterator(str(path)))
    with pytest.raises(tf.errors.NotFoundError, match="nowhere"):
        list(tf.train.summary_iterator(str(tmp_path / "nowhere")))


def test_the_cache(tmp_path: Path) -> None:
    with tf.Graph().as_default():
        one = tf.summary.FileWriterCache.get(str(tmp_path / "a"))
        assert tf.train.SummaryWriterCache.get(str(tmp_path / "a")) is one
        assert tf.summary.FileWriterCache.get(str(tmp_path / "b")) is not one
        one.add_summary(summary(1), 1)
        tf.summary.FileWriterCache.clear()
        assert tf.summary.FileWriterCache.get(str(tmp_path / "a")) is not one
        tf.summary.FileWriterCache.clear()
    assert steps(tmp_path / "a")[2] == 1


def test_small_functions() -> None:
    with tf.Graph().as_default() as graph:
        node = tf.raw_ops.TensorSummary(tensor=[1.0], description='{"typeHint": "curve"}').op
        assert tf.summary.get_summary_description(node.node_def).type_hint == "curve"
        with pytest.raises(ValueError, match="Can't get_summary_description on Const"):
            tf.summary.get_summary_description(graph.get_operations()[0].node_def)
        assert tf.summary.all_v2_summary_ops() == []
        tf.summary.initialize()
    assert tf.train.SummaryWriter is tf.summary.FileWriter
    assert tf.summary.Summary is tf.Summary
    with pytest.raises(AttributeError, match="no attribute 'create_file_writer'"):
        tf.summary.create_file_writer


def test_a_run_with_summaries_does_not_load_protobuf(tmp_path: Path) -> None:
    text = """
with tf.Session() as s:
    tf.summary.scalar("x", 1.0); tf.summary.histogram("h", [1.0]); tf.summary.text("t", tf.constant("a"))
    writer.add_summary(s.run(tf.summary.merge_all()), 1)
writer.close()
print([name for name in sys.modules if name.startswith("google.protobuf")])
"""
    said, _ = program(tmp_path, text).communicate(timeout=60)
    assert said == "[]\n"
    assert steps(tmp_path) == [1]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers")
def test_hundreds_of_interrupts(tmp_path: Path) -> None:
    """Whatever an interrupt hits, what was added is written once."""
    text = """
import signal, time
class Stop(BaseException):
    pass
def stop(*_):
    global armed, hits
    if armed:
        armed, hits = False, hits + 1
        raise Stop
add([0]); writer.flush()
done, step, hits, armed, end = [], 0, 0, False, time.time() + 2
signal.signal(signal.SIGALRM, stop)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0013)
while True:
    try:
        armed = True
        while time.time() < end:
            step += 1
            add([step])
            done.append(step)
            if step % 10 == 0:
                writer.flush()
        armed = False
        break
    except Stop:
        pass
signal.setitimer(signal.ITIMER_REAL, 0)
writer.close()
print(hits, *done)
"""
    said, trouble = program(tmp_path, text).communicate(timeout=60)
    hits, *done = [int(word) for word in said.split()]
    assert hits > 100, trouble
    found = steps(tmp_path)
    assert found == sorted(set(found))
    assert set(done) <= set(found)


def test_names_of_before_1_0() -> None:
    for name in ("scalar", "histogram", "image", "audio", "merge"):
        assert getattr(tf, f"{name}_summary") is getattr(tf.contrib.deprecated, f"{name}_summary")
    assert tf.merge_all_summaries is tf.contrib.deprecated.merge_all_summaries
