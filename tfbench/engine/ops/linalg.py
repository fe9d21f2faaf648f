"""Matrices taken apart: QR, SVD, eigenvalues, Cholesky, LU - of each matrix in a batch (the last two axes).

NumPy's LAPACK does the work. Signs of singular and eigenvectors are LAPACK's, as TensorFlow leaves them open.
"""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_diag import matrix_diag, matrix_set_diag
from tfbench.engine.ops.array_fill import ones, zeros
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.math_binary import minimum
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.shape_math import with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["eye", "qr"]


def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """An identity matrix, or a batch of them. `num_columns` is `num_rows` unless given."""
    with name_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        square = num_columns is None
        columns = num_rows if square else num_columns
        batch = [] if batch_shape is None else batch_shape
        size: Any
        if isinstance(num_rows, Tensor) or isinstance(columns, Tensor):
            size = minimum(num_rows, columns)
        else:
            if not all(isinstance(count, (int, np.integer)) for count in (num_rows, columns)):
                raise TypeError(
                    "Arguments `num_rows` and `num_columns` must be positive integer values. Received: "
                    f"num_rows={num_rows}, num_columns={columns}"
                )
            size = builtins.min(num_rows, columns)
            square = num_rows == columns
        whole: Any = None
        if isinstance(batch, Tensor) or isinstance(size, Tensor):
            batch = convert_to_tensor(batch, dtypes.int32, "shape")
            diagonal = concat((batch, [size]), axis=0)
            if not square:
                whole = concat((batch, [num_rows, columns]), axis=0)
        else:
            diagonal = [*batch, size]
            whole = [*batch, num_rows, columns]
        units = ones(diagonal, dtype=dtype)
        return matrix_diag(units) if square else matrix_set_diag(zeros(whole, dtype=dtype), units)


_qr = op(
    "Qr",
    "input: T",
    "q: T, r: T",
    "full_matrices: bool = false; T: {double, float, half, complex64, complex128}",
    fresh=True,
)


@_qr.shape
def _qr_shape(node: Operation, x: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 2)
    if x is None:
        return [None, None]
    *batch, rows, columns = x
    if node.attrs["full_matrices"]:
        return [(*batch, rows, rows), (*batch, rows, columns)]
    inner = smaller(rows, columns)
    return [(*batch, rows, inner), (*batch, inner, columns)]


def smaller(a: int | None, b: int | None) -> int | None:
    """The smaller of two sizes; 0 if either is, None if that is not known."""
    if a == 0 or b == 0:
        return 0
    return None if a is None or b is None else builtins.min(a, b)


@_qr.kernel(CPU, GPU)
def _qr_kernel(xp: Any, x: Any, *, full_matrices: bool) -> Any:
    return tuple(xp.linalg.qr(x, "complete" if full_matrices else "reduced"))


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """(q, r) with input = q r, q orthonormal and r upper triangular; q square if `full_matrices`."""
    return named_outputs(_qr, _qr(input, full_matrices=full_matrices, name=name))
