"""What must hold however a session is treated: long graphs, threads, interrupts, shared memory, memory growth."""

from __future__ import annotations

import gc
import signal
import threading
import tracemalloc
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import numpy as np
import pytest

import tfbench as tf

SIZE = 100_000


@pytest.fixture(autouse=True)
def fresh_graph() -> Any:
    with tf.Graph().as_default() as graph:
        yield graph


# ---- long graphs


def test_chains_longer_than_the_stack() -> None:
    x = tf.placeholder(tf.float32, [None])
    y, size, known, waits = x, tf.shape(x), tf.constant(1), tf.no_op()
    for i in range(3000):
        y = tf.identity(y) if i % 3 else y + 1.0
        size, known = size + 1, known + 1
        with tf.control_dependencies([waits]):
            waits = tf.no_op()
    shaped = tf.reshape(y, size - 3000)
    assert tf.zeros(tf.stack([known, 2])).shape.as_list()[1] == 2
    with tf.Session() as sess:
        for _ in range(3):  # step by step, then as one function
            np.testing.assert_array_equal(sess.run(shaped, {x: [1.0, 2.0]}), [1001.0, 1002.0])
            sess.run(waits)
        with pytest.raises(tf.errors.InvalidArgumentError, match="must feed"):
            sess.run(y)


def test_a_chain_of_branches() -> None:
    taken, value = tf.placeholder(tf.bool, []), tf.constant(0.0)
    for _ in range(500):
        before = value
        value = tf.cond(taken, lambda before=before: before + 1, lambda before=before: before - 1)
    with tf.Session() as sess:
        assert [sess.run(value, {taken: side}) for side in (True, False, True)] == [500.0, -500.0, 500.0]


# ---- threads and interrupts


def _variables() -> dict[str, Any]:
    v = tf.Variable(np.zeros(SIZE, np.float32))
    r = tf.get_variable("r", initializer=np.zeros(SIZE, np.float32), use_resource=True)
    ones = tf.constant(np.ones(SIZE, np.float32))
    return {
        "add": (v, tf.assign_add(v, ones, use_locking=True)),
        "scatter": (v, tf.scatter_add(v, tf.range(SIZE), ones, use_locking=True)),
        "resource": (r, r.assign_add(ones)),
        "assign": (v, v.assign(v + 1.0)),
    }


@pytest.mark.parametrize("kind", ["add", "scatter", "resource"])
def test_locked_updates_of_several_threads_all_count(kind: str) -> None:
    variable, update = _variables()[kind]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())

        def work() -> None:
            for _ in range(25):
                sess.run(update)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert set(sess.run(variable).tolist()) == {100.0}


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers that raise")
@pytest.mark.parametrize("kind", ["add", "scatter", "resource", "assign"])
def test_an_interrupt_finds_an_update_done_or_not_begun(kind: str) -> None:
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    variable, update = _variables()[kind]
    old = signal.signal(signal.SIGALRM, interrupt)
    hits = 0
    try:
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for attempt in range(12):
                try:
                    signal.setitimer(signal.ITIMER_REAL, 0.001 + 0.0007 * attempt)
                    while True:
                        sess.run(update)
                except KeyboardInterrupt:
                    hits += 1
                assert len(set(sess.run(variable).tolist())) == 1
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert hits == 12


# ---- memory


