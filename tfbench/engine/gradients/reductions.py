"""Gradients of reductions: the incoming gradient, spread over the axes that were reduced."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes, ops
from tfbench.engine.default_graph import colocate_with, device
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor


def kept_sizes(sizes: Tensor, axes: Tensor) -> Any:
    """The sizes with 1 for each axis of `axes`: the shape that `keepdims` would have given."""
    known, known_axes = get_static_value(sizes), get_static_value(axes)
    if known is not None and known_axes is not None:
        kept = np.array(known, np.int32)
        kept[known_axes] = 1
        return kept
    rank = ops.size(sizes)
    axes = (ops.cast(axes, dtypes.int32) + rank) % rank
    count = ops.shape(axes)
    return ops.dynamic_stitch([ops.range(rank), axes], [sizes, ops.ones(count, dtype=sizes.dtype)])


class _KeptSizes:
    """Sizes with and without axes, worked out once a graph: TensorFlow adds (useless) nodes the first time only."""

    def __init__(self) -> None:
        self.known: dict[Any, tuple[list[int], list[int]]] = {}

    def of(self, shape: tuple[int, ...], axes: Any) -> tuple[list[int], list[int]]:
        key = (shape, tuple(axes.ravel().tolist()))
        if key not in self.known:
            kept = np.array(shape, np.int32)
            kept[axes.ravel()] = 1
            np.array(shape, np.int32) // ops.maximum(kept, 1)
            times = np.array(shape, np.int32) // np.maximum(kept, 1)
            self.known[key] = (kept.tolist(), times.tolist())
        return self.known[key]

    def snapshot(self) -> dict[Any, tuple[list[int], list[int]]]:
        return dict(self.known)

    def restore(self, state: dict[Any, tuple[list[int], list[int]]]) -> None:
        self.known = dict(state)


def _spread(node: Operation, dy: Any) -> Tensor:
    """`dy` repeated over the axes that `node` sums."""
    x, axes = node.inputs
    shape = x._shape
    known_axes = None if shape is None else get_static_value(axes)
    if shape is not None and known_axes is not None:
        if np.array_equal(known_axes, np.arange(len(shape))):
            dy = ops.reshape(dy, [1] * len(shape))
            sizes = ops.shape(x) if None in shape else ops.constant(list(shape), dtype=dtypes.int32)
            return ops.tile(dy, sizes)
        if None not in shape:
            kept, times = node.graph.extension("gradients.kept_sizes", _KeptSizes).of(shape, known_axes)
            return ops.tile(ops.reshape(dy, kept), times)
    sizes = ops.shape(x)
    if not node.attrs["keep_dims"]:
        with colocate_with(sizes):
            kept = kept_sizes(sizes, axes)
        dy = ops.reshape(dy, kept)
    return ops.broadcast_to(dy, sizes)


@gradient("Sum")
def _sum(node: Operation, dy: Any) -> Any:
    return [_spread(node, dy), None]


@gradient("Mean")
def _mean(node: Operation, dy: Any) -> Any:
    spread = _spread(node, dy)
    x = node.inputs[0]
    shapes: list[Any] = [x._shape, node.outputs_list[0]._shape]
    if any(shape is None or None in shape for shape in shapes):
        sizes = ops.shape(x)
        rank = ops.size(sizes)
        axes = (ops.cast(node.inputs[1], rank.dtype) + rank) % rank
        count = ops.reduce_prod(ops.gather(sizes, axes))
    else:
        whole, left = (int(np.prod(shape)) for shape in shapes)
        count = ops.constant(whole // max(left, 1), dtype=spread.dtype)
    return [spread / ops.cast(count, spread.dtype), None]


@gradient("Max", "Min")
def _extreme(node: Operation, dy: Any) -> Any:
    """Elements that are equally large share the gradient."""
    x, axes = node.inputs
    y = node.outputs_list[0]
    sizes = ops.shape(x)
    if node.attrs["keep_dims"]:
        kept = ops.shape(y)
    else:
        kept = kept_sizes(sizes, axes)
        y = ops.reshape(y, kept)
        dy = ops.reshape(dy, kept)
    found = ops.cast(ops.equal(y, x), dy.dtype)
    count = ops.reshape(ops.reduce_sum(found, axes), kept)
    return [found / count * dy, None]


@gradient("Prod")
def _prod(node: Operation, dy: Any) -> Any:
    """For each element the product of the others: those before it times those after it, so that zeros do no harm."""
    x, axes = node.inputs
    sizes = ops.shape(x)
    flat_axes = ops.reshape(axes, [-1])
    if not node.attrs["keep_dims"]:
        dy = ops.reshape(dy, kept_sizes(sizes, axes))
    dy = ops.broadcast_to(dy, sizes)
    with device("/cpu:0"):
        rank = ops.rank(x)
        reduced = (ops.cast(flat_axes, rank.dtype) + rank) % rank
        others, _ = lookup("ListDiff")(ops.range(0, rank), reduced, out_idx=dtypes.int32)
        order = ops.concat([reduced, others], 0)
        inner = ops.reduce_prod(ops.gather(sizes, reduced))
        outer = ops.reduce_prod(ops.gather(sizes, others))
    moved = ops.transpose(x, order)
    moved_sizes = ops.shape(moved)
    columns = ops.reshape(moved, (inner, outer))
    before = ops.cumprod(columns, axis=0, exclusive=True)
    after = ops.cumprod(columns, axis=0, exclusive=True, reverse=True)
    rest = ops.reshape(ops.conj(before) * ops.conj(after), moved_sizes)
    dx = dy * ops.transpose(rest, ops.invert_permutation(order))
    return [ops.reshape(dx, sizes), None]


@gradient("EuclideanNorm")
def _euclidean_norm(node: Operation, dy: Any) -> Any:
    x, axes = node.inputs
    y = node.outputs_list[0]
    if not node.attrs["keep_dims"]:
        kept = kept_sizes(ops.shape(x), axes)
        y = ops.reshape(y, kept)
        dy = ops.reshape(dy, kept)
    return [ops.truediv(x, y / dy), None]


@gradient("Cumsum")
def _cumsum(node: Operation, dy: Any) -> Any:
    attrs = node.attrs
    return [ops.cumsum(dy, node.inputs[1], exclusive=attrs["exclusive"], reverse=not attrs["reverse"]), None]
