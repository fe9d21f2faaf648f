"""A save that is cut short, a full disk, two writers, a restore that cannot be: nothing that was good is lost."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.formats import safe_files

SIZE = 3000


def model() -> Any:
    """A variable, one in slices, and one of strings; all hold the number that is assigned last."""
    number = tf.placeholder(tf.float32, [], name="number")
    w = tf.get_variable("w", [SIZE], initializer=tf.zeros_initializer())
    parts = tf.get_variable("p", [6, 2], partitioner=tf.fixed_size_partitioner(2), initializer=tf.zeros_initializer())
    s = tf.Variable([b""], name="s")
    sets = [v.assign(tf.fill(v.shape.as_list(), number)) for v in (w, *parts)]
    return tf.group(*sets, s.assign([tf.as_string(number)]), name="set")


def fill(sess: Any, number: float) -> None:
    sess.run("set", {"number:0": number})


def held(sess: Any) -> float:
    """The number in all variables; they have to agree."""
    values = sess.run(tf.global_variables())
    found = {float(item) for value in values for item in np.ravel(value).tolist()}
    assert len(found) == 1, f"variables from different checkpoints: {found}"
    return found.pop()


def restored(prefix: str) -> float:
    """The number in a checkpoint, read into a graph of its own."""
    with tf.Graph().as_default(), tf.Session() as sess:
        model()
        tf.train.Saver().restore(sess, prefix)
        return held(sess)


class Full:
    """A disk that is full after `left` operations."""

    def __init__(self, left: int) -> None:
        self.left = left

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            self.left -= 1
            if self.left < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return function(*args, **options)

        return call


@contextmanager
def disk_full_after(monkeypatch: pytest.MonkeyPatch, operations: int) -> Iterator[Full]:
    """Every write, flush and rename is an operation."""
    disk = Full(operations)
    real_open = open

    def opened(path: Any, mode: str = "r", *args: Any, **options: Any) -> Any:
        file = real_open(path, mode, *args, **options)
        return Written(file, disk) if "w" in mode else file

    with monkeypatch.context() as patch:
        patch.setattr(safe_files, "open", opened, raising=False)
        patch.setattr(safe_files.os, "fsync", disk(os.fsync))
        patch.setattr(safe_files.os, "replace", disk(os.replace))
        yield disk


class Written:
    """A file whose writes count."""

    def __init__(self, file: Any, disk: Full) -> None:
        self._file = file
        self.write = disk(file.write)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


@pytest.mark.parametrize("options", [{}, {"sharded": True}, {"write_version": 1}], ids=["plain", "sharded", "v1"])
@pytest.mark.parametrize("same_path", [False, True], ids=["step", "same"])
def test_a_full_disk(options: dict[str, Any], same_path: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prefix = str(tmp_path / "m")
    failures = 0
    with tf.Graph().as_default(), tf.Session() as sess:
        model()
        saver = tf.train.Saver(**options)
        fill(sess, 0.0)
        last = saver.save(sess, prefix, None if same_path else 0)
        for step in range(1, 100):
            fill(sess, step)
            with disk_full_after(monkeypatch, step - 1) as disk:
                try:
                    last = saver.save(sess, prefix, None if same_path else step)
                except tf.errors.ResourceExhaustedError:
                    failures += 1
            path = tf.train.latest_checkpoint(str(tmp_path))
            assert path is not None
            assert restored(path) == (step if disk.left >= 0 else restored(str(last)))
            assert restored(path) in (0, step, *range(step))
            assert not [name for name in os.listdir(tmp_path) if "tempstate" in name or name.endswith("_temp")]
            if disk.left > 0:
                break
        assert failures >= 4
        assert held(sess) == step


CRASH = """
import os, sys
import numpy as np
import tfbench as tf
from tests.train.test_saver_failures import fill, model, restored

folder, options, same = sys.argv[1], eval(sys.argv[2]), sys.argv[3] == "same"
model()
saver = tf.train.Saver(**options)
sess = tf.Session()
fill(sess, 0.0)
saver.save(sess, folder + "/m", None if same else 0)
for step in range(1, 60):
    fill(sess, step)
    child = os.fork()
    if child == 0:
        left = step - 1
        def counted(function):
            def call(*args, **options):
                global left
                if left == 0:
                    os._exit(7)  # the power goes: nothing is cleaned up
                left -= 1
                return function(*args, **options)
            return call
        for name in ("fsync", "replace", "remove", "rmdir"):
            setattr(os, name, counted(getattr(os, name)))
        saver.save(sess, folder + "/m", None if same else step)
        os._exit(0)
    finished = os.waitpid(child, 0)[1] == 0
    path = tf.train.latest_checkpoint(folder)
    found = restored(path)
    print(step, found, os.path.basename(path), flush=True)
    assert found in range(step + 1), found
    # What went before may be one that a crash kept from being named in the state file, but never less.
    assert found == step if finished else found >= (0 if not same else previous if step > 1 else 0)
    previous = found
    if finished:
        break
else:
    raise AssertionError("the save never finished")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the crash is a fork that exits")
