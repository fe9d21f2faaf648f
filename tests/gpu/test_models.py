"""Whole models train on a GPU as on the CPU: every op is there, and the host waits for nothing but what is fetched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfbench as tf
from tests.gpu import strict_cupy

RNG = np.random.default_rng(0)
IMAGES = RNG.random((4, 16, 16, 3)).astype(np.float32)
LABELS = RNG.integers(0, 10, 4)
WORDS = RNG.integers(0, 50, (4, 6))
NEXT = RNG.integers(0, 50, (4, 6))

#: (training op, what is fetched with it, feeds)
Model = tuple[Any, list[Any], dict[Any, Any]]


def convolutional() -> Model:
    """CIFAR-10's: two convolutions with LRN, weight decay, moving averages of losses and variables."""
    x, y = tf.placeholder(tf.float32, [None, 16, 16, 3]), tf.placeholder(tf.int64, [None])
    losses = []

    def weights(name: str, shape: list[int], decay: float) -> Any:
        made = tf.get_variable(name, shape, initializer=tf.truncated_normal_initializer(stddev=0.05, seed=3))
        losses.append(tf.multiply(tf.nn.l2_loss(made), decay))
        return made

    def biased(inputs: Any, name: str, size: int) -> Any:
        biases = tf.get_variable(name, [size], initializer=tf.constant_initializer(0.1))
        return tf.nn.relu(tf.nn.bias_add(inputs, biases))

    h = biased(tf.nn.conv2d(x, weights("w1", [5, 5, 3, 8], 0.0), [1, 1, 1, 1], "SAME"), "b1", 8)
    h = tf.nn.lrn(tf.nn.max_pool(h, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"), 4, bias=1.0, alpha=0.001 / 9, beta=0.75)
    h = biased(tf.nn.conv2d(h, weights("w2", [5, 5, 8, 8], 0.0), [1, 1, 1, 1], "SAME"), "b2", 8)
    h = tf.nn.max_pool(tf.nn.lrn(h, 4, bias=1.0, alpha=0.001 / 9, beta=0.75), [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
    h = biased(tf.matmul(tf.reshape(h, [-1, 128]), weights("w3", [128, 16], 0.004)), "b3", 16)
    logits = tf.matmul(h, weights("w4", [16, 10], 0.0))
    losses.append(tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=y)))
    loss = tf.add_n(losses)
    step = tf.train.get_or_create_global_step()
    rate = tf.train.exponential_decay(0.1, step, 100, 0.1, staircase=True)
    with tf.control_dependencies([tf.train.ExponentialMovingAverage(0.9).apply([*losses, loss])]):
        optimizer = tf.train.GradientDescentOptimizer(rate)
        gradients = optimizer.compute_gradients(loss)
    with tf.control_dependencies([optimizer.apply_gradients(gradients, global_step=step)]):
        train = tf.train.ExponentialMovingAverage(0.999, step).apply(tf.trainable_variables())
    return train, [loss, tf.argmax(logits, 1)], {x: IMAGES, y: LABELS}


def language() -> Model:
    """Two layers of LSTM over looked-up words, with dropout, clipped gradients and Adam."""
    words, following = tf.placeholder(tf.int32, [4, 6]), tf.placeholder(tf.int32, [4, 6])
    table = tf.get_variable("table", [50, 8], initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=1))
    cells = [
        tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(8), output_keep_prob=0.8, seed=5) for _ in range(2)
    ]
    with tf.variable_scope("rnn", initializer=tf.random_uniform_initializer(-0.1, 0.1, seed=2)):
        outputs, _ = tf.nn.dynamic_rnn(
            tf.nn.rnn_cell.MultiRNNCell(cells), tf.nn.embedding_lookup(table, words), dtype=tf.float32
        )
        logits = tf.layers.dense(outputs, 50)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=following))
    variables = tf.trainable_variables()
    gradients, norm = tf.clip_by_global_norm(tf.gradients(loss, variables), 5)
    train = tf.train.AdamOptimizer(0.01).apply_gradients(zip(gradients, variables))
    return train, [loss, norm], {words: WORDS, following: NEXT}


def separable() -> Model:
    """Batch normalization, depthwise and transposed convolutions, resized and recoloured images, RMSProp."""
    x, y = tf.placeholder(tf.float32, [None, 16, 16, 3]), tf.placeholder(tf.int64, [None])
    seeds = iter(range(1, 9))

    def glorot() -> Any:
        return tf.glorot_uniform_initializer(seed=next(seeds))

    h = tf.image.resize_bilinear(tf.image.adjust_saturation(x, 1.1), [12, 12])
    h = tf.layers.conv2d(h, 8, 3, padding="same", kernel_initializer=glorot())
    h = tf.nn.elu(tf.layers.batch_normalization(h, training=True))
    h = tf.layers.separable_conv2d(h, 8, 3, strides=2, depthwise_initializer=glorot(), pointwise_initializer=glorot())
    h = tf.layers.conv2d_transpose(h, 4, 3, strides=2, kernel_initializer=glorot())
    h = tf.layers.flatten(tf.layers.average_pooling2d(h, 2, 2))
    logits = tf.layers.dense(h, 10, kernel_initializer=glorot())
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.RMSPropOptimizer(0.01).minimize(loss)
    return train, [loss, logits], {x: IMAGES, y: LABELS}


def trained(build: Callable[[], Model], **config: Any) -> tuple[list[Any], Counter[str], Counter[str]]:
    """What five steps give, the devices of the ops, and what the host waited for in the last step."""
    with tf.Graph().as_default() as graph, tf.Session(config=tf.ConfigProto(**config)) as session:
        tf.set_random_seed(1)
        train, fetches, feeds = build()
        session.run(tf.global_variables_initializer())
        results = []
        for _ in range(5):
            strict_cupy.waits.clear()
            results.append(session.run([train, *fetches], feeds)[1:])
        placement = session.plans.placer.place(graph)
        return results, Counter(placement.device_of(op).kind for op in graph.get_operations()), strict_cupy.waits.copy()


#: copies to the host in a step besides the fetches: a loop's conditions, masks of dropout (TensorFlow keeps both in the
#: host's memory), and which words there were
WAITS = {"convolutional": 0, "language": 7 + 2 * 6 + 1 + 1, "separable": 0}


@pytest.mark.parametrize("model", [convolutional, language, separable], ids=lambda model: str(model.__name__))
def test_a_model_trains_on_a_gpu_as_on_the_cpu(model: Callable[[], Model], monkeypatch: pytest.MonkeyPatch) -> None:
    expected, *_ = trained(model, device_count={"GPU": 0})
    strict_cupy.install(monkeypatch, devices=1, memory=4 << 30)
    found, kinds, waits = trained(model)
    assert set(kinds) == {"GPU"}
    for values, right in zip(found, expected, strict=True):
        for one, two in zip(values, right, strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5)
    assert found[-1][0] < found[0][0]
    assert sum(waits.values()) <= len(found[0]) + WAITS[model.__name__], dict(waits)
