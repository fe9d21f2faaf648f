"""Gradients of ops that move, cut and join elements without changing them."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.gradients.broadcast import summed
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor


def dense(grad: Any) -> Tensor:
    """`grad` as a tensor: the rows of an IndexedSlices added up."""
    if not isinstance(grad, IndexedSlices):
        return grad
    if grad.dense_shape is None:
        raise ValueError(f"Tensor conversion requested for IndexedSlices without dense_shape: {grad}")
    return ops.unsorted_segment_sum(grad.values, grad.indices, grad.dense_shape[0])


@gradient("PlaceholderWithDefault", "RefIdentity")
def _same(node: Operation, dy: Any) -> Any:
    return [dy]


# -- shapes -------------------------------------------------------------------------------------------------


@gradient("Reshape")
def _reshape(node: Operation, dy: Any) -> Any:
    x = node.inputs[0]
    shape = x._shape
    if shape is not None and shape.count(None) == 1 and 0 not in shape:
        # One unknown size follows from the others.
        return [ops.reshape(dense(dy), [-1 if size is None else size for size in shape]), None]
    return [ops.reshape(dense(dy), ops.shape(x)), None]


@gradient("ExpandDims")
def _expand_dims(node: Operation, dy: Any) -> Any:
    return [ops.reshape(dense(dy), ops.shape(node.inputs[0])), None]


@gradient("Squeeze")
def _squeeze(node: Operation, dy: Any) -> Any:
    return [ops.reshape(dense(dy), ops.shape(node.inputs[0]))]


@gradient("BroadcastTo")
def _broadcast_to(node: Operation, dy: Any) -> Any:
    x, sizes = node.inputs
    own = ops.shape(x, out_type=sizes.dtype)
    known = constant_value(sizes)
    if known is not None:
        sizes = ops.constant(known.tolist(), dtype=sizes.dtype)
    _, axes = lookup("BroadcastGradientArgs")(sizes, own)
    return [ops.reshape(ops.reduce_sum(dy, axes, keepdims=True), own), None]


@gradient("Fill")
def _fill(node: Operation, dy: Any) -> Any:
    return [None, ops.reduce_sum(dy)]


# -- parts --------------------------------------------------------------------------------------------------


@gradient("StridedSlice")
def _strided_slice(node: Operation, dy: Any) -> Any:
    x, *bounds = node.inputs
    given: list[Any] = [ops.shape(x, out_type=bounds[0].dtype), *bounds]
    for i, tensor in enumerate(given):
        value = get_static_value(tensor)
        given[i] = tensor if value is None else value
    masks = {key: value for key, value in node.attrs.items() if key.endswith("_mask")}
    return [lookup("StridedSliceGrad")(*given, dy, **masks), None, None, None]


@gradient("Slice")
def _slice(node: Operation, dy: Any) -> Any:
    x, begin, _ = node.inputs
    rank = ops.rank(x)
    size = ops.shape(node.outputs_list[0], out_type=begin.dtype)
    column = ops.stack([rank, 1])
    before = ops.reshape(begin, column)
    after = ops.reshape(ops.shape(x, out_type=begin.dtype) - size - begin, column)
    return [ops.pad(dy, ops.concat([before, after], 1)), None, None]


@gradient("Pad", "PadV2")
def _pad(node: Operation, dy: Any) -> Any:
    x, paddings = node.inputs[:2]
    before = ops.slice(paddings, [0, 0], ops.stack([ops.rank(x), 1]))
    begin = ops.reshape(before, [-1])
    dx = ops.slice(dy, begin, ops.shape(x, out_type=begin.dtype))
    return [dx, *[None] * (len(node.inputs) - 1)]


@gradient("Tile")
def _tile(node: Operation, dy: Any) -> Any:
    x, multiples = node.inputs
    sizes = ops.shape(x, out_type=multiples.dtype)
    # [m0, n0, m1, n1, …]: in this form each repeated axis is one to sum over
    pairs = ops.reshape(ops.transpose(ops.stack([multiples, sizes])), [-1])
    axes = ops.range(0, ops.size(pairs), 2)
    if isinstance(dy, IndexedSlices):
        rows = ops.cast(sizes[0], dy.indices.dtype)
        dy = ops.unsorted_segment_sum(dy.values, dy.indices % rows, rows)
        pairs = ops.concat([[1], pairs[1:]], axis=0)
    dx = ops.reduce_sum(ops.reshape(dy, pairs), axes)
    dx.set_shape(x.shape)
    return [dx, None]


@gradient("SelectV2")
def _select_v2(node: Operation, dy: Any) -> Any:
    condition, t, e = node.inputs
    z = node.outputs_list[0]
    nothing = ops.zeros([], dtype=dy.dtype.base_dtype)
    dt = ops.where_v2(condition, dy, nothing)
    de = ops.where_v2(condition, nothing, dy)
    dt, _ = summed(t, z, dt, None)
    de, _ = summed(e, z, de, None)
    return None, dt, de