@pytest.mark.parametrize("options", [{}, {"sharded": True}, {"write_version": 1}], ids=["plain", "sharded", "v1"])
@pytest.mark.parametrize("path", ["step", "same"])
def test_a_crash_at_any_moment(options: dict[str, Any], path: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", CRASH, str(tmp_path), repr(options), path]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(done.stdout.splitlines()) >= 5


def test_two_savers_on_one_path(tmp_path: Path) -> None:
    prefix, stop = str(tmp_path / "m"), threading.Event()
    problems: list[BaseException] = []

    def write(number: float) -> None:
        try:
            with tf.Graph().as_default(), tf.Session() as sess:
                model()
                saver = tf.train.Saver()
                fill(sess, number)
                while not stop.is_set():
                    saver.save(sess, prefix, write_meta_graph=False)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in (1.0, 2.0)]
    for thread in threads:
        thread.start()
    while not tf.train.checkpoint_exists(prefix) and not problems:
        pass
    stop.wait(1.0)
    stop.set()
    for thread in threads:
        thread.join()
    assert problems == []
    assert restored(prefix) in (1.0, 2.0)
    assert sorted(os.listdir(tmp_path)) == ["checkpoint", "m.data-00000-of-00001", "m.index"]


def test_training_goes_on_while_a_saver_writes(tmp_path: Path) -> None:
    """The checksum is that of what is written, whatever another thread does to the variables meanwhile."""
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", [200_000], initializer=tf.zeros_initializer())
        step = w.assign_add(tf.ones([200_000]))
        saver, stop = tf.train.Saver(), threading.Event()
        sess.run(tf.global_variables_initializer())

        def train() -> None:
            while not stop.is_set():
                sess.run(step.op)

        thread = threading.Thread(target=train)
        thread.start()
        try:
            for number in range(10):
                saver.save(sess, str(tmp_path / "m"), number, write_meta_graph=False)
        finally:
            stop.set()
            thread.join()
        for path in saver.last_checkpoints:
            tf.train.load_variable(path, "w")


def wrong_models() -> Iterator[Any]:
    """Name, what the graph has, class and words of the error."""

    def ref(name: str, shape: Any, dtype: Any = tf.float32) -> Callable[[], Any]:
        return lambda: tf.get_variable(name, shape, dtype)

    def resource(name: str, shape: Any) -> Callable[[], Any]:
        return lambda: tf.get_variable(name, shape, use_resource=True)

    invalid, missing = tf.errors.InvalidArgumentError, tf.errors.NotFoundError
    shapes = r"shapes of both tensors to match. lhs shape= \[4\] rhs shape= \[3000\] \(variable 'w', tensor 'w'"
    yield pytest.param(ref("w", [4]), invalid, shapes, id="shape")
    yield pytest.param(resource("w", [4]), invalid, shapes, id="resource")
    yield pytest.param(
        ref("w", [SIZE], tf.int32), invalid, "tensor_name = w; expected dtype int32 .* original dtype float", id="type"
    )
    yield pytest.param(ref("zz", [4]), missing, "Key zz not found in checkpoint", id="missing")
    yield pytest.param(
        lambda: tf.get_variable("p", [8, 2], partitioner=tf.fixed_size_partitioner(2)),
        invalid,
        r"spec \[8,2\] does not match the shape stored in checkpoint: \[6,2\]",
        id="slices",
    )


@pytest.mark.parametrize(
    "options", [{}, {"sharded": True}, {"builder": tf.train.Saver}], ids=["bulk", "sharded", "each"]
)
@pytest.mark.parametrize(("build", "kind", "words"), list(wrong_models()))
def test_nothing_is_half_restored(
    build: Any, kind: type[Exception], words: str, options: dict[str, Any], tmp_path: Path
) -> None:
    from tfbench.train.saver_nodes import BaseSaverBuilder

    if "builder" in options:
        options = {"builder": BaseSaverBuilder()}  # reads each variable by a node of its own
    with tf.Graph().as_default(), tf.Session() as sess:
        model()
        fill(sess, 5.0)
        tf.get_variable("a", [2], initializer=tf.ones_initializer())
        tf.get_variable("z", [2], initializer=tf.ones_initializer())
        sess.run(["a/Assign", "z/Assign"])
        path = tf.train.Saver().save(sess, str(tmp_path / "m"))
    with tf.Graph().as_default(), tf.Session() as sess:
        with tf.device("/cpu:0"):
            a = tf.get_variable("a", [2], initializer=tf.zeros_initializer())
        build()
        z = tf.get_variable("z", [2], initializer=tf.zeros_initializer())
        sess.run(tf.global_variables_initializer())
        with pytest.raises(kind, match=words) as caught:
            tf.train.Saver(**options).restore(sess, path)
        assert "Restoring from checkpoint failed" in str(caught.value)
        assert sess.run([a, z])[0].tolist() == sess.run(z).tolist() == [0.0, 0.0]


def test_damage_is_found_before_a_variable_changes(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        with tf.device("/cpu:0"):
            a = tf.get_variable("a", [2], initializer=tf.ones_initializer())
        with tf.device("/cpu:1"):
            tf.get_variable("z", [2], initializer=tf.ones_initializer())
        saver = tf.train.Saver(sharded=True)
        sess.run(tf.global_variables_initializer())
        path = saver.save(sess, str(tmp_path / "m"))
        assert path is not None
        sess.run(a.assign([7.0, 7.0]))
        data = tmp_path / "m.data-00001-of-00002"
        data.write_bytes(b"\0" * 8)
        with pytest.raises(tf.errors.DataLossError, match=f"tensor z, bytes 0 to 8 of {data}: Checksum"):
            saver.restore(sess, path)
        assert sess.run(a).tolist() == [7.0, 7.0]


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with tf.Graph().as_default(), tf.Session() as sess:
        model()
        fill(sess, 1.0)
        saver = tf.train.Saver()
        with pytest.raises(ValueError, match="Parent directory"):
            saver.save(sess, str(tmp_path / "file" / "m"))
        os.mkdir(tmp_path / "m.index")
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"m\.index"):
            saver.save(sess, str(tmp_path / "m"))
        assert sorted(os.listdir(tmp_path)) == ["file", "m.index"]
