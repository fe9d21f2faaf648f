"""Matrix products: of matrices (`MatMul`), of batches of matrices (`BatchMatMulV2`), and what is made of them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes, shape_math
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import product_compiled
from tfbench.engine.kernels.blas import one_thread
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_diag import matrix_diag_part
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_common import no_kernel
from tfbench.engine.ops.math_complex import conj
from tfbench.engine.ops.reductions import reduce_sum
from tfbench.engine.shape_math import debug_string
from tfbench.engine.tensor import Tensor

__all__ = ["cross", "matmul", "sparse_matmul", "trace"]

_matmul_op = op(
    "MatMul",
    "a: T, b: T",
    "product: T",
    "transpose_a: bool = false; transpose_b: bool = false;"
    "T: {bfloat16, half, float, double, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128};"
    "grad_a: bool = false; grad_b: bool = false",
    fresh=True,
    doc="the product of two matrices, each maybe transposed",
)
_sparse_matmul = op(
    "SparseMatMul",
    "a: Ta, b: Tb",
    "product: float",
    "transpose_a: bool = false; transpose_b: bool = false; a_is_sparse: bool = false; b_is_sparse: bool = false;"
    "Ta: {float, bfloat16} = float; Tb: {float, bfloat16} = float",
    fresh=True,
    doc="the product of two matrices with many zeros",
)


def _inner(rows: int | None, columns: int | None) -> None:
    if rows is not None and columns is not None and rows != columns:
        raise ValueError(f"Dimensions must be equal, but are {rows} and {columns}")


def _matmul_shape(node: Operation, a: Any, b: Any) -> Any:
    a = shape_math.with_rank(a, 2)
    b = shape_math.with_rank(b, 2)
    rows, inner = a[::-1] if node.attrs["transpose_a"] else a
    other, columns = b[::-1] if node.attrs["transpose_b"] else b
    _inner(inner, other)
    return [(rows, columns)]


_matmul_op.shape(_matmul_shape)
_sparse_matmul.shape(_matmul_shape)


#: multiplications in a product that BLAS computes on one thread by itself
_WORTH_ASKING = 260_000


def _product(xp: Any, a: Any, b: Any) -> Any:
    """a @ b; float16 adds up in float32, as TensorFlow does (and cuBLAS by itself)."""
    if xp is np and a.dtype.itemsize == 2 and a.dtype.kind not in "iu":
        return xp.matmul(a.astype(xp.float32), b.astype(xp.float32)).astype(a.dtype)
    work = a.shape[-2] * a.shape[-1] * b.shape[-1]
    if xp is np and a.ndim == b.ndim:
        made = (product_compiled.product if a.ndim == 2 else product_compiled.products)(a, b)
        if made is not None:
            return made
    if _WORTH_ASKING < work < product_compiled.WORTH_THREADS and xp is np:
        with one_thread:
            return np.matmul(a, b)
    return xp.matmul(a, b)


@_matmul_op.kernel(GPU)
def _matmul_kernel(xp: Any, a: Any, b: Any, *, transpose_a: bool, transpose_b: bool) -> Any:
    if a.dtype.char in "BHIL":
        raise no_kernel("MatMul", a.dtype)
    if a.ndim != 2 or b.ndim != 2:
        which, array = (0, a) if a.ndim != 2 else (1, b)
        raise invalid(f"In[{which}] is not a matrix. Instead it has shape {debug_string(array.shape)}")
    first, second = a.T if transpose_a else a, b.T if transpose_b else b
    if first.shape[1] != second.shape[0]:
        raise invalid(f"Matrix size-incompatible: In[0]: {debug_string(a.shape)}, In[1]: {debug_string(b.shape)}")
    return _product(xp, first, second)


@_matmul_op.bind(CPU)
def _bind_matmul(context: Any) -> Any:
    attrs = context.op.attrs
    turned = bool(attrs["transpose_a"]), bool(attrs["transpose_b"])
    plain = partial(_matmul_kernel, np, transpose_a=turned[0], transpose_b=turned[1])
    return product_compiled.bound(*turned, plain) if attrs["T"] is dtypes.float32 else plain


@_sparse_matmul.kernel(CPU)
def _sparse_matmul_kernel(xp: Any, a: Any, b: Any, *, transpose_a: bool, transpose_b: bool) -> Any:
    return _matmul_kernel(
        xp, a.astype(xp.float32), b.astype(xp.float32), transpose_a=transpose_a, transpose_b=transpose_b
    )


_BATCH_TYPES = (
    "T: {bfloat16, half, float, double, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128};"
)
_ADJOINTS = "adj_x: bool = false; adj_y: bool = false; grad_x: bool = false; grad_y: bool = false"
_V3 = "{bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128}"
_batch_matmul = op("BatchMatMulV2", "x: T, y: T", "output: T", _BATCH_TYPES + _ADJOINTS, fresh=True)
_batch_matmul_v1 = op(
    "BatchMatMul",
    "x: T, y: T",
    "output: T",
    "T: {bfloat16, half, float, double, int32, int64, complex64, complex128};" + _ADJOINTS,
    fresh=True,
)
_batch_matmul_v3 = op(
    "BatchMatMulV3",
    "x: Ta, y: Tb",
    "output: Tout",
    f"Ta: {_V3}; Tb: {_V3}; Tout: {{bfloat16, half, float, double, int16, int32, int64, complex64, complex128}};"
    + _ADJOINTS,
    fresh=True,
)


def _batch_matmul_shape(node: Operation, x: Any, y: Any) -> Any:
    shape_math.with_rank_at_least(x, 2)
    shape_math.with_rank_at_least(y, 2)
    if x is None or y is None:
        return [None]
    rows, inner = x[:-3:-1] if node.attrs["adj_x"] else x[-2:]
    other, columns = y[:-3:-1] if node.attrs["adj_y"] else y[-2:]
    batch = shape_math.broadcast(x[:-2], y[:-2]) or ()
    _inner(inner, other)
    return [(*batch, rows, columns)]


def _batch_kernel(xp: Any, x: Any, y: Any, *, adj_x: bool, adj_y: bool) -> Any:
    for which, array in ((0, x), (1, y)):
        if array.ndim < 2:
            raise invalid(f"In[{which}] ndims must be >= 2: {array.ndim}")
    first, second = _adjoint(xp, x) if adj_x else x, _adjoint(xp, y) if adj_y else y
    shapes = f"In[0]: {debug_string(x.shape)}, In[1]: {debug_string(y.shape)}"
    if first.shape[-1] != second.shape[-2]:
        raise invalid(f"Matrix size-incompatible: {shapes} {int(adj_x)} {int(adj_y)}")
    if x.ndim > 2 and y.ndim > 2 and any(m != n and 1 not in (m, n) for m, n in zip(x.shape[-3::-1], y.shape[-3::-1])):
        raise invalid(
            "In[0] and In[1] must have compatible batch dimensions: "
            f"{debug_string(x.shape)} vs. {debug_string(y.shape)}"
        )
    return _product(xp, first, second)


def _batch_kernel_v3(xp: Any, x: Any, y: Any, *, Tout: Any, adj_x: bool, adj_y: bool) -> Any:
    wanted = Tout.as_numpy_dtype
    return _batch_kernel(xp, x.astype(wanted), y.astype(wanted), adj_x=adj_x, adj_y=adj_y)


for _declared in (_batch_matmul, _batch_matmul_v1, _batch_matmul_v3):
    _declared.shape(_batch_matmul_shape)
_batch_matmul.kernel(CPU, GPU)(_batch_kernel)
_batch_matmul_v1.kernel(CPU, GPU)(_batch_kernel)
_batch_matmul_v3.kernel(CPU, GPU)(_batch_kernel_v3)


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
        sparse = a_is_sparse or b_is_sparse
        batches = any(x._shape is None or len(x._shape) > 2 for x in (a, b))
        if not sparse and (batches or output_type is not None):
            # Batches know adjoints only.
            if transpose_a:
                a, adjoint_a = conj(a), True
            if transpose_b:
                b, adjoint_b = conj(b), True
            attrs: dict[str, Any] = {"adj_x": adjoint_a, "adj_y": adjoint_b, "grad_x": grad_a, "grad_y": grad_b}
            if output_type is not None:
                return _batch_matmul_v3(a, b, Tout=output_type, name=scope, **attrs)
            return _batch_matmul(a, b, name=scope, **attrs)
        if adjoint_a:
            a, transpose_a = conj(a), True
        if adjoint_b:
            b, transpose_b = conj(b), True
        kinds = (a._dtype.base_dtype, b._dtype.base_dtype)
        if sparse and all(kind in (dtypes.float32, dtypes.bfloat16) for kind in kinds):
            product = sparse_matmul(a, b, transpose_a, transpose_b, a_is_sparse, b_is_sparse, name=scope)
            return cast(product, dtypes.bfloat16) if kinds == (dtypes.bfloat16, dtypes.bfloat16) else product
        return _matmul_op(
            a, b, transpose_a=transpose_a, transpose_b=transpose_b, grad_a=grad_a, grad_b=grad_b, name=scope
        )


def sparse_matmul(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices that have many zeros, in float32."""
    return _sparse_matmul(
        a, b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse,
        name=name,
    )  # fmt: skip


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a matrix (or of a batch of them) and a vector. (`tf.linalg` has this name.)"""
    with name_scope(name, "MatVec", [a, b]):
        column = lookup("ExpandDims")(b, -1)
        product = matmul(a, column, transpose_a, False, adjoint_a, False, a_is_sparse, b_is_sparse)
        return lookup("Squeeze")(product, squeeze_dims=[-1])


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum of the diagonal of a matrix, or of each matrix in a batch."""
    with name_scope(name, "Trace", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return reduce_sum(matrix_diag_part(x), [-1], name=scope)


_cross = op("Cross", "a: T, b: T", "product: T", "T: realnumbertype", fresh=True, doc="the vector product, in 3-D")


@_cross.shape
def _cross_shape(node: Operation, a: Any, b: Any) -> Any:
    shape_math.with_rank_at_least(a, 1)
    shape_math.with_rank_at_least(b, 1)
    product = shape_math.merge(a, b)
    if product is not None:
        shape_math.with_dim(product[-1], 3)
    return [product]


@_cross.kernel(CPU, GPU)
def _cross_kernel(xp: Any, a: Any, b: Any) -> Any:
    if a.shape != b.shape:
        raise invalid(f"Both inputs must be of same shape: {debug_string(a.shape)} vs. {debug_string(b.shape)}")
    if a.ndim == 0 or a.shape[-1] != 3:
        raise errors.FailedPreconditionError(None, None, "Cross-products are only defined for 3-element vectors.")
    return xp.cross(a, b)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The vector product of 3-element vectors along the last axis."""
    return _cross(a, b, name=name)
