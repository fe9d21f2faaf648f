"""Matrices taken apart: QR, SVD, eigenvalues, Cholesky, LU - of each matrix in a batch (the last two axes).

NumPy's LAPACK does the work. The signs of singular vectors and eigenvectors are LAPACK's: no rule fixes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import matrix_functions
from tfbench.engine.kernels.triangular import lu as _lu_factors
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_diag import matrix_diag, matrix_set_diag
from tfbench.engine.ops.array_fill import ones, zeros
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.math_binary import minimum
from tfbench.engine.ops.math_complex import real
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.shape_math import dim_merge, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["cholesky", "eye", "matrix_square_root", "qr", "self_adjoint_eig", "self_adjoint_eigvals", "svd"]

TYPES = "T: {double, float, half, complex64, complex128}"


def square(x: Shape) -> Shape:
    """A shape function's input that must be a batch of square matrices."""
    x = with_rank_at_least(x, 2)
    if x is None:
        return None
    size = dim_merge(x[-2], x[-1])
    return (*x[:-2], size, size)


def check_matrix(x: Any, is_square: bool = True, half: bool = False) -> None:
    """Raises InvalidArgumentError unless the array is a batch of (square) matrices, and wide enough for LAPACK.

    Ops that have `half` take float16 all the same.
    """
    if x.dtype == np.float16 and not half:
        raise invalid("No OpKernel was registered to support this Op with these attrs: T=DT_HALF; cast to float32.")
    if x.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {x.ndim}")
    if is_square and x.shape[-1] != x.shape[-2]:
        raise invalid("Input matrix must be square.")


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """An identity matrix, or a batch of them. `num_columns` is `num_rows` unless given."""
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        is_square = num_columns is None
        columns = num_rows if is_square else num_columns
        batch: Any = [] if batch_shape is None else batch_shape
        size: Any
        if isinstance(num_rows, Tensor) or isinstance(columns, Tensor):
            size = minimum(num_rows, columns)
        else:
            if not all(isinstance(count, (int, np.integer)) for count in (num_rows, columns)):
                raise TypeError(
                    "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
                    f"num_rows={num_rows}, num_columns={columns}"
                )
            size = min(num_rows, columns)
            is_square = num_rows == columns
        whole: Any = None
        if isinstance(batch, Tensor) or isinstance(size, Tensor):
            batch = convert_to_tensor(batch, dtypes.int32, "shape")
            diagonal: Any = concat((batch, [size]), axis=0)
            if not is_square:
                whole = concat((batch, [num_rows, columns]), axis=0)
        else:
            diagonal = [*batch, size]
            whole = [*batch, num_rows, columns]
        units = ones(diagonal, dtype=dtype)
        return matrix_diag(units) if is_square else matrix_set_diag(zeros(whole, dtype=dtype), units)


# -- QR and SVD ----------------------------------------------------------------------------------------------------

_qr = op("Qr", "input: T", "q: T, r: T", "full_matrices: bool = false;" + TYPES, fresh=True)


def _smaller(a: int | None, b: int | None) -> int | None:
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else min(a, b)


@_qr.shape
def _qr_shape(node: Operation, x: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 2)
    if x is None:
        return [None, None]
    *batch, rows, columns = x
    inner = rows if node.attrs["full_matrices"] else _smaller(rows, columns)
    return [(*batch, rows, inner), (*batch, inner, columns)]


def _wide_enough(xp: Any, x: Any) -> Any:
    """float16 as float32, which LAPACK has."""
    return x.astype(xp.float32) if x.dtype == np.float16 else x


@_qr.kernel(CPU, GPU)
def _qr_kernel(xp: Any, x: Any, *, full_matrices: bool) -> Any:
    check_matrix(x, is_square=False, half=True)
    q, r = xp.linalg.qr(_wide_enough(xp, x), "complete" if full_matrices else "reduced")
    return q.astype(x.dtype, copy=False), r.astype(x.dtype, copy=False)


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """(q, r) with input = q r, q orthonormal and r upper triangular; q square if `full_matrices`."""
    return named_outputs(_qr, _qr(input, full_matrices=full_matrices, name=name))


_svd = op(
    "Svd",
    "input: T",
    "s: T, u: T, v: T",
    "compute_uv: bool = true; full_matrices: bool = false;" + TYPES,
    fresh=True,
)


