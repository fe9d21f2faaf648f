"""Batch normalisation: the fused ops and the old one with given statistics.

Arrays are seen as `(rows, channels)`. Where there are few channels, several rows are laid side by side, since NumPy's
loops over the last axis are only fast if it is long. Mean and variance are made per piece while it is in the cache,
around the piece's own mean, and the pieces are combined in double precision: one pass over the input, and no
cancellation for data far from zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import cudnn_norm, norm_compiled
from tfbench.engine.kernels.blocks import LONG, pieces, run, side_by_side, wide
from tfbench.engine.kernels.geometry import channels_first, channels_last, is_channels_first


def _moments(xp: Any, x: Any, kind: Any) -> tuple[Any, Any]:
    """Mean and sum of squared deviations of each channel, in double precision."""
    made = norm_compiled.moments(xp, x, kind)
    if made is not None:
        return made
    rows, channels = x.shape
    side = side_by_side(rows, channels)
    folded = x.reshape(rows // side, side * channels)
    parts = pieces(xp, len(folded), folded[:1].nbytes * 2)
    means = xp.empty((len(parts), side * channels), np.float64)
    squares = xp.empty_like(means)

    def task(number: int) -> None:
        part = folded[parts[number]].astype(kind, copy=False)
        ones = xp.ones((1, len(part)), kind)
        mean = (ones @ part) / kind.type(len(part))
        apart = part - mean
        means[number] = mean[0]
        squares[number] = (ones @ xp.multiply(apart, apart, out=apart))[0]

    run(xp, len(parts), task)
    counts = xp.asarray([part.stop - part.start for part in parts], np.float64)[:, None]
    # The rows that were laid side by side are pieces of their own.
    means, squares = means.reshape(-1, channels), squares.reshape(-1, channels)
    counts = xp.repeat(counts, side, axis=0)
    mean = (means * counts).sum(axis=0) / rows
    return mean, squares.sum(axis=0) + (counts * (means - mean) ** 2).sum(axis=0)


def scale_and_shift(xp: Any, x: Any, centre: Any, scale: Any, shift: Any) -> Any:
    """`(x - centre) * scale + shift` by channel for `(rows, channels)`; computed in the type of `scale`.

    The centre is taken off first: folded into the shift, it would cost the digits of data far from zero.
    """
    made = norm_compiled.scale_and_shift(xp, x, centre, scale, shift)
    if made is not None:
        return made
    rows, channels = x.shape
    side = side_by_side(rows, channels)
    folded = x.reshape(rows // side, side * channels)
    out = xp.empty(folded.shape, x.dtype)
    centre, scale, shift = (xp.tile(vector, side) for vector in (centre, scale, shift))
    parts = pieces(xp, len(folded), folded[:1].nbytes * 2)

    def task(number: int) -> None:
        part, target = folded[parts[number]], out[parts[number]]
        made = target if target.dtype == scale.dtype else xp.empty(part.shape, scale.dtype)
        xp.subtract(part, centre, out=made)
        xp.multiply(made, scale, out=made)
        xp.add(made, shift, out=made)
        if made is not target:
            target[...] = made

    run(xp, len(parts), task)
    return out.reshape(x.shape)


def _check(x: Any, data_format: str, **vectors: Any) -> int:
    if x.ndim != len(data_format):
        raise invalid(f"input must be {len(data_format)}-dimensional{list(x.shape)}")
    channels = int(x.shape[data_format.index("C")])
    for name, vector in vectors.items():
        if vector.ndim != 1:
            raise invalid(f"{name} must be 1-dimensional{list(vector.shape)}")
        if vector.shape[0] != channels:
            raise invalid(
                f"{name} must have the same number of elements as the channels of x, "
                f"got {vector.shape[0]} and {channels}"
            )
    return channels


def fused_batch_norm(
    xp: Any,
    x: Any,
    scale: Any,
    offset: Any,
    mean: Any,
    variance: Any,
    *,
    epsilon: float = 1e-4,
    exponential_avg_factor: float = 1.0,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Any, Any, Any, Any, Any]:
    """`FusedBatchNorm` and V2, and V3 but for its last output: y, mean, variance, and two reserved for the gradient.

    In training the statistics of the batch are used; the variance given out is the unbiased one (n / (n - 1)), the
    reserved one is not. With an averaging factor below one, `mean` and `variance` are moved towards the batch's.
    """
    given = {} if is_training else {"mean": mean, "variance": variance}
    channels = _check(x, data_format, scale=scale, offset=offset)
    for name, vector in given.items():
        if vector.shape != (channels,):
            raise invalid(
                f"When is_training=false, {name} must have the same number of elements as the channels of x, "
                f"got {vector.size} and {channels}"
            )
    first = is_channels_first(data_format)
    last = channels_last(xp, x) if first else x
    rows = last.reshape(-1, channels)
    kind = scale.dtype
    if len(rows) == 0:
        empty = xp.zeros(channels, kind)
        unknown = xp.full(channels, np.nan, kind)
        return x.copy(), *((unknown, unknown) if is_training else (mean.copy(), variance.copy())), empty, empty
    if not is_training:
        out = cudnn_norm.inference(xp, last, scale, offset, mean, variance, epsilon)
        out = _normalise(xp, rows, scale, offset, mean, variance, epsilon) if out is None else out
        moved = tuple(vector.copy() for vector in (mean, variance, mean, variance))
    else:
        found = cudnn_norm.training(xp, last, scale, offset, epsilon)
        if found is not None:
            out, batch_mean, unbiased = found
            biased = unbiased * kind.type((len(rows) - 1) / len(rows))
        else:
            wide_mean, squares = _moments(xp, rows, kind)
            biased = (squares / len(rows)).astype(kind)
            batch_mean = wide_mean.astype(kind)
            unbiased = (squares / max(1, len(rows) - 1)).astype(kind)
            out = _normalise(xp, rows, scale, offset, wide_mean, squares / len(rows), epsilon)
        moved = (batch_mean, unbiased, batch_mean.copy(), biased)
        if exponential_avg_factor != 1:
            keep, factor = kind.type(1 - exponential_avg_factor), kind.type(exponential_avg_factor)
            moved = (keep * mean + factor * batch_mean, keep * variance + factor * unbiased, batch_mean, biased)
    out = out.reshape(last.shape)
    return channels_first(xp, out) if first else out, *moved


def _normalise(xp: Any, rows: Any, scale: Any, offset: Any, mean: Any, variance: Any, epsilon: float) -> Any:
    factor = scale / xp.sqrt(variance + epsilon)
    return scale_and_shift(xp, rows, mean.astype(scale.dtype), factor.astype(scale.dtype), offset)


def fused_batch_norm_grad(
    xp: Any,
    y_backprop: Any,
    x: Any,
    scale: Any,
    reserve_space_1: Any,
    reserve_space_2: Any,
    *,
    epsilon: float = 1e-4,
    data_format: str = "NHWC",
    is_training: bool = True,
) -> tuple[Any, Any, Any]:
    """`FusedBatchNormGrad`, V2 and V3 but for their empty outputs: gradients of x, scale and offset.

    The reserved inputs are mean and (biased) variance: the batch's in training, the given ones otherwise.
    """
    channels = _check(x, data_format, scale=scale, reserve_space_1=reserve_space_1, reserve_space_2=reserve_space_2)
    if y_backprop.shape != x.shape:
        raise invalid(
            f"x and y_backprop must have same shape, but x has shape {list(x.shape)} "
            f"and y_backprop has shape {list(y_backprop.shape)}"
        )
    first = is_channels_first(data_format)
    images = [channels_last(xp, array) if first else array for array in (x, y_backprop)]
    if is_training:
        found = cudnn_norm.gradients(xp, images[1], images[0], scale, reserve_space_1, reserve_space_2, epsilon)
        if found is not None:
            return (channels_first(xp, found[0]) if first else found[0], *found[1:])
    rows, gradients = (array.reshape(-1, channels) for array in images)
    kind = scale.dtype
    count = len(rows)
    mean, variance = reserve_space_1.astype(np.float64), reserve_space_2.astype(np.float64)
    inverse = 1 / xp.sqrt(variance + epsilon)
    parts = pieces(xp, count, rows[:1].nbytes * 3)
    sums = xp.zeros((2, len(parts), channels), np.float64)
    centre = mean.astype(kind)

    def reduce(number: int) -> None:
        part, dy = (array[parts[number]].astype(kind, copy=False) for array in (rows, gradients))
        ones = xp.ones((1, len(part)), kind)
        sums[0, number] = (ones @ dy)[0]
        sums[1, number] = (ones @ (dy * (part - centre)))[0]

    made = norm_compiled.grad_sums(xp, rows, gradients, centre)
    if made is None:
        run(xp, len(parts), reduce)
    d_offset, projected = sums.sum(axis=1) if made is None else made
    d_scale = projected * inverse
    # dx = factor * (dy - mean(dy) - x_hat * mean(dy * x_hat)); without statistics of the batch, factor * dy.
    factor = (scale * inverse).astype(kind)
    slope = (inverse * d_scale / max(1, count)).astype(kind)
    average = (d_offset / max(1, count)).astype(kind)
    dx = norm_compiled.grad_combined(xp, rows, gradients, centre, slope, average, factor) if is_training else None
    combined = dx is not None
    dx = xp.empty_like(rows) if dx is None else dx

    def combine(number: int) -> None:
        part, dy = (array[parts[number]].astype(kind, copy=False) for array in (rows, gradients))
        if is_training:
            made = part - centre
            made *= slope
            xp.subtract(dy, made, out=made)
            made -= average
            made *= factor
        else:
            made = dy * factor
        dx[parts[number]] = made

    if not combined:
        run(xp, len(parts), combine)
    shaped = dx.reshape((x.shape[0], *x.shape[2:], channels)) if first else dx.reshape(x.shape)
    return (
        channels_first(xp, shaped) if first else shaped,
        d_scale.astype(kind),
        d_offset.astype(kind),
    )


def batch_norm_with_global_normalization(
    xp: Any,
    t: Any,
    m: Any,
    v: Any,
    beta: Any,
    gamma: Any,
    *,
    variance_epsilon: float,
    scale_after_normalization: bool,
) -> Any:
    """`BatchNormWithGlobalNormalization`: `(t - m) / sqrt(v + epsilon) [* gamma] + beta` over the last of four axes."""
    channels = _check(t, "NHWC", m=m, v=v, beta=beta, gamma=gamma)
    kind = wide(t.dtype)
    factor = 1 / xp.sqrt(v.astype(kind) + kind.type(variance_epsilon))
    if scale_after_normalization:
        factor = factor * gamma
    vectors = (vector.astype(kind, copy=False) for vector in (m, factor, beta))
    return scale_and_shift(xp, t.reshape(-1, channels), *vectors).reshape(t.shape)


def bias_add(xp: Any, value: Any, bias: Any, *, data_format: str = "NHWC") -> Any:
    """`BiasAdd`: adds `bias` along the last axis, or along the second with NCHW."""
    if value.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {list(value.shape)}")
    if bias.ndim != 1:
        raise invalid(f"Biases must be 1D: {list(bias.shape)}")
    if is_channels_first(data_format):
        if bias.shape[0] != value.shape[1]:
            raise invalid(
                f"Must provide as many biases as the channel dimension of the input tensor: "
                f"{list(bias.shape)} vs. {value.shape[1]} in {list(value.shape)}"
            )
        return value + bias.reshape(-1, *(1,) * (value.ndim - 2))
    if bias.shape[0] != value.shape[-1]:
        raise invalid(
            f"Must provide as many biases as the last dimension of the input tensor: "
            f"{list(bias.shape)} vs. {list(value.shape)}"
        )
    if value.size == 0:
        return value + bias
    rows = value.reshape(-1, value.shape[-1])
    made = norm_compiled.add(xp, rows, bias)
    if made is not None:
        return made.reshape(value.shape)
    if value.shape[-1] >= LONG:
        return value + bias
    side = side_by_side(*rows.shape)
    return (rows.reshape(-1, side * rows.shape[1]) + xp.tile(bias, side)).reshape(value.shape)


def bias_add_grad(xp: Any, out_backprop: Any, *, data_format: str = "NHWC") -> Any:
    """`BiasAddGrad`: the sum over all axes but that of the channels."""
    if out_backprop.ndim < 2:
        raise invalid(f"Input tensor must be at least 2D: {list(out_backprop.shape)}")
    channel = 1 if is_channels_first(data_format) else out_backprop.ndim - 1
    axes: Sequence[int] = [axis for axis in range(out_backprop.ndim) if axis != channel]
    kind = wide(out_backprop.dtype)
    if channel == out_backprop.ndim - 1 and out_backprop.size:
        made = norm_compiled.column_sums(xp, out_backprop.reshape(-1, out_backprop.shape[-1]))
        if made is not None:
            return made.astype(out_backprop.dtype)
    if channel != 1 and out_backprop.dtype.kind == "f" and out_backprop.size:
        rows = out_backprop.reshape(-1, out_backprop.shape[-1]).astype(kind, copy=False)
        parts = pieces(xp, len(rows), rows[:1].nbytes)
        sums = xp.empty((len(parts), rows.shape[1]), kind)

        def task(number: int) -> None:
            part = rows[parts[number]]
            sums[number] = (xp.ones((1, len(part)), kind) @ part)[0]

        run(xp, len(parts), task)
        return sums.sum(axis=0).astype(out_backprop.dtype, copy=False)
    return out_backprop.sum(axis=tuple(axes), dtype=kind).astype(out_backprop.dtype, copy=False)
