"""Monitored sessions when things go wrong: threads that fail, runs that are aborted, folders that hold nothing."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[tf.Graph]:
    with tf.Graph().as_default() as graph:
        yield graph
    tf.summary.FileWriterCache.clear()


def counting() -> tuple[Any, Any]:
    """The global step, and an operation that counts it up."""
    step = tf.train.get_or_create_global_step()
    return step, tf.assign_add(step, 1, name="train")


def test_an_error_of_a_queue_runner_is_raised() -> None:
    """Training sees the end of its input; the reason is raised when the session closes."""
    queue = tf.FIFOQueue(2, tf.float32, [[]])
    x = tf.placeholder_with_default(-1.0, [])
    checked = tf.check_numerics(tf.log(x), "the examples")
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(checked)]))
    take = queue.dequeue()

    def train() -> None:
        with tf.train.MonitoredSession() as sess:
            while not sess.should_stop():
                sess.run(take)

    with pytest.raises(tf.errors.InvalidArgumentError, match="the examples"):
        train()


def test_the_end_of_the_input_ends_training_and_its_threads() -> None:
    before = threading.active_count()
    n = tf.train.range_input_producer(5, num_epochs=1, shuffle=False).dequeue()
    batch = tf.train.batch([n], 2, num_threads=3)
    found = []
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            found.append(sess.run(batch))
    assert sorted(np.concatenate(found).tolist()) == sorted(set(np.concatenate(found).tolist()))
    assert len(found) == 2
    assert threading.active_count() == before


def test_an_aborted_run_is_tried_again_in_a_new_session(tmp_path: Path) -> None:
    step, train = counting()
    created = []

    class Hook(tf.train.SessionRunHook):
        def after_create_session(self, session: Any, coord: Any) -> None:
            created.append(session)

    saver = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, saver=tf.train.Saver())
    creator = tf.train.ChiefSessionCreator(checkpoint_dir=str(tmp_path))
    with tf.train.MonitoredSession(creator, hooks=[Hook(), saver]) as sess:
        sess.run(train)
        sess.run(train)

        def lost(*arguments: Any, **options: Any) -> Any:
            raise tf.errors.AbortedError(None, None, "the machine went away")

        created[0].run = lost
        assert sess.run(step) == 2
    assert len(created) == 2, "the session was not made anew"


def test_a_closed_session_says_so() -> None:
    x = tf.constant(1.0)
    sess = tf.train.MonitoredSession()
    assert sess.graph is tf.get_default_graph()
    sess.close()
    assert sess.graph is None
    assert sess.should_stop()
    with pytest.raises(RuntimeError, match="already closed"):
        sess.run(x)


def test_the_graph_is_open_again_afterwards() -> None:
    x = tf.constant(1.0)
    with tf.train.MonitoredSession() as sess:
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(2.0)
        sess.run(x)
    tf.constant(2.0)


def test_hooks_end_even_if_one_fails() -> None:
    class Fails(tf.train.SessionRunHook):
        def end(self, session: Any) -> None:
            raise ValueError("at the end")

    sess = tf.train.MonitoredSession(hooks=[Fails()])
    with pytest.raises(ValueError, match="at the end"):
        sess.close()
    assert sess._is_closed()


def test_values_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    x = tf.Variable(1.5, name="x")
    x.assign_add(1.0, name="more")
    hooks = [
        tf.train.LoggingTensorHook({"value": "x:0"}, every_n_iter=2),
        tf.train.LoggingTensorHook([x.name], at_end=True, formatter=lambda values: f"last {values}"),
    ]
    logger = logging.getLogger("tensorflow")
    level = logger.level
    logger.setLevel(logging.INFO)
    propagate, logger.propagate = logger.propagate, True
    try:
        with caplog.at_level(logging.INFO, "tensorflow"), tf.train.MonitoredSession(hooks=hooks) as sess:
            for _ in range(4):
                sess.run("more:0")
    finally:
        logger.setLevel(level)
        logger.propagate = propagate
    messages = [message for message in caplog.messages if "value" in message or "last" in message]
    assert len(messages) == 3
    assert messages[0].startswith("value = ")
    assert messages[1].endswith("sec)")
    assert messages[2].startswith("last {'x:0': ")
    assert "5.5" in messages[2]


def test_names_that_are_not_clear() -> None:
    tf.split(tf.constant([1.0, 2.0]), 2, name="two")
    with pytest.raises(ValueError, match="ambiguous"):
        tf.train.LoggingTensorHook(["two"], every_n_iter=1).begin()
    other = tf.Graph()
    with other.as_default():
        x = tf.constant(1.0)
    with pytest.raises(ValueError, match="current graph"):
        tf.train.LoggingTensorHook([x], every_n_iter=1).begin()


def test_steps_a_second_and_summaries_by_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [1000.0]
    monkeypatch.setattr(time, "time", lambda: now[0])
    step, train = counting()
    tf.summary.scalar("one", 1.0)
    hooks = [
        tf.train.StepCounterHook(every_n_steps=2, output_dir=str(tmp_path)),
        tf.train.SummarySaverHook(save_secs=30, output_dir=str(tmp_path), summary_op=tf.summary.merge_all()),
    ]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        for _ in range(6):
            now[0] += 10.0
            sess.run(train)
    tf.summary.FileWriterCache.clear()
    (path,) = tmp_path.iterdir()
    found = [
        (event.step, value.tag, value.simple_value)
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
    ]
    rates = [entry for entry in found if entry[1] == "global_step/sec"]
    assert rates == [(3, "global_step/sec", pytest.approx(0.1)), (5, "global_step/sec", pytest.approx(0.1))]
    assert [entry[0] for entry in found if entry[1] == "one"] == [1, 4]


def test_a_profile(tmp_path: Path) -> None:
    import json

    step, train = counting()
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        for _ in range(5):
            sess.run(train)
    paths = sorted(path.name for path in tmp_path.glob("timeline-*.json"))
    assert len(paths) == 2
    trace = json.loads((tmp_path / paths[0]).read_text())
    assert any("train" in str(event.get("args", {})) for event in trace["traceEvents"])


def test_who_waits_for_a_step() -> None:
    step, train = counting()
    hook = tf.train.GlobalStepWaiterHook(3)
    hook._PAUSE = 0.001
    sess = tf.train.SingularMonitoredSession(hooks=[hook])
    others = threading.Thread(target=lambda: [sess.raw_session().run(train) for _ in range(3)])
    others.start()
    assert sess.run(step) == 3
    others.join(10)
    sess.close()


def test_a_damaged_checkpoint_is_not_trained_from(tmp_path: Path) -> None:
    step, train = counting()
    with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), save_checkpoint_steps=1) as sess:
        sess.run(train)
    tf.summary.FileWriterCache.clear()
    (index,) = tmp_path.glob("model.ckpt-1.index")
    data = bytearray(index.read_bytes())
    data[len(data) // 2] ^= 0xFF
    index.write_bytes(bytes(data))
    with pytest.raises(tf.errors.DataLossError):
        tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path))


def test_a_supervisor_runs_what_it_is_given_in_threads(tmp_path: Path) -> None:
    step, train = counting()
    tf.summary.scalar("one", 1.0)
    sv = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0.01, save_model_secs=0.01)
    calls: list[int] = []
    with sv.managed_session() as sess:
        sv.loop(0.001, lambda: calls.append(1))
        while not sv.should_stop():
            if sess.run(train) >= 5 and len(calls) > 2 and list(tmp_path.glob("*.index")):
                sv.request_stop()
    assert sv.coord.joined
    assert tf.train.latest_checkpoint(str(tmp_path)) is not None
    tags = {
        value.tag
        for path in tmp_path.glob("events*")
        for event in tf.train.summary_iterator(str(path))
        for value in event.summary.value
    }
    assert {"one", "global_step/sec"} <= tags


def test_a_cluster_of_others_is_refused() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match="cluster of one"):
        tf.train.Server({"ps": ["a:1"], "worker": ["b:1", "c:1"]}, job_name="worker", task_index=1)
    with pytest.raises(ValueError, match="job_name"):
        tf.train.Server({"ps": ["a:1"], "worker": ["b:1"]})
    with pytest.raises(ValueError, match="task_index"):
        tf.train.Server({"worker": ["a:1", "b:1"]})
    server = tf.train.Server(tf.train.ClusterSpec({"worker": ["localhost:0"]}))
    assert (server.server_def.job_name, server.server_def.task_index) == ("worker", 0)
