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
from tfbench.engine.kernels.blocks import COMPILED_BYTES, pieces, run
from tfbench.engine.kernels.geometry import Window

Array = Any

_FEWEST_CHANNELS = 3


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


def _lines(x: Array) -> Array:
    """(images, height, width * channels)"""
    return x.reshape(x.shape[0], x.shape[1], -1)


def _bands(image_bytes: int, window: Window) -> list[tuple[int, int]]:
    """Bands of output rows, for large images."""
    count = max(1, min(window.output, image_bytes // COMPILED_BYTES))
    return [(part * window.output // count, (part + 1) * window.output // count) for part in range(count)]


def forward(op: str, xp: Any, x: Array, found: Sequence[Window]) -> Array | None:
    """`MaxPool` or `AvgPool` of channels-last images."""
    maker = {"MaxPool": "max_pool", "AvgPool": "avg_pool"}.get(op)
    if maker is None or xp is not np:
        return None
    loops = _kernel(maker, x, found, sum(window.size for window in found))
    if loops is None:
        return None
    images, channels = x.shape[0], x.shape[-1]
    out = np.empty((images, *(window.output for window in found), channels), x.dtype)
    lowest = [float(np.finfo(x.dtype).min)] if op == "MaxPool" else []
    groups, bands = pieces(np, images, x[:1].nbytes, COMPILED_BYTES), _bands(x[:1].nbytes, found[0])

    def task(number: int) -> None:
        group, (first, last) = groups[number // len(bands)], bands[number % len(bands)]
        source, target, window = x[group], out[group], found[0]
        if len(bands) > 1:  # then the group is one image, and bands of it are contiguous
            rows, window = window.band(first, last)
            source, target = source[:, rows], target[:, first:last]
        line = np.empty(x.shape[2] * channels, x.dtype)
        loops(_lines(source), *_numbers([window, found[1]]), channels, *lowest, line, _lines(target))

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
    dx = np.empty_like(x)
    steps = [number for window in found for number in (window.before, window.stride)]
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
    dx = np.empty((len(dy), *(window.input for window in found), channels), dy.dtype)
    groups = pieces(np, len(dx), dx[:1].nbytes, COMPILED_BYTES)

    def task(number: int) -> None:
        group = groups[number]
        line = np.empty(dx.shape[2] * channels, dy.dtype)
        loops(_lines(dy[group]), *_numbers(found), channels, line, _lines(dx[group]))

    run(np, len(groups), task)
    return dx