@_svd.shape
def _svd_shape(node: Operation, x: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 2)
    if x is None:
        return [None, *([None, None] if node.attrs["compute_uv"] else [(0,), (0,)])]
    *batch, rows, columns = x
    inner = _smaller(rows, columns)
    if not node.attrs["compute_uv"]:
        return [(*batch, inner), (0,), (0,)]
    if node.attrs["full_matrices"]:
        return [(*batch, inner), (*batch, rows, rows), (*batch, columns, columns)]
    return [(*batch, inner), (*batch, rows, inner), (*batch, columns, inner)]


@_svd.kernel(CPU, GPU)
def _svd_kernel(xp: Any, x: Any, *, compute_uv: bool, full_matrices: bool) -> Any:
    check_matrix(x, is_square=False)
    inner = min(x.shape[-2:])
    if not compute_uv:
        s = _singular_values(xp, x) if inner else xp.zeros((*x.shape[:-2], 0))
        return s.astype(x.dtype, copy=False), xp.zeros(0, x.dtype), xp.zeros(0, x.dtype)
    try:
        u, s, vh = xp.linalg.svd(x, full_matrices=full_matrices)
    except np.linalg.LinAlgError:
        return _svd_one_by_one(xp, x, full_matrices)
    bad = xp.isnan(s).any(-1)
    if bad.any():  # an infinite matrix
        u[bad], vh[bad] = np.nan, np.nan
    return s.astype(x.dtype, copy=False), u, xp.array(xp.swapaxes(vh, -1, -2).conj())


def _singular_values(xp: Any, x: Any) -> Any:
    try:
        return xp.linalg.svd(x, compute_uv=False)
    except np.linalg.LinAlgError:  # as below: only the matrix without a decomposition becomes NaN
        if x.ndim == 2:
            return xp.full(min(x.shape), np.nan, x.dtype)
        return xp.stack([_singular_values(xp, one) for one in x])


def _svd_one_by_one(xp: Any, x: Any, full_matrices: bool) -> Any:
    """Where one matrix of a batch has no decomposition (NaN): it alone becomes NaN."""
    if x.ndim == 2:
        rows, columns = x.shape
        inner = min(rows, columns)
        sizes = (rows, columns) if full_matrices else (inner, inner)
        shapes = ((inner,), (rows, sizes[0]), (columns, sizes[1]))
        return tuple(xp.full(shape, np.nan, x.dtype) for shape in shapes)
    parts = [_svd_kernel(xp, one, compute_uv=True, full_matrices=full_matrices) for one in x]
    return tuple(xp.stack([part[i] for part in parts]) for i in range(3))


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """(s, u, v) with tensor = u diag(s) v^H, s in descending order; without `compute_uv`, s alone."""
    s, u, v = _svd(tensor, compute_uv=compute_uv, full_matrices=full_matrices, name=name)
    return (real(s), u, v) if compute_uv else real(s)


# -- eigenvalues ---------------------------------------------------------------------------------------------------

_eigh = op("SelfAdjointEigV2", "input: T", "e: T, v: T", "compute_v: bool = true;" + TYPES, fresh=True)
_eig = op(
    "Eig",
    "input: T",
    "e: Tout, v: Tout",
    "compute_v: bool = true; T: {float, double, complex64, complex128}; Tout: {complex64, complex128}",
    fresh=True,
)


def _eigen_shape(node: Operation, x: Shape) -> list[Shape]:
    x = square(x)
    return [None if x is None else x[:-1], x if node.attrs["compute_v"] else (0,)]


_eigh.shape(_eigen_shape)
_eig.shape(_eigen_shape)

_NO_EIGENVALUES = "Self-adjoint eigen decomposition was not successful. The input might not be valid."


@_eigh.kernel(CPU, GPU)
def _eigh_kernel(xp: Any, x: Any, *, compute_v: bool) -> Any:
    check_matrix(x)
    if xp.isnan(xp.tril(x)).any():  # LAPACK may not notice
        raise invalid(_NO_EIGENVALUES)
    try:
        e, v = xp.linalg.eigh(x) if compute_v else (xp.linalg.eigvalsh(x), xp.zeros(0, x.dtype))
    except np.linalg.LinAlgError:
        raise invalid(_NO_EIGENVALUES) from None
    return e.astype(x.dtype, copy=False), v


@_eig.kernel(CPU)
def _eig_kernel(xp: Any, x: Any, *, compute_v: bool, Tout: Any) -> Any:
    check_matrix(x)
    kind = Tout.as_numpy_dtype
    try:
        e, v = np.linalg.eig(x) if compute_v else (np.linalg.eigvals(x), np.zeros(0))
    except np.linalg.LinAlgError:
        raise invalid("Eigen decomposition was not successful. The input might not be valid.") from None
    return e.astype(kind, copy=False), v.astype(kind, copy=False)


