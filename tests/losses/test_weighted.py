"""The weighted mean of losses, against NumPy, with shapes known and unknown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfbench as tf

REDUCTIONS = tf.losses.Reduction


def expected(losses: Any, weights: Any, reduction: str) -> Any:
    wide = np.broadcast_to(weights, losses.shape)
    total = (losses * wide).sum()
    count = {
        REDUCTIONS.SUM: 1,
        REDUCTIONS.MEAN: wide.sum(),
        REDUCTIONS.SUM_OVER_BATCH_SIZE: losses.size,
        REDUCTIONS.SUM_BY_NONZERO_WEIGHTS: (wide != 0).sum(),
    }
    if reduction == REDUCTIONS.NONE:
        return losses * wide
    return total / count[reduction] if count[reduction] else 0.0


@pytest.mark.parametrize("reduction", sorted(set(REDUCTIONS.all())))
@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 1000), shape=st.tuples(st.integers(0, 4), st.integers(1, 3)),
    kept=st.tuples(st.booleans(), st.booleans()), scalar=st.booleans(), known=st.booleans(),
)  # fmt: skip
def test_against_numpy(
    reduction: str, seed: int, shape: tuple[int, int], kept: tuple[bool, bool], scalar: bool, known: bool
) -> None:
    random = np.random.default_rng(seed)
    losses = random.normal(size=shape).astype(np.float32)
    sizes = () if scalar else tuple(size if keep else 1 for size, keep in zip(shape, kept))
    weights = random.integers(0, 3, sizes).astype(np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, shape if known else None)
        w = tf.placeholder(tf.float32, sizes if known else None)
        found = sess.run(tf.losses.compute_weighted_loss(x, w, reduction=reduction), {x: losses, w: weights})
    np.testing.assert_allclose(found, expected(losses, weights, reduction), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("sizes", [(2,), (3,), (3, 2), (2, 2), (1, 2, 3)])
def test_weights_that_do_not_fit(sizes: tuple[int, ...]) -> None:
    losses, weights = np.ones((2, 3), np.float32), np.ones(sizes, np.float32)
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(ValueError, match="weights can not be broadcast to values"):
            tf.losses.compute_weighted_loss(losses, weights)
        w = tf.placeholder(tf.float32)
        loss = tf.losses.compute_weighted_loss(losses, w)
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast to values"):
            sess.run(loss, {w: weights})


def test_a_failed_loss_is_not_kept() -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match="Invalid Reduction Key"):
            tf.losses.compute_weighted_loss([1.0], reduction="average")
        with pytest.raises(ValueError, match="incompatible"):
            tf.losses.mean_squared_error([1.0], [1.0, 2.0])
        assert not graph.get_collection(tf.GraphKeys.LOSSES)


def test_training_on_the_total_loss() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.get_variable("w", initializer=[3.0, -2.0])
        tf.losses.mean_squared_error([1.0, 1.0], w)
        tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, 0.5 * tf.reduce_sum(tf.square(w)))
        step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.losses.get_total_loss())
        sess.run(tf.global_variables_initializer())
        for _ in range(200):
            sess.run(step)
        np.testing.assert_allclose(sess.run(w), [0.5, 0.5], atol=1e-4)
