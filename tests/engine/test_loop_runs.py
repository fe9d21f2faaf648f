"""Runs with loops: errors and interrupts in an iteration, memory, partial runs, callables."""

from __future__ import annotations

import gc
import signal
import time
import tracemalloc
import weakref
from types import FrameType
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.observed import observed
from tfbench.engine import generate
from tfbench.engine.interpret import _PATIENCE

SIZE = 50_000


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


# ---- errors


@pytest.mark.parametrize("when", [0, 1, _PATIENCE - 1, _PATIENCE, 30])
def test_an_error_names_op_iteration_and_line(when: int) -> None:
    n = tf.placeholder(tf.int32, [])
    _, x = tf.while_loop(
        lambda i, _: i < 40, lambda i, x: (i + 1, tf.check_numerics(x / tf.cast(n - i, tf.float32), "odd")), [0, 1.0]
    )
    with tf.Session() as session:
        for _ in range(3):  # step by step and then as a function of its own, both in one function
            with pytest.raises(tf.errors.InvalidArgumentError, match="odd") as caught:
                session.run(x, {n: when})
            assert np.isfinite(session.run(x, {n: 100}))
            assert caught.value.iterations == (("while/while_context", when),)
            assert caught.value.op.name == "while/CheckNumerics"
            assert f"[[{{{{node while/CheckNumerics}}}}]] in iteration {when} of loop 'while/while_context'" in str(
                caught.value
            )
            assert "test_loop_runs.py:" in str(caught.value)


@pytest.mark.parametrize(("outer", "inner"), [(0, 0), (3, 1), (12, 0), (12, 11), (20, 15)])
def test_an_error_in_a_nested_loop_names_both_iterations(outer: int, inner: int) -> None:
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])

    def body(i: Any, x: Any) -> Any:
        def row(j: Any, y: Any) -> Any:
            bad = tf.logical_and(tf.equal(i, a), tf.equal(j, b))
            return j + 1, tf.check_numerics(y / tf.cast(tf.logical_not(bad), tf.float32), "odd")

        return i + 1, tf.while_loop(lambda j, _: j < 20, row, [0, x])[1]

    x = tf.while_loop(lambda i, _: i < 25, body, [0, 1.0])[1]
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="odd") as caught:
                session.run(x, {a: outer, b: inner})
            assert caught.value.iterations == (("while/while_context", outer), ("while/while/while_context", inner))
            assert session.run(x, {a: -1, b: 0}) == 1.0


def test_an_error_in_the_condition() -> None:
    n = tf.placeholder(tf.int32, [])
    i = tf.while_loop(lambda i: tf.check_numerics(1.0 / tf.cast(i - n, tf.float32), "odd") < 2.0, lambda i: i + 1, [0])
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="odd") as caught:
                session.run(i, {n: 12})
            assert caught.value.iterations == (("while/while_context", 12),)


def test_errors_outside_loops_name_no_iteration() -> None:
    x = tf.placeholder(tf.float32, [])
    i = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    with tf.control_dependencies([i]):
        y = tf.check_numerics(x, "odd")
    with tf.Session() as session:
        for _ in range(2):
            with pytest.raises(tf.errors.InvalidArgumentError, match="odd") as caught:
                session.run(y, {x: np.nan})
            assert caught.value.iterations == ()
            session.run(y, {x: 1.0})


def test_what_python_code_in_a_loop_raises_is_the_cause() -> None:
    def odd(i: Any) -> Any:
        if i == 15:
            raise KeyError("no fifteen")
        return i

    i = tf.while_loop(lambda i: i < 20, lambda i: tf.reshape(tf.py_func(odd, [i], tf.int32), []) + 1, [0])
    with tf.Session() as session, pytest.raises(tf.errors.OpError, match="no fifteen") as caught:
        session.run(i)
    assert caught.value.iterations == (("while/while_context", 15),)


