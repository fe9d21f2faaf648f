"""Systems of linear equations, inverses and determinants, for each matrix in a batch (the last two axes)."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels.triangular import solve_triangular
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.linalg import TYPES, check_matrix, eye, square
from tfbench.engine.ops.matmul import matmul
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.shape_ops import shape
from tfbench.engine.shape_math import broadcast, dim_merge, merge, with_rank, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "cholesky_solve", "matrix_determinant", "matrix_inverse", "matrix_solve", "matrix_solve_ls",
    "matrix_triangular_solve",
]  # fmt: skip

_inverse = op("MatrixInverse", "input: T", "output: T", "adjoint: bool = false;" + TYPES, fresh=True)
_REAL_FIRST = "T: {half, float, double, complex64, complex128}"
_determinant = op("MatrixDeterminant", "input: T", "output: T", _REAL_FIRST, fresh=True)
_log_determinant = op("LogMatrixDeterminant", "input: T", "sign: T, log_abs_determinant: T", _REAL_FIRST, fresh=True)
_solve = op("MatrixSolve", "matrix: T, rhs: T", "output: T", "adjoint: bool = false;" + TYPES, fresh=True)
_triangular = op(
    "MatrixTriangularSolve",
    "matrix: T, rhs: T",
    "output: T",
    "lower: bool = true; adjoint: bool = false; T: {bfloat16, double, float, half, complex64, complex128}",
    fresh=True,
)
_least_squares = op(
    "MatrixSolveLs",
    "matrix: T, rhs: T, l2_regularizer: double",
    "output: T",
    TYPES + "; fast: bool = true",
    fresh=True,
)


def _adjoint(x: Any) -> Any:
    return x.swapaxes(-1, -2).conj()


# -- inverses and determinants -------------------------------------------------------------------------------------


@_inverse.shape
def _inverse_shape(node: Operation, x: Shape) -> list[Shape]:
    return [square(x)]


@_inverse.kernel(CPU, GPU)
def _inverse_kernel(xp: Any, x: Any, *, adjoint: bool) -> Any:
    check_matrix(x, half=True)
    wide = x.astype(np.float32) if x.dtype == np.float16 else x
    try:
        result = xp.linalg.inv(_adjoint(wide) if adjoint else wide)
    except np.linalg.LinAlgError:
        raise invalid("Input is not invertible.") from None
    # Where no exception says it, the numbers do.
    if xp.isnan(x).any() or (xp is not np and not xp.isfinite(result).all()):
        raise invalid("Input is not invertible.")
    return result.astype(x.dtype, copy=False)


def matrix_inverse(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverse of each matrix, or of its adjoint. InvalidArgumentError if there is none."""
    return _inverse(input, adjoint=adjoint, name=name)


def _determinant_shape(node: Operation, x: Shape) -> list[Shape]:
    x = square(x)
    batch = None if x is None else x[:-2]
    return [batch] * len(node.op_def.outputs)


_determinant.shape(_determinant_shape)
_log_determinant.shape(_determinant_shape)


@_determinant.kernel(CPU, GPU)
def _determinant_kernel(xp: Any, x: Any) -> Any:
    check_matrix(x)
    with np.errstate(all="ignore"):
        return xp.asarray(xp.linalg.det(x), x.dtype)


@_log_determinant.kernel(CPU, GPU)
def _log_determinant_kernel(xp: Any, x: Any) -> Any:
    check_matrix(x)
    with np.errstate(all="ignore"):
        sign, log = xp.linalg.slogdet(x)
    sign = xp.where(xp.isnan(log), log, sign)
    return xp.asarray(sign, x.dtype), xp.asarray(log, x.dtype)


def matrix_determinant(input: Any, name: str | None = None) -> Tensor:
    """The determinant of each matrix."""
    return _determinant(input, name=name)


def slogdet(input: Any, name: str | None = None) -> Any:
    """(sign, log of the absolute value) of each determinant. (`tf.linalg` has this name.)"""
    return named_outputs(_log_determinant, _log_determinant(input, name=name))


# -- systems -------------------------------------------------------------------------------------------------------


