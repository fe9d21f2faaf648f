"""Batch normalisation, LRN, bias and the cross entropies: formulas in double precision, hard numbers, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tfbench import errors
from tfbench.engine.kernels import blocks, lrn, norm, softmax

RNG = np.random.default_rng(7)


def vectors(channels: int, count: int) -> list[Any]:
    return [(RNG.random(channels) + 0.5).astype(np.float32) for _ in range(count)]


def numeric_gradient(function: Callable[[Any], float], x: Any, step: float = 1e-5) -> Any:
    """Central differences in double precision."""
    x = x.astype(np.float64)
    gradient = np.zeros_like(x)
    for at in np.ndindex(*x.shape):
        above, below = x.copy(), x.copy()
        above[at] += step
        below[at] -= step
        gradient[at] = (function(above) - function(below)) / (2 * step)
    return gradient


# -- batch normalisation -------------------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [1, 3, 8, 300])
@pytest.mark.parametrize("block", [64, 1 << 19])
def test_batch_norm_in_training(channels: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block)
    x = (RNG.standard_normal((4, 3, 2, channels)) * 3 + 2).astype(np.float32)
    scale, offset = vectors(channels, 2)
    nothing = np.zeros(0, np.float32)
    y, mean, variance, reserved_mean, reserved_variance = norm.fused_batch_norm(
        np, x, scale, offset, nothing, nothing, epsilon=0.01
    )
    rows = x.reshape(-1, channels).astype(np.float64)
    np.testing.assert_allclose(mean, rows.mean(0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variance, rows.var(0, ddof=1), rtol=1e-5)
    np.testing.assert_array_equal(reserved_mean, mean)
    np.testing.assert_allclose(reserved_variance, rows.var(0), rtol=1e-5)
    wanted = (rows - rows.mean(0)) / np.sqrt(rows.var(0) + 0.01) * scale + offset
    np.testing.assert_allclose(y.reshape(-1, channels), wanted, rtol=1e-4, atol=1e-5)
    turned = np.ascontiguousarray(np.moveaxis(x, -1, 1))
    first = norm.fused_batch_norm(np, turned, scale, offset, nothing, nothing, epsilon=0.01, data_format="NCHW")
    np.testing.assert_array_equal(np.moveaxis(first[0], 1, -1), y)


def test_batch_norm_far_from_zero_keeps_its_digits() -> None:
    x = (RNG.standard_normal((1000, 1, 1, 4)) + 10_000).astype(np.float32)
    scale, offset, nothing = np.ones(4, np.float32), np.zeros(4, np.float32), np.zeros(0, np.float32)
    y, _, variance, *_ = norm.fused_batch_norm(np, x, scale, offset, nothing, nothing, epsilon=0.0)
    rows = x.reshape(-1, 4).astype(np.float64)
    np.testing.assert_allclose(variance, rows.var(0, ddof=1), rtol=1e-4)
    np.testing.assert_allclose(y.reshape(-1, 4), (rows - rows.mean(0)) / rows.std(0), atol=1e-3)


def test_batch_norm_moves_given_statistics_towards_the_batch() -> None:
    x = np.arange(12, dtype=np.float32).reshape(1, 2, 3, 2)
    ones = np.ones(2, np.float32)
    outputs = norm.fused_batch_norm(np, x, ones, ones, ones * 10, ones * 20, epsilon=1e-3, exponential_avg_factor=0.25)
    # tf.raw_ops.FusedBatchNormV3 gives these
    assert outputs[1].tolist() == [8.75, 9.0]
    assert outputs[2].tolist() == [18.5, 18.5]
    np.testing.assert_allclose(outputs[4], [35 / 3, 35 / 3], rtol=1e-6)


def test_batch_norm_of_one_row_and_of_none() -> None:
    ones, nothing = np.ones(2, np.float32), np.zeros(0, np.float32)
    y, mean, variance, *_ = norm.fused_batch_norm(
        np, np.array([[[[3.0, 4.0]]]], np.float32), ones, ones, nothing, nothing
    )
    assert (y.tolist(), mean.tolist(), variance.tolist()) == ([[[[1.0, 1.0]]]], [3.0, 4.0], [0.0, 0.0])
    y, mean, variance, *_ = norm.fused_batch_norm(np, np.zeros((0, 1, 1, 2), np.float32), ones, ones, nothing, nothing)
    assert y.shape == (0, 1, 1, 2)
    assert np.isnan(mean).all()
    assert np.isnan(variance).all()


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("block", [64, 1 << 19])
def test_batch_norm_gradient(training: bool, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block)
    x, dy = (RNG.standard_normal((3, 2, 2, 2)) for _ in range(2))
    scale, offset, given_mean, given_variance = vectors(2, 4)

    def loss(x: Any, scale: Any, offset: Any) -> float:
        rows = x.reshape(-1, 2)
        mean, variance = (rows.mean(0), rows.var(0)) if training else (given_mean, given_variance)
        return float((((rows - mean) / np.sqrt(variance + 0.01) * scale + offset) * dy.reshape(-1, 2)).sum())

    rows = x.reshape(-1, 2)
    mean, variance = (rows.mean(0), rows.var(0)) if training else (given_mean, given_variance)
    dx, d_scale, d_offset = norm.fused_batch_norm_grad(
        np,
        dy.astype(np.float32),
        x.astype(np.float32),
        scale,
        mean.astype(np.float32),
        variance.astype(np.float32),
        epsilon=0.01,
        is_training=training,
    )
    np.testing.assert_allclose(dx, numeric_gradient(lambda x: loss(x, scale, offset), x), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(d_scale, numeric_gradient(lambda s: loss(x, s, offset), scale), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(d_offset, numeric_gradient(lambda o: loss(x, scale, o), offset), rtol=1e-4, atol=1e-4)


def test_batch_norm_with_global_normalization() -> None:
    x = RNG.standard_normal((2, 2, 2, 3)).astype(np.float32)
    mean, variance, beta, gamma = vectors(3, 4)
    for scaled in (True, False):
        y = norm.batch_norm_with_global_normalization(
            np, x, mean, variance, beta, gamma, variance_epsilon=0.01, scale_after_normalization=scaled
        )
        wanted = (x - mean) / np.sqrt(variance + 0.01) * (gamma if scaled else 1) + beta
        np.testing.assert_allclose(y, wanted, rtol=1e-5, atol=1e-6)


def test_batch_norm_errors() -> None:
    x, two, three, nothing = np.zeros((1, 2, 2, 2), np.float32), *(np.ones(n, np.float32) for n in (2, 3, 0))
    with pytest.raises(errors.InvalidArgumentError, match=r"scale must have the same number .* got 3 and 2"):
        norm.fused_batch_norm(np, x, three, two, nothing, nothing)
    with pytest.raises(errors.InvalidArgumentError, match="When is_training=false, mean must have"):
        norm.fused_batch_norm(np, x, two, two, nothing, two, is_training=False)
    with pytest.raises(errors.InvalidArgumentError, match="input must be 4-dimensional"):
        norm.fused_batch_norm(np, x[0], two, two, nothing, nothing)
    with pytest.raises(errors.InvalidArgumentError, match="x and y_backprop must have same shape"):
        norm.fused_batch_norm_grad(np, x[:, :1], x, two, two, two)


# -- bias ----------------------------------------------------------------------------------------------------


@given(shape=st.lists(st.integers(0, 5), min_size=2, max_size=5), first=st.booleans())
@settings(max_examples=50, deadline=None)
def test_bias(shape: list[int], first: bool) -> None:
    first = first and len(shape) > 2
    layout = "NCHW" if first else "NHWC"
    value = np.arange(np.prod(shape), dtype=np.float64).reshape(shape)
    bias = np.arange(shape[1 if first else -1], dtype=np.float64) * 100
    wide = bias.reshape(-1, *(1,) * (len(shape) - 2)) if first else bias
    assert np.array_equal(norm.bias_add(np, value, bias, data_format=layout), value + wide)
    axes = tuple(axis for axis in range(len(shape)) if axis != (1 if first else len(shape) - 1))
    assert np.array_equal(norm.bias_add_grad(np, value, data_format=layout), value.sum(axes))


def test_bias_errors() -> None:
    with pytest.raises(
        errors.InvalidArgumentError, match=r"as the last dimension of the input tensor: \[3\] vs\. \[2, 2\]"
    ):
        norm.bias_add(np, np.zeros((2, 2)), np.zeros(3))
    with pytest.raises(errors.InvalidArgumentError, match=r"must be at least 2D: \[3\]"):
        norm.bias_add(np, np.zeros(3), np.zeros(3))
    with pytest.raises(errors.InvalidArgumentError, match=r"Biases must be 1D: \[1, 2\]"):
        norm.bias_add(np, np.zeros((2, 2)), np.zeros((1, 2)))
    with pytest.raises(errors.InvalidArgumentError, match="channel dimension"):
        norm.bias_add(np, np.zeros((1, 2, 3)), np.zeros(3), data_format="NCHW")


# -- local response normalisation ----------------------------------------------------------------------------


def lrn_by_loop(x: Any, radius: int, bias: float, alpha: float, beta: float) -> Any:
    y = np.zeros(x.shape)
    for channel in range(x.shape[-1]):
        near = x[..., max(0, channel - radius) : channel + radius + 1].astype(np.float64)
        y[..., channel] = x[..., channel] / (bias + alpha * (near**2).sum(-1)) ** beta
    return y


@pytest.mark.parametrize("beta", [0.5, 0.75, 1.0, 0.6])
@pytest.mark.parametrize(("channels", "radius"), [(1, 2), (7, 0), (7, 2), (7, 20), (400, 3)])
def test_lrn_and_its_gradient(channels: int, radius: int, beta: float) -> None:
    x = RNG.standard_normal((1, 2, 1, channels)).astype(np.float32)
    attrs: dict[str, Any] = {"depth_radius": radius, "bias": 1.5, "alpha": 0.3, "beta": beta}
    y = lrn.lrn(np, x, **attrs)
    np.testing.assert_allclose(y, lrn_by_loop(x, radius, 1.5, 0.3, beta), rtol=1e-5)
    if channels > 100:
        return
    dy = RNG.standard_normal(x.shape).astype(np.float32)
    wanted = numeric_gradient(lambda x: float((lrn_by_loop(x, radius, 1.5, 0.3, beta) * dy).sum()), x)
    np.testing.assert_allclose(lrn.lrn_grad(np, dy, x, y, **attrs), wanted, rtol=1e-3, atol=1e-4)


def test_lrn_errors() -> None:
    with pytest.raises(errors.InvalidArgumentError, match="in must be 4-dimensional"):
        lrn.lrn(np, np.zeros((2, 2, 2), np.float32))
    with pytest.raises(errors.InvalidArgumentError, match="depth_radius = -1"):
        lrn.lrn(np, np.zeros((1, 2, 2, 2), np.float32), depth_radius=-1)
    x = np.zeros((1, 2, 2, 2), np.float32)
    with pytest.raises(errors.InvalidArgumentError, match="should have the same shape"):
        lrn.lrn_grad(np, x[:, :1], x, x)


# -- softmax -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", [64, 1 << 19])
def test_softmax_and_cross_entropies(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK_BYTES", block)
    logits = (RNG.standard_normal((9, 6)) * 20).astype(np.float64)
    raised = np.exp(logits - logits.max(1, keepdims=True))
    share = raised / raised.sum(1, keepdims=True)
    np.testing.assert_allclose(softmax.softmax(np, logits), share, rtol=1e-12)
    np.testing.assert_allclose(softmax.log_softmax(np, logits), np.log(share), rtol=1e-9, atol=1e-15)
    labels = RNG.dirichlet([1] * 6, 9)
    loss, gradient = softmax.softmax_cross_entropy_with_logits(np, logits, labels)
    np.testing.assert_allclose(loss, -(labels * np.log(share)).sum(1), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(gradient, share - labels, rtol=1e-9, atol=1e-15)
    classes = RNG.integers(0, 6, 9)
    loss, gradient = softmax.sparse_softmax_cross_entropy_with_logits(np, logits, classes)
    wanted = softmax.softmax_cross_entropy_with_logits(np, logits, np.eye(6)[classes])
    np.testing.assert_allclose(loss, wanted[0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(gradient, wanted[1], rtol=1e-9, atol=1e-15)


def test_softmax_of_huge_numbers_and_of_any_rank() -> None:
    assert softmax.softmax(np, np.array([[1e30, -1e30]], np.float32)).tolist() == [[1.0, 0.0]]
    assert softmax.log_softmax(np, np.array([1e30, -1e30], np.float32)).tolist() == [0.0, np.float32(-2e30)]
    x = RNG.standard_normal((2, 3, 4))
    assert np.array_equal(softmax.softmax(np, x)[1], softmax.softmax(np, x[1]))
    assert softmax.softmax(np, np.zeros((2, 0))).shape == (2, 0)
    for kernel in (softmax.softmax_cross_entropy_with_logits, softmax.sparse_softmax_cross_entropy_with_logits):
        labels = np.zeros((0, 3)) if kernel is softmax.softmax_cross_entropy_with_logits else np.zeros(0, np.int32)
        loss, gradient = kernel(np, np.zeros((0, 3)), labels)
        assert loss.shape == (0,)
        assert gradient.shape == (0, 3)


@pytest.mark.parametrize(
    ("kernel", "logits", "labels", "message"),
    [
        (softmax.softmax_cross_entropy_with_logits, np.ones(3), np.ones(3), "must be either 2-dimensional"),
        (softmax.softmax_cross_entropy_with_logits, np.ones((2, 3)), np.ones((3, 3)), r"must be broadcastable"),
        (softmax.sparse_softmax_cross_entropy_with_logits, np.ones((2, 3)), np.array([0, 3]),
         r"label value of 3 which is outside the valid range of \[0, 3\)\.  Label values: 0 3"),
        (softmax.sparse_softmax_cross_entropy_with_logits, np.ones((2, 3)), np.array([-1, 2]), "label value of -1"),
        (softmax.sparse_softmax_cross_entropy_with_logits, np.ones((2, 3)), np.array([0, 1, 2]), "same first dim"),
        (softmax.sparse_softmax_cross_entropy_with_logits, np.ones(3), np.array([0]), "logits must be 2-D"),
        (softmax.sparse_softmax_cross_entropy_with_logits, np.ones((2, 3)), np.array([[0], [1]]), "labels must be 1-D"),
        (softmax.sparse_softmax_cross_entropy_with_logits, np.ones((2, 0)), np.array([0, 0]), "at least one class"),
        (lambda xp, x, _: softmax.softmax(xp, x), np.float32(1), None, "must have >= 1 dimension"),
    ],
)  # fmt: skip
def test_softmax_errors(kernel: Any, logits: Any, labels: Any, message: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=message):
        kernel(np, logits, labels)
