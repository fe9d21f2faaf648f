"""Sparse tensors' ops, as far as 1.x programs commonly use them: to dense, reordering, products, placeholders."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.composite import IndexedSlices, SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels import device_rows
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_fill import zeros
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.array_sets import setdiff1d
from tfbench.engine.ops.base import constant, identity, placeholder, placeholder_with_default
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.shape_ops import reshape, shape_from_input
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = [
    "sparse_mask",
    "sparse_placeholder",
    "sparse_reorder",
    "sparse_retain",
    "sparse_tensor_dense_matmul",
    "sparse_tensor_to_dense",
    "sparse_to_dense",
]  # fmt: skip


def as_sparse(value: Any) -> SparseTensor:
    """`value` as a SparseTensor; TypeError for what is neither one nor the value of one."""
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor. Received: {value}")
    return value


# -- to dense ------------------------------------------------------------------------------------------------------

_to_dense = op(
    "SparseToDense",
    "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T",
    "dense: T",
    "validate_indices: bool = true; T: type; Tindices: {int32, int64}",
    fresh=True,
)


@_to_dense.shape
def _to_dense_shape(node: Operation, indices: Shape, shape: Shape, values: Shape, default: Shape) -> list[Shape]:
    with_rank(shape, 1)
    with_rank(default, 0)
    return [shape_from_input(node, 1)]


def check_order(indices: Any, sizes: list[int]) -> None:
    """InvalidArgumentError for index vectors out of bounds, repeated or not in row-major order."""
    previous: list[int] | None = None
    for i, index in enumerate(indices.tolist()):
        text = f"indices[{i}] = [{','.join(str(one) for one in index)}]"
        if any(not 0 <= one < size for one, size in zip(index, sizes)):
            raise invalid(f"{text} is out of bounds: need 0 <= index < {brackets(sizes)}")
        if previous is not None and index == previous:
            raise invalid(f"{text} is repeated")
        if previous is not None and index < previous:
            raise invalid(
                f"{text} is out of order. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
                "create a correctly ordered copy.\n\n"
            )
        previous = index


@_to_dense.kernel(CPU, GPU)
def _to_dense_kernel(xp: Any, indices: Any, shape: Any, values: Any, default: Any, *, validate_indices: bool) -> Any:
    if shape.ndim != 1:
        raise invalid(f"output_shape must be rank 1, got shape {brackets(shape.shape)}")
    if indices.ndim > 2:
        raise invalid(f"sparse_indices should be a scalar, vector, or matrix, got shape {brackets(indices.shape)}")
    vectors = indices.reshape((-1, 1)) if indices.ndim < 2 else indices
    sizes = shape.tolist()
    if vectors.shape[1] != len(sizes):
        raise invalid(f"output_shape has incorrect number of elements: {len(sizes)} should be: {vectors.shape[1]}")
    if values.ndim > 1 or (values.ndim == 1 and values.size != len(vectors)):
        raise invalid(f"sparse_values has incorrect shape {brackets(values.shape)}, should be [] or [{len(vectors)}]")
    if xp is not np:
        dense = xp.full(sizes, default[()], values.dtype)
        updates = xp.broadcast_to(values, (len(vectors),))
        device_rows.put_vectors(xp, dense, vectors, updates, None)
        return dense
    if validate_indices:
        check_order(vectors, sizes)
    else:
        for i, vector in enumerate(vectors.tolist()):
            if any(not 0 <= one < size for one, size in zip(vector, sizes)):
                raise invalid(
                    f"indices[{i}] = {brackets(vector)} is out of bounds: need 0 <= index < {brackets(sizes)}"
                )
    result = np.full(sizes, default, values.dtype)
    result[tuple(vectors.T)] = values
    return result


def sparse_to_dense(
    sparse_indices: Any,
    output_shape: Any,
    sparse_values: Any,
    default_value: Any = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor with `sparse_values` (one, or one each) at `sparse_indices` and `default_value` elsewhere."""
    return _to_dense(
        sparse_indices, output_shape, sparse_values, default_value, validate_indices=validate_indices, name=name
    )


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """The dense form of a SparseTensor, with `default_value` where it has no element."""
    sparse = as_sparse(sp_input)
    if default_value is None:
        default_value = zeros([], sparse.dtype)
    return sparse_to_dense(sparse.indices, sparse.dense_shape, sparse.values, default_value, validate_indices, name)