def self_adjoint_eig(tensor: Any, name: str | None = None) -> Any:
    """(e, v): eigenvalues in ascending order, and eigenvectors as columns, of matrices that equal their adjoint.

    Only the lower triangle is looked at.
    """
    e, v = _eigh(tensor, compute_v=True, name=name)
    return e, v


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues, in ascending order, of matrices that equal their adjoint."""
    return _eigh(tensor, compute_v=False, name=name)[0]


# -- Cholesky and LU -----------------------------------------------------------------------------------------------

_cholesky = op("Cholesky", "input: T", "output: T", TYPES, fresh=True)
_lu = op("Lu", "input: T", "lu: T, p: output_idx_type", TYPES + "; output_idx_type: {int32, int64} = int32", fresh=True)
_lu.no_gradient("TensorFlow registers no gradient for LU decompositions")


@_cholesky.shape
def _cholesky_shape(node: Operation, x: Shape) -> list[Shape]:
    return [square(x)]


@_cholesky.kernel(CPU, GPU)
def _cholesky_kernel(xp: Any, x: Any) -> Any:
    check_matrix(x)
    if xp is not np:
        # Devices do not say that a matrix is not positive definite; the diagonal of what they give shows it.
        try:
            factor = xp.linalg.cholesky(x)
        except np.linalg.LinAlgError:
            return _one_by_one(xp, x)
        pivots = xp.diagonal(factor, 0, -2, -1).real
        good = (xp.isfinite(pivots) & (pivots > 0)).all(-1)
        return xp.tril(xp.where(good[..., None, None], factor, x.dtype.type(np.nan)))
    try:
        return np.linalg.cholesky(x)
    except np.linalg.LinAlgError:
        # A matrix that is not positive definite has none; its neighbours in the batch keep theirs.
        if x.ndim > 2:
            return np.stack([_cholesky_kernel(xp, one) for one in x])
        return np.tril(np.full(x.shape, np.nan, x.dtype))


@_lu.shape
def _lu_shape(node: Operation, x: Shape) -> list[Shape]:
    x = square(x)
    return [x, None if x is None else x[:-1]]


def _one_by_one(xp: Any, x: Any) -> Any:
    if x.ndim > 2:
        return xp.stack([_cholesky_kernel(xp, one) for one in x])
    return xp.tril(xp.full(x.shape, np.nan, x.dtype))


@_lu.kernel(CPU)
def _lu_kernel(xp: Any, x: Any, *, output_idx_type: Any) -> Any:
    if x.ndim < 2:
        raise invalid(f"Input tensor must have rank >= 2, got {x.ndim}")
    check_matrix(x)
    packed, rows = _lu_factors(x)
    pivots = np.abs(np.diagonal(packed, axis1=-2, axis2=-1))
    if not ((pivots > 0) & np.isfinite(pivots)).all():
        raise invalid("Input is not invertible.")
    return packed, rows.astype(output_idx_type.as_numpy_dtype)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular L with input = L L^H; NaN where a matrix is not positive definite."""
    return _cholesky(input, name=name)


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """(lu, p): the factors L and U in one matrix, and the order of the rows. (`tf.linalg` has this name.)"""
    return named_outputs(_lu, _lu(input, output_idx_type=output_idx_type, name=name))


# -- functions of matrices -----------------------------------------------------------------------------------------

_root = op("MatrixSquareRoot", "input: T", "output: T", TYPES, fresh=True)
_log = op("MatrixLogarithm", "input: T", "output: T", "T: {complex64, complex128}", fresh=True)
_log.no_gradient("TensorFlow registers no gradient for logarithms of matrices")
_root.shape(_cholesky_shape)
_log.shape(_cholesky_shape)


def _each(function: Any, x: Any) -> Any:
    """`function` of each matrix of a batch."""
    check_matrix(x)
    result = np.empty(x.shape, x.dtype)
    for index in np.ndindex(x.shape[:-2]):
        result[index] = function(x[index])
    return result


@_root.kernel(CPU)
def _root_kernel(xp: Any, x: Any) -> Any:
    return _each(matrix_functions.square_root, x)


@_log.kernel(CPU)
def _log_kernel(xp: Any, x: Any) -> Any:
    return _each(matrix_functions.logarithm, x)


def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """The principal square root of each matrix; NaN where a real matrix has none that is real."""
    return _root(input, name=name)


def logm(input: Any, name: str | None = None) -> Tensor:
    """The principal logarithm of each complex matrix. (`tf.linalg` has this name.)"""
    return _log(input, name=name)
