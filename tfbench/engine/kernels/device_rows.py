"""Rows of an array looked up and written by their numbers, where nobody waits to see whether the numbers are right.

On a GPU, TensorFlow does not look at indices before it uses them: what is looked up outside an array is zero, what is
written there is dropped. So it is here, for arrays of any module but NumPy's (whose kernels raise). Repeated numbers
are combined by atomic operations, which CUDA has for a few types only: others are computed as one of those, with
the same result. The order of a sum of floats is not fixed then, as it is not on TensorFlow's GPUs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

Array = Any

#: what combines with an element and leaves it as it is
_NEUTRAL = {"add": 0, "subtract": 0, "multiply": 1, "divide": 1, "logical_or": 0}

_ADDS = "iILQefd"
_ORDERS = "iILQfd"


def inside(xp: Any, indices: Array, size: int) -> Array:
    """Which of `indices` lie in [0, size)."""
    return (indices >= 0) & (indices < size)


def take(xp: Any, params: Array, indices: Array, axis: int) -> Array:
    """The slices of `params` at `indices` along `axis`; zeros where there is none."""
    size = params.shape[axis]
    shape = (*params.shape[:axis], *indices.shape, *params.shape[axis + 1 :])
    if not size or not math.prod(shape):
        return xp.zeros(shape, params.dtype)
    there = inside(xp, indices, size)
    taken = xp.take(params, xp.where(there, indices, 0), axis)
    there = there.reshape((1,) * axis + indices.shape + (1,) * (params.ndim - axis - 1))
    return xp.where(there, taken, params.dtype.type(0))


def take_each(xp: Any, groups: Array, indices: Array) -> Array:
    """From each of `groups` (count, rows, …) the rows that its row of `indices` (count, n) names."""
    count, size = groups.shape[:2]
    # One group behind the other: an index that does not exist in its own must not find a row of the next one.
    first = xp.arange(count)[:, None] * size
    places = xp.where(inside(xp, indices, size), indices + first, -1)
    return take(xp, groups.reshape((count * size, *groups.shape[2:])), places, 0)


def row_numbers(xp: Any, indices: Array, sizes: Sequence[int]) -> tuple[Array, Array]:
    """(row number, whether it exists) for each index vector into the leading dimensions `sizes`, flattened."""
    rows = xp.zeros(indices.shape[:-1], np.int64)
    there = xp.ones(indices.shape[:-1], np.bool_)
    for axis, size in enumerate(sizes):
        column = indices[..., axis].astype(np.int64)
        there &= inside(xp, column, size)
        rows *= size
        rows += column
    return rows, there


def put_vectors(xp: Any, target: Array, indices: Array, updates: Array, combine: str | None) -> None:
    """Combines `updates` with what contiguous `target` has at the index vectors `indices`, in place, as `put` does."""
    depth = indices.shape[-1]
    sizes, width = target.shape[:depth], target.shape[depth:]
    places, there = row_numbers(xp, indices, sizes)
    values = updates.reshape((places.size, *width))
    put(xp, target.reshape((math.prod(sizes), *width)), places.reshape(-1), values, combine, there.reshape(-1))


def put(xp: Any, target: Array, places: Array, values: Array, combine: str | None, there: Array | None = None) -> None:
    """Combines `values` with the rows of `target` at `places` (a vector), in place; None overwrites.

    `combine` is the name of a ufunc; rows for which `there` is False (default: that do not exist) are left out. Of
    several values for one row the order is not fixed.
    """
    if not target.size or not places.size:
        return
    if there is None:
        there = inside(xp, places, target.shape[0])
    values = xp.broadcast_to(xp.asarray(values, target.dtype), (places.size, *target.shape[1:]))
    if combine is None:
        target[places[there]] = values[there]
        return
    neutral = _neutral(combine, target.dtype)
    values = xp.where(there.reshape((-1,) + (1,) * (target.ndim - 1)), values, target.dtype.type(neutral))
    places = xp.where(there, places, 0)
    if combine in ("multiply", "divide"):
        for rows, part in rounds(xp, places, values):
            target[rows] = getattr(xp, combine)(target[rows], part)
    elif combine == "logical_or":
        counts = xp.zeros(target.shape, np.int32)
        xp.add.at(counts, places, values.astype(np.int32))
        xp.logical_or(target, counts > 0, out=target)
    elif combine in ("add", "subtract"):
        _add(xp, target, places, values if combine == "add" else xp.negative(values))
    else:
        _order(xp, target, places, values, combine)


def _neutral(combine: str, dtype: Any) -> Any:
    if combine in _NEUTRAL:
        return _NEUTRAL[combine]
    if dtype.kind == "f":
        return -np.inf if combine == "maximum" else np.inf
    limits = np.iinfo(dtype)
    return limits.min if combine == "maximum" else limits.max


def _add(xp: Any, target: Array, places: Array, values: Array) -> None:
    kind = target.dtype
    if kind.kind == "c":
        # Real and imaginary parts add up by themselves.
        real = np.dtype(f"f{kind.itemsize // 2}")
        _add(xp, _flat(target).view(real), places, _flat(xp.ascontiguousarray(values)).view(real))
    elif kind == np.int64:
        # Whole numbers add up modulo 2**64 either way.
        xp.add.at(target.view(np.uint64), places, xp.ascontiguousarray(values).view(np.uint64))
    elif kind.char in _ADDS:
        xp.add.at(target, places, values)
    else:
        total = xp.zeros(target.shape, np.int32)
        xp.add.at(total, places, values.astype(np.int32))
        xp.add(target, total.astype(kind), out=target)


def _flat(rows: Array) -> Array:
    """Rows as vectors of one element at least."""
    return rows.reshape(rows.shape[0], -1)


def _order(xp: Any, target: Array, places: Array, values: Array, combine: str) -> None:
    """The greatest or least of each row and its values."""
    kind = target.dtype
    find = getattr(xp, combine)
    if kind.char in _ORDERS:
        find.at(target, places, values)
    elif kind == np.int64:
        # With the sign's bit turned over, the bits are ordered as the numbers are.
        turn = np.uint64(1 << 63)
        keys = xp.bitwise_xor(target.view(np.uint64), turn)
        find.at(keys, places, xp.bitwise_xor(xp.ascontiguousarray(values).view(np.uint64), turn))
        target[...] = xp.bitwise_xor(keys, turn).view(np.int64)
    else:
        wide = np.float32 if kind.kind == "f" else np.int32
        found = target.astype(wide)
        find.at(found, places, values.astype(wide))
        target[...] = found.astype(kind)


def rounds(xp: Any, places: Array, values: Array) -> Iterator[tuple[Array, Array]]:
    """(rows, values) with no row twice: the first mention of each, then the second, … Waits for the device once."""
    if not places.size:
        return
    order = xp.argsort(places)
    ordered = places[order]
    mention = xp.arange(places.size) - xp.searchsorted(ordered, ordered, side="left")
    most = int(mention.max()) + 1
    if most == 1:
        yield places, values
        return
    for count in range(most):
        positions = order[mention == count]
        yield places[positions], values[positions]


def counts(xp: Any, places: Array, size: int) -> Array:
    """How often each number below `size` is in `places`; what is none of them is left out."""
    found = xp.zeros(size, np.int64)
    put(xp, found, places.reshape(-1), xp.ones(places.size, np.int64), "add")
    return found


def grouped(xp: Any, combine: str, rows: Array, places: Array, size: int, empty: Any) -> Array:
    """The rows of each number below `size` combined, in new rows; `empty` for numbers that have none."""
    kind = rows.dtype
    neutral = _neutral(combine, kind)
    result = xp.full((size, *rows.shape[1:]), neutral, kind)
    put(xp, result, places, rows, combine)
    if neutral != empty and result.size:
        some = (counts(xp, places, size) > 0).reshape((-1,) + (1,) * (rows.ndim - 1))
        result = xp.where(some, result, kind.type(empty))
    return result
