"""Training steps: the CIFAR-10 model of `examples/cifar10.py` with a batch of 128, and a small dense network."""

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
        feed = {x: rng.normal(size=(batch, 784)).astype(np.float32), labels: rng.integers(0, 10, batch).astype(np.int32)}
        return lambda: sess.run([step, loss], feed)

    return make


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
    ],
)