def test_loops_deeper_than_pythons_blocks() -> None:
    def level(depth: int, x: Any) -> Any:
        if not depth:
            return x + 1
        return tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, level(depth - 1, y)), [0, x])[1]

    shallow, deep = level(3, tf.constant(0)), level(generate.DEEPEST + 1, tf.constant(0))
    assert deep.dtype == tf.int32
    with tf.Session() as session:
        assert [session.run(shallow) for _ in range(2)] == [8, 8]
        plan = session.plan(deep)
        assert not plan._compiles()
        assert session.plan(shallow)._compiles()


# ---- interrupts


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that raise")
def test_an_endless_loop_is_interrupted_with_whole_variables() -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    v, w = tf.Variable(np.zeros(SIZE, np.float32)), tf.Variable(np.zeros(SIZE, np.float32))

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, tf.ones(SIZE)), tf.assign(w, w + 1.0)]):
            return i + 1

    endless = tf.while_loop(lambda i: i >= 0, body, [0])
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            reached = 0.0
            for attempt in range(8):
                begun = time.perf_counter()
                signal.setitimer(signal.ITIMER_REAL, 0.02 + 0.004 * attempt)
                with pytest.raises(KeyboardInterrupt):
                    session.run(endless)
                assert time.perf_counter() - begun < 2.0
                for values in session.run([v, w]):
                    assert len(set(values.tolist())) == 1
                assert session.run(v)[0] >= reached
                reached = session.run(v)[0]
            assert reached > 0
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that raise")
def test_an_endless_loop_that_computes_nothing_large_is_interrupted() -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    endless = tf.while_loop(lambda i: True, lambda i: tf.bitwise.invert(i), [0])
    old = signal.signal(signal.SIGALRM, interrupt)
    try:
        with tf.Session() as session:
            for _ in range(2):
                signal.setitimer(signal.ITIMER_REAL, 0.02)
                with pytest.raises(KeyboardInterrupt):
                    session.run(endless)
            assert session.run(tf.constant(1)) == 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


# ---- memory


def _peak(call: Any) -> float:
    """The arrays of SIZE floats that `call` has at once."""
    gc.collect()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        call()
        return (tracemalloc.get_traced_memory()[1] - before) / (SIZE * 4)
    finally:
        tracemalloc.stop()


def test_iterations_do_not_add_up() -> None:
    x = tf.placeholder(tf.float32, [None])
    n = tf.placeholder(tf.int32, [])
    # Before a loop variable's next value is there, its old one is dropped as soon as nobody needs it.
    _, y = tf.while_loop(lambda i, _: i < n, lambda i, y: (i + 1, tf.tanh(tf.sin(tf.cos(y)))), [0, x])
    array = np.ones(SIZE, np.float32)
    with tf.Session() as session:
        for _ in range(3):  # step by step; then compiled
            assert _peak(lambda: session.run(y, {x: array, n: 30})) < 2.4
        with observed(session, lambda *_: None):
            assert _peak(lambda: session.run(y, {x: array, n: 30})) < 4.4  # who watches holds what it is shown


def test_what_only_the_test_needs_is_gone_before_the_body() -> None:
    x = tf.placeholder(tf.float32, [None])

    def cond(i: Any, y: Any) -> Any:
        return tf.logical_and(i < 20, tf.reduce_sum(tf.exp(y)) > 0.0)

    _, y = tf.while_loop(cond, lambda i, y: (i + 1, tf.sin(tf.cos(y))), [0, x])
    array = np.ones(SIZE, np.float32)
    with tf.Session() as session:
        for _ in range(3):
            assert _peak(lambda: session.run(y, {x: array})) < 2.4


def test_captured_values_live_as_long_as_the_loop_and_no_longer() -> None:
    alive: list[weakref.ref[Any]] = []

    def watched(value: Any) -> Any:
        value = value + 1.0
        alive.append(weakref.ref(value))
        return value

    seen: list[bool] = []
    x = tf.placeholder(tf.float32, [None])
    captured = tf.py_func(watched, [x], tf.float32)
    captured.set_shape([None])
    _, y = tf.while_loop(lambda i, _: i < 12, lambda i, y: (i + 1, y + captured), [0, x])
    after = tf.py_func(lambda value: seen.append(alive[-1]() is None) or value, [y], tf.float32)
    with tf.Session() as session:
        for _ in range(3):
            np.testing.assert_array_equal(session.run(after, {x: np.ones(2, np.float32)}), [25.0, 25.0])
    assert seen == [True, True, True]


