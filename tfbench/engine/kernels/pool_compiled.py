"""Two-dimensional pooling as machine code, once it is there (`compiled.tier`, `compiled.loops_pool`).

Each function returns None where NumPy has to do it: for other types and ranks, for images of one or two channels (whose
innermost loops would be too short), and until there is machine code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels.blocks import COMPILED_BYTES, aligned, pieces, run
from tfbench.engine.kernels.geometry import Window

Array = Any

_FEWEST_CHANNELS = 3
_UNROLLED = 25  # inputs in a window that are written out one by one


def _kernel(maker: str, images: Array, found: Sequence[Window], passes: int, *parameters: int) -> Any:
    """The loops, if the case is one of theirs and they are there. `passes`: how often NumPy goes over the images."""
    if not _fits(images, found):
        return None
    return tier.kernel("loops_pool", maker, native(images), *parameters).ready(passes * images.nbytes)


def _fits(images: Array, found: Sequence[Window]) -> bool:
    if native(images) is None or len(found) != 2 or images.shape[-1] < _FEWEST_CHANNELS or not images.size:
        return False
    return all(window.output for window in found)


def _numbers(found: Sequence[Window]) -> list[int]:
    return [number for window in found for number in (window.before, window.size, window.stride)]


def _steps(found: Sequence[Window]) -> list[int]:
    return [number for window in found for number in (window.before, window.stride)]


def _lines(x: Array) -> Array:
    """(images, height, width * channels)"""
    return x.reshape(x.shape[0], x.shape[1], -1)


def _bands(image_bytes: int, window: Window) -> list[tuple[int, int]]:
    """Bands of output rows, for large images."""
    count = max(1, min(window.output, image_bytes // COMPILED_BYTES))
    return [(part * window.output // count, (part + 1) * window.output // count) for part in range(count)]


def forward(op: str, xp: Any, x: Array, found: Sequence[Window]) -> Array | None:
    """`MaxPool` or `AvgPool` of channels-last images."""
    if op not in ("MaxPool", "AvgPool") or xp is not np:
        return None
    largest, sizes = op == "MaxPool", [window.size for window in found]
    if len(sizes) == 2 and sizes[0] * sizes[1] <= _UNROLLED:
        return _small(largest, x, found)
    loops = _kernel("max_pool" if largest else "avg_pool", x, found, sum(sizes))
    if loops is None:
        return None
    channels = x.shape[-1]
    out = aligned((len(x), *(window.output for window in found), channels), x.dtype)
    lowest = [float(np.finfo(x.dtype).min)] if largest else []

    def task(images: slice, rows: slice, window: Window, results: slice) -> None:
        line = aligned((x.shape[2] * channels,), x.dtype)
        numbers = [*_numbers([window, found[1]]), channels, *lowest]
        loops(_lines(x[images, rows]), *numbers, line, _lines(out[images, results]))

    _in_bands(x, found[0], task)
    return out


def _small(largest: bool, x: Array, found: Sequence[Window]) -> Array | None:
    """Windows of few inputs."""
    down, across = found
    if not _fits(x, found):
        return None
    sizes = down.size, across.size
    kernel = tier.kernel("pooling", "small_windows", native(x), largest, *sizes, x.shape[-1])
    loops = kernel.ready(sum(sizes) * x.nbytes)
    if loops is None:
        return None
    out = aligned((len(x), down.output, across.output, x.shape[-1]), x.dtype)
    x_at, out_at = x.ctypes.data, out.ctypes.data

    def task(images: slice, rows: slice, window: Window, results: slice) -> None:
        at = x_at + images.start * x.strides[0] + rows.start * x.strides[1]
        target = out_at + images.start * out.strides[0] + results.start * out.strides[1]
        sizes = images.stop - images.start, rows.stop - rows.start, across.input
        steps = window.before, window.stride, across.before, across.stride
        loops(at, target, *sizes, results.stop - results.start, across.output, *steps)

    _in_bands(x, down, task)
    return out


def _in_bands(x: Array, down: Window, task: Callable[[slice, slice, Window, slice], None]) -> None:
    """`task` gets images, rows of them, the windows over these, and rows of the result: some images, or a band of one.

    Bands of several images would not be contiguous.
    """
    groups, bands = pieces(np, len(x), x[:1].nbytes, COMPILED_BYTES), _bands(x[:1].nbytes, down)

    def work(number: int) -> None:
        group, (first, last) = groups[number // len(bands)], bands[number % len(bands)]
        rows, window = down.band(first, last) if len(bands) > 1 else (slice(0, down.input), down)
        task(group, rows, window, slice(first, last))

    run(np, len(groups) * len(bands), work)


def max_pool_grad(xp: Any, x: Array, grad: Array, found: Sequence[Window]) -> Array | None:
    """`MaxPoolGrad` of channels-last images."""
    if xp is not np or grad.dtype != x.dtype or not grad.flags.c_contiguous:
        return None
    sizes = [window.size for window in found]
    loops = _kernel("max_pool_grad", x, found, 2 * sizes[0] * sizes[-1], *sizes)
    if loops is None:
        return None
    channels = x.shape[-1]
    dx = aligned(x.shape, x.dtype)
    steps = _steps(found)
    groups = pieces(np, len(x), x[:1].nbytes, COMPILED_BYTES)

    def task(number: int) -> None:
        group = groups[number]
        best, winner = np.empty(channels, x.dtype), np.empty(channels, np.int32)
        loops(_lines(x[group]), _lines(grad[group]), *steps, channels, best, winner, _lines(dx[group]))

    run(np, len(groups), task)
    return dx


def avg_pool_grad(xp: Any, dy: Array, found: Sequence[Window]) -> Array | None:
    """`AvgPoolGrad` of channels-last gradients."""
    if xp is not np or not dy.flags.c_contiguous:
        return None
    loops = _kernel("avg_pool_grad", dy, found, 2 * sum(window.size for window in found))
    if loops is None:
        return None
    channels = dy.shape[-1]
    dx = aligned((len(dy), *(window.input for window in found), channels), dy.dtype)
    groups = pieces(np, len(dx), dx[:1].nbytes, COMPILED_BYTES)

    def task(number: int) -> None:
        group = groups[number]
        line = aligned((dx.shape[2] * channels,), dy.dtype)
        loops(_lines(dy[group]), *_numbers(found), channels, line, _lines(dx[group]))

    run(np, len(groups), task)
    return dx
