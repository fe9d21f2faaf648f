"""A small network in slim's style learns, and is restored by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfbench as tf

slim = tf.contrib.slim


def network(x: Any, is_training: Any) -> Any:
    with (
        slim.arg_scope([slim.conv2d, slim.fully_connected], weights_regularizer=slim.l2_regularizer(1e-4)),
        slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm, normalizer_params={"is_training": is_training}),
    ):
        net = slim.conv2d(x, 4, 3, scope="conv")
        net = slim.max_pool2d(net, 2, scope="pool")
        net = slim.flatten(net)
        return slim.fully_connected(net, 2, activation_fn=None, scope="logits")


def stripes(count: int) -> tuple[Any, Any]:
    """Images of upright and of lying stripes."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, count)
    pattern = np.arange(8) % 4 < 2
    upright = np.tile(pattern, (8, 1)).astype(np.float32)
    images = np.where(labels[:, None, None] == 1, upright, upright.T) + random.normal(0, 0.3, (count, 8, 8))
    return images[..., None].astype(np.float32), labels


def test_learning_and_restoring(tmp_path: Path) -> None:
    images, labels = stripes(64)
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])
        logits = network(x, True)
        tf.losses.sparse_softmax_cross_entropy(y, logits)
        step = slim.learning.create_train_op(tf.losses.get_total_loss(), tf.train.AdamOptimizer(0.01))
        accuracy, update = tf.metrics.accuracy(y, tf.argmax(logits, 1))
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        losses = [sess.run(step, {x: images, y: labels}) for _ in range(30)]
        sess.run(update, {x: images, y: labels})
        assert losses[-1] < losses[0] / 2
        assert sess.run(accuracy) == 1.0
        moving = {v.op.name: sess.run(v) for v in slim.get_variables("conv/BatchNorm") if "moving" in v.name}
        # create_train_op runs the updates of the moving averages.
        assert np.abs(moving["conv/BatchNorm/moving_mean"]).max() > 0
        path = tf.train.Saver(slim.get_model_variables()).save(sess, str(tmp_path / "model"))
        expected = sess.run(slim.get_model_variables())

    with tf.Graph().as_default(), tf.Session() as sess:
        network(tf.placeholder(tf.float32, [None, 8, 8, 1]), False)
        restore = slim.assign_from_checkpoint_fn(path, slim.get_variables_to_restore())
        assert restore is not None
        restore(sess)
        for variable, value in zip(slim.get_model_variables(), expected, strict=True):
            np.testing.assert_array_equal(sess.run(variable), value)


def test_a_checkpoint_without_a_variable(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.Variable(1.0, name="a"), tf.Variable([2.0], name="b")
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver([a]).save(sess, str(tmp_path / "model"))
        with pytest.raises(ValueError, match=r"Checkpoint is missing variable \[b\]"):
            slim.assign_from_checkpoint(path, [a, b])
        operation, feeds = slim.assign_from_checkpoint(path, [a, b], ignore_missing_vars=True)
        sess.run([a.assign(5.0), b.assign([5.0])])
        sess.run(operation, feeds)
        assert sess.run([a, b])[0] == 1.0
        with pytest.raises(ValueError, match="Total size of new array must be unchanged for b"):
            slim.assign_from_checkpoint(path, {"a": b})
        with pytest.raises(ValueError, match="var_list cannot be empty"):
            slim.assign_from_checkpoint_fn(path, [])
