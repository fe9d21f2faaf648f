"""A small convolution net with known weights, and a session in which they are set."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest

import tfbench as tf


@pytest.fixture
def net() -> Iterator[SimpleNamespace]:
    with tf.Graph().as_default():
        images = tf.placeholder(tf.float32, [None, 6, 6, 3], name="images")
        with tf.variable_scope("conv1"):
            kernel = np.linspace(-1.0, 0.5, 3 * 3 * 3 * 4, dtype=np.float32).reshape(3, 3, 3, 4)
            first = tf.get_variable("weights", initializer=kernel)
            relu1 = tf.nn.relu(tf.nn.conv2d(images, first, [1, 1, 1, 1], "SAME"), name="relu")
        with tf.variable_scope("conv2"):
            second = tf.get_variable("weights", initializer=np.ones([3, 3, 4, 2], np.float32))
            relu2 = tf.nn.relu(tf.nn.conv2d(relu1, second, [1, 1, 1, 1], "SAME"), name="relu")
        biases = tf.get_variable("biases", [4])
        matrix = tf.get_variable("matrix", initializer=np.eye(3, dtype=np.float32))
        with tf.Session() as session:
            session.run([first.initializer, second.initializer, matrix.initializer])
            batch = np.random.RandomState(0).rand(2, 6, 6, 3).astype(np.float32)
            yield SimpleNamespace(
                images=images, first=first, second=second, relu1=relu1, relu2=relu2, biases=biases, matrix=matrix,
                session=session, batch=batch, feed={images: batch},
            )  # fmt: skip
