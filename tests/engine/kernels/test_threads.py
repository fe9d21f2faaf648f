"""The pool under the kernels: every task once, errors out, nothing left running, BLAS as it was."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tfbench.engine.kernels import blas, threads


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("tasks", [0, 1, 3, 100])
def test_every_task_is_done_once(count: int, tasks: int) -> None:
    done: list[int] = []
    with threads.limit(count):
        threads.parallel(tasks, lambda numbers: [done.append(number) for number in numbers])
    assert sorted(done) == list(range(tasks))


def test_more_than_one_thread_works() -> None:
    both = threading.Barrier(2, timeout=10)
    names: set[str] = set()

    def work(numbers: Iterator[int]) -> None:
        for _ in numbers:
            names.add(threading.current_thread().name)
            both.wait()  # passes only if two threads have a task at the same time

    with threads.limit(2):
        threads.parallel(2, work)
    assert len(names) == 2


def test_limits_nest_and_belong_to_their_thread() -> None:
    outside = threads.count()
    with threads.limit(3):
        with threads.limit(1):
            assert threads.count() == 1
        assert threads.count() == 3
        seen: list[int] = []
        other = threading.Thread(target=lambda: seen.append(threads.count()))
        other.start()
        other.join()
        assert seen == [outside]
        with threads.limit(0):
            assert threads.count() == outside
    assert threads.count() == outside


def test_the_environment_says_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3,2")
    assert threads.available() == 3
    for nonsense in ("", "0", "-1", "many"):
        monkeypatch.setenv("OMP_NUM_THREADS", nonsense)
        assert 1 <= threads.available() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("who", ["caller", "helper"])
def test_an_error_stops_the_others_and_reaches_the_caller(who: str) -> None:
    caller = threading.current_thread()
    begun = threading.Barrier(2, timeout=10)
    done: list[int] = []

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            if number < 2:
                begun.wait()
            if (threading.current_thread() is caller) == (who == "caller"):
                raise KeyError("task")
            time.sleep(0.01)
            done.append(number)

    with threads.limit(2), pytest.raises(KeyError, match="task"):
        threads.parallel(1000, work)
    assert len(done) < 1000


def test_a_call_inside_a_task_does_not_wait_for_a_busy_pool() -> None:
    sums: list[int] = []

    def inner(numbers: Iterator[int]) -> None:
        sums.append(sum(numbers))

    def outer(numbers: Iterator[int]) -> None:
        for _ in numbers:
            with threads.limit(4):
                threads.parallel(10, inner)

    with threads.limit(2):
        threads.parallel(8, outer)
    assert sum(sums) == 8 * 45


def test_scratch_is_aligned_reused_and_private_to_a_thread() -> None:
    first = threads.scratch(1000)
    assert first.ctypes.data % 64 == 0
    assert len(first) == 1000
    assert threads.scratch(500).ctypes.data == first.ctypes.data
    assert len(threads.scratch(100_000)) == 100_000
    other: list[int] = []
    thread = threading.Thread(target=lambda: other.append(threads.scratch(10).ctypes.data))
    thread.start()
    thread.join()
    assert other != [threads.scratch(10).ctypes.data]


def test_floating_point_warnings_are_off_in_every_thread() -> None:
    def work(numbers: Iterator[int]) -> None:
        for _ in numbers:
            np.divide(np.ones(1), np.zeros(1))
            time.sleep(0.01)

    with threads.limit(2), np.errstate(all="raise"):
        threads.parallel(4, work)


needs_blas_control = pytest.mark.skipif(
    not blas.one_thread.works, reason="NumPy's BLAS here cannot be told how many threads to use"
)


@needs_blas_control
def test_blas_has_one_thread_inside_and_what_it_had_afterwards() -> None:
    before = blas.one_thread.threads()
    inside: list[Any] = []
    with threads.limit(2):
        threads.parallel(4, lambda numbers: [inside.append(blas.one_thread.threads()) for _ in numbers])
    assert inside == [1] * 4
    assert blas.one_thread.threads() == before


@needs_blas_control
def test_overlapping_users_of_one_thread_leave_what_the_first_found() -> None:
    before = blas.one_thread.threads()
    first, second = threading.Event(), threading.Event()

    def user() -> None:
        with blas.one_thread:
            first.set()
            second.wait(10)

    thread = threading.Thread(target=user)
    thread.start()
    first.wait(10)
    with blas.one_thread:
        second.set()
        thread.join()  # the first to come leaves first
        assert blas.one_thread.threads() == 1
    assert blas.one_thread.threads() == before
    assert blas.one_thread.depth == 0


@needs_blas_control
def test_one_thread_is_left_after_an_error() -> None:
    before = blas.one_thread.threads()
    with pytest.raises(ZeroDivisionError), blas.one_thread:
        raise ZeroDivisionError
    assert blas.one_thread.threads() == before


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transpose", [False, True])
def test_gemm_adds_a_product_of_parts_of_matrices(dtype: Any, transpose: bool) -> None:
    gemm = blas.gemm(np.dtype(dtype))
    if gemm is None:
        pytest.skip("NumPy's BLAS here has no known accumulating product")
    rng = np.random.default_rng(1)
    a = rng.integers(-5, 5, (9, 9)).astype(dtype)
    b, c = rng.integers(-5, 5, (9, 8)).astype(dtype), rng.integers(-5, 5, (9, 7)).astype(dtype)
    left = a[:3, :5].T if transpose else a[:5, :3]
    wanted = c.copy()
    wanted[:5, :6] = left @ b[:3, :6] + c[:5, :6]
    gemm(transpose, 5, 6, 3, a.ctypes.data, 9, b.ctypes.data, 8, 1.0, c.ctypes.data, 7)
    assert np.array_equal(c, wanted)


def test_no_gemm_for_types_that_blas_does_not_have() -> None:
    for dtype in (np.int32, np.float16, np.dtype(">f4")):
        assert blas.gemm(np.dtype(dtype)) is None


def test_where_blas_cannot_be_controlled_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_library", lambda: None)
    alone = blas._OneThread()
    assert not alone.works
    assert alone.threads() is None
    with alone:
        assert alone.depth == 1
    assert alone.depth == 0
    assert blas._find_gemm(np.dtype(np.float32)) is None


FORKED = """
import os, sys
import numpy as np
from tfbench.engine.kernels import blas, threads

