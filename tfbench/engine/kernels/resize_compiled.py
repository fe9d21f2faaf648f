"""Bilinear resizing as machine code, once it is there (`compiled.tier`, `compiled.loops_resize`).

Each function returns None where NumPy has to do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels.blocks import COMPILED_BYTES, pieces, run

Array = Any
#: lower neighbours, upper neighbours, how far from the lower one
Neighbours = tuple[Array, Array, Array]

_PASSES = 20


def _kernel(xp: Any, maker: str, x: Array, work: int) -> Any:
    if xp is not np or native(x) != "f4" or not x.size:
        return None
    return tier.kernel("loops_resize", maker).ready(work)


def _indices(taps: Neighbours) -> list[Array]:
    lower, upper, part = taps
    return [lower.astype(np.int64, copy=False), upper.astype(np.int64, copy=False), part.astype(np.float32, copy=False)]


def bilinear(xp: Any, x: Array, rows: Neighbours, columns: Neighbours) -> Array | None:
    """`ResizeBilinear`"""
    height, width = len(rows[0]), len(columns[0])
    images, channels = x.shape[0], x.shape[3]
    loops = _kernel(xp, "resize_bilinear", x, _PASSES * 4 * images * height * width * channels)
    if loops is None:
        return None
    out = np.empty((images, height, width * channels), np.float32)
    numbers = [*_indices(rows), *_indices(columns)]
    parts = pieces(np, images, out[:1].nbytes, COMPILED_BYTES)

    def task(number: int) -> None:
        part = parts[number]
        loops(x[part], *numbers, np.empty((2, width * channels), np.float32), out[part])

    run(np, len(parts), task)
    return out.reshape(images, height, width, channels)


def bilinear_grad(xp: Any, dy: Array, old: Sequence[int], rows: Neighbours, columns: Neighbours) -> Array | None:
    """`ResizeBilinearGrad` for images of height and width `old`."""
    loops = _kernel(xp, "resize_bilinear_grad", dy, _PASSES * dy.nbytes)
    if loops is None:
        return None
    images, channels = dy.shape[0], dy.shape[3]
    dx = np.zeros((images, old[0], old[1] * channels), np.float32)
    numbers = [*_indices(rows), *_indices(columns)]
    parts = pieces(np, images, dy[:1].nbytes, COMPILED_BYTES)

    def task(number: int) -> None:
        part = parts[number]
        loops(dy[part], *numbers, np.empty(dx.shape[2], np.float32), dx[part])

    run(np, len(parts), task)
    return dx.reshape(images, *old, channels)
