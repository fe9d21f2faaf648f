"""Which ops lie between what is differentiated and what it is differentiated by.

Backward from the ys: what might they depend on? Forward from the xs among these, along outputs that have gradients:
what do they reach? Backward from the ys among those: what lies between. Ops are numbered as they were made, so that one
pass in that order goes forward; only where an op was given another input since (loops do that) it takes more, until
nothing is new. Nothing before the first x is looked at.
"""

from __future__ import annotations

from collections.abc import Collection
from operator import attrgetter

from tfbench.engine import dtypes
from tfbench.engine.dtypes import DType
from tfbench.engine.graph import Graph, Operation

_TRAINABLE = (
    dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.complex64, dtypes.complex128,
    dtypes.resource, dtypes.variant,
)  # fmt: skip

#: the numbers of the types that have gradients, and of references to them
_ENUMS = frozenset(kind._type_enum for dtype in _TRAINABLE for kind in (dtype, dtype._as_ref))

_by_age = attrgetter("_id")


def trainable(dtype: DType) -> bool:
    """Whether tensors of this type have gradients."""
    return dtype._type_enum in _ENUMS


def ops_between(
    graph: Graph, to_ops: Collection[Operation], from_ops: Collection[Operation]
) -> tuple[list[Operation], dict[Operation, int]]:
    """The ops between, and for each one (that has any) how many of its uses lie between as well."""
    if not from_ops:
        return [], {}
    first = 0 if graph.rewired else min(op._id for op in from_ops)
    found = [op for op in to_ops if op._id >= first]
    seen = set(found)
    for op in found:  # grows on the way
        for tensor in op._inputs:
            source = tensor.op
            if source not in seen and source._id >= first:
                seen.add(source)
                found.append(source)
    reached = _reached(graph, found, from_ops)
    found = [op for op in to_ops if op in reached]
    seen = set(found)
    uses: dict[Operation, int] = {}
    for op in found:
        for tensor in op._inputs:
            source = tensor.op
            if source in uses:
                uses[source] += 1
            elif source in reached:
                uses[source] = 1
                if source not in seen:
                    seen.add(source)
                    found.append(source)
    return found, uses


def _reached(graph: Graph, candidates: list[Operation], from_ops: Collection[Operation]) -> set[Operation]:
    """Those of `candidates` to which a differentiable way leads from `from_ops`, and these."""
    candidates.sort(key=_by_age)
    reached = set(from_ops)
    enums = _ENUMS
    before = -1
    while before < len(reached):
        before = len(reached)
        for op in candidates:
            if op not in reached:
                for tensor in op._inputs:
                    if tensor.op in reached and tensor._dtype._type_enum in enums:
                        reached.add(op)
                        break
        if not graph.rewired:
            break
    return reached
