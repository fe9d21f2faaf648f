"""Triangular systems and LU with partial pivoting for batches of matrices, in NumPy alone.

Both are blocked: small blocks column by column over the whole batch, the rest by matrix products.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any

#: blocks up to this size are done row by row
_BLOCK = 24


def solve_triangular(xp: Any, matrix: Array, rhs: Array, lower: bool) -> Array:
    """x with matrix x = rhs, where only the lower (or upper) triangle of `matrix` counts.

    Batch dimensions broadcast. Zeros on the diagonal give infinities and NaN, as a division does.
    """
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    x = xp.array(xp.broadcast_to(rhs, (*batch, *rhs.shape[-2:])))
    with np.errstate(all="ignore"):
        _solve_into(xp, matrix, x, lower)
    return x


def _solve_into(xp: Any, a: Array, x: Array, lower: bool) -> None:
    """Overwrites `x` with the solution of a x' = x."""
    n = a.shape[-1]
    if n <= _BLOCK:
        for i in range(n) if lower else range(n - 1, -1, -1):
            known = slice(0, i) if lower else slice(i + 1, n)
            if known.start < known.stop:
                x[..., i : i + 1, :] -= a[..., i : i + 1, known] @ x[..., known, :]
            x[..., i, :] /= a[..., i, i, None]
        return
    half = n // 2
    top, bottom = slice(0, half), slice(half, n)
    first, second = (top, bottom) if lower else (bottom, top)
    _solve_into(xp, a[..., first, first], x[..., first, :], lower)
    x[..., second, :] -= a[..., second, first] @ x[..., first, :]
    _solve_into(xp, a[..., second, second], x[..., second, :], lower)


def lu(a: Array) -> tuple[Array, Array]:
    """(lu, p): both factors of each matrix in one (L's unit diagonal left out), and the rows in their new order.

    A singular matrix leaves a zero (or NaN) on the diagonal.
    """
    batch, n = a.shape[:-2], a.shape[-1]
    if not a.size:
        return a.copy(), np.zeros(a.shape[:-1], np.int64)
    packed = np.array(a, order="C").reshape((-1, n, n))
    count = packed.shape[0]
    rows = np.tile(np.arange(n), (count, 1))
    every = np.arange(count)
    with np.errstate(all="ignore"):
        for start in range(0, n, _BLOCK):
            stop = min(start + _BLOCK, n)
            for k in range(start, stop):
                pivot = k + np.argmax(np.abs(packed[:, k:, k]), axis=1)
                _swap(packed, every, k, pivot)
                _swap(rows, every, k, pivot)
                below = packed[:, k + 1 :, k]
                below /= packed[:, k, k, None]
                if k + 1 < stop:
                    packed[:, k + 1 :, k + 1 : stop] -= below[:, :, None] * packed[:, None, k, k + 1 : stop]
            if stop < n:
                _solve_unit(packed[:, start:stop, start:stop], packed[:, start:stop, stop:])
                packed[:, stop:, stop:] -= packed[:, stop:, start:stop] @ packed[:, start:stop, stop:]
    return packed.reshape(a.shape), rows.reshape((*batch, n))


def _swap(array: Array, every: Array, k: int, pivot: Array) -> None:
    kept = array[:, k].copy()
    array[:, k] = array[every, pivot]
    array[every, pivot] = kept


def _solve_unit(a: Array, x: Array) -> None:
    """As `_solve_into`, lower, with ones on the diagonal."""
    for i in range(1, a.shape[-1]):
        x[:, i : i + 1, :] -= a[:, i : i + 1, :i] @ x[:, :i, :]
