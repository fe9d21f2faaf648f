"""Queues between threads: who waits for whom, and everything that ends the waiting."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine.kernels.queues import QueueState
from tfbench.engine.waiting import Turns, within

SOON = 10.0


class Running:
    """A function in a thread: its result or its error."""

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.result: Any = None
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(function, *arguments), daemon=True)
        self._thread.start()

    def _run(self, function: Callable[..., Any], *arguments: Any) -> None:
        try:
            self.result = function(*arguments)
        except BaseException as error:
            self.error = error

    def get(self) -> Any:
        self._thread.join(SOON)
        assert not self._thread.is_alive(), "still waiting"
        if self.error is not None:
            raise self.error
        return self.result

    @property
    def going(self) -> bool:
        return self._thread.is_alive()


@pytest.fixture
def sess() -> Iterator[tf.Session]:
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def state_of(sess: tf.Session) -> QueueState:
    """The only queue of the session."""
    found = [getattr(item, "state", item) for _, item in sess.resources.items()]
    (queue,) = [item for item in found if isinstance(item, QueueState)]
    return queue


def until(condition: Callable[[], bool]) -> None:
    """Waits until another thread has come so far."""
    end = time.monotonic() + SOON
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.001)


def test_taking_waits_for_putting(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    taken = Running(sess.run, queue.dequeue())
    until(lambda: len(sess.resources._items) > 0 and len(state_of(sess)._taking) == 1)
    sess.run(queue.enqueue(7))
    assert taken.get() == 7


def test_putting_waits_for_a_place(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(1, tf.int32, [[]])
    put, take = queue.enqueue(2), queue.dequeue()
    sess.run(queue.enqueue(1))
    putting = Running(sess.run, put)
    until(lambda: len(state_of(sess)._putting) == 1)
    assert sess.run(take) == 1
    putting.get()
    assert sess.run(take) == 2


def test_a_batch_larger_than_the_queue_gathers(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    many = queue.dequeue_many(7)
    taking = Running(sess.run, many)
    sess.run(queue.enqueue_many([list(range(7))]))
    np.testing.assert_array_equal(taking.get(), range(7))


def test_who_comes_first_is_served_first(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(20, tf.int32, [[]])
    many, one = queue.dequeue_many(3), queue.dequeue()
    first = Running(sess.run, many)
    until(lambda: len(sess.resources._items) > 0 and len(state_of(sess)._taking) == 1)
    second = Running(sess.run, one)
    until(lambda: len(state_of(sess)._taking) == 2)
    sess.run(queue.enqueue_many([[1, 2]]))
    assert second.going
    sess.run(queue.enqueue_many([[3, 4]]))
    np.testing.assert_array_equal(first.get(), [1, 2, 3])
    assert second.get() == 4


def test_many_threads_lose_and_double_nothing(sess: tf.Session) -> None:
    queue = tf.RandomShuffleQueue(7, 2, tf.int32, [[]], seed=1)
    x = tf.placeholder(tf.int32, [None])
    put, take, close = queue.enqueue_many(x), queue.dequeue_up_to(5), queue.close()

    def produce(start: int) -> None:
        for batch in np.arange(start, start + 100).reshape(20, 5):
            sess.run(put, {x: batch})

    def consume() -> list[int]:
        found: list[int] = []
        while True:
            try:
                found += sess.run(take).tolist()
            except tf.errors.OutOfRangeError:
                return found

    producers = [Running(produce, 100 * i) for i in range(4)]
    consumers = [Running(consume) for _ in range(3)]
    for producer in producers:
        producer.get()
    sess.run(close)
    assert sorted(found for consumer in consumers for found in consumer.get()) == list(range(400))


def test_closing_lets_pending_enqueues_finish(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(1, tf.int32, [[]])
    take = queue.dequeue()
    sess.run(queue.enqueue(1))
    putting = Running(sess.run, queue.enqueue(2))
    until(lambda: len(state_of(sess)._putting) == 1)
    closing = Running(sess.run, queue.close())
    until(lambda: len(state_of(sess)._putting) == 2)
    assert not sess.run(queue.is_closed())
    assert sess.run(take) == 1
    putting.get()
    closing.get()
    assert sess.run(queue.is_closed())
    assert sess.run(take) == 2
    with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
        sess.run(take)


def test_closing_cancels_pending_enqueues(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(1, tf.int32, [[]])
    sess.run(queue.enqueue(1))
    putting = Running(sess.run, queue.enqueue(2))
    until(lambda: len(state_of(sess)._putting) == 1)
    sess.run(queue.close(cancel_pending_enqueues=True))
    with pytest.raises(tf.errors.CancelledError, match="Enqueue operation was cancelled"):
        putting.get()


def test_closing_ends_pending_dequeues(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(9, tf.int32, [[]])
    many, small = queue.dequeue_many(4), queue.dequeue_up_to(4)
    sess.run(queue.enqueue_many([[1, 2]]))
    first = Running(sess.run, many)
    until(lambda: len(state_of(sess)._taking) == 1)
    second = Running(sess.run, small)
    until(lambda: len(state_of(sess)._taking) == 2)
    sess.run(queue.close())
    with pytest.raises(tf.errors.OutOfRangeError):
        first.get()
    np.testing.assert_array_equal(second.get(), [1, 2])  # what the other had gathered was put back


def test_closing_the_session_ends_the_waiting() -> None:
    with tf.Graph().as_default():
        queue, full = tf.FIFOQueue(1, tf.int32, [[]]), tf.FIFOQueue(0, tf.int32, [[]])
        reader = tf.IdentityReader()
        names = tf.FIFOQueue(1, tf.string, [[]])
        record, put, take = reader.read(names), full.enqueue(1), queue.dequeue()
        sess = tf.Session()
        waiting = [Running(sess.run, fetch) for fetch in (take, put, record, record)]
        lines = ("_taking", "_putting")
        until(
            lambda: sum(len(getattr(item.state, line, ())) for _, item in sess.resources.items() for line in lines) == 3
        )
        sess.close()
    for one, word in zip(waiting, ("Dequeue", "Enqueue", "Dequeue", "Dequeue"), strict=True):
        with pytest.raises(tf.errors.CancelledError, match=f"{word} operation was cancelled"):
            one.get()


@pytest.mark.parametrize("first_run", [True, False])
def test_the_time_of_a_run(sess: tf.Session, first_run: bool) -> None:
    queue = tf.FIFOQueue(9, tf.int32, [[]])
    many = queue.dequeue_many(3)
    if not first_run:  # a compiled plan waits as well
        for _ in range(3):
            sess.run(queue.enqueue_many([[1, 2, 3]]))
            sess.run(many)
    sess.run(queue.enqueue_many([[4, 5]]))
    with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out waiting"):
        sess.run(many, options=tf.RunOptions(timeout_in_ms=20))
    assert sess.run(queue.size()) == 2, "what had been gathered is lost"
    sess.run(queue.enqueue(6))
    np.testing.assert_array_equal(sess.run(many, options=tf.RunOptions(timeout_in_ms=10_000)), [4, 5, 6])


def test_an_interrupt_ends_the_waiting(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(9, tf.int32, [[]])
    take = queue.dequeue()
    main = threading.get_ident()

    def interrupt() -> None:
        until(lambda: len(sess.resources._items) > 0 and len(state_of(sess)._taking) == 1)
        signal.pthread_kill(main, signal.SIGINT)

    interrupting = Running(interrupt)
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        sess.run(take, options=tf.RunOptions(timeout_in_ms=int(SOON * 1000)))
    interrupting.get()
    assert time.monotonic() - started < SOON / 2
    sess.run(queue.enqueue(3))
    assert sess.run(take) == 3  # nobody stands in line any more


def test_other_runs_go_on_while_one_waits(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(9, tf.int32, [[]])
    taken = Running(sess.run, queue.dequeue() + 1)
    x = tf.placeholder(tf.float32)
    y = x * 2.0
    assert [sess.run(y, {x: i}) for i in range(5)] == [0, 2, 4, 6, 8]
    assert taken.going
    sess.run(queue.enqueue(1))
    assert taken.get() == 2


def test_a_run_that_takes_out_before_it_puts_in(sess: tf.Session) -> None:
    """TensorFlow does both at once."""
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    many, put_many = queue.dequeue_many(2), queue.enqueue_many([[1, 2]])
    options = tf.RunOptions(timeout_in_ms=int(SOON * 1000))
    double = queue.dequeue() * 2
    with tf.control_dependencies([double]):
        after = tf.constant(1) + 1
    put = queue.enqueue(5)
    for _ in range(3):
        assert sess.run([double, put, after], options=options) == [10, None, 2]
        assert sess.run([many, put_many], options=options)[0].tolist() == [1, 2]
        assert sess.run(queue.size()) == 0


def test_a_run_that_puts_into_a_full_queue_before_it_takes_out(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    put, take = queue.enqueue(5), queue.dequeue()
    sess.run(queue.enqueue_many([[1, 2]]))
    options = tf.RunOptions(timeout_in_ms=int(SOON * 1000))
    assert [sess.run([put, take], options=options)[1] for _ in range(3)] == [1, 2, 5]
    assert sess.run(queue.size()) == 2


def test_a_run_that_can_never_go_on_waits_for_others(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(2, tf.int32, [[]])
    first, second, put = queue.dequeue(), queue.dequeue(), queue.enqueue(1)
    with pytest.raises(tf.errors.DeadlineExceededError):
        sess.run([first, second, put], options=tf.RunOptions(timeout_in_ms=30))
    run = Running(sess.run, [first, second, put])
    until(lambda: len(state_of(sess)._taking) == 1)
    sess.run(put)
    assert run.get() == [1, 1, None]


def test_runs_of_one_plan_have_values_of_their_own(sess: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [4])
    go = tf.FIFOQueue(100, tf.float32, [[]])
    y = tf.reduce_sum(x * 2.0) + go.dequeue()
    put = go.enqueue_many([[0.0] * 8])
    for _ in range(2):  # first step by step, then as one function
        runs = [Running(sess.run, y, {x: np.full(4, i, np.float32)}) for i in range(8)]
        until(lambda: len(sess.resources._items) > 0 and len(state_of(sess)._taking) == 8)
        sess.run(put)
        assert [run.get() for run in runs] == [8 * i for i in range(8)]


def test_a_failing_partition_ends_the_waiting_of_another() -> None:
    with tf.Graph().as_default(), tf.simulate_devices(cpu=2, latency=1e-6):
        queue = tf.FIFOQueue(9, tf.int32, [[]])
        bad = tf.placeholder(tf.int32, [])
        with tf.device("/cpu:0"):
            sent = tf.add(bad, 0)
            taken = queue.dequeue()
        with tf.device("/cpu:1"):
            divided = tf.div(tf.constant(1), sent)
        with tf.Session() as sess:
            sess.run(queue.enqueue(1))
            sess.run([divided, taken], {bad: 1})  # the first run has no threads
            run = Running(sess.run, [divided, taken], {bad: 0})
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"division by zero|Integer division"):
                run.get()
            until(lambda: not state_of(sess)._taking)


def test_what_is_put_in_is_a_copy(sess: tf.Session) -> None:
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable([1.0, 2.0])
    queue = tf.FIFOQueue(9, tf.float32, [[2]])
    put, put_variable, take = queue.enqueue(x), queue.enqueue(v), queue.dequeue()
    sess.run(v.initializer)
    array = np.array([5.0, 6.0], np.float32)
    sess.run(put, {x: array})
    sess.run(put_variable)
    array[:] = 0
    sess.run(v.assign([0.0, 0.0]))
    np.testing.assert_array_equal(sess.run(take), [5, 6])
    np.testing.assert_array_equal(sess.run(take), [1, 2])


def test_values_of_too_few_components(sess: tf.Session) -> None:
    queue = tf.FIFOQueue(9, [tf.float32, tf.int32])
    put = queue.enqueue([1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected 2, got 1"):
        sess.run(put)


def test_a_queue_is_put_back_with_everything_else(sess: tf.Session) -> None:
    for queue in (
        tf.FIFOQueue(9, tf.int32, [[]]),
        tf.RandomShuffleQueue(9, 0, tf.int32, [[]], seed=3),
    ):
        take = queue.dequeue()
        sess.run(queue.enqueue_many([[1, 2, 3, 4, 5, 6]]))
        sess.run(take)
        saved = sess.resources.snapshot()
        first = [sess.run(take) for _ in range(4)]
        sess.run(queue.close())
        sess.resources.restore(saved)
        assert [sess.run(take) for _ in range(4)] == first
        assert not sess.run(queue.is_closed())


def test_turns_are_taken_in_order() -> None:
    turns = Turns()
    order: list[int] = []

    def wait(number: int) -> None:
        with turns:
            order.append(number)

    with turns:
        waiting = []
        for number in range(4):
            waiting.append(Running(wait, number))
            until(lambda: len(turns._line) == len(waiting))
        with within(0.01), pytest.raises(tf.errors.DeadlineExceededError), turns:
            pass
    for one in waiting:
        one.get()
    assert order == [0, 1, 2, 3]
