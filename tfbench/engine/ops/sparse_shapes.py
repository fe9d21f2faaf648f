"""`sparse_reshape` and `sparse_concat`: the same elements at other indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels.device_rows import row_numbers
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.base import constant, identity
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.reductions import reduce_max
from tfbench.engine.ops.shape_ops import reshape
from tfbench.engine.ops.sparse import as_sparse
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.shape_math import dim_add, merge, with_rank
from tfbench.engine.shapes import Shape

__all__ = ["sparse_concat", "sparse_reshape"]

_reshape = op(
    "SparseReshape",
    "input_indices: int64, input_shape: int64, new_shape: int64",
    "output_indices: int64, output_shape: int64",
    "",
    fresh=True,
)


@_reshape.shape
def _reshape_shape(node: Operation, indices: Shape, shape: Shape, new_shape: Shape) -> list[Shape]:
    rows = with_rank(indices, 2)[0]
    with_rank(shape, 1)
    (rank,) = with_rank(new_shape, 1)
    return [(rows, rank), (rank,)]


@_reshape.kernel(CPU, GPU)
def _reshape_kernel(xp: Any, indices: Any, shape: Any, new_shape: Any) -> Any:
    if indices.ndim != 2:
        raise invalid(f"Input indices should be a matrix but received shape {brackets(indices.shape)}")
    if shape.ndim != 1:
        raise invalid(f"Input shape should be a vector but received shape {brackets(shape.shape)}")
    if new_shape.ndim != 1:
        raise invalid(f"Target shape should be a vector but received shape {brackets(new_shape.shape)}")
    old, new = shape.tolist(), _inferred(shape.tolist(), new_shape.tolist())
    if not len(indices):
        return xp.empty((0, len(new)), np.int64), np.array(new, np.int64)
    places = np.ravel_multi_index(tuple(indices.T), old) if xp is np else row_numbers(xp, indices, old)[0]
    return xp.stack(xp.unravel_index(places, new), axis=1).astype(np.int64), np.array(new, np.int64)


def _inferred(old: list[int], new: list[int]) -> list[int]:
    """The new shape, with a number where it says -1."""
    total = math.prod(old)
    open_axes = [axis for axis, size in enumerate(new) if size == -1]
    if len(open_axes) > 1:
        raise invalid(f"only one output dimension may be -1, not both {open_axes[0]} and {open_axes[1]}")
    for axis, size in enumerate(new):
        if size < -1:
            raise invalid(f"size {axis} must be non-negative, not {size}")
    if open_axes:
        known = math.prod(size for size in new if size != -1)
        if not known:
            raise invalid(
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are "
                "non-zero"
            )
        missing = total // known
        new = [missing if size == -1 else size for size in new]
        if missing * known != total:
            raise invalid(
                f"Input to reshape is a SparseTensor with {total} dense values, but the requested shape requires a "
                f"multiple of {known}. input_shape={brackets(old)} output_shape={brackets(new)}"
            )
    if math.prod(new) != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has {math.prod(new)}. "
            f"input_shape={brackets(old)} output_shape={brackets(new)}"
        )
    return new


_reshape.no_gradient("positions are integers")


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The elements of a sparse tensor, counted in row-major order, in another shape. One size may be -1.

    Raises:
      ValueError: if the sizes are known to differ.
    """
    sparse = as_sparse(sp_input)
    shape = cast(shape, dtypes.int64)
    with name_scope(name, "SparseReshape", [sparse.indices, sparse.values, sparse.dense_shape]) as scope:
        indices, dense_shape = _reshape(sparse.indices, sparse.dense_shape, shape, name=scope)
        wanted = get_static_value(shape)
        total = sparse.shape.num_elements()
        if wanted is not None and total is not None:
            dense_shape = constant(_known_shape(wanted.tolist(), total), dtype=dtypes.int64)
        return SparseTensor(indices, identity(sparse.values), dense_shape)


