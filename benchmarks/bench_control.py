"""What loops and branches cost in a run: scalar iterations, nested ones, vectors, side effects, a branch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session


def _scalar_loop(tf: Any, threads: int) -> Callable[[], object]:
    _, x = tf.while_loop(lambda i, x: i < 10_000, lambda i, x: (i + 1, x * 1.0001), [0, 1.0])
    running = session(tf, threads)
    return lambda: running.run(x)


def _short_loop(tf: Any, threads: int) -> Callable[[], object]:
    _, x = tf.while_loop(lambda i, x: i < 10, lambda i, x: (i + 1, x * 1.0001), [0, 1.0])
    running = session(tf, threads)
    return lambda: running.run(x)


def _nested_loop(tf: Any, threads: int) -> Callable[[], object]:
    def row(i: Any, total: Any) -> Any:
        _, total = tf.while_loop(lambda j, _: j < 100, lambda j, s: (j + 1, s + i * j), [0, total])
        return i + 1, total

    _, total = tf.while_loop(lambda i, _: i < 100, row, [0, 0])
    running = session(tf, threads)
    return lambda: running.run(total)


def _vector_loop(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    w = tf.constant(np.eye(64, dtype=np.float32))
    _, x = tf.while_loop(lambda i, x: i < 1_000, lambda i, x: (i + 1, tf.matmul(x, w)), [0, tf.ones([1, 64])])
    running = session(tf, threads)
    return lambda: running.run(x)


def _branching_loop(tf: Any, threads: int) -> Callable[[], object]:
    def body(i: Any, x: Any) -> Any:
        return i + 1, tf.cond(tf.equal(i % 3, 0), lambda: x * 0.5, lambda: x + 1.0)

    _, x = tf.while_loop(lambda i, x: i < 1_000, body, [0, 1.0])
    running = session(tf, threads)
    return lambda: running.run(x)


def _updating_loop(tf: Any, threads: int) -> Callable[[], object]:
    v = tf.Variable(0.0)

    def body(i: Any) -> Any:
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return i + 1

    i = tf.while_loop(lambda i: i < 1_000, body, [0], parallel_iterations=1)
    running = session(tf, threads)
    running.run(v.initializer)
    return lambda: running.run(i)


def _backward_loop(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    w = tf.placeholder(tf.float32, [32, 32])
    _, x = tf.while_loop(lambda i, x: i < 200, lambda i, x: (i + 1, tf.tanh(tf.matmul(x, w))), [0, tf.ones([8, 32])])
    (gradient,) = tf.gradients(x, w)
    running, value = session(tf, threads), np.eye(32, dtype=np.float32)
    return lambda: running.run(gradient, {w: value})


def _cond(tf: Any, threads: int) -> Callable[[], object]:
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [])
    y = tf.cond(p, lambda: x + 1.0, lambda: x - 1.0)
    running = session(tf, threads)
    return lambda: running.run(y, {p: True, x: 2.0})


SUITE = Suite(
    "Loops and branches",
    [
        Case("while_loop, 10,000 scalar iterations", _scalar_loop, target=1.0, work=10_000, unit="iterations"),
        Case("while_loop, 10 scalar iterations", _short_loop),
        Case("100 × 100 nested scalar iterations", _nested_loop, target=1.0, work=10_000, unit="iterations"),
        Case("1,000 products of a vector and a matrix", _vector_loop, target=1.0, work=1_000, unit="iterations"),
        Case("1,000 iterations with a branch", _branching_loop, target=1.0, work=1_000, unit="iterations"),
        Case("1,000 iterations that update a variable", _updating_loop, target=1.0, work=1_000, unit="iterations"),
        Case("200 iterations forward and back", _backward_loop, target=1.0, work=400, unit="iterations"),
        Case("cond", _cond, target=0.3),
    ],
)
