"""Convolutions on a device as matrix products: the windows of a block of outputs side by side, times the filter.

A block is as many outputs as windows of `BLOCK_BYTES` have, so the memory that is used on the side is bounded whatever
the batch. Windows are not gathered by index: they are one view of the padded input with repeated strides, which is
copied once. The gradient with respect to the input is a convolution with the filter turned round where the stride is 1;
otherwise the products are added back tap by tap. Layout is channels last; filters are `(taps…, channels, filters)`.
Computed with any array module; where cuDNN is there, `cudnn_graphs` is asked instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernels import cudnn_graphs
from tfbench.engine.kernels.geometry import Window

Array = Any

#: what the windows of a block may take
BLOCK_BYTES = 256 << 20


def forward(xp: Any, x: Array, filter: Array, windows: Sequence[Window]) -> Array:
    """The convolution of `x` with `filter`."""
    made = cudnn_graphs.forward(xp, x, filter, windows)
    if made is not None:
        return made
    shape = (x.shape[0], *(window.output for window in windows), filter.shape[-1])
    if 0 in shape or not filter.size:
        return xp.zeros(shape, x.dtype)
    matrix = filter.reshape(-1, filter.shape[-1])
    out = None
    for block, columns in _blocks(xp, x, windows):
        product = xp.matmul(columns, matrix)
        if product.size == math.prod(shape):  # one block is all of it
            return product.reshape(shape)
        out = xp.empty(shape, x.dtype) if out is None else out
        out[block] = product.reshape(out[block].shape)
    return out


def filter_gradient(xp: Any, x: Array, dy: Array, windows: Sequence[Window]) -> Array:
    """The gradient with respect to the filter, added up in float32 at least."""
    made = cudnn_graphs.filter_gradient(xp, x, dy, windows)
    if made is not None:
        return made
    channels, filters = x.shape[-1], dy.shape[-1]
    shape = (*(window.size for window in windows), channels, filters)
    kind = np.float32 if dy.dtype == np.float16 else dy.dtype
    total = xp.zeros((math.prod(shape[:-1]), filters), kind)
    if dy.size and total.size:
        for block, columns in _blocks(xp, x, windows):
            total += xp.matmul(columns.T, xp.ascontiguousarray(dy[block]).reshape(-1, filters))
    return total.astype(dy.dtype, copy=False).reshape(shape)


def input_gradient(xp: Any, dy: Array, filter: Array, windows: Sequence[Window]) -> Array:
    """The gradient with respect to the input: what the transposed convolution computes."""
    made = cudnn_graphs.input_gradient(xp, dy, filter, windows)
    if made is not None:
        return made
    if all(window.stride == 1 for window in windows):
        turned = filter[tuple(slice(None, None, -1) for _ in windows)].swapaxes(-1, -2)
        return forward(xp, dy, xp.ascontiguousarray(turned), [window.turned() for window in windows])
    channels, filters = filter.shape[-2:]
    dx = xp.zeros((dy.shape[0], *(window.input for window in windows), channels), dy.dtype)
    if not dx.size or not dy.size:
        return dx
    matrix = filter.reshape(-1, filters).T
    sizes = [window.size for window in windows]
    outputs = [window.output for window in windows]
    step = max(1, BLOCK_BYTES // max(1, math.prod(outputs) * matrix.shape[1] * dy.dtype.itemsize))
    for start in range(0, len(dy), step):
        images = slice(start, start + step)
        products = xp.matmul(xp.ascontiguousarray(dy[images]).reshape(-1, filters), matrix)
        products = products.reshape(-1, *outputs, *sizes, channels)
        for tap in itertools.product(*(range(size) for size in sizes)):
            reached = [window.reach(position) for window, position in zip(windows, tap)]
            source = (slice(None), *(output for output, _ in reached), *tap)
            dx[(images, *(input for _, input in reached))] += products[source]
    return dx


def _blocks(xp: Any, x: Array, windows: Sequence[Window]) -> Iterator[tuple[tuple[slice, ...], Array]]:
    """(outputs, their windows as rows of a matrix): images by images, or rows of one image where it is large."""
    channels = x.shape[-1]
    width = math.prod(window.size for window in windows) * channels
    outputs = [window.output for window in windows]
    if all(window.size == window.stride == 1 and not window.before for window in windows) and all(
        window.input >= window.output for window in windows
    ):
        inner = tuple(slice(0, window.output) for window in windows)
        yield (slice(None),), xp.ascontiguousarray(x[(slice(None), *inner)]).reshape(-1, channels)
        return
    view = _windows(xp, x, windows)
    row_bytes = math.prod(outputs[1:]) * width * x.dtype.itemsize
    rows = max(1, min(outputs[0], BLOCK_BYTES // max(1, row_bytes)))
    images = max(1, BLOCK_BYTES // max(1, row_bytes * outputs[0])) if rows == outputs[0] else 1
    for start in range(0, len(x), images):
        for top in range(0, outputs[0], rows):
            block = (slice(start, start + images), slice(top, top + rows))
            yield block, xp.ascontiguousarray(view[block]).reshape(-1, width)


def _windows(xp: Any, x: Array, windows: Sequence[Window]) -> Array:
    """`(images, outputs…, taps…, channels)`, a view of the padded input."""
    spans = [(window.output - 1) * window.stride + window.extent for window in windows]
    if any(window.before or span > window.input for window, span in zip(windows, spans)):
        sizes = [max(span, window.before + window.input) for window, span in zip(windows, spans)]
        padded = xp.zeros((x.shape[0], *sizes, x.shape[-1]), x.dtype)
        # What is cut off has a negative number of places before.
        inner, outer = [], []
        for window in windows:
            first = min(max(0, -window.before), window.input)
            start = max(0, window.before)
            inner.append(slice(first, window.input))
            outer.append(slice(start, start + window.input - first))
        padded[(slice(None), *outer)] = x[(slice(None), *inner)]
        x = padded
    else:
        x = xp.ascontiguousarray(x)
    steps = x.strides[1:-1]
    return xp.lib.stride_tricks.as_strided(
        x,
        (x.shape[0], *(window.output for window in windows), *(window.size for window in windows), x.shape[-1]),
        (
            x.strides[0],
            *(step * window.stride for step, window in zip(steps, windows)),
            *(step * window.dilation for step, window in zip(steps, windows)),
            x.strides[-1],
        ),
    )