def _known_shape(wanted: list[int], total: int) -> list[int]:
    if wanted.count(-1) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {wanted}")
    known = math.prod(size for size in wanted if size != -1)
    sizes = [total // known if size == -1 and known else size for size in wanted]
    if math.prod(sizes) != total:
        said = [None if size == -1 else size for size in wanted]
        raise ValueError(f"Cannot reshape a tensor with {total} elements to shape {said} ({known} elements).")
    return sizes


# -- concatenating -------------------------------------------------------------------------------------------------

_concat = op(
    "SparseConcat",
    "indices: N * int64, values: N * T, shapes: N * int64",
    "output_indices: int64, output_values: T, output_shape: int64",
    "concat_dim: int; N: int >= 2; T: type",
    fresh=True,
)


@_concat.shape
def _concat_shape(node: Operation, *parts: Shape) -> list[Shape]:
    count = node.attrs["N"]
    rows: int | None = 0
    rank: Shape = (None,)
    for indices, values, shape in zip(parts[:count], parts[count : 2 * count], parts[2 * count :]):
        own_rows, own_rank = with_rank(indices, 2)
        (length,) = with_rank(values, 1)
        rows = dim_add(rows, own_rows if own_rows is not None else length)
        rank = merge(merge(rank, (own_rank,)), with_rank(shape, 1))
    assert rank is not None
    return [(rows, rank[0]), (rows,), rank]


@_concat.kernel(CPU, GPU)
def _concat_kernel(xp: Any, *parts: Any, concat_dim: int) -> Any:
    count = len(parts) // 3
    all_indices, values, shapes = parts[:count], parts[count : 2 * count], parts[2 * count :]
    result = shapes[0].tolist()
    rank = len(result)
    if not -rank <= concat_dim < rank:
        raise invalid(f"Concat dimension must be in range [{-rank}, {rank}), got {concat_dim}")
    axis = concat_dim % rank
    offset = result[axis]
    moved = [all_indices[0]]
    for position, (indices, shape) in enumerate(zip(all_indices[1:], shapes[1:]), 1):
        if len(shape) != rank:
            raise invalid(f"Ranks of all input tensors must match: expected {rank} but got {len(shape)} at position "
                          f"{position}")  # fmt: skip
        for other, size in enumerate(shape.tolist()):
            if other != axis and size != result[other]:
                raise invalid(
                    f"Input shapes must match: expected {result[other]} for dimension {other} but got {size} at "
                    f"position {position}"
                )
        step = np.zeros(rank, np.int64)
        step[axis] = offset
        moved.append(indices + xp.asarray(step))
        offset += int(shape[axis])
    result[axis] = offset
    joined, elements = xp.concatenate(moved), xp.concatenate(values)
    order = xp.lexsort(xp.stack([joined[:, i] for i in range(rank - 1, -1, -1)]))
    return joined[order], elements[order], np.array(result, np.int64)


_concat.no_gradient("TensorFlow has none: concatenate the values, or the dense forms")


def sparse_concat(
    axis: int | None,
    sp_inputs: Any,
    name: str | None = None,
    expand_nonconcat_dim: bool = False,
    concat_dim: int | None = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Sparse tensors one behind the other along `axis`.

    With `expand_nonconcat_dim` the other axes may differ, and get the largest size.

    Raises:
      ValueError: for old and new arguments together.
    """
    if expand_nonconcat_dims is not None:
        if expand_nonconcat_dim:
            raise ValueError("Cannot specify both 'expand_nonconcat_dim' and 'expand_nonconcat_dims'.")
        expand_nonconcat_dim = expand_nonconcat_dims
    if concat_dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'concat_dim'.")
        axis = concat_dim
    if axis is None:
        raise ValueError("sparse_concat needs an axis.")
    inputs = [as_sparse(one) for one in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [one.dense_shape for one in inputs]
    if expand_nonconcat_dim:
        largest: Any = reduce_max(concat([reshape(shape, [1, -1]) for shape in shapes], 0), 0)
        shapes = [_with_size_of(shape, largest, axis) for shape in shapes]
    indices, values = [one.indices for one in inputs], [one.values for one in inputs]
    found = _concat(indices, values, shapes, concat_dim=axis, name=name)
    known = _joined_shape([one.shape for one in inputs], axis, expand_nonconcat_dim)
    if known is not None and None not in known:
        return SparseTensor(found[0], found[1], constant(known, dtype=dtypes.int64))
    result = SparseTensor(*found)
    if known is not None:
        result.set_shape(known)
    return result


def _with_size_of(shape: Any, largest: Any, axis: int) -> Any:
    if axis == -1:
        return concat([largest[:axis], shape[-1:], []], 0)
    return concat([largest[:axis], shape[axis : axis + 1], largest[axis + 1 :]], 0)


def _joined_shape(shapes: list[Any], axis: int, expand: bool) -> list[int | None] | None:
    if any(shape.ndims is None for shape in shapes):
        return None
    columns = list(zip(*[shape.as_list() for shape in shapes]))
    if expand:
        sizes = [None if None in column else max(column) for column in columns]
    else:
        sizes = shapes[0].as_list()
    sizes[axis] = None if None in columns[axis] else sum(columns[axis])
    return sizes
