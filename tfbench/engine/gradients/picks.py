"""Gradients of picking elements: the largest, windows of images, what is scattered. Each goes back to where it was."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


@gradient("TopK", "TopKV2")
def _top_k(node: Operation, dy: Any, _: Any) -> Any:
    """The indices count along the last axis; as indices of the flat input they say where to scatter to."""
    sizes, places = ops.shape(node.inputs[0]), node.outputs_list[1]
    place_sizes = ops.shape(places)
    rows: Any = ops.reshape(places, ops.stack([-1, _last(place_sizes)]))
    columns = _last(sizes)
    count: Any = ops.cast(ops.shape(rows)[0], dtypes.int64)
    starts = ops.range(0, count * columns, columns)
    flat = ops.reshape(rows + ops.cast(ops.expand_dims(starts, -1), dtypes.int32), [-1])
    dx = ops.scatter_nd(ops.expand_dims(flat, -1), ops.reshape(dy, [-1]), [ops.reduce_prod(sizes)])
    dx = ops.reshape(dx, sizes)
    return [dx] if len(node.inputs) == 1 else [dx, ops.zeros([], dtype=dtypes.int32)]


def _last(sizes: Tensor) -> Any:
    return ops.gather(ops.cast(sizes, dtypes.int64), ops.size(sizes) - 1)


@gradient("NthElement")
def _nth_element(node: Operation, dy: Any) -> Any:
    """Elements that are equal share the gradient."""
    found: Any = ops.cast(ops.equal(ops.expand_dims(node.outputs_list[0], -1), node.inputs[0]), dy.dtype)
    dy = ops.expand_dims(dy, -1)
    count = ops.expand_dims(ops.reduce_sum(found, -1), -1)
    return [ops.divide(found, count) * dy, None]


@gradient("TensorScatterMin", "TensorScatterMax")
def _tensor_scatter_extreme(node: Operation, dy: Any) -> Any:
    """The old element and the updates that equal the result share the gradient."""
    tensor, indices, updates = node.inputs
    result = node.outputs_list[0]
    kept: Any = ops.cast(ops.equal(tensor, result), dy.dtype)
    taken: Any = ops.cast(ops.equal(updates, ops.gather_nd(result, indices)), dy.dtype)
    count = kept + ops.scatter_nd(indices, taken, ops.shape(tensor, out_type=indices.dtype))
    dtensor = ops.divide(dy * kept, count)
    return [dtensor, None, ops.gather_nd(ops.divide(dy, count), indices) * taken]


@gradient("ExtractImagePatches")
def _extract_image_patches(node: Operation, dy: Any) -> Any:
    """Patches of an image of numbered pixels say from which pixel each element of a patch is; 0 is the padding."""
    attrs = {name: node.attrs[name] for name in ("ksizes", "strides", "rates", "padding")}
    batch, rows, columns, channels = ops.unstack(ops.shape(node.inputs[0], out_type=dtypes.int64))
    sizes: Any = ops.shape(node.outputs_list[0], out_type=dtypes.int64)
    rows_out, columns_out = ops.unstack(sizes[1:3])
    _, height, width, _ = attrs["ksizes"]
    pixels: Any = rows * columns
    numbers = ops.range(1, pixels + 1, dtype=dtypes.float32)
    numbers = ops.reshape(numbers, (1, rows, columns, 1))
    places: Any = ops.cast(lookup("ExtractImagePatches")(numbers, **attrs), dtypes.int64)
    dy = ops.reshape(dy, (batch, rows_out, columns_out, height, width, channels))
    dy = ops.reshape(ops.transpose(dy, (1, 2, 3, 4, 0, 5)), (-1, batch * channels))
    places = ops.reshape(places, (-1,)) - 1
    dx = ops.unsorted_segment_sum(dy, places, pixels)
    dx = ops.reshape(dx, (rows, columns, batch, channels))
    return [ops.transpose(dx, (2, 0, 1, 3))]
