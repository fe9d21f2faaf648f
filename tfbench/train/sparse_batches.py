"""Sparse examples of `tf.train.batch`: numbers go through the queue, tensors wait in a map (`ops.sparse_maps`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import constant
from tfbench.engine.default_graph import colocate_with
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.ops.array_fill import ones
from tfbench.engine.ops.array_stitch import dynamic_partition
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.shape_ops import expand_dims, squeeze
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.ops.sparse_maps import add_many, add_one, take_many
from tfbench.engine.tensor import Tensor

_ADDS = ("AddSparseToTensorsMap", "AddManySparseToTensorsMap")


class Stored:
    """The node whose map has a sparse component, and the component's rank in an example."""

    __slots__ = ("dtype", "node", "rank")

    def __init__(self, node: Operation, rank: int | None, dtype: Any) -> None:
        self.node = node
        self.rank = rank
        self.dtype = dtype


def store(sources: Sequence[Sequence[Any]], many: bool, keep: Tensor) -> tuple[list[list[Tensor]], list[Stored | None]]:
    """The sources with numbers for their sparse tensors, and for each component where it is (None: it is dense)."""
    found: list[list[Tensor]] = []
    maps: list[Stored | None] = []
    for source in sources:
        first = not found
        if not first and [isinstance(one, SparseTensor) for one in source] != [one is not None for one in maps]:
            raise ValueError(f"Inconsistent SparseTensors list: {sources[0]} vs. {source}")
        numbers: list[Tensor] = []
        for position, tensor in enumerate(source):
            if not isinstance(tensor, SparseTensor):
                numbers.append(tensor)
                if first:
                    maps.append(None)
                continue
            shared = None if first else maps[position]
            added = _add(tensor, many, keep, "" if shared is None else shared.node.name)
            numbers.append(added)
            if first:
                rank = tensor.dense_shape.get_shape()[0].value
                maps.append(Stored(_adder(added), None if rank is None else rank - many, tensor.dtype))
        found.append(
            [one if where is None else expand_dims(one, [-1]) for one, where in zip(numbers, maps, strict=True)]
        )
    return found, maps


def _adder(added: Tensor) -> Operation:
    """The node that adds; where it is in a branch, it is behind a Merge."""
    return next((tensor.op for tensor in added.op.inputs if tensor.op.type in _ADDS), added.op)


def _add(tensor: SparseTensor, many: bool, keep: Tensor, shared: str) -> Tensor:
    parts = (tensor.indices, tensor.values, tensor.dense_shape)
    if keep.get_shape().ndims == 1:
        return add_many(*_rows(tensor, keep), shared_name=shared)
    if not many:
        return _chosen(keep, lambda: add_one(*parts, shared_name=shared), lambda: constant(-1, dtypes.int64))
    numbers = _chosen(
        keep,
        lambda: add_many(*parts, shared_name=shared),
        lambda: -1 * ones(shape_of(tensor)[0:1], dtypes.int64),
    )
    numbers.set_shape([None])
    return numbers


def _chosen(keep: Tensor, yes: Any, no: Any) -> Any:
    known = constant_value(keep)
    if known is None:
        return cond(keep, yes, no)
    return yes() if known else no()


def _rows(tensor: SparseTensor, keep: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The parts of the sparse tensor that has the kept rows alone."""
    from tfbench.engine.ops.array_join import concat
    from tfbench.engine.ops.cumulative import cumsum
    from tfbench.engine.ops.reductions import reduce_sum

    kept = cast(keep, dtypes.int64)
    rows = tensor.indices[:, 0]
    which = cast(gather(keep, rows), dtypes.int32)
    numbers = gather(cumsum(kept) - 1, rows)[:, None]
    indices = dynamic_partition(concat([numbers, tensor.indices[:, 1:]], 1), which, 2)[1]
    values = dynamic_partition(tensor.values, which, 2)[1]
    return indices, values, concat([reduce_sum(kept)[None], tensor.dense_shape[1:]], 0)


def restore(dequeued: Any, maps: Sequence[Stored | None]) -> Any:
    """What came out of the queue, with the sparse tensors in place of their numbers."""
    if not any(maps):
        return dequeued
    listed = list(dequeued) if isinstance(dequeued, (list, tuple)) else [dequeued]
    found: list[Any] = []
    for one, where in zip(listed, maps, strict=True):
        if where is None:
            found.append(one)
            continue
        numbers = squeeze(one, [1])
        with colocate_with(where.node):
            parts = take_many(numbers, dtype=where.dtype, shared_name=where.node.name)
        rank = None if where.rank is None else where.rank + 1
        parts[0].set_shape([None, rank])
        parts[2].set_shape([rank])
        found.append(SparseTensor(*parts))
    # Whoever takes one component empties the maps of all. (TensorFlow makes these nodes for a single one, too.)
    waits = [one.values if isinstance(one, SparseTensor) else one for one in found]

    def after(tensor: Tensor) -> Tensor:
        return with_dependencies(waits, tensor)

    together = [
        SparseTensor(after(one.indices), after(one.values), after(one.dense_shape))
        if isinstance(one, SparseTensor)
        else after(one)
        for one in found
    ]
    return together if isinstance(dequeued, (list, tuple)) else found[0]