def _results() -> dict[str, Callable[[Any, Any, Any], Any]]:
    return {
        "variable": lambda v, x, c: v, "identity": lambda v, x, c: tf.identity(v), "rows": lambda v, x, c: v[1:],
        "reshape": lambda v, x, c: tf.reshape(v, [3, 1]), "transpose": lambda v, x, c: tf.transpose(v[None]),
        "assign": lambda v, x, c: v.assign(x), "assign_add": lambda v, x, c: v.assign_add(x),
        "placeholder": lambda v, x, c: tf.identity(x), "constant": lambda v, x, c: c,
        "constant reshaped": lambda v, x, c: tf.reshape(c, [1, 3]),
        "unstack": lambda v, x, c: tf.unstack(v[:, None])[0],
        "branch": lambda v, x, c: tf.cond(x[0] > 0, lambda: v, lambda: x), "squeeze": lambda v, x, c: tf.squeeze(v),
        "default": lambda v, x, c: tf.placeholder_with_default(v, [3]), "bits": lambda v, x, c: tf.bitcast(v, tf.int32),
        "one": lambda v, x, c: tf.concat([v], 0), "scatter": lambda v, x, c: tf.scatter_add(v, [0], [1.0]),
        "python": lambda v, x, c: tf.py_func(lambda z: z, [v], tf.float32), "cast": lambda v, x, c: tf.cast(v, v.dtype),
        "broadcast": lambda v, x, c: tf.broadcast_to(v, [2, 3]), "split": lambda v, x, c: tf.split(v, 3)[0],
    }  # fmt: skip


#: what TensorFlow has for reference variables only
_OF_REFERENCES = ("scatter", "branch")


@pytest.mark.parametrize(
    ("name", "resource"),
    [(name, kind) for name in _results() for kind in (False, True) if not (kind and name in _OF_REFERENCES)],
)
def test_results_are_nobody_elses_memory(name: str, resource: bool) -> None:
    x = tf.placeholder(tf.float32, [3])
    v = tf.get_variable("v", initializer=[1.0, 2.0, 3.0], use_resource=resource)
    constant = tf.constant(np.ones(3, np.float32))
    fetch = _results()[name](v, x, constant)
    with tf.Session() as sess:
        for _ in range(3):
            sess.run(v.initializer)
            feed = np.array([5.0, 6.0, 7.0], np.float32)
            result = sess.run(fetch, {x: feed})
            before = sess.run([v, constant])
            kept = np.array(result)
            result[...] = 99
            np.testing.assert_array_equal(feed, [5.0, 6.0, 7.0])
            np.testing.assert_array_equal(sess.run([v, constant]), before)
            sess.run(v.initializer)
            result = sess.run(fetch, {x: feed})
            feed[...] = 1234.0
            sess.run(v.assign([8.0, 8.0, 8.0]))
            np.testing.assert_array_equal(result, kept)


def test_many_runs_keep_nothing() -> None:
    x = tf.placeholder(tf.float32, [10])
    v = tf.Variable(np.zeros(10, np.float32))
    fetches = [v.assign_add(x * 2), tf.random_uniform([3]), tf.py_func(lambda z: z, [x], tf.float32)]
    with tf.Session() as sess:
        sess.run(v.initializer)

        def work(count: int) -> None:
            for i in range(count):
                sess.run(fetches, {x: np.ones(10)})
                sess.run({f"key{i}": fetches[0]}, {x: np.ones(10)})
                with pytest.raises(tf.errors.InvalidArgumentError):
                    sess.run(x)

        work(20)
        tracemalloc.start()
        try:
            gc.collect()
            before = tracemalloc.get_traced_memory()[0]
            work(500)
            gc.collect()
            grown = tracemalloc.get_traced_memory()[0] - before
        finally:
            tracemalloc.stop()
    assert grown < 50_000


def test_graphs_and_sessions_go_when_nobody_holds_them() -> None:
    def make() -> list[Any]:
        with tf.Graph().as_default() as graph:
            v = tf.Variable(np.zeros(10))
            tf.cond(tf.constant(True), lambda: v + 1, lambda: v * 2)
            tf.py_func(lambda: 1.0, [], tf.float64)
            sess = tf.Session()
            sess.run(v.initializer)
            sess.run(v + 1)
        return [weakref.ref(graph), weakref.ref(sess)]

    references = [reference for _ in range(3) for reference in make()]
    gc.collect()
    assert not any(reference() for reference in references)
