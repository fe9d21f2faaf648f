"""Partitions in threads: the same results, errors that come first, interrupts, and when it is worth it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tfbench.engine import plan as plans
from tfbench.engine.parallel import Chooser, split


@pytest.fixture(autouse=True)
def _graph(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(Chooser, "in_threads", lambda self: True)
    with tf.Graph().as_default(), tf.simulate_devices(gpu=2):
        yield


def towers(session: Any = None, size: int = 2) -> Any:
    outputs = []
    for i in range(2):
        with tf.device(f"/gpu:{i}"):
            x = tf.ones([size, size]) * (i + 1.0)
            for _ in range(5):
                x = tf.tanh(tf.matmul(x, x) * 0.1)
            outputs.append(x)
    with tf.device("/cpu:0"):
        return tf.add(outputs[0], outputs[1], name="sum")


def parallel_of(session: Any, fetches: Any, feeds: Any = ()) -> Any:
    return split(session.plan(fetches, feeds).program)


def test_partitions_give_what_one_thread_gives() -> None:
    total = towers()
    with tf.Session() as session:
        found = parallel_of(session, total)
        assert [part.device for part in found.partitions] == [0, 1, 2]
        first = session.run(total)
        for _ in range(20):
            assert session.run(total).tolist() == first.tolist()


def test_they_run_in_threads_of_their_own() -> None:
    seen: dict[str, int] = {}

    def note(name: str) -> Any:
        def function(x: Any) -> Any:
            seen[name] = threading.get_ident()
            return x

        return function

    with tf.simulate_devices(cpu=2), tf.Session() as session:
        with tf.device("/cpu:0"):
            a = tf.py_func(note("a"), [tf.ones([2])], tf.float32)
        with tf.device("/cpu:1"):
            b = tf.py_func(note("b"), [tf.ones([2])], tf.float32)
        for _ in range(3):
            session.run([a, b])
        assert seen["a"] == threading.get_ident()
        assert seen["b"] != seen["a"]


def test_side_effects_keep_their_order_across_devices() -> None:
    log: list[str] = []

    def write(name: str, delay: float = 0.0) -> Any:
        def function() -> Any:
            time.sleep(delay)
            log.append(name)
            return np.float32(1)

        return function

    with tf.simulate_devices(cpu=2), tf.Session() as session:
        with tf.device("/cpu:1"):
            first = tf.py_func(write("first", 0.01), [], tf.float32)
        with tf.device("/cpu:0"), tf.control_dependencies([first]):
            # The constant `mul/y` is what waits; the product must wait with it.
            second = tf.py_func(write("second"), [], tf.float32) * 2.0
        with tf.device("/cpu:1"), tf.control_dependencies([second]):
            third = tf.py_func(write("third"), [], tf.float32)
        for _ in range(4):
            session.run(third)
        assert log == ["first", "second", "third"] * 4


def test_what_a_constant_waits_for_is_waited_for_by_its_consumers() -> None:
    with tf.device("/gpu:0"):
        slow = tf.ones([300, 300])
        for _ in range(4):
            slow = tf.matmul(slow, slow) * 0.01
        v = tf.Variable(1.0, name="v")
        with tf.control_dependencies([slow]):
            write = tf.assign(v, 5.0)
    with tf.device("/gpu:1"), tf.control_dependencies([write]):
        w = tf.constant(2.0) * 3.0
    with tf.device("/gpu:0"):
        out = tf.identity(w)
    with tf.Session() as session:
        session.run(v.initializer)
        steps = parallel_of(session, out).partitions[1].steps
        assert [type(step).__name__ for step in steps] == ["ReceiveStep", "Step", "SendStep"]
        for _ in range(3):
            session.run(v.initializer)
            session.run(out)
            assert session.run(v) == 5.0


def test_state_is_the_same_after_any_number_of_runs() -> None:
    updates = []
    for i in range(2):
        with tf.device(f"/gpu:{i}"):
            v = tf.get_variable(f"v{i}", [4], initializer=tf.zeros_initializer())
            noise = tf.random_normal([4], seed=7 + i)
            updates.append(tf.assign_add(v, noise))
    with tf.device("/cpu:0"):
        total = tf.add_n([tf.identity(update) for update in updates])
    results = []
    for threads in (False, True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Chooser, "in_threads", lambda self, threads=threads: threads)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                results.append([session.run(total).tolist() for _ in range(6)])
    assert results[0] == results[1]


def test_loops_and_branches_on_one_device_each_run_in_threads() -> None:
    results = []
    for i in range(2):
        with tf.device(f"/gpu:{i}"):
            x = tf.while_loop(lambda x: tf.reduce_sum(x) < 100.0, lambda x: x * 2.0, [tf.ones([3]) * (i + 1.0)])
            results.append(tf.cond(tf.reduce_max(x) > 1.0, lambda x=x: x + 1.0, lambda x=x: x))
    with tf.Session() as session:
        assert parallel_of(session, results) is not None
        for _ in range(12):
            one, two = session.run(results)
            assert one.tolist() == [65.0] * 3
            assert two.tolist() == [65.0] * 3


def test_what_looks_at_another_devices_predicate_is_not_cut() -> None:
    with tf.device("/gpu:0"):
        p = tf.reduce_sum(tf.ones([2])) > 1.0
        x = tf.ones([2])
    with tf.device("/gpu:1"):
        y = tf.cond(p, lambda: x * 2.0, lambda: x)
    with tf.Session() as session:
        assert parallel_of(session, y) is None
        assert [session.run(y).tolist() for _ in range(3)] == [[2.0, 2.0]] * 3


def test_one_device_is_not_cut() -> None:
    with tf.device("/gpu:0"):
        x = tf.ones([2]) * 2.0
    with tf.device("/gpu:1"):
        y = tf.constant(1.0)
    with tf.Session() as session:
        assert parallel_of(session, [x, y]) is None


def test_the_error_is_that_of_the_step_that_comes_first() -> None:
    with tf.simulate_devices(cpu=3), tf.Session() as session:
        fail = tf.placeholder_with_default(False, [])

        def failing(name: str, delay: float) -> Any:
            def function(wanted: Any) -> Any:
                if wanted:
                    time.sleep(delay)
                    raise ValueError(f"{name} failed")
                return np.float32(1)

            return function

        with tf.device("/cpu:1"):
            first = tf.py_func(failing("first", 0.02), [tf.identity(fail)], tf.float32, name="first")
        with tf.device("/cpu:2"):
            second = tf.py_func(failing("second", 0.0), [tf.identity(fail)], tf.float32, name="second")
        with tf.device("/cpu:0"):
            total = tf.add(first, second)
        for _ in range(3):
            assert session.run(total) == 2.0
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                session.run(total, {fail: True})
            assert caught.value.op.name == "first"
        assert session.run(total) == 2.0


def test_a_partition_that_waits_for_one_that_failed_ends() -> None:
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [None])
        a = tf.reshape(x, [2])
    with tf.device("/gpu:1"):
        b = tf.negative(a)
    with tf.device("/gpu:0"):
        c = tf.exp(b)
    with tf.Session() as session:
        for _ in range(3):
            session.run(c, {x: [1.0, 2.0]})
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(c, {x: [1.0, 2.0, 3.0]})
            session.run(c, {x: [1.0, 2.0]})


def test_an_interrupt_ends_all_partitions() -> None:
    began = threading.Event()

    def slow(x: Any) -> Any:
        began.set()
        time.sleep(0.3)
        return x

    with tf.simulate_devices(cpu=2), tf.Session() as session:
        with tf.device("/cpu:1"):
            wait = tf.placeholder_with_default(np.float32(0), [])
            a = tf.py_func(lambda x: slow(x) if x else x, [tf.identity(wait)], tf.float32)
            b = tf.py_func(lambda x: x, [a], tf.float32)
        with tf.device("/cpu:0"):
            c = tf.identity(b) + 1.0
        for _ in range(3):
            session.run(c)

        def interrupt() -> None:
            began.wait(5)
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(c, {wait: np.float32(1)})
        thread.join()
        assert session.run(c) == 1.0


def test_sessions_in_several_threads() -> None:
    total = towers()
    with tf.Session() as session:
        expected = session.run(total).tolist()
        session.run(total)
        found: list[Any] = []

        def run() -> None:
            found.extend(session.run(total).tolist() == expected for _ in range(20))

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [True] * 80


def test_simulated_time_overlaps_with_work_and_with_other_transfers() -> None:
    with tf.simulate_devices(gpu=2, latency=0.05):
        with tf.device("/cpu:0"):
            xs = [tf.ones([2]) * float(i) for i in range(4)]
        with tf.device("/gpu:0"):
            total = tf.add_n([tf.identity(x) for x in xs])
        with tf.Session() as session:
            for _ in range(3):
                session.run(total)
            began = time.perf_counter()
            session.run(total)
            took = time.perf_counter() - began
            # Four messages at once; one after the other they would take 200 ms.
            assert 0.05 <= took < 0.15


class TestChooser:
    @pytest.fixture(autouse=True)
    def _real(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.undo()

    @staticmethod
    def play(serial: float, threads: float, runs: int) -> list[bool]:
        chooser = Chooser(always=False)
        chosen = []
        for _ in range(runs):
            way = chooser.in_threads()
            chosen.append(way)
            chooser.took(way, threads if way else serial)
        return chosen

    def test_short_runs_are_never_worth_a_thread(self) -> None:
        assert not any(self.play(0.0001, 0.00001, 200))

    def test_both_are_tried_and_the_faster_is_kept(self) -> None:
        assert self.play(0.010, 0.006, 10) == [False, False] + [True] * 8
        assert self.play(0.010, 0.012, 10) == [False, False, True, True] + [False] * 6

    def test_both_are_tried_again_now_and_then(self) -> None:
        assert self.play(0.010, 0.006, 70)[60:] == [True] * 4 + [False, False] + [True] * 4

    def test_simulated_time_is_always_in_threads(self) -> None:
        assert Chooser(always=True).in_threads()


def test_a_plan_is_cut_once(monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[Any] = []
    monkeypatch.setattr(plans, "split", lambda program: cut.append(program) or split(program))
    total = towers()
    with tf.Session() as session:
        for _ in range(5):
            session.run(total)
    assert len(cut) == 1
