"""Batch normalisation of `(rows, channels)` as machine code, once it is there (`compiled.tier`, `compiled.loops_norm`).

Each function returns None where NumPy has to do it. Rows lie side by side where there are few channels, as in `norm`,
for the sake of long innermost loops.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels.blocks import COMPILED_BYTES, pieces, run, side_by_side

Array = Any


def _kernel(maker: str, xp: Any, kind: Any, passes: int, *arrays: Array) -> Any:
    x = arrays[0]
    if xp is not np or x.dtype != kind or not x.size or any(native(array) != native(x) for array in arrays):
        return None
    found = native(x)
    return None if found is None else tier.kernel("loops_norm", maker, found).ready(passes * x.nbytes)


def moments(xp: Any, x: Array, kind: Any) -> tuple[Array, Array] | None:
    """Mean and sum of squared deviations of each channel, in double precision."""
    loops = _kernel("moments", xp, kind, 4, x)
    if loops is None:
        return None
    rows, channels = x.shape
    side = side_by_side(rows, channels)
    folded = x.reshape(rows // side, side * channels)
    parts = pieces(np, len(folded), folded[:1].nbytes, COMPILED_BYTES)
    means, squares = np.empty((2, len(parts), side * channels))

    def task(number: int) -> None:
        scratch = np.empty((3, side * channels), x.dtype)
        loops(folded[parts[number]], *scratch, np.empty(side * channels), means[number], squares[number])

    run(np, len(parts), task)
    counts = np.repeat([float(part.stop - part.start) for part in parts], side)[:, None]
    means, squares = means.reshape(-1, channels), squares.reshape(-1, channels)
    mean = (means * counts).sum(axis=0) / rows
    return mean, squares.sum(axis=0) + (counts * (means - mean) ** 2).sum(axis=0)


def scale_and_shift(xp: Any, x: Array, centre: Array, scale: Array, shift: Array) -> Array | None:
    """`(x - centre) * scale + shift` by channel."""
    loops = _kernel("scale_and_shift", xp, scale.dtype, 4, x)
    if loops is None:
        return None
    rows, channels = x.shape
    side = side_by_side(rows, channels)
    folded = x.reshape(rows // side, side * channels)
    out = np.empty(folded.shape, x.dtype)
    vectors = [np.tile(vector, side) for vector in (centre, scale, shift)]
    parts = pieces(np, len(folded), folded[:1].nbytes, COMPILED_BYTES)
    run(np, len(parts), lambda number: loops(folded[parts[number]], *vectors, out[parts[number]]))
    return out.reshape(x.shape)


def grad_sums(xp: Any, x: Array, dy: Array, centre: Array) -> tuple[Array, Array] | None:
    """For each channel the sums of `dy` and of `dy * (x - centre)`, in double precision."""
    loops = _kernel("grad_sums", xp, centre.dtype, 5, x, dy)
    if loops is None:
        return None
    rows, channels = x.shape
    side = side_by_side(rows, channels)
    x, dy = (array.reshape(rows // side, side * channels) for array in (x, dy))
    centre = np.tile(centre, side)
    parts = pieces(np, len(x), x[:1].nbytes, COMPILED_BYTES)
    sums = np.empty((2, len(parts), side * channels))

    def task(number: int) -> None:
        given, along = np.empty((2, side * channels), x.dtype)
        loops(x[parts[number]], dy[parts[number]], centre, given, along, sums[0, number], sums[1, number])

    run(np, len(parts), task)
    total, projected = sums.reshape(2, -1, channels).sum(axis=1)
    return total, projected


def grad_combined(
    xp: Any, x: Array, dy: Array, centre: Array, slope: Array, average: Array, factor: Array
) -> Array | None:
    """`(dy - (x - centre) * slope - average) * factor`"""
    loops = _kernel("grad_combined", xp, centre.dtype, 6, x, dy)
    if loops is None:
        return None
    rows, channels = x.shape
    side = side_by_side(rows, channels)
    folded, given = (array.reshape(rows // side, side * channels) for array in (x, dy))
    vectors = [np.tile(vector, side) for vector in (centre, slope, average, factor)]
    dx = np.empty_like(folded)
    parts = pieces(np, len(folded), folded[:1].nbytes, COMPILED_BYTES)
    run(np, len(parts), lambda number: loops(folded[parts[number]], given[parts[number]], *vectors, dx[parts[number]]))
    return dx.reshape(x.shape)
