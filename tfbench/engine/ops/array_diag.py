"""Diagonals: Diag and DiagPart (whole tensors), the Matrix* ops (batches of matrices, several diagonals).

Diagonal k of a matrix starts k columns right of the corner (below it for negative k). Where several diagonals
are given at once, each is one row of a rectangle, pushed to its left or right end as `align` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_common import known_list, known_scalar
from tfbench.engine.shape_math import merge, with_rank, with_rank_at_least, with_rank_at_most
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "diag", "diag_part", "matrix_band_part", "matrix_diag", "matrix_diag_part", "matrix_set_diag", "tensor_diag",
    "tensor_diag_part",
]  # fmt: skip

_TYPES = "T: {bfloat16, half, float, double, int32, int64, complex64, complex128}"
_diag = op("Diag", "diagonal: T", "output: T", _TYPES, fresh=True)
_diag_part = op("DiagPart", "input: T", "diagonal: T", _TYPES, fresh=True)


@_diag.shape
def _diag_shape(node: Operation, x: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 1)
    return [None if x is None else (*x, *x)]


@_diag.kernel(CPU, GPU)
def _diag_kernel(xp: Any, x: Any) -> Any:
    if x.ndim < 1:
        raise invalid("Input must be at least rank 1, got 0")
    result = xp.zeros(x.size * x.size, x.dtype)
    result[:: x.size + 1] = x.reshape(-1)
    return result.reshape(x.shape + x.shape)


@_diag.gradient
def _diag_gradient(node: Operation, dy: Any) -> Any:
    return [diag_part(dy)]


@_diag_part.shape
def _diag_part_shape(node: Operation, x: Shape) -> list[Shape]:
    if x is None:
        return [None]
    if len(x) % 2 or not x:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {len(x)}")
    half = len(x) // 2
    result = []
    for a, b in zip(x[:half], x[half:]):
        if a is not None and b is not None and a != b:
            raise ValueError(f"Dimensions must be equal, but are {a} and {b}")
        result.append(b if a is None else a)
    return [tuple(result)]


@_diag_part.kernel(CPU, GPU)
def _diag_part_kernel(xp: Any, x: Any) -> Any:
    half = x.ndim // 2
    if x.ndim % 2 or not half or x.shape[:half] != x.shape[half:]:
        raise invalid(f"Invalid shape {brackets(x.shape)}: the two halves of the dimensions must be equal")
    size = int(np.prod(x.shape[:half], dtype=np.int64))
    return xp.array(x.reshape(-1)[:: size + 1]).reshape(x.shape[:half])


@_diag_part.gradient
def _diag_part_gradient(node: Operation, dy: Any) -> Any:
    return [diag(dy)]


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor of twice the rank with `diagonal` on its diagonal and zeros elsewhere."""
    return _diag(diagonal, name=name)


def diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor whose two halves of dimensions are equal."""
    return _diag_part(input, name=name)


tensor_diag = diag
tensor_diag_part = diag_part


# -- batches of matrices -------------------------------------------------------------------------------------------

_ALIGN = "T: type; align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"
_matrix_diag = op(
    "MatrixDiagV3",
    "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T",
    "output: T",
    _ALIGN,
    fresh=True,
)
_matrix_diag_part = op("MatrixDiagPartV3", "input: T, k: int32, padding_value: T", "diagonal: T", _ALIGN, fresh=True)
_matrix_set_diag = op("MatrixSetDiagV3", "input: T, diagonal: T, k: int32", "output: T", _ALIGN, fresh=True)


def _known_range(node: Operation, index: int) -> tuple[int, int] | None:
    """(lowest, highest) diagonal of input `index`, where they are known."""
    with_rank_at_most(node._inputs[index]._shape, 1)
    values = known_list(node._inputs[index])
    if values is None:
        return None
    return _range(values)


def _range(values: list[int]) -> tuple[int, int]:
    if len(values) not in (1, 2):
        raise ValueError(f"diag_index must have one or two elements, but has {len(values)}.")
    lower, upper = values[0], values[-1]
    if lower > upper:
        raise ValueError("lower_diag_index must not be greater than upper_diag_index")
    return lower, upper


def diagonal_length(rows: int, columns: int, k: int) -> int:
    """How many elements diagonal k of a matrix has."""
    return max(min(rows + min(k, 0), columns - max(k, 0)), 0)


def _longest(rows: int, columns: int, lower: int, upper: int) -> int:
    return min(rows + min(upper, 0), columns - max(lower, 0))


def _offset(align: str, k: int, longest: int, length: int) -> int:
    """Where diagonal k starts in its row of the rectangle."""
    right = align in ("RIGHT_LEFT", "RIGHT_RIGHT") if k >= 0 else align in ("LEFT_RIGHT", "RIGHT_RIGHT")
    return longest - length if right else 0


def _diagonals(rows: int, columns: int, lower: int, upper: int, align: str) -> Any:
    """(number of its row from the top, first row, first column, length, place in its row) of each diagonal."""
    longest = _longest(rows, columns, lower, upper)
    for k in range(lower, upper + 1):
        length = diagonal_length(rows, columns, k)
        yield upper - k, max(-k, 0), max(k, 0), length, _offset(align, k, longest, length)


def _matrix_size(longest: int, lower: int, upper: int, rows: int, columns: int) -> tuple[int, int]:
    """The size of the matrix with these diagonals; -1 stands for the smallest that fits."""
    least_rows = longest - min(upper, 0)
    least_columns = longest + max(lower, 0)
    if rows == -1 and columns == -1:
        rows = columns = max(least_rows, least_columns)
    if rows == -1:
        rows = least_rows
    elif rows < least_rows:
        raise ValueError("num_rows is too small")
    if columns == -1:
        columns = least_columns
    elif columns < least_columns:
        raise ValueError("num_cols is too small")
    if rows != least_rows and columns != least_columns:
        raise ValueError(
            "num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, and the length of the "
            f"given diagonals.\nnum_rows = {rows} != min_num_rows = {least_rows}, num_cols = {columns} != "
            f"min_num_cols = {least_columns}"
        )
    return rows, columns


@_matrix_diag.shape
def _matrix_diag_shape(node: Operation, x: Shape, k: Shape, rows: Shape, columns: Shape, padding: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 1)
    with_rank(padding, 0)
    ks = _known_range(node, 1)
    given = [known_scalar(node._inputs[2]), known_scalar(node._inputs[3])]
    if x is None or ks is None:
        return [None]
    lower, upper = ks
    if lower != upper and x[len(x) - 2 if len(x) > 1 else 0] not in (None, upper - lower + 1):
        raise ValueError(
            f"The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
            f"`d_upper`.\nnum_diags = {upper - lower + 1}, d_lower = {lower}, d_upper = {upper}, "
            f"input_rank = {len(x)}"
        )
    size: tuple[int | None, int | None] = (None, None)
    if x[-1] is not None and None not in given:
        size = _matrix_size(x[-1], lower, upper, given[0] or 0, given[1] or 0)
    return [(*(x[:-1] if lower == upper else x[:-2]), *size)]


@_matrix_diag.kernel(CPU, GPU)
def _matrix_diag_kernel(xp: Any, x: Any, k: Any, num_rows: Any, num_cols: Any, padding: Any, *, align: str) -> Any:
    lower, upper = _range(k.reshape(-1).tolist())
    several = lower != upper
    if x.ndim < 1 + several:
        raise invalid(f"diagonal must be at least {1 + several}-dim, received shape: {brackets(x.shape)}")
    rows, columns = _matrix_size(x.shape[-1], lower, upper, int(num_rows), int(num_cols))
    batch = x.shape[: x.ndim - 1 - several]
    result = xp.full((*batch, rows, columns), padding[()], x.dtype)
    flat = result.reshape((*batch, rows * columns))
    for line, row, column, length, start in _diagonals(rows, columns, lower, upper, align):
        if length:
            values = x[..., line, start : start + length] if several else x
            first = row * columns + column
            flat[..., first : first + (length - 1) * (columns + 1) + 1 : columns + 1] = values
    return result


@_matrix_diag_part.shape
def _matrix_diag_part_shape(node: Operation, x: Shape, k: Shape, padding: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 2)
    with_rank(padding, 0)
    ks = _known_range(node, 1)
    if x is None or ks is None:
        return [None]
    lower, upper = ks
    rows, columns = x[-2:]
    for bound in (lower, upper):
        if rows is not None and columns is not None and bound and not -rows < bound < columns:
            raise ValueError(f"lower_diag_index or upper_diag_index is out of bound: {bound}")
    count = () if lower == upper else (upper - lower + 1,)
    longest = None if rows is None or columns is None else max(_longest(rows, columns, lower, upper), 0)
    return [(*x[:-2], *count, longest)]


@_matrix_diag_part.kernel(CPU, GPU)
def _matrix_diag_part_kernel(xp: Any, x: Any, k: Any, padding: Any, *, align: str) -> Any:
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {brackets(x.shape)}")
    lower, upper = _range(k.reshape(-1).tolist())
    rows, columns = x.shape[-2:]
    for bound in (lower, upper):
        if bound and not -rows < bound < columns:
            raise invalid(f"diag_index is out of bound: {bound}. It must be between {-rows + 1} and {columns - 1}")
    longest = max(_longest(rows, columns, lower, upper), 0)
    if lower == upper:
        return xp.array(xp.diagonal(x, lower, -2, -1))
    result = xp.full((*x.shape[:-2], upper - lower + 1, longest), padding[()], x.dtype)
    for line, row, column, length, start in _diagonals(rows, columns, lower, upper, align):
        if length:
            result[..., line, start : start + length] = xp.diagonal(x, column - row, -2, -1)
    return result


@_matrix_set_diag.shape
def _matrix_set_diag_shape(node: Operation, x: Shape, diagonal: Shape, k: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 2)
    with_rank_at_least(diagonal, 1)
    ks = _known_range(node, 2)
    if ks is None:
        return [x]
    single = ks[0] == ks[1]
    if x is not None:
        diagonal = with_rank(diagonal, len(x) - 1 if single else len(x))
    if diagonal is None:
        return [x]
    # The diagonals say how many matrices there are, but not how large they are.
    return [merge(x, (*(diagonal[:-1] if single else diagonal[:-2]), None, None))]


@_matrix_set_diag.kernel(CPU, GPU)
def _matrix_set_diag_kernel(xp: Any, x: Any, diagonal: Any, k: Any, *, align: str) -> Any:
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {brackets(x.shape)}")
    lower, upper = _range(k.reshape(-1).tolist())
    rows, columns = x.shape[-2:]
    longest = _longest(rows, columns, lower, upper)
    count = () if lower == upper else (upper - lower + 1,)
    wanted = (*x.shape[:-2], *count, longest)
    if diagonal.shape != wanted:
        raise invalid(
            f"Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to "
            f"the longests diagonal in range [{lower}:{upper}].\nInput shape: {brackets(x.shape)}\nDiagonal shape: "
            f"{brackets(diagonal.shape)}\nExpected diagonal shape: {brackets(wanted)}"
        )
    result = xp.array(x, order="C")
    flat = result.reshape((*x.shape[:-2], rows * columns))
    for line, row, column, length, start in _diagonals(rows, columns, lower, upper, align):
        if length:
            values = diagonal[..., line, start : start + length] if count else diagonal
            first = row * columns + column
            flat[..., first : first + (length - 1) * (columns + 1) + 1 : columns + 1] = values
    return result


def matrix_diag(
    diagonal: Any,
    name: str = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with `diagonal` on diagonal(s) `k` and `padding_value` elsewhere; as small as fits unless sized."""
    if isinstance(diagonal, Tensor) and diagonal.dtype.is_bool:
        padding_value = bool(padding_value)
    return _matrix_diag(diagonal, k, num_rows, num_cols, padding_value, align=align, name=name)