def total(numbers):
    for number in numbers:
        (np.ones((64, 64)) @ np.ones((64, 64))).sum()
        done.append(number)

done = []
before = blas.one_thread.threads()
with threads.limit(3):
    threads.parallel(6, total)
    with blas.one_thread:
        child = os.fork()
        if child == 0:
            inherited = blas.one_thread.threads()
            done = []
            threads.parallel(6, total)
            good = sorted(done) == list(range(6)) and inherited == before == blas.one_thread.threads()
            os._exit(0 if good else 1)
        status = os.waitpid(child, 0)[1]
sys.exit(0 if status == 0 and sorted(done) == list(range(6)) and blas.one_thread.threads() == before else 2)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_child_has_a_pool_and_blas_threads_of_its_own() -> None:
    outcome = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], timeout=60)
    assert outcome.returncode == 0


INTERRUPTED = """
import _thread, threading, time
from tfbench.engine.kernels import blas, threads

before, running = blas.one_thread.threads(), []

def work(numbers):
    for number in numbers:
        running.append(1)
        if number == 5:
            threading.Timer(0.05, _thread.interrupt_main).start()
        time.sleep(0.02)
        running.pop()

try:
    with threads.limit(2):
        threads.parallel(100000, work)
except KeyboardInterrupt:
    time.sleep(0.1)
    idle = len(running)  # the interrupted task itself may have been cut before its pop
    assert idle <= 1, idle
    assert blas.one_thread.threads() == before
    done = []
    with threads.limit(2):
        threads.parallel(7, done.extend)
    assert sorted(done) == list(range(7)), done
else:
    raise SystemExit("was not interrupted")
"""


def test_ctrl_c_ends_the_tasks_and_leaves_the_pool_usable() -> None:
    outcome = subprocess.run([sys.executable, "-c", INTERRUPTED], timeout=60, capture_output=True, text=True)
    assert outcome.returncode == 0, outcome.stderr


@needs_blas_control
def test_a_run_computes_with_the_threads_of_its_session() -> None:
    import tfbench as tf

    seen: list[Any] = []

    def look(value: Any) -> Any:
        seen.append((threads.count(), blas.one_thread.threads()))
        return value

    before = threads.count(), blas.one_thread.threads()
    with tf.Graph().as_default() as graph:
        y = tf.py_func(look, [tf.constant(1.0)], tf.float32)
    for count in (0, 1, 3):
        session = tf.Session(graph=graph, config=tf.ConfigProto(intra_op_parallelism_threads=count))
        session.run(y)
        session.make_callable(y)()
    assert seen == [before] * 2 + [(1, 1)] * 2 + [(3, before[1])] * 2
    assert (threads.count(), blas.one_thread.threads()) == before


def test_an_error_in_a_run_gives_the_threads_back() -> None:
    before = threads.count()
    inside: list[int] = []
    with pytest.raises(KeyError), threads.arithmetic(1):
        raise KeyError(inside.append(threads.count()))
    assert inside == [1]
    assert threads.count() == before
    assert blas.one_thread.depth == 0
