"""TensorArrays and what stands on them: rows one by one, functions of rows, recurrent networks forward and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session


def _rows(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    x = tf.placeholder(tf.float32, [1_000, 64])
    y = tf.TensorArray(tf.float32, 1_000).unstack(x).stack()
    running, value = session(tf, threads), np.ones((1_000, 64), np.float32)
    return lambda: running.run(y, {x: value})


def _mapped(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    x = tf.placeholder(tf.float32, [1_000, 64])
    y = tf.map_fn(lambda row: row * 2.0 + 1.0, x)
    running, value = session(tf, threads), np.ones((1_000, 64), np.float32)
    return lambda: running.run(y, {x: value})


def _mapped_back(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    x = tf.placeholder(tf.float32, [1_000, 64])
    (gradient,) = tf.gradients(tf.map_fn(lambda row: row * row, x), x)
    running, value = session(tf, threads), np.ones((1_000, 64), np.float32)
    return lambda: running.run(gradient, {x: value})


def _scanned(tf: Any, threads: int) -> Callable[[], object]:
    import numpy as np

    x = tf.placeholder(tf.float32, [1_000])
    y = tf.scan(lambda total, value: total * 0.9 + value, x)
    running, value = session(tf, threads), np.ones(1_000, np.float32)
    return lambda: running.run(y, {x: value})


class _Cell:
    """tanh of a product with the input and the state: a cell that both sides take."""

    output_size = state_size = 64

    def __init__(self, tf: Any) -> None:
        self.tf = tf

    def zero_state(self, batch_size: Any, dtype: Any) -> Any:
        return self.tf.zeros([batch_size, 64], dtype)

    def __call__(self, x: Any, state: Any) -> Any:
        tf = self.tf
        w = tf.get_variable("w", [96, 64], initializer=tf.constant_initializer(0.01))
        h = tf.tanh(tf.matmul(tf.concat([x, state], 1), w))
        return h, h


def _network(tf: Any, threads: int, back: bool) -> Callable[[], object]:
    import numpy as np

    x = tf.placeholder(tf.float32, [16, 100, 32])
    outputs, _ = tf.nn.dynamic_rnn(_Cell(tf), x, dtype=tf.float32)
    loss = tf.reduce_mean(tf.square(outputs))
    fetch = tf.gradients(loss, tf.trainable_variables()) if back else loss
    running, value = session(tf, threads), np.ones((16, 100, 32), np.float32)
    running.run(tf.global_variables_initializer())
    return lambda: running.run(fetch, {x: value})


SUITE = Suite(
    "TensorArrays and recurrent networks",
    [
        Case("unstack and stack 1,000 rows of 64", _rows, target=1.0, work=1_000, unit="rows"),
        Case("map_fn over 1,000 rows of 64", _mapped, target=1.0, work=1_000, unit="rows"),
        Case("gradient of a map_fn over 1,000 rows", _mapped_back, target=1.0, work=1_000, unit="rows"),
        Case("scan over 1,000 numbers", _scanned, target=1.0, work=1_000, unit="rows"),
        Case("dynamic_rnn, 100 steps of 16 × 64", lambda tf, n: _network(tf, n, False), work=100, unit="steps"),
        Case("dynamic_rnn, 100 steps forward and back", lambda tf, n: _network(tf, n, True), work=100, unit="steps"),
    ],
)
