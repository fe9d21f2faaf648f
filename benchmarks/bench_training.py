"""Training steps: the CIFAR-10 model of `examples/cifar10.py` with a batch of 128, small dense networks, and blocks of
a transformer, which are many small operations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session


def _cifar(batch: int) -> Callable[[Any, int], Callable[[], object]]:
    def make(tf: Any, threads: int) -> Callable[[], object]:
        import numpy as np

        from examples import cifar10

        rng = np.random.default_rng(0)
        with tf.Graph().as_default():
            images = tf.constant(rng.normal(size=(batch, 24, 24, 3)).astype(np.float32))
            labels = tf.constant(rng.integers(0, 10, batch).astype(np.int32))
            # One device: towers are measured elsewhere. Constant inputs: no pipeline is measured.
            step, loss, _ = cifar10.train(tf, images, labels, ["/cpu:0"])
            sess = session(tf, threads)
            sess.run(tf.global_variables_initializer())
        return sess.make_callable([step, loss])

    return make


def _dense(optimizer: Callable[[Any], Any], batch: int) -> Callable[[Any, int], Callable[[], object]]:
    """784 inputs, 128 hidden units, 10 classes; a batch is fed to each step, as a first program does it."""

    def make(tf: Any, threads: int) -> Callable[[], object]:
        import numpy as np

        rng = np.random.default_rng(0)
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [None, 784])
            labels = tf.placeholder(tf.int32, [None])
            hidden = tf.nn.relu(tf.matmul(x, tf.get_variable("w1", [784, 128])) + tf.get_variable("b1", [128]))
            logits = tf.matmul(hidden, tf.get_variable("w2", [128, 10])) + tf.get_variable("b2", [10])
            loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
            step = optimizer(tf).minimize(loss)
            sess = session(tf, threads)
            sess.run(tf.global_variables_initializer())
        feed = {
            x: rng.normal(size=(batch, 784)).astype(np.float32),
            labels: rng.integers(0, 10, batch).astype(np.int32),
        }
        return lambda: sess.run([step, loss], feed)

    return make


def _blocks(tf: Any, threads: int) -> Callable[[], object]:
    """Self-attention and a feed-forward network, each with dropout and layer normalisation, twice; Adam."""
    import numpy as np

    size, rng = 64, np.random.default_rng(0)

    def dense(value: Any, units: int, name: str) -> Any:
        with tf.variable_scope(name):
            w = tf.get_variable("w", [value.shape[-1], units])
            return tf.tensordot(value, w, 1) + tf.get_variable("b", [units], initializer=tf.zeros_initializer())

    def normal(value: Any, name: str) -> Any:
        with tf.variable_scope(name):
            mean, variance = tf.nn.moments(value, [-1], keep_dims=True)
            offset, scale = (tf.get_variable(one, [size], initializer=tf.ones_initializer()) for one in "bg")
            return tf.nn.batch_normalization(value, mean, variance, offset, scale, 1e-6)

    def gelu(x: Any) -> Any:
        return 0.5 * x * (1.0 + tf.tanh(0.79788456 * (x + 0.044715 * tf.pow(x, 3.0))))

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 16, size])
        value = x
        for block in range(2):
            with tf.variable_scope(f"block{block}"):
                query, key, given = (dense(value, size, name) for name in ("query", "key", "value"))
                weights = tf.nn.softmax(tf.matmul(query, key, transpose_b=True) * 0.125)
                mixed = dense(tf.matmul(weights, given), size, "mixed")
                value = normal(value + tf.nn.dropout(mixed, rate=0.1), "normal1")
                value = normal(value + dense(gelu(dense(value, 4 * size, "inner")), size, "outer"), "normal2")
        loss = tf.reduce_mean(tf.square(value - 1.0))
        step = tf.train.AdamOptimizer(1e-3).minimize(loss)
        sess = session(tf, threads)
        sess.run(tf.global_variables_initializer())
    feed = {x: rng.normal(size=(4, 16, size)).astype(np.float32)}
    return lambda: sess.run([step, loss], feed)


SUITE = Suite(
    "Training steps",
    [
        Case("CIFAR-10 model, batch of 128", _cifar(128), target=0.9, fast=0.55, work=128, unit="images"),
        *[
            Case(
                f"two dense layers, {name}, batch of {batch}",
                _dense(optimizer, batch),
                # With a batch of 100, two products of matrices at the processor's peak are half of TensorFlow's step.
                target=0.6 if batch == 32 else None,
                fast=0.6 if batch == 32 else None,
                work=batch,
                unit="examples",
            )
            for batch in (32, 100)
            for name, optimizer in (
                ("gradient descent", lambda tf: tf.train.GradientDescentOptimizer(0.01)),
                ("Adam", lambda tf: tf.train.AdamOptimizer(1e-3)),
            )
        ],
        Case("two transformer blocks of 64, batch of 4", _blocks, work=4, unit="examples"),
    ],
)
