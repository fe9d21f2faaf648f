"""Gradients of segments: each row gets its segment's."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


@gradient("SegmentSum")
def _segment_sum(node: Operation, dy: Any) -> Any:
    return [ops.gather(dy, node.inputs[1]), None]


@gradient("SegmentMean")
def _segment_mean(node: Operation, dy: Any) -> Any:
    x, ids = node.inputs
    missing: Any = ops.rank(x)
    shape = ops.concat([ops.shape(ids), ops.ones(ops.expand_dims(missing - 1, 0), dtype=dtypes.int32)], 0)
    counts = ops.segment_sum(ops.ones(shape, dtype=dy.dtype), ids)
    return [ops.gather(ops.divide(dy, counts), ids), None]


@gradient("SegmentMin", "SegmentMax")
def _segment_extreme(node: Operation, dy: Any) -> Any:
    """Rows that are equally large share the gradient."""
    x, ids = node.inputs
    nothing = ops.zeros_like(x)
    taken = ops.equal(x, ops.gather(node.outputs_list[0], ids))
    count = ops.segment_sum(ops.cast(taken, dy.dtype), ids)
    return [ops.where_v2(taken, ops.gather(ops.divide(dy, count), ids), nothing), None]


def _product(node: Operation, dy: Any, place: Any, total: Any) -> tuple[Any, Any, Any]:
    """Which factors are zero, the gradient (0 where two are), and the product of the others of each segment."""
    x = node.inputs[0]
    zero = ops.equal(x, 0)
    zeros = total("Sum", ops.cast(zero, dtypes.int32))
    dy = ops.where_v2(ops.greater(zeros, 1), ops.zeros_like(dy), dy)
    factors = ops.where_v2(zero, ops.ones_like(x), x)
    others = total("Prod", factors)
    gathered, gathered_others = ops.gather(node.outputs_list[0], place()), ops.gather(others, place())
    return zero, (dy, factors), (gathered, gathered_others)


@gradient("SegmentProd")
def _segment_prod(node: Operation, dy: Any) -> Any:
    """The product of the other factors: the whole over a factor, or, for the only zero, that of those that are not."""
    ids = node.inputs[1]
    zero, (dy, factors), (whole, others) = _product(
        node, dy, lambda: ids, lambda kind, x: lookup("Segment" + kind)(x, ids)
    )
    partial = ops.where_v2(zero, others, whole / factors)
    return [ops.gather(dy, ids) * partial, None]


# -- ids in any order -------------------------------------------------------------------------------------------


def _dropped(values: Any, ids: Tensor, clipped: Any = None, kept: Any = None) -> tuple[Tensor, Tensor, Any]:
    """Each row's segment, zeros for rows with a negative id; the ids without those; which are kept."""
    if clipped is None:
        clipped = ops.maximum(ids, ops.zeros_like(ids))
    rows = ops.gather(values, clipped)
    if kept is None:
        kept = ops.greater_equal(ids, 0)
        sizes = ops.shape(kept)
        missing = ops.rank(rows) - ops.rank(kept)
        kept = ops.reshape(kept, ops.concat([sizes, ops.ones([missing], dtype=sizes.dtype)], 0))
        kept = kept & ops.ones_like(rows, dtype="bool")
    return ops.where_v2(kept, rows, ops.zeros_like(rows)), clipped, kept


@gradient("UnsortedSegmentSum")
def _unsorted_segment_sum(node: Operation, dy: Any) -> Any:
    return [_dropped(dy, node.inputs[1])[0], None, None]


@gradient("UnsortedSegmentMin", "UnsortedSegmentMax")
def _unsorted_segment_extreme(node: Operation, dy: Any) -> Any:
    x, ids, number = node.inputs
    largest, clipped, kept = _dropped(node.outputs_list[0], ids)
    taken = ops.logical_and(ops.equal(x, largest), kept)
    count = ops.unsorted_segment_sum(ops.cast(taken, dy.dtype), ids, number)
    shares, _, _ = _dropped(ops.divide(dy, count), ids, clipped, kept)
    return [ops.where_v2(taken, shares, ops.zeros_like(shares)), None, None]


@gradient("UnsortedSegmentProd")
def _unsorted_segment_prod(node: Operation, dy: Any) -> Any:
    x, ids, number = node.inputs
    clipped: list[Tensor] = []

    def place() -> Tensor:
        if not clipped:
            clipped.append(ops.maximum(ids, ops.zeros_like(ids)))
        return clipped[0]

    zero, (dy, _), (whole, others) = _product(
        node, dy, place, lambda kind, x: lookup("UnsortedSegment" + kind)(x, ids, number)
    )
    partial = ops.where_v2(zero, others, whole / x)
    return [_dropped(dy, ids, clipped[0])[0] * partial, None, None]


# -- picked rows ------------------------------------------------------------------------------------------------


def _picked(kind: str) -> None:
    """By an op of its own; with `sparse_gradient` only the rows that were picked, as IndexedSlices."""

    @gradient(f"SparseSegment{kind}", f"SparseSegment{kind}WithNumSegments")
    def build(node: Operation, dy: Any) -> Any:
        x, indices, ids = node.inputs[:3]
        sizes: Any = ops.shape(x)
        others = [None] * (len(node.inputs) - 1)
        if node.attrs["sparse_gradient"]:
            rows, places = lookup(f"SparseSegment{kind}GradV2")(dy, indices, ids, sizes[0])
            return [IndexedSlices(rows, places, sizes), *others]
        return [lookup(f"SparseSegment{kind}Grad")(dy, indices, ids, sizes[0]), *others]


_picked("Sum")
_picked("Mean")
_picked("SqrtN")
