"""What one `Session.run` costs: a constant, a scalar, a feed, chains of scalar operations, a small network.

Sessions are as a program makes them, but for the network's, which computes with the given number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session

Make = Callable[[Any, int], Callable[[], object]]


def _constant(tf: Any, threads: int) -> Callable[[], object]:
    value, running = tf.constant(1.0), tf.Session()
    return lambda: running.run(value)


def _scalar(tf: Any, threads: int) -> Callable[[], object]:
    x = tf.Variable(1.0)
    y, running = x + 2.0, tf.Session()
    running.run(x.initializer)
    return lambda: running.run(y)


def _feed(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    x = tf.placeholder(tf.float32, [10])
    y, running, value = x + 1.0, tf.Session(), np.ones(10, np.float32)
    return lambda: running.run(y, {x: value})


def _chain(count: int) -> Make:
    def make(tf: Any, threads: int) -> Callable[[], object]:
        x = tf.placeholder(tf.float32, [])
        y, running = x, tf.Session()
        for _ in range(count):
            y = y + x
        return lambda: running.run(y, {x: 0.5})

    return make


def _network(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    rng = np.random.default_rng(0)

    def weights(*shape: int) -> Any:
        return tf.Variable(rng.standard_normal(shape).astype(np.float32) * np.float32(0.1))

    x = tf.placeholder(tf.float32, [None, 784])
    hidden = tf.nn.relu(tf.matmul(x, weights(784, 128)) + weights(128))
    y, running = tf.matmul(hidden, weights(128, 10)) + weights(10), session(tf, threads)
    running.run(tf.global_variables_initializer())
    batch = rng.standard_normal((64, 784)).astype(np.float32)
    return lambda: running.run(y, {x: batch})


SUITE = Suite(
    "Session.run",
    [
        Case("a constant", _constant, target=0.1),
        Case("scalar add", _scalar, target=0.1),
        Case("feed 10 floats, add", _feed, target=0.1),
        Case("chain of 100 scalar adds", _chain(100), target=0.3),
        Case("chain of 1,000 scalar adds", _chain(1_000), target=0.3),
        Case("784-128-10 network, batch 64", _network),
    ],
)
