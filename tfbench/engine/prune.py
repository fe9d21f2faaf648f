"""Which operations a fetch needs, and in which order they run.

The order is one fixed order: topological, ties broken by the order in which the ops were made, but that a Shape comes
right after the op it asks about. Gradients ask for shapes of everything; if they did when they were made, all of
the forward pass would have to be kept until then. The order makes runs deterministic; `explain.order` shows exactly it.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from tfbench.engine.graph import Operation
from tfbench.engine.tensor import Tensor

#: what is put in order: operations, or anything else with a name
N = TypeVar("N", bound=Any)

_SIZES = frozenset({"Shape", "Size", "Rank"})


def needed_operations(tensors: Iterable[Tensor], operations: Iterable[Operation], fed: set[Tensor]) -> set[Operation]:
    """Everything that must run for these tensors and operations, given that `fed` tensors need not be computed."""
    needed: set[Operation] = set()
    stack: list[Operation] = [tensor.op for tensor in tensors if tensor not in fed]
    stack.extend(operations)
    while stack:
        op = stack.pop()
        if op in needed:
            continue
        needed.add(op)
        for tensor in op._inputs:
            if tensor not in fed and tensor.op not in needed:
                stack.append(tensor.op)
        stack.extend(other for other in op._control_inputs if other not in needed and not is_fed(other, fed))
    return needed


def is_fed(op: Operation, fed: set[Tensor]) -> bool:
    """Whether the feed stands for `op` altogether, even for those that only wait for it.

    That holds for placeholders; any other op whose output is fed still runs where it is a control dependency.
    """
    return bool(fed) and op.type in ("Placeholder", "PlaceholderV2") and op.outputs_list[0] in fed


def schedule(needed: set[Operation], fed: set[Tensor]) -> list[Operation]:
    """`needed` in run order."""
    ordered = sorted(needed, key=lambda op: op._id)
    if all(dependency._id < op._id for op in ordered for dependency in dependencies(op, fed)):
        return shapes_early(ordered)
    # The general case: an op got a control input, or another input, that was made after it.
    return shapes_early(topological(ordered, lambda op: dependencies(op, fed), lambda op: op._id))


def shapes_early(ordered: list[N]) -> list[N]:
    """`ordered` with the ops that only look at the size of what an op in it makes right behind that op."""
    asking = [
        op
        for op in ordered
        if isinstance(op, Operation)
        and op.type in _SIZES
        and not op._control_inputs
        and not op._inputs[0]._dtype._is_ref_dtype
    ]
    if not asking:
        return ordered
    there = set(ordered).difference(asking)
    behind: dict[N, list[N]] = {}
    for op in asking:
        if op._inputs[0].op in there:
            behind.setdefault(op._inputs[0].op, []).append(op)
    moved = {op for ops in behind.values() for op in ops}
    result: list[N] = []
    for op in ordered:
        if op not in moved:
            result.append(op)
            result.extend(behind.get(op, ()))
    return result


def dependencies(op: Operation, fed: set[Tensor]) -> list[Operation]:
    """The operations that `op` waits for, data before control; doubles possible."""
    if fed:
        found = [tensor.op for tensor in op._inputs if tensor not in fed]
    else:
        found = [tensor.op for tensor in op._inputs]
    if op._control_inputs:
        found.extend(other for other in op._control_inputs if not is_fed(other, fed))
    return found


def topological(items: Sequence[N], before: Callable[[N], Iterable[N]], key: Callable[[N], int]) -> list[N]:
    """`items` with what each waits for before it; among those that could be next, the one with the lowest key.

    Raises:
      ValueError: if items wait for each other.
    """
    waiting: dict[N, int] = {}
    users: dict[N, list[N]] = {}
    ready: list[tuple[int, N]] = []
    for item in items:
        needs = set(before(item))
        waiting[item] = len(needs)
        for other in needs:
            users.setdefault(other, []).append(item)
        if not needs:
            ready.append((key(item), item))
    heapq.heapify(ready)
    result = []
    while ready:
        _, item = heapq.heappop(ready)
        result.append(item)
        for user in users.get(item, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, (key(user), user))
    if len(result) != len(items):
        stuck = [repr(item.name) for item in items if waiting[item] > 0]
        raise ValueError(
            f"The graph has a cycle through {', '.join(stuck[:5])}{' and others' if len(stuck) > 5 else ''}: each "
            "waits for another. Remove one of the control dependencies."
        )
    return result
