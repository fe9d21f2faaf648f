"""Matrix products: of matrices (`MatMul`) and of batches of matrices (`BatchMatMulV2`)."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, shape_math
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.tensor import Tensor

__all__ = ["matmul"]

_matmul_op = op(
    "MatMul",
    "a: T, b: T",
    "product: T",
    "transpose_a: bool = false; transpose_b: bool = false;"
    "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128};"
    "grad_a: bool = false; grad_b: bool = false",
    fresh=True,
)


def _inner(rows: int | None, columns: int | None) -> None:
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")


def matmul_shape(node: Operation, a: Any, b: Any) -> Any:
    """Shape function: two matrices, each maybe transposed."""
    a = shape_math.with_rank(a, 2)
    b = shape_math.with_rank(b, 2)
    rows, inner = a[::-1] if node.attrs["transpose_a"] else a
    other, columns = b[::-1] if node.attrs["transpose_b"] else b
    _inner(inner, other)
    return [(rows, columns)]


_matmul_op.shape(matmul_shape)


@_matmul_op.kernel(CPU, GPU)
def _matmul_kernel(xp: Any, a: Any, b: Any, *, transpose_a: bool, transpose_b: bool) -> Any:
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


_batch_matmul = op(
    "BatchMatMulV2",
    "x: T, y: T",
    "output: T",
    "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128};"
    "adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false",
    fresh=True,
)


@_batch_matmul.shape
def _batch_matmul_shape(node: Operation, x: Any, y: Any) -> Any:
    shape_math.with_rank_at_least(x, 2)
    shape_math.with_rank_at_least(y, 2)
    if x is None or y is None:
        return [None]
    rows, inner = x[:-3:-1] if node.attrs["adj_x"] else x[-2:]
    other, columns = y[:-3:-1] if node.attrs["adj_y"] else y[-2:]
    _inner(inner, other)
    return [(*(shape_math.broadcast(x[:-2], y[:-2]) or ()), rows, columns)]


@_batch_matmul.kernel(CPU, GPU)
def _batch_matmul_kernel(xp: Any, x: Any, y: Any, *, adj_x: bool, adj_y: bool) -> Any:
    return xp.matmul(_adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y)


def _adjoint(xp: Any, x: Any) -> Any:
    turned = xp.swapaxes(x, -1, -2)
    return xp.conj(turned) if x.dtype.kind == "c" else turned


def matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: Any = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices, or of batches of matrices (rank above 2), each maybe transposed first.

    Raises:
      ValueError: if the inner sizes differ, a rank is below 2, or a matrix is both transposed and adjoint.
    """
    with name_scope(name, "MatMul", [a, b]) as scope:
        for side, transposed, adjoint in (("a", transpose_a, adjoint_a), ("b", transpose_b, adjoint_b)):
            if transposed and adjoint:
                raise ValueError(
                    f"Only one of `transpose_{side}` and `adjoint_{side}` can be True. Received "
                    f"`transpose_{side}`={transposed}, `adjoint_{side}`={adjoint}."
                )
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, dtype_hint=a._dtype.base_dtype, name="b")
        a_rank, b_rank = a._rank, b._rank
        sparse = a_is_sparse or b_is_sparse
        if (a_rank is None or a_rank > 2) or (b_rank is None or b_rank > 2):
            # Batches know adjoints only.
            if transpose_a and not adjoint_a:
                a, adjoint_a = _conj(a), True
            if transpose_b and not adjoint_b:
                b, adjoint_b = _conj(b), True
            return _batch_matmul(  # type: ignore[no-any-return]
                a, b, adj_x=adjoint_a, adj_y=adjoint_b, grad_x=grad_a, grad_y=grad_b, name=scope
            )
        if adjoint_a:
            a, transpose_a = _conj(a), True
        if adjoint_b:
            b, transpose_b = _conj(b), True
        kinds = (a._dtype.base_dtype, b._dtype.base_dtype)
        if sparse and all(kind in (dtypes.float32, dtypes.bfloat16) for kind in kinds):
            return lookup("SparseMatMul")(  # type: ignore[no-any-return]
                a, b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse,
                b_is_sparse=b_is_sparse, name=scope,
            )  # fmt: skip
        return _matmul_op(  # type: ignore[no-any-return]
            a, b, transpose_a=transpose_a, transpose_b=transpose_b, grad_a=grad_a, grad_b=grad_b, name=scope
        )


def _conj(x: Tensor) -> Tensor:
    return lookup("Conj")(x) if x._dtype.is_complex else x  # type: ignore[no-any-return]
