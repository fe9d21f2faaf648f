"""Two-dimensional pooling as machine code, once it is there (`compiled.tier`, `compiled.loops_pool`).

Each function returns None where NumPy has to do it: for other types and ranks, for images of one or two channels (whose
innermost loops would be too short), and until there is machine code.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    kind = native(images)
    if kind is None or len(found) != 2 or images.shape[-1] < _FEWEST_CHANNELS or not images.size:
        return None
    if any(window.output == 0 for window in found):
        return None
    return tier.kernel("loops_pool", maker, kind, *parameters).ready(passes * images.nbytes)


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
    lowest = float(np.finfo(x.dtype).min) if largest and x.dtype.kind == "f" else 0.0
    small = len(sizes) == 2 and sizes[0] * sizes[1] <= _UNROLLED
    if small:
        loops = _kernel("pool_small", x, found, sum(sizes), largest, *sizes)
    else:
        loops = _kernel("max_pool" if largest else "avg_pool", x, found, sum(sizes))
    if loops is None:
        return None
    images, channels = x.shape[0], x.shape[-1]
    out = aligned((images, *(window.output for window in found), channels), x.dtype)
    groups, bands = pieces(np, images, x[:1].nbytes, COMPILED_BYTES), _bands(x[:1].nbytes, found[0])

    def task(number: int) -> None:
        group, (first, last) = groups[number // len(bands)], bands[number % len(bands)]
        source, target, window = x[group], out[group], found[0]
        if len(bands) > 1:  # then the group is one image, and bands of it are contiguous
            rows, window = window.band(first, last)
            source, target = source[:, rows], target[:, first:last]
        if small:
            loops(_lines(source), *_steps([window, found[1]]), channels, lowest, _lines(target))
            return
        line = aligned((x.shape[2] * channels,), x.dtype)
        numbers = [*_numbers([window, found[1]]), channels, *([lowest] if largest else [])]
        loops(_lines(source), *numbers, line, _lines(target))

    run(np, len(groups) * len(bands), task)
    return out


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
