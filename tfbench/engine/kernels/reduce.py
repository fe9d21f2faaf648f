"""Sums and extremes over the first or the last axes of large float arrays, where NumPy's own loops are slow.

NumPy reduces short rows one call of the inner loop at a time, which costs more than the row: a maximum over a last
axis of 10 takes ten times as long as it should. A sum over rows or over columns is a product with a vector of ones,
which BLAS does at the speed of memory. A maximum over short rows is taken over the rows of a transposed block that
fits the cache, one over a long first axis by halving it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernels.blas import one_thread

Array = np.ndarray[Any, Any]

#: below this many elements NumPy's overhead does not matter
_SMALL = 16_384
#: rows up to this long are summed by BLAS, and have their maximum taken by blocks
_SHORT_SUM = 512
_SHORT_EXTREME = 64
_BLOCK = 65_536
_ROWS = 4_096


def _as_matrix(x: Array, axes: tuple[int, ...]) -> tuple[Array, bool] | None:
    """`x` as a matrix, and whether its columns are reduced (else its rows); None if that is not the case."""
    if x.size < _SMALL or x.dtype.char not in "fd" or not x.flags.c_contiguous or len(axes) >= x.ndim:
        return None
    count, places = len(axes), sorted(axes)
    if places == list(range(x.ndim - count, x.ndim)):
        rows = int(np.prod(x.shape[:-count]))
        return x.reshape(rows, x.size // rows), True
    if places == list(range(count)):
        rows = int(np.prod(x.shape[:count]))
        return x.reshape(rows, x.size // rows), False
    return None


def _form(x: Array, axes: tuple[int, ...], keep: bool) -> tuple[int, ...]:
    if keep:
        return tuple(1 if i in axes else size for i, size in enumerate(x.shape))
    return tuple(size for i, size in enumerate(x.shape) if i not in axes)


def total(x: Array, axes: tuple[int, ...], keep: bool) -> Array | None:
    """The sum over `axes`; None where NumPy's own is as good."""
    found = _as_matrix(x, axes)
    if found is None:
        return None
    matrix, last = found
    columns = matrix.shape[1]
    if columns > _SHORT_SUM:
        return None
    with one_thread:  # memory is what it waits for, and a second thread would only be waited for as well
        result = matrix @ np.ones(columns, x.dtype) if last else _column_sums(matrix)
    return result.reshape(_form(x, axes, keep))


def _column_sums(matrix: Array) -> Array:
    """Block by block: a running sum over millions of rows would lose its last digits."""
    ones = np.ones(min(len(matrix), _ROWS), matrix.dtype)
    parts = [ones[: len(block)] @ block for block in (matrix[i : i + _ROWS] for i in range(0, len(matrix), _ROWS))]
    result: Array = parts[0] if len(parts) == 1 else np.sum(parts, axis=0, dtype=matrix.dtype)
    return result


def extreme(ufunc: Any, x: Array, axes: tuple[int, ...], keep: bool) -> Array | None:
    """`ufunc` (np.maximum or np.minimum) over `axes`; None where NumPy's own reduction is as good."""
    found = _as_matrix(x, axes)
    if found is None:
        return None
    matrix, last = found
    rows, columns = matrix.shape
    if columns > _SHORT_EXTREME or rows < columns:
        return None
    result = _of_rows(ufunc, matrix) if last else _of_columns(ufunc, matrix)
    return result.reshape(_form(x, axes, keep))


def _of_rows(ufunc: Any, matrix: Array) -> Array:
    rows, columns = matrix.shape
    result = np.empty(rows, matrix.dtype)
    step = max(1, _BLOCK // columns)
    for start in range(0, rows, step):
        block = np.ascontiguousarray(matrix[start : start + step].T)
        ufunc.reduce(block, axis=0, out=result[start : start + step])
    return result


def _of_columns(ufunc: Any, matrix: Array) -> Array:
    while len(matrix) > 1:
        half = len(matrix) // 2
        halved: Array = ufunc(matrix[:half], matrix[half : 2 * half])
        if len(matrix) % 2:
            ufunc(halved[0], matrix[-1], out=halved[0])
        matrix = halved
    only: Array = matrix[0]
    return only