def _solution(matrix: Shape, rhs: Shape, is_square: bool) -> Shape:
    matrix = square(matrix) if is_square else with_rank_at_least(matrix, 2)
    rhs = with_rank_at_least(rhs, 2)
    batch = merge(None if matrix is None else matrix[:-2], None if rhs is None else rhs[:-2])
    rows = dim_merge(None if matrix is None else matrix[-2], None if rhs is None else rhs[-2])
    unknowns = None if matrix is None else matrix[-1]
    if is_square:
        unknowns = dim_merge(rows, unknowns)
    return None if batch is None else (*batch, unknowns, None if rhs is None else rhs[-1])


@_solve.shape
def _solve_shape(node: Operation, matrix: Shape, rhs: Shape) -> list[Shape]:
    return [_solution(matrix, rhs, True)]


def _check_system(matrix: Any, rhs: Any) -> None:
    if matrix.ndim != rhs.ndim:
        raise invalid("All input tensors must have the same rank.")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")


@_solve.kernel(CPU, GPU)
def _solve_kernel(xp: Any, matrix: Any, rhs: Any, *, adjoint: bool) -> Any:
    check_matrix(matrix)
    _check_system(matrix, rhs)
    if not rhs.size:
        return xp.zeros(rhs.shape, rhs.dtype)
    try:
        result = xp.linalg.solve(_adjoint(matrix) if adjoint else matrix, rhs)
    except np.linalg.LinAlgError:
        raise invalid("Input matrix is not invertible.") from None
    if xp.isnan(matrix).any() or (xp is not np and not xp.isfinite(result).all()):
        raise invalid("Input matrix is not invertible.")
    return result


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """x with matrix x = rhs (or adjoint(matrix) x = rhs). InvalidArgumentError if `matrix` is singular."""
    return _solve(matrix, rhs, adjoint=adjoint, name=name)


@_triangular.shape
def _triangular_shape(node: Operation, matrix: Shape, rhs: Shape) -> list[Shape]:
    matrix = with_rank_at_least(matrix, 2)
    rhs = with_rank_at_least(rhs, 2)
    if matrix is None or rhs is None:
        return [None]
    size = dim_merge(matrix[-2], matrix[-1])
    batch = broadcast(matrix[:-2], rhs[:-2]) or ()
    return [(*batch, dim_merge(size, rhs[-2]), rhs[-1])]


@_triangular.kernel(CPU, GPU)
def _triangular_kernel(xp: Any, matrix: Any, rhs: Any, *, lower: bool, adjoint: bool) -> Any:
    if matrix.dtype.itemsize == 2:
        raise invalid("No OpKernel was registered to support this Op with 16-bit floats; cast to float32.")
    for i, array in enumerate((matrix, rhs)):
        if array.ndim < 2:
            raise invalid(f"In[{i}] ndims must be >= 2: {array.ndim}")
    try:
        np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {brackets(matrix.shape)} vs. {brackets(rhs.shape)}"
        ) from None
    if matrix.shape[-1] != matrix.shape[-2]:
        raise invalid(
            f"In[0] matrices in the last dimensions must be square ({matrix.shape[-1]} =/= {matrix.shape[-2]})"
        )
    if matrix.shape[-1] != rhs.shape[-2]:
        raise invalid(
            f"In[0] mismatch In[1] shape: {matrix.shape[-1]} vs. {rhs.shape[-2]}: {brackets(matrix.shape)} "
            f"{brackets(rhs.shape)} {int(lower)} {int(adjoint)}"
        )
    return solve_triangular(xp, _adjoint(matrix) if adjoint else matrix, rhs, lower is not adjoint)


def _triangular_solve(matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False) -> Tensor:
    return _triangular(matrix, rhs, lower=lower, adjoint=adjoint)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """x with matrix x = rhs, where only the lower (or upper) triangle of `matrix` is looked at; batches broadcast."""
    with name_scope(name, "triangular_solve", [matrix, rhs]):
        return _triangular_solve(matrix, rhs, lower, adjoint)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """x with A x = rhs, given the Cholesky factor `chol` of A."""
    with name_scope(name, "cholesky_solve", [chol, rhs]):
        return _triangular_solve(chol, _triangular_solve(chol, rhs), adjoint=True)


# -- least squares -------------------------------------------------------------------------------------------------


