"""Combining rows with the rows of an array that indices name, in place and in the order in which they come, on the CPU.

NumPy's `ufunc.at` is quick for vectors and ten times slower for rows, so rows are combined number by number; sums are
compiled loops once these are there (`compiled.loops_rows`). Either is one call of C code: an interrupt finds the array
before it or after it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native

Array = Any

#: rows longer than this are long enough for `ufunc.at`
_LONG = 1_024


def combine(name: str, rows: Array, places: Array, values: Array) -> None:
    """`rows[places] = ufunc(rows[places], values)` for the ufunc `name`; a place that comes again is combined again.

    `places` are in range and of any shape; `values` are a number, or shaped as `rows[places]`.
    """
    ufunc = getattr(np, name)
    if not np.ndim(values) or not rows.flags.c_contiguous or not rows.size:
        ufunc.at(rows, places, values)
        return
    flat, places = rows.reshape(len(rows), -1), places.reshape(-1)
    width = flat.shape[1]
    values = values.reshape(len(places), width)
    if name in ("add", "subtract") and _compiled(name == "subtract", flat, places, values):
        return
    if width == 1 or (width <= _LONG and rows.dtype != object):
        places = places if width == 1 else (places.astype(np.intp)[:, None] * width + np.arange(width)).reshape(-1)
        ufunc.at(flat.reshape(-1), places, values.reshape(-1))
    else:
        ufunc.at(flat, places, values)


def _compiled(subtract: bool, rows: Array, places: Array, values: Array) -> bool:
    kind = native(rows)
    if np.may_share_memory(rows, values):  # what has been added must not be added again
        return False
    if kind is None or native(values) != kind or places.dtype.char not in "ilq" or not places.dtype.isnative:
        return False
    places = np.ascontiguousarray(places)
    run = tier.kernel("loops_rows", "add_rows", kind, f"i{places.dtype.itemsize}", subtract).ready(8 * values.nbytes)
    if run is None:
        return False
    run(rows, places, values)
    return True
