"""Fake quantisation, forward and backward."""

from __future__ import annotations

import numpy as np

from tests.oracle import attempt, program

X = np.array([[-7.0, -6.0, -0.1], [0.0, 0.024, 0.5], [1.37, 5.99, 100.0], [-0.5, np.inf, -np.inf]], np.float32)

RANGES = {
    "usual": {}, "few bits": {"num_bits": 3}, "narrow": {"num_bits": 4, "narrow_range": True},
    "from zero": {"min": 0.0, "max": 4.0}, "above zero": {"min": 1.0, "max": 4.0},
    "below zero": {"min": -4.0, "max": -1.0},
    "sixteen": {"num_bits": 16, "min": -0.3, "max": 1.7}, "two": {"num_bits": 2, "min": -1.0, "max": 1.0},
}  # fmt: skip


@program(cases=RANGES)
def given_ranges(tf, options):
    x = tf.constant(X)
    y = tf.quantization.fake_quant_with_min_max_args(x, **options)
    direct = tf.fake_quant_with_min_max_args_gradient(x * 2.0, x, **options)
    with tf.Session() as sess:
        return sess.run([y, tf.gradients(y, x), direct]), y.shape


VARIABLES = {
    "usual": (-6.0, 6.0, {}), "narrow": (-1.0, 3.0, {"num_bits": 4, "narrow_range": True}), "nothing": (0.0, 0.0, {}),
    "from zero": (0.0, 2.5, {"num_bits": 5}),
}  # fmt: skip


@program(cases=VARIABLES)
def ranges_with_gradients(tf, case):
    low, high, options = case
    x, low, high = tf.constant(X), tf.constant(low), tf.constant(high)
    y = tf.quantization.fake_quant_with_min_max_vars(x, low, high, **options)
    direct = tf.quantization.fake_quant_with_min_max_vars_gradient(x, x, low, high, **options)
    with tf.Session() as sess:
        return sess.run(
            [y, tf.gradients(y * tf.constant(np.arange(12.0).reshape(4, 3), tf.float32), [x, low, high])]
        ), [one.shape for one in direct]


@program()
def ranges_of_channels(tf):
    x = tf.constant(X[:3])
    low, high = tf.constant([-6.0, 0.0, -0.5]), tf.constant([6.0, 0.0, 2.0])
    y = tf.quantization.fake_quant_with_min_max_vars_per_channel(x, low, high, num_bits=6)
    vector = tf.fake_quant_with_min_max_vars_per_channel(tf.constant([1.3, 2.0, -0.2]), low, high, narrow_range=True)
    direct = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient(x, x, low, high)
    unknown = tf.quantization.fake_quant_with_min_max_vars_per_channel(
        tf.placeholder(tf.float32, [None, None]), low, high
    )
    with tf.Session() as sess:
        return sess.run([y, vector, tf.gradients(y, [x, low, high]), direct]), unknown.shape


@program(graph=False)
def wrong_ranges(tf):
    x = tf.constant(X)
    quantization = tf.quantization

    def run(function, *args, **kwargs):
        with tf.Session() as sess:
            return sess.run(function(*args, **kwargs))

    return (
        attempt(run, quantization.fake_quant_with_min_max_args, x, min=2.0, max=1.0),
        attempt(run, quantization.fake_quant_with_min_max_args, x, num_bits=17),
        attempt(run, quantization.fake_quant_with_min_max_args, x, num_bits=1),
        attempt(quantization.fake_quant_with_min_max_vars, x, [1.0], 2.0),
        attempt(quantization.fake_quant_with_min_max_vars_per_channel, x, [1.0, 2.0], [2.0, 3.0]),
        attempt(quantization.fake_quant_with_min_max_vars_per_channel, x, [1.0, 2.0, 3.0], 2.0),
    )
