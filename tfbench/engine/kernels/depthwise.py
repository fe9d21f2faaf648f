"""Depthwise convolutions: every channel has filters of its own, so there is no matrix product to hide in.

Output channel `c * multiplier + q` is the correlation of input channel `c` with filter `(:, :, c, q)`. With the input's
channels repeated `multiplier` times all arrays line up, and each tap is one multiplication and one addition of whole
arrays, made on pieces that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import depthwise_compiled
from tfbench.engine.kernels.blocks import pieces, run, wide
from tfbench.engine.kernels.geometry import (
    Window,
    channels_first,
    channels_last,
    check_batch_and_depth,
    is_channels_first,
    taps,
    windows,
)
from tfbench.engine.kernels.pool import pool

Shape = tuple[int, ...]
#: strides, padding, explicit_paddings, data_format, dilations
Attrs = tuple[Shape, str, Shape, str, Shape]


@lru_cache(maxsize=128)
def _plan(input: Shape, filter: Shape, attrs: Attrs) -> tuple[Window, ...]:
    strides, padding, explicit, data_format, dilations = attrs
    if len(input) != 4:
        raise invalid(f"input must be 4-dimensional{list(input)}")
    if len(filter) != 4:
        raise invalid(f"filter must be 4-dimensional: {list(filter)}")
    depth = input[data_format.index("C")]
    if depth != filter[2]:
        raise invalid(f"input and filter must have the same depth: {depth} vs {filter[2]}")
    check_batch_and_depth(strides, dilations, data_format)
    return tuple(
        windows(
            filter[:2],
            input,
            strides=strides,
            padding=padding,
            explicit_paddings=explicit,
            data_format=data_format,
            dilations=dilations,
        )
    )


def _check_gradient(op: str, input: Shape, filter: Shape, dy: Shape, found: Sequence[Window]) -> None:
    """Channels-last shapes that belong together."""
    wanted = (input[0], found[0].output, found[1].output, filter[2] * filter[3])
    if dy != wanted:
        raise invalid(f"{op}: Expected out_backprop shape to be {list(wanted)}, but got {list(dy)}")


def _rows(xp: Any, filter: Any, width: int, kind: Any) -> Any:
    """The filter repeated along a row of outputs, `(kh, kw, width, c * q)`: NumPy's loops then run along whole rows."""
    flat = filter.astype(kind, copy=False).reshape(*filter.shape[:2], 1, -1)
    return xp.ascontiguousarray(xp.broadcast_to(flat, (*flat.shape[:2], width, flat.shape[-1])))


def depthwise_conv2d_native(
    xp: Any,
    input: Any,
    filter: Any,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
) -> Any:
    """`DepthwiseConv2dNative`: `(n, h, w, c)` with `(kh, kw, c, q)` gives `(n, oh, ow, c * q)`."""
    attrs = (tuple(strides), padding, tuple(explicit_paddings), data_format, tuple(dilations))
    found = _plan(input.shape, filter.shape, attrs)
    first = is_channels_first(data_format)
    x = channels_last(xp, input) if first else input
    made = depthwise_compiled.forward(x, filter, found) if xp is np else None
    if made is not None:
        return channels_first(xp, made) if first else made
    multiplier = filter.shape[3]
    kind = wide(input.dtype)
    weights = _rows(xp, filter, found[1].output, kind)

    def block(part: Any, found: Sequence[Window], out: Any) -> None:
        part = part.astype(kind, copy=False)
        if multiplier != 1:
            part = xp.repeat(part, multiplier, axis=-1)
        total = out if out.dtype == kind else xp.empty(out.shape, kind)
        total.fill(0)
        spare = xp.empty(out.shape, kind)
        for tap, outputs, inputs in taps(found):
            product, target = spare[outputs], total[outputs]
            xp.multiply(part[inputs], weights[tap][outputs[2]], out=product)
            xp.add(target, product, out=target)
        if total is not out:
            out[...] = total

    out = pool(xp, x, found, block, weights.shape[-1])
    return channels_first(xp, out) if first else out


def depthwise_conv2d_native_backprop_input(
    xp: Any,
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
) -> Any:
    """`DepthwiseConv2dNativeBackpropInput`: the gradient for an input of shape `input_sizes`."""
    attrs = (tuple(strides), padding, tuple(explicit_paddings), data_format, tuple(dilations))
    sizes = tuple(int(size) for size in input_sizes)
    found = _plan(sizes, filter.shape, attrs)
    first = is_channels_first(data_format)
    dy = channels_last(xp, out_backprop) if first else out_backprop
    channels, multiplier = filter.shape[2:]
    shape = (sizes[0], found[0].input, found[1].input, channels)
    _check_gradient("DepthwiseConv2dNativeBackpropInput", shape, filter.shape, dy.shape, found)
    made = depthwise_compiled.input_gradient(dy, filter, found) if xp is np else None
    if made is not None:
        return channels_first(xp, made) if first else made
    kind = wide(dy.dtype)
    weights = _rows(xp, filter, found[1].output, kind)
    dx = xp.empty(shape, dy.dtype)
    parts = pieces(xp, shape[0], dx[:1].nbytes * multiplier)

    def task(number: int) -> None:
        images = parts[number]
        gradient = dy[images].astype(kind, copy=False)
        spread = xp.zeros((*dx[images].shape[:3], weights.shape[-1]), kind)
        spare = xp.empty_like(gradient)
        for tap, outputs, inputs in taps(found):
            product, target = spare[outputs], spread[inputs]
            xp.multiply(gradient[outputs], weights[tap][outputs[2]], out=product)
            xp.add(target, product, out=target)
        dx[images] = spread if multiplier == 1 else spread.reshape(*spread.shape[:3], -1, multiplier).sum(-1)

    if dx.size:
        run(xp, len(parts), task)
    return channels_first(xp, dx) if first else dx


def depthwise_conv2d_native_backprop_filter(
    xp: Any,
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
    dilations: Sequence[int] = (1, 1, 1, 1),
) -> Any:
    """`DepthwiseConv2dNativeBackpropFilter`: the gradient for a filter of shape `filter_sizes`."""
    attrs = (tuple(strides), padding, tuple(explicit_paddings), data_format, tuple(dilations))
    sizes = tuple(int(size) for size in filter_sizes)
    found = _plan(input.shape, sizes, attrs)
    first = is_channels_first(data_format)
    x, dy = (channels_last(xp, array) if first else array for array in (input, out_backprop))
    _check_gradient("DepthwiseConv2dNativeBackpropFilter", x.shape, sizes, dy.shape, found)
    made = depthwise_compiled.filter_gradient(x, dy, sizes, found) if xp is np else None
    if made is not None:
        return made
    kind = wide(x.dtype)
    multiplier = sizes[3]
    parts = pieces(xp, len(x), x[:1].nbytes * multiplier)
    sums = xp.zeros((len(parts), sizes[0], sizes[1], sizes[2] * multiplier), kind)

    def task(number: int) -> None:
        part, gradient = (array[parts[number]].astype(kind, copy=False) for array in (x, dy))
        if multiplier != 1:
            part = xp.repeat(part, multiplier, axis=-1)
        for tap, outputs, inputs in taps(found):
            product = part[inputs] * gradient[outputs]
            sums[(number, *tap)] = product.reshape(-1, product.shape[-1]).sum(axis=0)

    if dy.size:
        run(xp, len(parts), task)
    return sums.sum(axis=0).reshape(sizes).astype(x.dtype, copy=False)