def test_a_loop_that_does_not_run_frees_what_it_would_have_taken() -> None:
    x, p = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.bool, [])

    def body(i: Any, y: Any) -> Any:
        # The branch's loop is the only one to need the large array.
        large = tf.tile(y[:1], [SIZE])
        small = tf.cond(
            p, lambda: tf.while_loop(lambda j, _: j < 2, lambda j, z: (j + 1, z + tf.reduce_sum(large)), [0, 0.0])[1],
            lambda: 1.0,
        )  # fmt: skip
        return i + 1, tf.sin(tf.cos(y)) * small

    _, y = tf.while_loop(lambda i, _: i < 20, body, [0, x])
    array = np.ones(SIZE, np.float32)
    with tf.Session() as session:
        for _ in range(3):
            assert _peak(lambda: session.run(y, {x: array, p: False})) < 2.5


# ---- other ways to run


def test_a_partial_run_with_loops() -> None:
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    v = tf.Variable(0)
    first = tf.while_loop(lambda i: i < a, lambda i: i + 2, [0])

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1)]):
            return i + first

    second = tf.while_loop(lambda i: i < b, body, [0])
    total = first + second
    with tf.Session() as session:
        session.run(v.initializer)
        for _ in range(2):
            handle = session.partial_run_setup([first, second, total], [a, b])
            assert session.partial_run(handle, first, {a: 5}) == 6
            assert session.run(v) % 4 == 0
            assert session.partial_run(handle, [total, second], {b: 20}) == [30, 24]
        assert session.run(v) == 8
        assert session.run(total, {a: 5, b: 20}) == 30


def test_a_partial_run_may_need_later_what_a_loop_was_the_last_to_need() -> None:
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    doubled = a * 2.0
    early = doubled + b  # made before the loop, but waits for b
    late = tf.while_loop(lambda x: x < 50.0, lambda x: x + doubled, [1.0])
    with tf.Session() as session:
        handle = session.partial_run_setup([early, late], [a, b])
        assert session.partial_run(handle, late, {a: 5.0}) == 51.0
        assert session.partial_run(handle, early, {b: 1.0}) == 11.0


def test_an_error_in_a_partial_runs_loop() -> None:
    a = tf.placeholder(tf.float32, [])
    x = tf.while_loop(lambda x: x > -1.0, lambda x: tf.check_numerics(1.0 / (x - 1.0), "odd"), [a])
    with tf.Session() as session:
        handle = session.partial_run_setup([x], [a])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?s:odd.*in iteration 0)"):
            session.partial_run(handle, x, {a: 1.0})


def test_callables_and_options() -> None:
    n = tf.placeholder(tf.int32, [])
    i = tf.while_loop(lambda i: i < n, lambda i: i + 3, [0])
    with tf.Session() as session:
        call = session.make_callable(i, [n])
        assert [int(call(number)) for number in (0, 1, 10, 100)] == [0, 3, 12, 102]
        options, metadata = tf.RunOptions(trace_level=tf.RunOptions.NO_TRACE), tf.RunMetadata()
        assert session.run(i, {n: 7}, options=options, run_metadata=metadata) == 9
        accepting = session.make_callable(i, [n], accept_options=True)
        assert accepting(7, options=options, run_metadata=metadata) == 9


def test_feeds_replace_what_a_loop_begins_with_and_what_it_gives() -> None:
    begin = tf.add(1, 1)
    i = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [begin])
    result = i + 1
    with tf.Session() as session:
        for _ in range(2):
            assert session.run(result) == 12
            assert session.run(result, {begin: 9}) == 13
            assert session.run(result, {i: 100}) == 101
            assert session.run([i, result], {i: 100}) == [100, 101]
