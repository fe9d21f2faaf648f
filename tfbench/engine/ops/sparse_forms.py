"""Sparse tensors in another form: of dense ones, with further axes, other shapes, axes exchanged, as strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype, int32, int64
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, lookup, op
from tfbench.engine.ops.array_fill import fill, ones, ones_like, zeros, zeros_like
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.asserts import assert_equal, assert_less_equal
from tfbench.engine.ops.base import constant, identity
from tfbench.engine.ops.comparison import not_equal
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.gather_nd import gather_nd
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.math_binary import add, maximum, minimum
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_range import range as range_op
from tfbench.engine.ops.reductions import reduce_max
from tfbench.engine.ops.shape_ops import expand_dims
from tfbench.engine.ops.shape_queries import rank, shape
from tfbench.engine.ops.slicing import slice as slice_op
from tfbench.engine.ops.sparse import as_sparse, sparse_reorder, sparse_tensor_to_dense
from tfbench.engine.ops.sparse_common import unknown_sizes
from tfbench.engine.ops.sparse_merge import sparse_merge
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = [
    "deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse", "sparse_reset_shape",
    "sparse_to_indicator", "sparse_transpose",
]  # fmt: skip

Array = Any


def sparse_expand_dims(sp_input: Any, axis: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with an axis of size 1 before `axis` (default: behind the last)."""
    known = sp_input.get_shape().ndims
    given = axis = -1 if axis is None else axis
    with name_scope(name, "expand_dims", [sp_input]):
        if isinstance(axis, int) and known is not None and not -known - 1 <= axis <= known:
            raise ValueError(f"axis must be in the range [{-known - 1}, {known}] but is {axis}.")
        axis = convert_to_tensor(axis, name="axis", dtype=int32)
        dims: Any = rank(sp_input) if known is None else known
        axis = where_v2(axis >= 0, axis, axis + dims + 1)
        places: Any = shape(sp_input.indices)
        column = zeros([places[0], 1], dtype=int64)
        before = slice_op(sp_input.indices, [0, 0], [-1, axis])
        behind = slice_op(sp_input.indices, [0, axis], [-1, -1])
        indices = concat([before, column, behind], axis=1)
        first = slice_op(sp_input.dense_shape, [0], [axis])
        last = slice_op(sp_input.dense_shape, [axis], [-1])
        one = convert_to_tensor([1], name="new_shape", dtype=int64)
        made = SparseTensor(indices, sp_input.values, concat([first, one, last], axis=0))
        if known is None or not isinstance(given, int):
            return unknown_sizes(made)
        sizes: list[int | None] = [None] * known
        sizes.insert(given if given >= 0 else given + known + 1, 1)
        return unknown_sizes(made, sizes)


def sparse_eye(
    num_rows: Any, num_columns: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> SparseTensor:
    """A sparse matrix with ones on the diagonal."""
    with name_scope(name, "eye", [num_rows, num_columns]):
        rows = _size(num_rows, "num_rows")
        columns = rows if num_columns is None else _size(num_columns, "num_columns")
        count = minimum(rows, columns)
        numbers = range_op(count, dtype=int64)
        indices = stack([numbers, numbers], axis=1)
        values = ones(count, dtype=dtype)
        return SparseTensor(indices, values, [rows, columns])


def _size(value: Any, name: str) -> Tensor:
    if isinstance(value, Tensor):
        found: Tensor = cast(value, int64)
        return found
    return convert_to_tensor(value, dtype=int64, name=name)


def sparse_from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """The elements of a dense tensor that are not 0."""
    with name_scope(name, "dense_to_sparse"):
        tensor = convert_to_tensor(tensor)
        indices = where_v2(not_equal(tensor, zeros_like(tensor)))
        return SparseTensor(indices, gather_nd(tensor, indices), shape(tensor, out_type=int64))


def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """A sparse tensor of another shape; by default the smallest that its elements fit into.

    Raises:
      ValueError: if it is known that they do not fit.
    """
    sparse = as_sparse(sp_input)
    indices, values = identity(sparse.indices), identity(sparse.values)
    own = identity(sparse.dense_shape)
    if new_shape is None:
        highest = reduce_max(indices, axis=0)
        wanted = maximum(constant(0, dtype=int64), add(highest, ones_like(own), name="Add"))
        return SparseTensor(indices, values, wanted)
    wanted = cast(convert_to_tensor(new_shape), int64)
    wanted.get_shape().assert_has_rank(1)
    known = constant_value_as_shape(wanted)
    if known is not None and None not in known and sparse.get_shape().is_fully_defined():
        old, new = [int(size or 0) for size in sparse.get_shape().as_list()], [int(size or 0) for size in known]
        if len(old) != len(new):
            raise ValueError(
                f"Cannot reset the rank of a sparse tensor: Dimensions must be equal, but are {len(old)} and {len(new)}"
            )
        for axis, (have, want) in enumerate(zip(old, new)):
            if want < have:
                raise ValueError(
                    f"Requested new_shape should have dimension sizes >= sp_input.shape.  Found new_shape={new} and "
                    f"sp_input.shape={old}, which is larger at axis {axis}."
                )
        wanted_shape: Any = new
        return SparseTensor(indices, values, wanted_shape)
    wanted = with_dependencies([assert_equal(shape(own), shape(wanted))], wanted)
    wanted = with_dependencies([assert_less_equal(own, wanted)], wanted)
    return SparseTensor(indices, values, wanted)


def sparse_to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """A dense tensor of bool: along the last axis, which of `vocab_size` ids `sp_input` has there."""
    sparse = as_sparse(sp_input)
    with name_scope(name, "SparseToIndicator", [sparse]) as scope:
        places: Any = shape(sparse.indices)
        all_true = fill(expand_dims(places[0], 0), True)
        trues = SparseTensor(sparse.indices, all_true, sparse.dense_shape)
        merged = sparse_merge(sparse, trues, vocab_size, name=scope)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False, name=scope)