# -- reordering and retaining ----------------------------------------------------------------------------------------

_reorder = op(
    "SparseReorder",
    "input_indices: int64, input_values: T, input_shape: int64",
    "output_indices: int64, output_values: T",
    "T: type",
    fresh=True,
)


@_reorder.shape
def _reorder_shape(node: Operation, indices: Shape, values: Shape, shape: Shape) -> list[Shape]:
    with_rank(shape, 1)
    return [with_rank(indices, 2), with_rank(values, 1)]


@_reorder.kernel(CPU, GPU)
def _reorder_kernel(xp: Any, indices: Any, values: Any, shape: Any) -> Any:
    if indices.ndim != 2 or values.ndim != 1:
        raise invalid(f"Input indices and values do not fit: {brackets(indices.shape)} and {brackets(values.shape)}")
    if len(values) != len(indices):
        raise invalid(f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not match")
    order = xp.lexsort(xp.stack([indices[:, i] for i in range(indices.shape[1] - 1, -1, -1)]))
    return indices[order], values[order]


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its elements in row-major order."""
    sparse = as_sparse(sp_input)
    indices, values = _reorder(sparse.indices, sparse.values, sparse.dense_shape, name=name)
    known = sparse.shape
    dense_shape: Any = known.as_list() if known.is_fully_defined() else identity(sparse.dense_shape)
    return SparseTensor(indices, values, dense_shape)


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """The elements of a sparse tensor for which the vector `to_retain` says True."""
    sparse = as_sparse(sp_input)
    keep = convert_to_tensor(to_retain)
    keep.shape.with_rank(1)
    if keep._shape is not None:
        sparse.values.shape[0].merge_with(keep.shape[0])
    places = reshape(where_v2(keep), [-1])
    return SparseTensor(gather(sparse.indices, places), gather(sparse.values, places), identity(sparse.dense_shape))


def sparse_mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """The rows of an IndexedSlices but for those at `mask_indices`."""
    with name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        kept, places = setdiff1d(a.indices, mask_indices)
        return IndexedSlices(gather(a.values, places, name=scope), kept, a.dense_shape)


# -- arithmetic ----------------------------------------------------------------------------------------------------

_SPARSE_DENSE = ("sp_indices: int64, sp_values: T, sp_shape: int64, dense: T", "output: T", "T: numbertype")
_multiply = op("SparseDenseCwiseMul", *_SPARSE_DENSE, fresh=True)
_divide = op("SparseDenseCwiseDiv", *_SPARSE_DENSE, fresh=True)


@_multiply.shape
def _cwise_shape(node: Operation, indices: Shape, values: Shape, shape: Shape, dense: Shape) -> list[Shape]:
    rows = with_rank(indices, 2)[0]
    return [(rows,)]


_divide.shape(_cwise_shape)


def picked(indices: Any, shape: Any, dense: Any) -> Any:
    """The elements of `dense`, stretched to `shape`, at the index vectors."""
    try:
        whole = np.broadcast_to(dense, shape.tolist())
    except ValueError:
        raise invalid(
            "SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: "
            f"{brackets(shape.tolist())} vs. {brackets(dense.shape)}"
        ) from None
    return whole[tuple(indices.T)]


@_multiply.kernel(CPU)
def _multiply_kernel(xp: Any, indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    return np.multiply(values, picked(indices, shape, dense))


@_divide.kernel(CPU)
def _divide_kernel(xp: Any, indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    below = picked(indices, shape, dense)
    if values.dtype.kind in "iu":
        if (below == 0).any():
            raise invalid("Integer division by zero")
        return np.trunc(np.divide(values, below)).astype(values.dtype)
    with np.errstate(all="ignore"):
        return np.divide(values, below)


_matmul = op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices, a_values: T, a_shape: int64, b: T",
    "product: T",
    "T: type; Tindices: {int32, int64} = int64; adjoint_a: bool = false; adjoint_b: bool = false",
    fresh=True,
)


@_matmul.shape
def _matmul_shape(node: Operation, indices: Shape, values: Shape, a_shape: Shape, b: Shape) -> list[Shape]:
    with_rank(indices, 2)
    with_rank(values, 1)
    a = with_rank(constant_value_as_shape(node._inputs[2]), 2)
    b = with_rank(b, 2)
    rows, inner = a[::-1] if node.attrs["adjoint_a"] else a
    other, columns = b[::-1] if node.attrs["adjoint_b"] else b
    if inner is not None and other is not None and inner != other:
        raise ValueError(f"Dimensions must be equal, but are {inner} and {other}")
    return [(rows, columns)]


@_matmul.kernel(CPU, GPU)
def _matmul_kernel(xp: Any, indices: Any, values: Any, shape: Any, b: Any, *, adjoint_a: bool, adjoint_b: bool) -> Any:
    if shape.size != 2 or indices.ndim != 2 or b.ndim != 2:
        raise invalid("SparseTensorDenseMatMul takes a sparse matrix and a dense one")
    rows, columns = shape.tolist()
    for place, letter, size in ((0, "m", rows), (1, "k", columns)) if xp is np else ():
        bad = np.nonzero((indices[:, place] < 0) | (indices[:, place] >= size))[0]
        if bad.size:
            i = int(bad[0])
            raise invalid(f"{letter} ({indices[i, place]}) from index[{i},{place}] out of bounds (>={size})")
    to, source = (1, 0) if adjoint_a else (0, 1)
    a = xp.conjugate(values) if adjoint_a else values
    if adjoint_b:
        b = xp.conjugate(b.T)
    inner, count = (rows, columns) if adjoint_a else (columns, rows)
    if b.shape[0] != inner:
        raise invalid(f"Cannot multiply A and B because inner dimension does not match: {inner} vs. {b.shape[0]}")
    result = xp.zeros((count, b.shape[1]), b.dtype)
    if xp is not np:
        picked = device_rows.take(xp, b, indices[:, source], 0)
        device_rows.put(xp, result, indices[:, to], a[:, None] * picked, "add")
        return result
    np.add.at(result, indices[:, to], a[:, None] * b[indices[:, source]])
    return result


def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse matrix and a dense one, in either order; either may be taken conjugate-transposed."""
    if isinstance(b, (SparseTensor, SparseTensorValue)) and not isinstance(sp_a, (SparseTensor, SparseTensorValue)):
        turn = adjoint_a == adjoint_b  # a b is the transpose of b' a', and the op takes the sparse one first
        return transpose(sparse_tensor_dense_matmul(b, sp_a, adjoint_a=adjoint_a ^ turn, adjoint_b=adjoint_b ^ turn))
    sparse = as_sparse(sp_a)
    with name_scope(name, "SparseTensorDenseMatMul", [sparse.indices, sparse.values, b]):
        dense = convert_to_tensor(b, name="b")
        return _matmul(
            sparse.indices, sparse.values, sparse.dense_shape, dense, adjoint_a=adjoint_a, adjoint_b=adjoint_b
        )


# -- placeholders --------------------------------------------------------------------------------------------------


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A SparseTensor whose value each run must feed (as a SparseTensorValue). Sizes in `shape` may be None."""
    prefix = "" if name is None else f"{name}/"

    def part(word: str) -> str | None:
        return prefix + word if prefix else None

    default: TensorShape | None = None
    rank: int | None = None
    if shape is None:
        dense_shape = placeholder(dtypes.int64, [None], part("shape"))
    else:
        if isinstance(shape, Tensor):
            rank = shape.shape[0].value
            default = TensorShape(constant_value_as_shape(shape))
            start = shape
        else:
            sizes = TensorShape(
                tuple(None if size == -1 else size for size in shape) if not isinstance(shape, TensorShape) else shape
            )
            rank, default = len(sizes), sizes
            sizes_list = [-1 if size is None else size for size in sizes.as_list()]
            start = constant(np.array(sizes_list, np.int64), name=part("shape_default") or "Const")
        dense_shape = placeholder_with_default(start, start.shape, part("shape"))
    values = placeholder(as_dtype(dtype), [None], part("values"))
    indices = placeholder(dtypes.int64, [None, rank], part("indices"))
    result = SparseTensor(indices, values, dense_shape)
    if default is not None:
        result._dense_shape_default = default
    return result
