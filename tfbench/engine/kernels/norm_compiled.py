"""Batch normalisation and biases of `(rows, channels)` as machine code, once it is there (`compiled.tier`).

Each function returns None where NumPy has to do it. Rows lie side by side where there are few channels, as in `norm`,
for the sake of long innermost loops. What is elementwise is `compiled.maps` where rows are then whole cache lines, and
`compiled.loops_norm` otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels.blocks import COMPILED_BYTES, LINE, aligned, pieces, run, side_by_side

Array = Any

#: Where inputs and output have more bytes than this, little of the output is in the caches when it is used.
STREAMED = 24 << 20

#: Smaller arrays than this, in bytes, NumPy adds up or to as quickly as they are looked at here.
SMALL = 128 << 10


def _kind(xp: Any, kind: Any, arrays: Sequence[Array]) -> str | None:
    """ "f4" or "f8", if all arrays are of that type, and loops can take them."""
    x = arrays[0]
    if xp is not np or x.dtype != kind or not x.size or any(native(array) != native(x) for array in arrays):
        return None
    return native(x)


def _folded(*arrays: Array) -> tuple[int, list[Array]]:
    """How many rows are laid side by side, and the arrays with such rows."""
    rows, channels = arrays[0].shape
    side = side_by_side(rows, channels)
    return side, [array.reshape(rows // side, side * channels) for array in arrays]


def _repeated(vectors: Sequence[Array], side: int, dtype: Any) -> Array:
    """The vectors for rows that lie side by side, one behind the other."""
    made = aligned((len(vectors), side, len(vectors[0])), dtype)
    for target, vector in zip(made, vectors):
        target[...] = vector
    return made.reshape(len(vectors), -1)


def moments(xp: Any, x: Array, kind: Any) -> tuple[Array, Array] | None:
    """Mean and sum of squared deviations of each channel, in double precision."""
    found = _kind(xp, kind, [x])
    loops = found and tier.kernel("loops_norm", "moments", found).ready(4 * x.nbytes)
    if not loops:
        return None
    rows, channels = x.shape
    side, (folded,) = _folded(x)
    parts = pieces(np, len(folded), folded[:1].nbytes, COMPILED_BYTES)
    means, squares = aligned((2, len(parts), side * channels), np.float64)

    def task(number: int) -> None:
        scratch, sums = aligned((3, side * channels), x.dtype), aligned((side * channels,), np.float64)
        loops(folded[parts[number]], *scratch, sums, means[number], squares[number])

    run(np, len(parts), task)
    counts = np.repeat([float(part.stop - part.start) for part in parts], side)[:, None]
    means, squares = means.reshape(-1, channels), squares.reshape(-1, channels)
    mean = (means * counts).sum(axis=0) / rows
    return mean, squares.sum(axis=0) + (counts * (means - mean) ** 2).sum(axis=0)


def grad_sums(xp: Any, x: Array, dy: Array, centre: Array) -> tuple[Array, Array] | None:
    """For each channel the sums of `dy` and of `dy * (x - centre)`, in double precision."""
    found = _kind(xp, centre.dtype, [x, dy])
    loops = found and tier.kernel("loops_norm", "grad_sums", found).ready(5 * x.nbytes)
    if not loops:
        return None
    channels = x.shape[1]
    side, (x, dy) = _folded(x, dy)
    (centre,) = _repeated([centre], side, x.dtype)
    parts = pieces(np, len(x), x[:1].nbytes, COMPILED_BYTES)
    sums = aligned((2, len(parts), side * channels), np.float64)

    def task(number: int) -> None:
        given, along = aligned((2, side * channels), x.dtype)
        loops(x[parts[number]], dy[parts[number]], centre, given, along, sums[0, number], sums[1, number])

    run(np, len(parts), task)
    total, projected = sums.reshape(2, -1, channels).sum(axis=1)
    return total, projected


def column_sums(xp: Any, x: Array) -> Array | None:
    """The sum of each channel, in double precision."""
    found = _kind(xp, x.dtype, [x]) if x.nbytes > SMALL else None
    loops = found and tier.kernel("loops_norm", "column_sums", found).ready(2 * x.nbytes)
    if not loops:
        return None
    channels = x.shape[1]
    side, (x,) = _folded(x)
    parts = pieces(np, len(x), x[:1].nbytes, COMPILED_BYTES)
    sums = aligned((len(parts), side * channels), np.float64)

    def task(number: int) -> None:
        loops(x[parts[number]], aligned((side * channels,), x.dtype), sums[number])

    run(np, len(parts), task)
    return sums.reshape(-1, channels).sum(axis=0)


def _mapped(what: str, xp: Any, arrays: Sequence[Array], vectors: Sequence[Array], passes: int) -> Array | None:
    """A function of `compiled.maps`; `passes`: how often NumPy goes over the arrays."""
    found = _kind(xp, vectors[0].dtype, arrays)
    if found is None:
        return None
    side, folded = _folded(*arrays)
    x = folded[0]
    row = x[:1].nbytes
    lines, rest = divmod(row, LINE)
    streaming = (len(arrays) + 1) * x.nbytes > STREAMED
    if rest:
        if what not in ("scale_and_shift", "grad_combined"):
            return None
        kernel = tier.kernel("loops_norm", what, found)
    else:
        kernel = tier.kernel("maps", "row_map", what, found, streaming)
    loops = kernel.ready(passes * x.nbytes)
    if loops is None:
        return None
    repeated = _repeated(vectors, side, x.dtype)
    out = aligned(x.shape, x.dtype)
    parts = pieces(np, len(x), row, COMPILED_BYTES)
    places = [array.ctypes.data for array in (*folded, out)]

    def task(number: int) -> None:
        part = parts[number]
        if rest:
            loops(*(array[part] for array in folded), *repeated, out[part])
            return
        *inputs, target = (place + part.start * row for place in places)
        loops(*inputs, repeated.ctypes.data, target, part.stop - part.start, lines)

    run(np, len(parts), task)
    return out.reshape(arrays[0].shape)


def scale_and_shift(xp: Any, x: Array, centre: Array, scale: Array, shift: Array) -> Array | None:
    """`(x - centre) * scale + shift` by channel."""
    return _mapped("scale_and_shift", xp, [x], [centre, scale, shift], 4)


def grad_combined(
    xp: Any, x: Array, dy: Array, centre: Array, slope: Array, average: Array, factor: Array
) -> Array | None:
    """`(dy - (x - centre) * slope - average) * factor`"""
    return _mapped("grad_combined", xp, [x, dy], [centre, slope, average, factor], 6)


def add(xp: Any, x: Array, vector: Array) -> Array | None:
    """`x + vector`"""
    return _mapped("add", xp, [x], [vector], 2) if x.nbytes > SMALL else None
