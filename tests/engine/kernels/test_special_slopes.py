"""How igamma changes with its parameter, and how samples of the gamma distribution move with theirs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfbench as tf
from tfbench.engine.kernels.special_incomplete import igamma
from tfbench.engine.kernels.special_incomplete_slopes import gamma_sample_slope, igamma_slope

A = np.array([0.01, 0.3, 1.0, 2.5, 7.0, 19.9, 20.1, 60.0, 400.0, 3e4])
#: around the mean, where the series ends and the fraction begins, and far out
AWAY = np.array([0.02, 0.5, 0.999, 1.0, 1.001, 1.5, 4.0])


@pytest.mark.parametrize("away", AWAY)
def test_the_slope_is_the_limit_of_differences(away: float) -> None:
    x, step = A * away, 1e-5 * A
    found = igamma_slope(A, x)
    expected = (igamma(A + step, x) - igamma(A - step, x)) / (2 * step)
    # A difference has half of the digits, and fewer where P changes slowly.
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-9)


@given(st.floats(0.05, 200.0), st.floats(0.1, 3.0))
def test_a_sample_moves_so_that_what_is_below_it_stays(a: float, away: float) -> None:
    x, step = a * away, 1e-4 * a
    slope = gamma_sample_slope(np.array([a]), np.array([x]))[0]
    before, after = igamma(np.array([a - step, a + step]), np.array([x - slope * step, x + slope * step]))
    # To second order only, since the path is curved.
    assert after - before == pytest.approx(0.0, abs=1e-5)
    assert slope > 0


def test_samples_move_as_far_as_their_mean() -> None:
    """The mean of the distribution is alpha, so the mean slope is 1."""
    with tf.Graph().as_default(), tf.Session() as sess:
        alpha = tf.constant([0.3, 1.0, 4.0, 50.0], tf.float64)
        samples = tf.random.gamma([20_000], alpha, seed=7, dtype=tf.float64)
        (grad,) = tf.gradients(samples, alpha)
        np.testing.assert_allclose(sess.run(grad) / 20_000, 1.0, atol=0.05)


@pytest.mark.parametrize("compute", [igamma_slope, gamma_sample_slope])
def test_what_is_outside(compute: object) -> None:
    assert callable(compute)
    outside = compute(np.array([0.0, -1.0, 1.0, np.nan, 1.0]), np.array([1.0, 1.0, -1.0, 1.0, np.nan]))
    assert np.isnan(outside).all()
    ends = compute(np.array([1.0, 1.0, np.inf]), np.array([0.0, np.inf, 1.0]))
    np.testing.assert_array_equal(ends, 0.0)
    assert compute(np.zeros((0, 2)), np.zeros((0, 2))).shape == (0, 2)


def test_a_gradient_without_its_own_is_named() -> None:
    with tf.Graph().as_default():
        a = tf.constant(2.0)
        (grad,) = tf.gradients(tf.igamma(a, 1.0), a)
        with pytest.raises(LookupError, match="op type: IgammaGradA"):
            tf.gradients(grad, a)
