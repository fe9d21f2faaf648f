"""Coordinators, runners of queues, and pipelines whose threads fail."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf

SOON = 10.0


@pytest.fixture
def sess() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


# -- the coordinator ---------------------------------------------------------------------------------------------


def started(target: Any, *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=target, args=arguments, daemon=True)
    thread.start()
    return thread


def test_threads_stop_when_one_asks() -> None:
    coord = tf.train.Coordinator()
    counts = [0, 0]

    def work(number: int) -> None:
        while not coord.wait_for_stop(0.001):
            counts[number] += 1
            if number == 0 and counts[0] == 5:
                coord.request_stop()

    coord.join([started(work, 0), started(work, 1)], stop_grace_period_secs=SOON)
    assert coord.joined
    assert coord.should_stop()
    assert counts[0] == 5


def test_what_a_thread_raises_is_raised_by_join() -> None:
    coord = tf.train.Coordinator()

    def fail() -> None:
        with coord.stop_on_exception():
            raise KeyError("lost")

    coord.register_thread(started(fail))
    with pytest.raises(KeyError, match="lost"):
        coord.join(stop_grace_period_secs=SOON)
    with pytest.raises(KeyError, match="lost"):
        coord.raise_requested_exception()


def test_only_the_first_error_counts_and_the_end_of_input_is_none() -> None:
    coord = tf.train.Coordinator()
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "no more"))
    coord.join()
    coord.clear_stop()
    assert not coord.should_stop()
    assert not coord.joined
    coord.request_stop(ValueError("first"))
    coord.request_stop(TypeError("second"))
    with pytest.raises(ValueError, match="first"):
        coord.join()
    with pytest.raises(TypeError, match="late"):
        coord.request_stop(TypeError("late"))


def test_clean_ends_of_other_types() -> None:
    coord = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.CancelledError,))
    with coord.stop_on_exception():
        raise tf.errors.CancelledError(None, None, "that is all right")
    coord.join()
    coord = tf.train.Coordinator(clean_stop_exception_types=(tf.errors.CancelledError,))
    coord.request_stop(tf.errors.OutOfRangeError(None, None, "that is not"))
    with pytest.raises(tf.errors.OutOfRangeError):
        coord.join()


def test_threads_that_do_not_stop() -> None:
    coord = tf.train.Coordinator()
    end = threading.Event()
    thread = started(end.wait, SOON)
    coord.request_stop()
    with pytest.raises(RuntimeError, match="threads still running: Thread-"):
        coord.join([thread], stop_grace_period_secs=0.01)
    coord.clear_stop()
    coord.request_stop()
    coord.join([thread], stop_grace_period_secs=0.01, ignore_live_threads=True)
    end.set()


def test_loopers() -> None:
    coord = tf.train.Coordinator()
    seen: list[int] = []

    def work(by: int, most: int = 0) -> None:
        seen.append(by)
        if len(seen) == most:
            coord.request_stop()

    looper = tf.train.LooperThread.loop(coord, None, work, args=(3,), kwargs={"most": 4})
    coord.join(stop_grace_period_secs=SOON)
    assert not looper.is_alive()
    assert seen == [3, 3, 3, 3]
    with pytest.raises(TypeError, match="must be a Coordinator"):
        tf.train.LooperThread("coord", 1)
    with pytest.raises(ValueError, match="target"):
        tf.train.LooperThread(coord, 1, args=(1,))


def test_a_looper_with_a_timer_keeps_its_times() -> None:
    coord = tf.train.Coordinator()
    times: list[float] = []

    def work() -> None:
        times.append(time.monotonic())
        if len(times) == 4:
            coord.request_stop()

    tf.train.LooperThread.loop(coord, 0.01, work)
    coord.join(stop_grace_period_secs=SOON)
    assert times[3] - times[0] >= 0.025


# -- runners of queues -------------------------------------------------------------------------------------------


def test_a_runner_fills_the_queue_and_closes_it(sess: tf.Session) -> None:
    numbers = tf.train.limit_epochs(tf.constant([1, 2, 3]), 2)
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue_many(numbers)] * 2)
    take = queue.dequeue()
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = runner.create_threads(sess, coord, daemon=True, start=True)
    assert len(threads) == 3
    assert runner.create_threads(sess, coord) == []
    found = [sess.run(take) for _ in range(6)]
    with pytest.raises(tf.errors.OutOfRangeError):
        sess.run(take)
    assert sorted(found) == [1, 1, 2, 2, 3, 3]
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=SOON)
    assert not any(thread.is_alive() for thread in threads)


def test_stopping_frees_threads_that_wait(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(1, tf.int32, [[]])
    empty = tf.FIFOQueue(1, tf.int32, [[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
    tf.train.add_queue_runner(tf.train.QueueRunner(empty, [empty.enqueue(queue.dequeue())]))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    sess.run(empty.dequeue())
    coord.request_stop()
    coord.join(threads, stop_grace_period_secs=SOON)


def test_an_error_in_a_runner_stops_everything_and_is_raised(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    x = tf.Variable(0, name="x")  # never initialised
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(x)]))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    with pytest.raises(tf.errors.OutOfRangeError):
        sess.run(queue.dequeue())
    with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value x"):
        coord.join(threads, stop_grace_period_secs=SOON)


def test_an_error_without_a_coordinator_is_kept(sess: tf.Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading, "excepthook", lambda arguments: None)
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    x = tf.Variable(0, name="x")
    runner = tf.train.QueueRunner(queue, [queue.enqueue(x)])
    (thread,) = runner.create_threads(sess, start=True)
    thread.join(SOON)
    (error,) = runner.exceptions_raised
    assert isinstance(error, tf.errors.FailedPreconditionError)


def test_threads_are_started_once_a_session(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1)])
    coord = tf.train.Coordinator()
    assert len(runner.create_threads(sess, coord)) == 2
    assert runner.create_threads(sess, coord) == []
    with tf.Session() as other:
        assert len(runner.create_threads(other, coord)) == 2


def test_a_pipeline_of_files(sess: tf.Session, tmp_path: Any) -> None:
    """Names, a reader, two threads of examples, shuffled batches: each line comes twice in two epochs."""
    for number in range(3):
        lines = range(10 * number, 10 * number + 10)
        (tmp_path / f"{number}.txt").write_text("".join(f"{line},{line / 2}\n" for line in lines))
    names = tf.train.string_input_producer([str(path) for path in tmp_path.iterdir()], num_epochs=2)
    _, line = tf.TextLineReader().read(names)
    number, half = tf.decode_csv(line, [[0], [0.0]])
    batch = tf.train.shuffle_batch([number, half], 7, 40, 10, num_threads=2, allow_smaller_final_batch=True)
    sess.run(tf.local_variables_initializer())
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    numbers: list[int] = []
    try:
        while not coord.should_stop():
            some, halves = sess.run(batch)
            np.testing.assert_array_equal(halves, some / np.float32(2))
            numbers += some.tolist()
    except tf.errors.OutOfRangeError:
        coord.request_stop()
    coord.join(threads, stop_grace_period_secs=SOON)
    assert sorted(numbers) == sorted([*range(30), *range(30)])


def test_sparse_examples_that_are_taken_twice(sess: tf.Session) -> None:
    sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 3])
    add = tf.raw_ops.AddSparseToTensorsMap(
        sparse_indices=sparse.indices, sparse_values=sparse.values, sparse_shape=sparse.dense_shape, shared_name="m"
    )
    numbers = tf.placeholder(tf.int64, [None])
    taken = tf.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=numbers, dtype=tf.float32, shared_name="m")
    first = sess.run(add)
    indices, values, shape = sess.run(list(taken), {numbers: [first]})
    assert (indices.tolist(), values.tolist(), shape.tolist()) == ([[0, 0, 1]], [1.0], [1, 2, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find SparseTensor"):
        sess.run(list(taken), {numbers: [first]})