def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with its axes in the order of `perm`; by default reversed."""
    with name_scope(name, "SparseTranspose", [sp_input]):
        if perm is None:
            known = sp_input.shape.rank
            perm = np.arange(known)[::-1] if known is not None else _reversed(rank(sp_input))
        indices = transpose(gather(transpose(sp_input.indices), perm))
        order = convert_to_tensor(perm)
        values, own = sp_input.values, sp_input.shape
        if isinstance(perm, Tensor) or not own.is_fully_defined():
            sizes: Any = gather(sp_input.dense_shape, perm)
        else:
            sizes = [own.as_list()[axis] for axis in np.asarray(perm).tolist()]
            if len(sizes) != len(own.as_list()):
                raise ValueError(
                    f"Dimensions {len(sizes)} and {len(own.as_list())} are not compatible: perm takes each axis once."
                )
        del order
        made = SparseTensor(indices, values, sizes)
        return sparse_reorder(made if isinstance(sizes, list) else unknown_sizes(made))


def _reversed(count: Any) -> Tensor:
    found: Tensor = (count - 1) - range_op(0, count, 1)
    return found


# -- as strings ----------------------------------------------------------------------------------------------------

_deserialize_many = op(
    "DeserializeManySparse",
    "serialized_sparse: string",
    "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    "dtype: type",
    fresh=True,
)
_deserialize_many.no_gradient("strings have no gradient")


@_deserialize_many.shape
def _deserialize_shape(node: Operation, serialized: Shape) -> list[Shape]:
    with_rank(serialized, 2)
    return [(None, None), (None,), (None,)]


@_deserialize_many.kernel(CPU)
def _deserialize_kernel(xp: Any, serialized: Array, *, dtype: Any) -> list[Array]:
    if serialized.ndim != 2 or serialized.shape[1] != 3:
        raise invalid(f"Serialized sparse should have 3 columns but has shape {brackets(serialized.shape)}")
    places, all_values, largest = [], [], None
    for row, parts in enumerate(serialized.tolist()):
        indices, values, sizes = [_array(part, row) for part in parts]
        if values.dtype != np.dtype(object if dtype.name == "string" else dtype.as_numpy_dtype):
            raise invalid(
                f"Requested SparseTensor of type {dtype.name} but SparseTensor[{row}].values.dtype() is another"
            )
        if largest is not None and largest.shape != sizes.shape:
            raise invalid(
                "Inconsistent rank across SparseTensors: rank prior to "
                f"SparseTensor[{row}] was: {largest.size} but rank of SparseTensor[{row}] is: {sizes.size}"
            )
        largest = sizes if largest is None else np.maximum(largest, sizes)
        places.append(np.concatenate([np.full((len(indices), 1), row, np.int64), indices], axis=1))
        all_values.append(values)
    if largest is None:
        raise invalid("Serialized sparse should have at least one row")
    return [np.concatenate(places), np.concatenate(all_values), np.array([len(serialized), *largest], np.int64)]


def _array(data: bytes, row: int) -> Array:
    try:
        return OPERATORS["make_ndarray"](OPERATORS["tensor_proto"](data))
    except (ValueError, TypeError) as error:
        raise invalid(f"Could not parse serialized_sparse[{row}]: {error}") from None


def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = dtypes.string) -> Tensor:
    """A sparse tensor as three strings: indices, values and shape."""
    return _packed("SerializeSparse", sp_input, name, out_type)


def serialize_many_sparse(sp_input: Any, name: str | None = None, out_type: Any = dtypes.string) -> Tensor:
    """The rows of a sparse tensor, each as three strings."""
    return _packed("SerializeManySparse", sp_input, name, out_type)


def _packed(type: str, sp_input: Any, name: str | None, out_type: Any) -> Tensor:
    sparse = as_sparse(sp_input)
    made: Tensor = lookup(type)(
        sparse.indices, sparse.values, sparse.dense_shape, name=name, out_type=as_dtype(out_type)
    )
    return made


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """What `serialize_many_sparse` made, as one sparse tensor again; `rank` is that of a row."""
    indices, values, sizes = _deserialize_many(serialized_sparse, dtype=as_dtype(dtype), name=name)
    indices.set_shape([None, rank])
    sizes.set_shape([rank])
    return SparseTensor(indices, values, sizes)
