"""Random programs with random devices: two GPUs and the CPU together give what the CPU gives alone."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tfbench as tf

DEVICES = (None, None, "/cpu:0", "/gpu:0", "/gpu:1")


class Maker:
    """Adds random operations on matrices of two columns, each where chance says."""

    def __init__(self, seed: int, spread: bool) -> None:
        self.rng = np.random.default_rng(seed)
        self._spread = spread

    def any(self, choices: Any) -> Any:
        return choices[self.rng.integers(len(choices))]

    def device(self) -> Any:
        device = self.any(DEVICES)
        return tf.device(device if self._spread else None)

    def step(self, values: list[Any], depth: int) -> Any:
        x, y = self.any(values), self.any(values)
        kind = self.rng.integers(12 if depth < 2 else 9)
        with self.device():
            if kind == 0:
                return tf.tanh(x) + 0.5 * y
            if kind == 1:
                return tf.maximum(x, y * 2.0)
            if kind == 2:
                return tf.reshape(tf.reshape(x, tf.stack([tf.size(x)])), tf.shape(x))
            if kind == 3:
                rows = tf.shape(x)[0]
                return x * tf.cast(rows, tf.float32) / tf.cast(tf.reduce_sum(tf.ones_like(x)), tf.float32)
            if kind == 4:
                return tf.concat([x, y], 0)[: tf.shape(x)[0]]
            if kind == 5:
                return tf.gather(x, tf.cast(tf.argsort(tf.reduce_sum(x, axis=[1])), tf.int32)) * 0.9
            if kind == 6:
                return tf.fill(tf.shape(x), 0.25) + tf.nn.softmax(x)
            if kind == 7:
                v = tf.Variable([0.5, -0.5], use_resource=bool(self.rng.integers(2)))
                with self.device():
                    return x * (v + 1.0)
            if kind == 8:
                return tf.matmul(x, tf.matmul(y, y, transpose_a=True)) * 0.1
        if kind in (9, 10):
            with self.device():
                taken = tf.reduce_sum(x) > float(self.rng.normal())
            inner = [x, y]
            return tf.cond(taken, lambda: self.step(inner, depth + 1), lambda: self.step(inner, depth + 1))
        times = int(self.rng.integers(1, 4)) + 9 * int(self.rng.integers(2))

        def body(i: Any, value: Any) -> Any:
            made = self.step([value, y], depth + 1)
            return i + 1, tf.reshape(tf.clip_by_value(made, -2.0, 2.0), tf.shape(x))

        with self.device():
            return tf.while_loop(lambda i, _: i < times, body, [0, x])[1]


def run(seed: int, spread: bool) -> list[Any]:
    """What a random program gives, step by step and compiled, and its gradient."""
    maker = Maker(seed, spread)
    config = tf.ConfigProto(allow_soft_placement=True, **({} if spread else {"device_count": {"GPU": 0}}))
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        with maker.device():
            x = tf.placeholder(tf.float32, [None, 2], name="x")
        values = [x, x * 0.5]
        for _ in range(6):
            values.append(maker.step(values, 0))
        total = tf.add_n([tf.reduce_mean(value) for value in values])
        fetches = [*values[2:], total, tf.shape(values[-1])]
        session.run(tf.global_variables_initializer())
        given = {x: np.random.default_rng(seed).standard_normal((3, 2)).astype(np.float32)}
        return [session.run(fetches, given) for _ in range(3)]


@pytest.mark.parametrize("seed", range(60))
def test_where_things_run_does_not_matter(two_gpus: ModuleType, seed: int) -> None:
    expected, found = run(seed, False), run(seed, True)
    for wanted, values in zip(expected, found):
        for value, right in zip(values, wanted):
            assert type(value) is type(right)
            np.testing.assert_allclose(value, right, rtol=1e-4, atol=1e-5)