@_least_squares.shape
def _least_squares_shape(node: Operation, matrix: Shape, rhs: Shape, l2_regularizer: Shape) -> list[Shape]:
    with_rank(l2_regularizer, 0)
    return [_solution(matrix, rhs, False)]


@_least_squares.kernel(CPU)
def _least_squares_kernel(xp: Any, matrix: Any, rhs: Any, l2_regularizer: Any, *, fast: bool) -> Any:
    check_matrix(matrix, is_square=False)
    _check_system(matrix, rhs)
    rows, columns = matrix.shape[-2:]
    result = np.zeros((*matrix.shape[:-2], columns, rhs.shape[-1]), matrix.dtype)
    if not result.size or not rows:
        return result
    if not fast:
        for index in np.ndindex(matrix.shape[:-2]):
            result[index] = np.linalg.lstsq(matrix[index], rhs[index], rcond=None)[0]
        return result
    turned = _adjoint(matrix)
    gram = turned @ matrix if rows >= columns else matrix @ turned
    gram = gram + np.asarray(l2_regularizer, matrix.dtype) * np.eye(gram.shape[-1], dtype=matrix.dtype)
    try:
        if rows >= columns:
            return np.linalg.solve(gram, turned @ rhs)
        return turned @ np.linalg.solve(gram, rhs)
    except np.linalg.LinAlgError:
        raise invalid(
            "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger "
            "l2_regularizer > 0."
        ) from None


#: tensors larger than this (in bytes) are left to one node where the batch outweighs the matrices
_LARGE = 256_000


def _by_nodes(matrix: Tensor, fast: bool) -> bool:
    """Whether TensorFlow composes the solution of several nodes instead of one MatrixSolveLs."""
    known: Any = matrix._shape
    if not fast:
        return False
    if known is None or None in known:
        return True
    size = int(np.prod(known, dtype=np.int64)) * matrix.dtype.size
    batch = int(np.prod(known[:-2], dtype=np.int64))
    return not (size > _LARGE and batch > min(known[-2:]))


def gram_cholesky(matrix: Tensor, l2_regularizer: Any, tall: bool) -> Tensor:
    """The Cholesky factor of M^H M (of M M^H for wide matrices) plus the regularizer on its diagonal."""
    gram = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if isinstance(l2_regularizer, Tensor) or l2_regularizer != 0:
        sizes = shape(matrix)
        batch = sizes[:-2]
        identity = eye(sizes[-1] if tall else sizes[-2], batch_shape=batch, dtype=matrix.dtype)
        known = matrix._shape
        if known is not None:
            small = known[-1 if tall else -2]
            identity.set_shape((*known[:-2], small, small))
        gram += l2_regularizer * identity
    return lookup("Cholesky")(gram)


def _tall_solution(matrix: Tensor, rhs: Any, l2_regularizer: Any) -> Tensor:
    chol = gram_cholesky(matrix, l2_regularizer, True)
    return cholesky_solve(chol, matmul(matrix, rhs, adjoint_a=True))


def _wide_solution(matrix: Tensor, rhs: Any, l2_regularizer: Any) -> Tensor:
    chol = gram_cholesky(matrix, l2_regularizer, False)
    return matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True)


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """x that minimises |matrix x - rhs|^2 + l2_regularizer |x|^2; the shortest such x where there are several.

    `fast` solves the normal equations, which needs well-conditioned matrices of full rank; otherwise a complete
    orthogonal decomposition is used, and `l2_regularizer` is ignored.
    """
    matrix = convert_to_tensor(matrix, name="matrix")
    if matrix.dtype == dtypes.complex128 and l2_regularizer != 0:
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to poor accuracy."
        )
    if not _by_nodes(matrix, fast):
        return _least_squares(matrix, rhs, l2_regularizer, fast=fast, name=name)
    with name_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):
        known: Any = matrix._shape
        if known is not None and None not in known[-2:]:
            tall = known[-2] >= known[-1]
            return (_tall_solution if tall else _wide_solution)(matrix, rhs, l2_regularizer)
        sizes: Any = shape(matrix)[-2:]
        return cond(
            sizes[-2] >= sizes[-1],
            lambda: _tall_solution(matrix, rhs, l2_regularizer),
            lambda: _wide_solution(matrix, rhs, l2_regularizer),
        )
