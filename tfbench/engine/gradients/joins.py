"""Gradients of joined parts, each of which gets its own cut, and of parted ones, which are joined again.

Where the incoming gradient is rows (IndexedSlices), the parts' are, too. Along the first axis a part gets the rows that
are its own; along another one it gets its columns of every row.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.control_flow.context import output_context
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor

#: more parts than this are cut by one Split
_SLICES = 16


@gradient("ConcatV2")
def _concat_v2(node: Operation, dy: Any) -> Any:
    *values, axis = node.inputs
    if len(values) == 1:
        return [dy, None]
    if isinstance(dy, IndexedSlices):
        return [*_rows_of_parts(values, axis, dy), None]
    return [*_parts(values, axis, dy), None]


def _parts(values: list[Tensor], axis: Any, dy: Any) -> list[Any]:
    if axis.op.type == "Const" and output_context(axis.op) is not output_context(dy.op):
        # A constant of another branch or loop is made again rather than carried in; it can no longer be fed then.
        axis = ops.constant(get_static_value(axis), dtype=axis.dtype)
    position = axis % ops.rank(values[0])
    sizes: list[Tensor] = []
    for value in values:
        size = ops.shape(value)
        if size.op.type != "Const":
            sizes = ops.shape_n(list(values))
            break
        sizes.append(size)
    if len(sizes) > _SLICES:
        along = ops.squeeze(ops.slice(ops.stack(sizes, axis=1), [position, 0], [1, -1]))
        return list(ops.split(dy, along, position))
    begins = lookup("ConcatOffset")(position, sizes)
    return [ops.slice(dy, begin, size) for begin, size in zip(begins, sizes)]


def _rows_of_parts(values: list[Tensor], axis: Any, dy: IndexedSlices) -> list[IndexedSlices]:
    position = axis % ops.rank(values[0])
    known = constant_value(axis)
    if known is None:
        raise ValueError(f"Can only compute IndexedSlices gradient with statically-known concat_dim, not {axis}")
    along = int(known)
    if along < 0:
        rank = constant_value(ops.rank(values[0]))
        if rank is None:
            raise ValueError(
                "Can only compute IndexedSlices gradient with negative concat_dim when first value rank is "
                f"statically-known: {values[0]} has no known rank"
            )
        along += int(rank)
    sizes: list[Any] = [ops.shape(value) for value in values]
    return _columns(sizes, position, dy) if along else _own_rows(sizes, position, dy)


def _columns(sizes: list[Any], position: Any, dy: IndexedSlices) -> list[IndexedSlices]:
    rank: Any = ops.shape(sizes[0])
    before = ops.zeros(ops.expand_dims(position, 0), dtype=dtypes.int32)
    mask = ops.concat([before, [1], ops.zeros(rank - position - 1, dtype=dtypes.int32)], 0)
    begin: Any = ops.zeros(rank, dtype=dtypes.int32)
    found = []
    for size in sizes:
        extent = ops.concat([[-1], ops.slice(size, [1], [-1])], 0)
        found.append(IndexedSlices(ops.slice(dy.values, begin, extent), dy.indices, size))
        begin = ops.add(begin, size * mask)
    return found


def _own_rows(sizes: list[Any], position: Any, dy: IndexedSlices) -> list[IndexedSlices]:
    kind = dy.indices.dtype
    start: Any = ops.constant(0, dtype=kind)
    found = []
    for size in sizes:
        rows = ops.gather(size, position)
        if rows.dtype != kind:
            rows = ops.cast(rows, kind)
        end = start + rows
        own = ops.logical_and(ops.greater_equal(dy.indices, start), ops.less(dy.indices, end))
        places = ops.squeeze(ops.where(own), axis=[1])
        indices: Any = ops.gather(dy.indices, places)
        indices = indices - start
        found.append(IndexedSlices(ops.gather(dy.values, places), indices, size))
        start = end
    return found


@gradient("DynamicStitch", "ParallelDynamicStitch")
def _dynamic_stitch(node: Operation, dy: Any) -> Any:
    count = node.attrs["N"]
    if isinstance(dy, IndexedSlices):
        sizes: Any = ops.shape(node.outputs_list[0])
        dy = ops.unsorted_segment_sum(dy.values, dy.indices, sizes[0])
    return [None] * count + [ops.gather(dy, index) for index in node.inputs[:count]]


@gradient("DynamicPartition")
def _dynamic_partition(node: Operation, *grads: Any) -> Any:
    """Numbered rows, parted in the same way, say where each came from."""
    data, partitions = node.inputs
    sizes = ops.shape(partitions)
    numbers = ops.reshape(ops.range(ops.reduce_prod(sizes)), sizes)
    places = ops.dynamic_partition(numbers, partitions, node.attrs["num_partitions"])
    return [ops.reshape(ops.parallel_dynamic_stitch(places, list(grads)), ops.shape(data)), None]
