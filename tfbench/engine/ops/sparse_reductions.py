"""Reductions of sparse tensors along axes, to dense and to sparse tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.math_range import range as range_op
from tfbench.engine.ops.shape_queries import rank
from tfbench.engine.ops.sparse_common import NUMBER, REAL, check_sparse, row_major
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["sparse_reduce_max", "sparse_reduce_max_sparse", "sparse_reduce_sum", "sparse_reduce_sum_sparse"]

Array = Any


def _reduction(type: str, add: bool, types: str) -> tuple[OpDef, OpDef]:
    inputs = "input_indices: int64, input_values: T, input_shape: int64, reduction_axes: int32"
    attrs = f"keep_dims: bool = false; T: {types}"
    dense = op(type, inputs, "output: T", attrs, fresh=True)
    sparse = op(
        f"{type}Sparse", inputs, "output_indices: int64, output_values: T, output_shape: int64", attrs, fresh=True
    )

    @dense.shape
    def _(node: Operation, indices: Shape, values: Shape, shape: Shape, axes: Shape) -> list[Shape]:
        return [_reduced(node)]

    @sparse.shape
    def _(node: Operation, *inputs: Shape) -> list[Shape]:
        return [None, None, None]

    def groups(indices: Array, values: Array, shape: Array, axes: Array, keep_dims: bool) -> Any:
        check_sparse(indices, values, shape)
        sizes, gone = shape.tolist(), _axes(np.ravel(axes), shape.size)
        kept = [axis for axis in range(len(sizes)) if axis not in gone]
        outer = np.array([sizes[axis] for axis in kept], np.int64)
        keys, places = np.unique(row_major(indices[:, kept], outer), return_inverse=True)
        found = np.zeros(keys.size, values.dtype)
        if add:
            np.add.at(found, places, values)
        else:
            seen = np.zeros(keys.size, bool)
            for place, value in zip(places.tolist(), values):
                if not seen[place] or value > found[place]:
                    found[place], seen[place] = value, True
        where = np.stack(np.unravel_index(keys, outer), axis=1) if outer.size else np.zeros((keys.size, 0), np.int64)
        if keep_dims:
            full = np.zeros((keys.size, len(sizes)), np.int64)
            full[:, kept] = where
            where = full
            outer = np.array([1 if axis in gone else size for axis, size in enumerate(sizes)], np.int64)
        return where, found, outer

    @dense.kernel(CPU)
    def _(xp: Any, indices: Array, values: Array, shape: Array, axes: Array, *, keep_dims: bool) -> Array:
        where, found, sizes = groups(indices, values, shape, axes, keep_dims)
        out = np.zeros(sizes.tolist(), values.dtype)
        out[tuple(where.T)] = found if sizes.size else (found[0] if found.size else 0)
        return out

    @sparse.kernel(CPU)
    def _(xp: Any, indices: Array, values: Array, shape: Array, axes: Array, *, keep_dims: bool) -> list[Array]:
        return list(groups(indices, values, shape, axes, keep_dims))

    return dense, sparse


def _axes(axes: Array, rank: int) -> set[int]:
    found = set()
    for axis in axes.tolist():
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
        found.add(axis % rank)
    return found


def _reduced(node: Operation) -> Shape:
    """The static shape of a reduction, where axes and shape are known."""
    known, axes = constant_value(node.inputs[2]), constant_value(node.inputs[3])
    if known is None or axes is None:
        return None
    sizes = known.tolist()
    gone = {axis % len(sizes) for axis in np.ravel(axes).tolist()} if sizes else set()
    if node.attrs["keep_dims"]:
        return tuple(1 if axis in gone else size for axis, size in enumerate(sizes))
    return tuple(size for axis, size in enumerate(sizes) if axis not in gone)


_sum, _sum_sparse = _reduction("SparseReduceSum", True, NUMBER)
_max, _max_sparse = _reduction("SparseReduceMax", False, REAL)
for _declared in (_sum_sparse, _max, _max_sparse):
    _declared.no_gradient("TensorFlow has none for this reduction of a sparse tensor")


def _reduce(declared: OpDef, sparse: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any) -> Any:
    if keep_dims is not None:
        if keepdims is not None:
            raise ValueError("Cannot specify both 'keep_dims' and 'keepdims'.")
        keepdims = keep_dims
    if reduction_axes is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'reduction_axes' and 'axis'.")
        axis = reduction_axes
    axes = axis
    if axis is None:
        count = sparse.dense_shape.shape.num_elements()
        axes = range_op(0, rank(sparse)) if count is None else constant(np.arange(count, dtype=np.int32))
    return declared(sparse.indices, sparse.values, sparse.dense_shape, axes, keep_dims=bool(keepdims))


def sparse_reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> Tensor:
    """The sum along axes (all by default), a dense tensor."""
    found: Tensor = _reduce(_sum, sp_input, axis, keepdims, reduction_axes, keep_dims)
    return found


def sparse_reduce_max(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> Tensor:
    """The largest of the elements that there are, along axes (all by default); dense, 0 where there are none."""
    found: Tensor = _reduce(_max, sp_input, axis, keepdims, reduction_axes, keep_dims)
    return found


def sparse_reduce_sum_sparse(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> SparseTensor:
    """The sum along axes (all by default), a sparse tensor."""
    return SparseTensor(*_reduce(_sum_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max_sparse(
    sp_input: Any, axis: Any = None, keepdims: Any = None, reduction_axes: Any = None, keep_dims: Any = None
) -> SparseTensor:
    """The largest of the elements that there are, along axes (all by default), a sparse tensor."""
    return SparseTensor(*_reduce(_max_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))
