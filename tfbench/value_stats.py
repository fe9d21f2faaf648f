"""What is in an array, in a few numbers: mean, spread, range, NaN count, histogram.

Used on every variable while a training loop runs, so the cost is bounded: arrays larger than `SAMPLE` are
read with a stride and the result says so (`sampled`). NaN and infinity never hide the rest: they are counted,
and mean, spread, range and histogram are those of the finite elements.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

#: elements looked at in one array at most
SAMPLE = 65_536
BINS = 24


class ValueStats(NamedTuple):
    """Statistics of one array. `mean`, `std`, `low` and `high` are None where no element is finite."""

    size: int
    mean: float | None
    std: float | None
    low: float | None
    high: float | None
    nans: int
    infs: int
    histogram: tuple[int, ...]
    sampled: bool


def value_stats(value: Any, bins: int = BINS, sample: int = SAMPLE) -> ValueStats | None:
    """Statistics of `value`, or None where it has none (strings, objects)."""
    # An array of a GPU is copied for that.
    array = value.get() if hasattr(value, "__cuda_array_interface__") else np.asarray(value)
    if array.dtype.kind not in "fciub":
        # bfloat16 and the float8 family are extension types of kind V that know how to become float32.
        try:
            array = array.astype(np.float32)
        except (TypeError, ValueError):
            return None
    size = array.size
    flat = array.ravel() if array.flags.c_contiguous else array.reshape(-1)
    sampled = size > sample
    if sampled:
        flat = flat[:: -(-size // sample)]
    if flat.dtype.kind == "c":
        flat = np.abs(flat)
    if flat.dtype.kind == "f":
        finite = np.isfinite(flat)
        kept = flat if finite.all() else flat[finite]
        nans = int(np.isnan(flat).sum()) if kept is not flat else 0
        infs = int(flat.size - kept.size - nans)
    else:
        kept, nans, infs = flat, 0, 0
    if not kept.size:
        return ValueStats(size, None, None, None, None, nans, infs, (), sampled)
    values = kept.astype(np.float64)
    low, high = float(values.min()), float(values.max())
    with np.errstate(over="ignore", invalid="ignore"):  # near the largest float the sums become infinite, and say so
        mean, std = float(values.mean()), float(values.std())
        histogram = _histogram(values, low, high, bins)
    return ValueStats(size, mean, std, low, high, nans, infs, histogram, sampled)


def _histogram(values: np.ndarray[Any, Any], low: float, high: float, bins: int) -> tuple[int, ...]:
    width = high - low
    if not np.isfinite(width) or width <= 0.0:
        return (int(values.size),)
    places = ((values - low) / width * bins).astype(np.intp)  # bins / width would overflow for tiny widths
    np.minimum(places, bins - 1, out=places)
    return tuple(np.bincount(places, minlength=bins).tolist())
