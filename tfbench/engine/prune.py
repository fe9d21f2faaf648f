"""Which operations a fetch needs, and in which order they run.

The order is one fixed order: topological, ties broken by the order in which the ops were made. That makes
runs deterministic; `explain.order` shows exactly this list.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable

from tfbench.engine.graph import Operation
from tfbench.engine.tensor import Tensor


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
        return ordered
    return _topological(ordered, fed)


def dependencies(op: Operation, fed: set[Tensor]) -> list[Operation]:
    """The operations that `op` waits for, data before control; doubles possible."""
    if fed:
        found = [tensor.op for tensor in op._inputs if tensor not in fed]
    else:
        found = [tensor.op for tensor in op._inputs]
    if op._control_inputs:
        found.extend(other for other in op._control_inputs if not is_fed(other, fed))
    return found


def _topological(ordered: list[Operation], fed: set[Tensor]) -> list[Operation]:
    """The general case: an op got a control input, or another input, that was made after it."""
    waiting: dict[Operation, int] = {}
    users: dict[Operation, list[Operation]] = {}
    ready: list[tuple[int, Operation]] = []
    for op in ordered:
        before = set(dependencies(op, fed))
        waiting[op] = len(before)
        for other in before:
            users.setdefault(other, []).append(op)
        if not before:
            ready.append((op._id, op))
    heapq.heapify(ready)
    result = []
    while ready:
        _, op = heapq.heappop(ready)
        result.append(op)
        for user in users.get(op, ()):
            waiting[user] -= 1
            if not waiting[user]:
                heapq.heappush(ready, (user._id, user))
    if len(result) != len(ordered):
        stuck = [op.name for op in ordered if waiting[op] > 0]
        raise ValueError(
            f"The graph has a cycle through {', '.join(repr(name) for name in stuck[:5])}"
            f"{' and others' if len(stuck) > 5 else ''}: each waits for another. Remove one of the control "
            "dependencies."
        )
    return result
