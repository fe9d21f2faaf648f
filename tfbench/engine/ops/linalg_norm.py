"""Norms, and what singular values and Cholesky factors are good for: composed of several nodes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_diag import matrix_diag_part
from tfbench.engine.ops.array_order import matrix_transpose
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.asserts_static import assert_rank_at_least
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.linalg import svd
from tfbench.engine.ops.math_binary import maximum, pow
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_complex import conj, real
from tfbench.engine.ops.math_unary import abs, log, sqrt
from tfbench.engine.ops.matmul import matmul
from tfbench.engine.ops.reductions import reduce_max, reduce_sum
from tfbench.engine.ops.shape_ops import expand_dims, renamed, shape, squeeze
from tfbench.engine.tensor import Tensor

__all__ = ["norm"]


def norm(
    tensor: Any,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The norm of vectors (`axis` one axis, or None for all elements) or of matrices (`axis` two axes).

    Args:
      ord: 'euclidean', 'fro' (matrices), 1, 2, infinity, or any positive number (vectors).

    Raises:
      ValueError: for another `ord` or `axis`.
      NotImplementedError: for the 2-norm of matrices: take the largest of `tf.svd(x, compute_uv=False)`.
    """
    keep = renamed("keepdims", keepdims, "keep_dims", keep_dims) or False
    of_matrices = isinstance(axis, (tuple, list)) and len(axis) == 2
    if of_matrices:
        axis = tuple(axis)
        if not isinstance(axis[0], int) or not isinstance(axis[1], int) or axis[0] == axis[1]:
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        known: list[Any] = ["euclidean", "fro", 1, 2, np.inf]
        if ord not in known:
            raise ValueError(f"'ord' must be a supported matrix norm in {known}, got {ord}")
        if ord == 2:
            # TensorFlow builds this one of map_fn.
            raise NotImplementedError(
                "The 2-norm of matrices is not built yet: use "
                "tf.reduce_max(tf.svd(x, compute_uv=False), axis=-1) on the last two axes."
            )
    else:
        if not (isinstance(axis, int) or axis is None):
            raise ValueError(f"'axis' must be None, an integer, or a tuple of 2 unique integers, got {axis}")
        if (not np.isreal(ord) or ord <= 0) and ord not in ("euclidean", 1, 2, np.inf):
            raise ValueError(f"'ord' must be a supported vector norm, got {ord}")
        if axis is not None:
            axis = (axis,)
    with name_scope(name, "norm", [tensor]):
        x = convert_to_tensor(tensor)
        result = _norm(x, ord, axis, of_matrices)
        return result if keep else squeeze(result, axis)


def _norm(x: Any, ord: Any, axis: Any, of_matrices: bool) -> Tensor:
    """The norm with its axes kept at size 1."""
    if ord in ("fro", "euclidean", 2):
        length: Tensor = sqrt(reduce_sum(x * conj(x), axis, keepdims=True))
        return length
    result = abs(x)
    first = None if axis is None else axis[0]
    if ord == 1:
        result = reduce_sum(result, first, keepdims=True)
        return reduce_max(result, axis[-1], keepdims=True) if of_matrices else result
    if ord == np.inf:
        if of_matrices:
            result = reduce_sum(result, axis[1], keepdims=True)
        return reduce_max(result, first, keepdims=True)
    return pow(reduce_sum(pow(result, ord), axis, keepdims=True), 1.0 / ord)


# -- names of tf.linalg --------------------------------------------------------------------------------------------


def normalize(tensor: Any, ord: Any = "euclidean", axis: Any = None, name: str | None = None) -> tuple[Tensor, Tensor]:
    """(`tensor` divided by its norm along `axis`, that norm with its axes kept)."""
    with name_scope(name, "normalize", [tensor]):
        x: Any = convert_to_tensor(tensor)
        length = cast(norm(x, ord, axis, keepdims=True), x.dtype)
        return x / length, length


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithm of the determinant of positive definite matrices, by their Cholesky factors."""
    with name_scope(name, "logdet", [matrix]):
        chol = lookup("Cholesky")(matrix)
        total: Any = reduce_sum(log(real(matrix_diag_part(chol))), axis=[-1])
        return 2.0 * total


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The last two axes exchanged, complex numbers conjugated."""
    with name_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


def _checked(a: Any, validate_args: bool) -> Tensor:
    """`a`, known or (with `validate_args`) seen to be a batch of real floating-point matrices."""
    if not a.dtype.is_floating:
        raise TypeError(f"Input `a` needs a `float`-like `dtype`, got {a.dtype.name}")
    rank = a._rank
    if rank is not None:
        if rank < 2:
            raise ValueError(f"Input `a` is a batch of matrices: it needs at least 2 dimensions, got {rank}")
        return a
    if not validate_args:
        return a
    with control_dependencies([assert_rank_at_least(a, rank=2, message="Input `a` must have at least 2 dimensions.")]):
        return identity(a)


def _known_sizes(a: Tensor) -> tuple[int | None, int | None]:
    known = a._shape
    return (None, None) if known is None else (known[-2], known[-1])


def matrix_rank(a: Any, tol: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """How many singular values of each matrix are greater than `tol` (default: what rounding may leave)."""
    with name_scope(name or "matrix_rank"):
        a = _checked(convert_to_tensor(a, dtype_hint=dtypes.float32, name="a"), validate_args)
        s = svd(a, compute_uv=False)
        if tol is None:
            rows, columns = _known_sizes(a)
            if rows is None or columns is None:
                largest: Any = reduce_max(shape(a)[-2:])
            else:
                largest = np.max([rows, columns])
            eps = np.finfo(a.dtype.as_numpy_dtype).eps
            tol = eps * cast(largest, a.dtype) * reduce_max(s, axis=-1, keepdims=True)
        return reduce_sum(cast(s > tol, dtypes.int32), axis=-1)


def pinv(a: Any, rcond: Any = None, validate_args: bool = False, name: str | None = None) -> Tensor:
    """The Moore-Penrose inverse of each matrix; singular values below `rcond` times the largest count as zero."""
    with name_scope(name or "pinv"):
        a = _checked(convert_to_tensor(a, name="a"), validate_args)
        kind = a.dtype.as_numpy_dtype
        if rcond is None:
            rows, columns = [
                shape(a)[axis] if size is None else size for axis, size in zip((-2, -1), _known_sizes(a), strict=True)
            ]
            if isinstance(rows, int) and isinstance(columns, int):
                largest: Any = float(max(rows, columns))
            else:
                largest = cast(maximum(rows, columns), a.dtype)
            rcond = 10.0 * largest * np.finfo(kind).eps
        rcond = convert_to_tensor(rcond, dtype=a.dtype, name="rcond")
        s, u, v = svd(a, full_matrices=False, compute_uv=True)
        cutoff = rcond * reduce_max(s, axis=-1)
        # Infinity where the inverse of a singular value is to be nothing.
        s = where_v2(s > expand_dims(cutoff, -1), s, np.array(np.inf, kind))
        result = matmul(v / expand_dims(s, -2), u, adjoint_b=True)
        known = a._shape
        if known is not None:
            result.set_shape((*known[:-2], known[-1], known[-2]))
        return result