def matrix_diag_part(
    input: Any, name: str = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Diagonal(s) `k` of each matrix; where they are of different lengths, filled up with `padding_value`."""
    if isinstance(input, Tensor) and input.dtype.is_bool:
        padding_value = bool(padding_value)
    return _matrix_diag_part(input, k, padding_value, align=align, name=name)


def matrix_set_diag(input: Any, diagonal: Any, name: str = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT") -> Tensor:
    """`input` with `diagonal` in place of diagonal(s) `k` of each matrix."""
    return _matrix_set_diag(input, diagonal, k, align=align, name=name)


# -- bands ---------------------------------------------------------------------------------------------------------

_band_part = op(
    "MatrixBandPart",
    "input: T, num_lower: Tindex, num_upper: Tindex",
    "band: T",
    "T: type; Tindex: {int32, int64} = int64",
    fresh=True,
)


@_band_part.shape
def _band_part_shape(node: Operation, x: Shape, lower: Shape, upper: Shape) -> list[Shape]:
    return [x]


@_band_part.kernel(CPU, GPU)
def _band_part_kernel(xp: Any, x: Any, num_lower: Any, num_upper: Any) -> Any:
    if x.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {brackets(x.shape)}")
    rows, columns = x.shape[-2:]
    lower, upper = int(num_lower), int(num_upper)
    if lower > rows:
        raise invalid(f"num_lower must be negative or less or equal to number of rows ({rows}) got: {lower}")
    if upper > columns:
        raise invalid(f"num_upper must be negative or less or equal to number of columns ({columns}) got: {upper}")
    below = xp.arange(rows)[:, None] - xp.arange(columns)[None, :]
    inside = xp.ones((rows, columns), bool)
    if lower >= 0:
        inside &= below <= lower
    if upper >= 0:
        inside &= -below <= upper
    return xp.where(inside, x, xp.zeros((), x.dtype))


@_band_part.gradient
def _band_part_gradient(node: Operation, dy: Any) -> Any:
    return [matrix_band_part(dy, node.inputs[1], node.inputs[2]), None, None]


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Each matrix with zeros outside a band: so many diagonals below and above the main one (negative: all)."""
    return _band_part(input, num_lower, num_upper, name=name)
