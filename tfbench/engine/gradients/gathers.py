"""Gradients of gathers: rows (IndexedSlices) along the first axis, a dense tensor along others."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.default_graph import colocate_with
from tfbench.engine.gradients.arrays import dense
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.resource_state import shape_of, variable_shape
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor


@gradient("Gather")
def _gather(node: Operation, dy: Any) -> Any:
    params, indices = node.inputs
    sizes = _sizes_beside(params)
    return [_rows(indices, sizes, ops.expand_dims(ops.size(indices), 0), dy, dense), None]


@gradient("GatherV2")
def _gather_v2(node: Operation, dy: Any) -> Any:
    params, indices, axis = node.inputs
    sizes = _sizes_beside(params)
    count = ops.expand_dims(ops.size(indices), 0)
    known = get_static_value(axis)
    if known is not None and int(known) == 0:
        return [_rows(indices, sizes, count, dy, dense), None, None]
    dx = _along(node, sizes, dy)
    return [ops.reshape(dx, ops.shape(params)), None, None]


@gradient("ResourceGather")
def _resource_gather(node: Operation, dy: Any) -> Any:
    handle, indices = node.inputs
    shape = variable_shape(handle)
    if shape is None or None in shape:
        sizes = lookup("VariableShape")(handle)
    else:
        sizes = ops.constant(list(shape), dtype=dtypes.int32)
    return [_rows(indices, sizes, ops.expand_dims(ops.size(indices), 0), dy), None]


@gradient("GatherNd")
def _gather_nd(node: Operation, dy: Any) -> Any:
    params, indices = node.inputs
    return [_picked(indices, dy, ops.shape(params, out_type=indices.dtype)), None]


@gradient("ResourceGatherNd")
def _resource_gather_nd(node: Operation, dy: Any) -> Any:
    handle, indices = node.inputs
    return [_picked(indices, dy, shape_of(handle, out_type=indices.dtype)), None]


def _picked(indices: Tensor, dy: Any, sizes: Tensor) -> Any:
    """Rows that were picked one by one are rows again; what else was picked goes back into a tensor of zeros."""
    if indices._shape is not None and len(indices._shape) == 2 and indices._shape[-1] == 1:
        return IndexedSlices(dy, ops.squeeze(indices, axis=-1), sizes)
    return ops.scatter_nd(indices, dy, sizes)


def _sizes_beside(params: Tensor) -> Tensor:
    with colocate_with(params):
        return ops.shape(params)


def _rows(indices: Tensor, sizes: Tensor, count: Tensor, dy: Any, whole: Any = lambda dy: dy) -> IndexedSlices:
    """As in TensorFlow: a variable's rows leave it to the reshape (and its name scope) to make `dy` a tensor."""
    shape = ops.concat([count, sizes[1:]], 0)
    rows = ops.reshape(whole(dy), shape)
    return IndexedSlices(rows, ops.reshape(indices, count), sizes)


def _along(node: Operation, sizes: Tensor, dy: Any) -> Tensor:
    """What the elements get back from where they went: `dy` with the gathered axis behind the batch, rows added up."""
    _, indices, axis = node.inputs
    batch = node.attrs["batch_dims"]
    if batch < 0:
        if indices._shape is None:
            raise ValueError(
                f"The gradient of tf.gather with batch_dims={batch} needs the rank of the indices ({indices}) to be "
                "known: pass a positive batch_dims, or use tf.ensure_shape"
            )
        batch += len(indices._shape)
    outer = sizes[:axis]
    inner = sizes[axis:][1:]
    shape = ops.concat([outer, [-1], inner], 0)
    rank = ops.size(shape)
    position = ops.size(outer)
    batches, between, behind = ops.range(batch), ops.range(batch, position), ops.range(position + 1, rank)
    values = ops.reshape(dense(dy), shape)
    order = ops.concat([batches, [position], between, behind], 0)
    values = ops.transpose(values, order)
    moved = ops.gather(sizes, order)
    summed = _add_rows(moved, values, indices, batch, sizes[axis])
    return ops.transpose(summed, ops.concat([batches, between + 1, [batch], behind], 0))


def _add_rows(sizes: Tensor, values: Tensor, indices: Tensor, batch: int, rows: Tensor) -> Tensor:
    count = ops.expand_dims(ops.size(indices), 0)
    if not batch:
        return ops.unsorted_segment_sum(values, ops.reshape(indices, count), rows)
    value_sizes = ops.shape(values)
    outer, inner = value_sizes[:batch], value_sizes[batch:][1:]
    whole = ops.reduce_prod(outer, [0], False)
    flat = ops.concat([[-1], inner], 0)
    rows = rows * whole
    indices = _counted_over_batch(sizes, indices, batch)
    values = ops.reshape(values, flat)
    summed = ops.unsorted_segment_sum(values, ops.reshape(indices, count), rows)
    return ops.reshape(summed, ops.concat([outer, flat], 0))


def _counted_over_batch(sizes: Tensor, indices: Tensor, batch: int) -> Tensor:
    """Indices into rows of each batch, as indices into all rows of all batches one after the other."""
    kind = indices.dtype.base_dtype
    sizes = ops.cast(sizes, kind)
    step = ops.ones((), dtype=kind)
    counted = indices
    for axis in range(batch, 0, -1):
        size = sizes[axis - 1]
        step *= sizes[axis]
        first = ops.zeros((), dtype=kind)
        starts = ops.range(first, size, ops.ones((), dtype=kind))
        starts *= step
        shape = ops.concat([ops.tile([1], [axis - 1]), [size], ops.tile([1], [ops.rank(indices) - axis])], axis=0)
        counted += ops.reshape(starts, shape)
    return counted
