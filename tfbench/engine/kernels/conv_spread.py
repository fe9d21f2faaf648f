"""The gradient of a convolution with respect to images of few channels, once `compiled.spreading` is there.

As a correlation of the output's gradient with the turned filter it has as many results side by side as the image has
channels: three of a vector's eight or sixteen numbers. As one product with the whole filter it has no such gaps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels import threads
from tfbench.engine.kernels.blocks import aligned
from tfbench.engine.kernels.geometry import Array, Window
from tfbench.engine.kernels.product_compiled import product

_CHANNELS = 4
#: numbers in a row of taps, at most
_LANES = 32
#: bytes of an image's products, at most
_PRODUCTS = 16 << 20


def input_gradient(dy: Array, filter: Array, input: Sequence[int], windows: Sequence[Window]) -> Array | None:
    """The gradient, or None if this is another case, or there is no machine code."""
    rows, columns, channels, filters = filter.shape if filter.ndim == 4 else (0,) * 4
    if not 0 < channels <= _CHANNELS or channels != input[-1] or native(dy) != "f4" or filter.dtype != dy.dtype:
        return None
    down, across = windows
    if columns * channels > _LANES or down.dilation != 1 or across.dilation != 1 or not dy.size:
        return None
    images, tall, wide, _ = dy.shape
    if tall * wide * rows * columns * channels * dy.itemsize > _PRODUCTS:
        return None
    shape = (tall, wide, down.input, across.input, rows, columns, down.stride, across.stride)
    work = dy.size * rows * columns * channels // 8
    run = tier.kernel("spreading", "spread", *shape, down.before, across.before, channels).ready(work)
    if run is None:
        return None
    from tfbench.engine.compiled.spreading import lanes, scratch

    size = lanes(columns, channels)
    taps = np.zeros((filters, rows, size), dy.dtype)
    taps[..., : columns * channels] = filter.reshape(rows, columns * channels, filters).transpose(2, 0, 1)
    matrix = taps.reshape(filters, rows * size)
    pixels = dy.reshape(images, tall * wide, filters)
    dx = aligned(input, dy.dtype)
    work_size = scratch(wide, across.input, columns, across.stride, across.before, channels)

    def compute(tasks: Iterator[int]) -> None:
        place = aligned((work_size,), np.uint8)
        for image in tasks:
            made = product(pixels[image], matrix)
            made = pixels[image] @ matrix if made is None else made
            run(made.ctypes.data, dx[image].ctypes.data, place.ctypes.data)

    threads.parallel(images, compute)
    return dx
