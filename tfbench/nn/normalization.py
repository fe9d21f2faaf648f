"""Means and variances, and what is made of them: batch normalisation, unit vectors, response normalisation."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_fill import zeros_like
from tfbench.engine.ops.base import stop_gradient
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.math_binary import add, div_no_nan, maximum, multiply, squared_difference, subtract
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_complex import complex as complex_of
from tfbench.engine.ops.math_complex import imag, real
from tfbench.engine.ops.math_unary import reciprocal, rsqrt, square
from tfbench.engine.ops.nn_norm import fused_batch_norm_v3_op, lrn_op
from tfbench.engine.ops.reductions import reduce_mean, reduce_prod, reduce_sum
from tfbench.engine.ops.shape_ops import rank, renamed, shape, squeeze
from tfbench.engine.tensor import Tensor

_HALVES = (dtypes.float16, dtypes.bfloat16)


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """`x` divided by its Euclidean length along `axis` (or by sqrt(epsilon) if that is larger)."""
    axis = renamed("axis", axis, "dim", dim)
    with name_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_complex:
            inverse = rsqrt(maximum(reduce_sum(square(x), axis, keepdims=True), epsilon))
            return multiply(x, inverse, name=scope)
        squares = square(real(x)) + square(real(imag(x)))
        inverse = rsqrt(maximum(reduce_sum(squares, axis, keepdims=True), epsilon))
        return complex_of(multiply(real(x), inverse), multiply(imag(x), inverse), name=scope)


# -- moments ----------------------------------------------------------------------------------------------------------


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of `x` over `axes`. (`shift` is there for old programs; it is not used.)"""
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "moments", [x, axes]):
        single = cast(x, dtypes.float32) if x.dtype in _HALVES else x
        mean = reduce_mean(single, axes, keepdims=True, name="mean")
        # The gradient of the variance with respect to the mean is zero.
        variance = reduce_mean(squared_difference(single, stop_gradient(mean)), axes, keepdims=True, name="variance")
        if not keep:
            mean, variance = squeeze(mean, axes), squeeze(variance, axes)
        if x.dtype in _HALVES:
            return cast(mean, x.dtype), cast(variance, x.dtype)
        return mean, variance


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: Any = None,
    keepdims: Any = None,
) -> tuple[Tensor, Tensor]:
    """The mean and the variance of `x` over `axes`, each element counted `frequency_weights` times."""
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    with name_scope(name, "weighted_moments", [x, frequency_weights, axes]):
        x = convert_to_tensor(x, name="x")
        weights: Any = convert_to_tensor(frequency_weights, name="frequency_weights")
        kind = x.dtype
        if kind in _HALVES:
            x = cast(x, dtypes.float32)
        if weights.dtype != x.dtype:
            weights = cast(weights, x.dtype)
        total = reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
        broadcast = weights + zeros_like(x)
        count = reduce_sum(broadcast, axes, name="sum_of_weights", keepdims=True)
        mean = div_no_nan(total, count)
        spread = reduce_sum(weights * squared_difference(x, mean), axes, name="weighted_distsq", keepdims=True)
        variance = div_no_nan(spread, count)
        if not keep:
            mean, variance = squeeze(mean, axis=axes), squeeze(variance, axis=axes)
        return cast(mean, kind), cast(variance, kind)


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: Any = None,
    name: str | None = None,
    keepdims: Any = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Count, sum and sum of squares of `x` over `axes`, the latter two around `shift`; and `shift` as a tensor."""
    keep = bool(renamed("keepdims", keepdims, "keep_dims", keep_dims))
    axes = list(set(axes))
    with name_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        known = x._shape
        if known is not None and all(known[axis] is not None for axis in axes):
            product = 1
            for axis in axes:
                product *= known[axis]
            count = constant(product, dtype=x.dtype)
        else:
            own_rank: Any = rank(x)
            positive = [axis + own_rank if axis < 0 else axis for axis in axes]
            count = reduce_prod(gather(cast(shape(x), x.dtype), positive), name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            centred, squares = subtract(x, shift), squared_difference(x, shift)
        else:
            centred, squares = x, square(x)
        total = reduce_sum(centred, axes, keepdims=keep, name="mean_ss")
        spread = reduce_sum(squares, axes, keepdims=keep, name="var_ss")
        return count, total, spread, shift


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and the variance that `sufficient_statistics` describe."""
    with name_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = reciprocal(counts, name="divisor")
        if shift is not None:
            shifted = multiply(mean_ss, divisor, name="shifted_mean")
            mean = add(shifted, shift, name="mean")
        else:
            shifted = mean = multiply(mean_ss, divisor, name="mean")
        variance = subtract(multiply(variance_ss, divisor), square(shifted), name="variance")
    return mean, variance


# -- batch normalisation ----------------------------------------------------------------------------------------------


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: Any, name: str | None = None
) -> Tensor:
    """(x - mean) / sqrt(variance + variance_epsilon) * scale + offset; `scale` and `offset` may be None."""
    with name_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        inverse = rsqrt(variance + variance_epsilon)
        if scale is not None:
            inverse *= scale
        factor = cast(inverse, x.dtype)
        scaled = x * factor
        constant_part = offset - mean * inverse if offset is not None else -mean * inverse
        result: Tensor = scaled + cast(constant_part, x.dtype)
        return result


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """Batch normalisation of `t` by the given moments `m` and `v`; times `gamma` only if asked to scale after it."""
    t = renamed("input", input, "t", t)
    m = renamed("mean", mean, "m", m)
    v = renamed("variance", variance, "v", v)
    return batch_normalization(t, m, v, beta, gamma if scale_after_normalization else None, variance_epsilon, name)


def fused_batch_norm(
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any = None,
    variance: Any = None,
    epsilon: float = 0.001,
    data_format: Any = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalisation of images in one op: the result, and the mean and variance to keep for inference.

    In training the batch's own moments are used, else `mean` and `variance`. With `exponential_avg_factor` below
    one, the moments that come back are those given, moved so far towards the batch's.

    Raises:
      ValueError: if moments are needed and not given.
    """
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "Both `mean` and `variance` must be a 1D tensor when `is_training` is False or `exponential_avg_factor` "
            f"!= 1.0. Received: `mean` {mean!r} and `variance` {variance!r}"
        )
    x = convert_to_tensor(x, name="input")
    scale = convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([]) if mean is None else mean
    variance = constant([]) if variance is None else variance
    outputs = fused_batch_norm_v3_op(
        x,
        scale,
        offset,
        mean,
        variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return outputs[0], outputs[1], outputs[2]


def local_response_normalization(
    input: Any,
    depth_radius: Any = 5,
    bias: Any = 1,
    alpha: Any = 1,
    beta: Any = 0.5,
    name: str | None = None,
) -> Tensor:
    """input / (bias + alpha * sum of squares of the `depth_radius` channels on either side) ** beta."""
    return lrn_op(input, depth_radius=depth_radius, bias=bias, alpha=alpha, beta=beta, name=name)


lrn = local_response_normalization
