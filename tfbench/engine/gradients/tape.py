"""Gradients as a tape works them out: TensorFlow differentiates some gradients that are made of many ops this way.

Unlike in `tf.gradients` no op has a scope of its own, and gradients that lead to no source are not made where
TensorFlow's gradient functions look (`Recorded.unwanted`). Ops are taken up first come, first served.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from tfbench.engine import ops
from tfbench.engine.gradients.registry import gradient_function
from tfbench.engine.graph import Operation
from tfbench.engine.tensor import Tensor


class Recorded:
    """An op as gradient functions see it, and which of its inputs depend on no source."""

    __slots__ = ("_node", "unwanted")

    def __init__(self, node: Operation, unwanted: frozenset[int]) -> None:
        self._node = node
        self.unwanted = unwanted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._node, name)


def _recorded(ys: Sequence[Tensor], xs: Sequence[Tensor]) -> dict[Operation, Recorded]:
    """The ops between."""
    found: dict[Operation, Recorded] = {}
    dependent: dict[Tensor, bool] = dict.fromkeys(xs, True)
    stack = list(ys)
    while stack:
        tensor = stack[-1]
        left = [each for each in tensor.op.inputs if each not in dependent] if tensor not in dependent else []
        if left:
            stack.extend(left)
            continue
        stack.pop()
        if tensor in dependent:
            continue
        op = tensor.op
        unwanted = frozenset(i for i, each in enumerate(op.inputs) if not dependent[each])
        # An op that is there to stop gradients is not recorded.
        dependent[tensor] = len(unwanted) < len(op.inputs) and gradient_function(op) is not None
        if dependent[tensor]:
            found[op] = Recorded(op, unwanted)
    return found


def backward(ys: Sequence[Tensor], xs: Sequence[Tensor], dys: Sequence[Any], order: Sequence[int]) -> list[Any]:
    """The gradients of `ys`, which come in as `dys`, with respect to `xs`; `order` says which y's op is first.

    Every op between has one result.
    """
    recorded = _recorded(ys, xs)
    pending: dict[Operation, int] = {}
    for op in recorded:
        for tensor in op.inputs:
            pending[tensor.op] = pending.get(tensor.op, 0) + 1
    grads: dict[Tensor, list[Any]] = {tensor: [] for tensor in xs}
    for y, dy in zip(ys, dys):
        grads.setdefault(y, []).append(dy)
    queue = deque(ys[i].op for i in order if not pending.get(ys[i].op))
    while queue:
        op = queue.popleft()
        if op not in recorded:
            continue
        function = gradient_function(op)
        assert function is not None
        for tensor, dx in zip(op.inputs, function(recorded[op], _sum(grads[op.outputs_list[0]]))):
            if dx is not None and (tensor in grads or tensor.op in recorded):
                grads.setdefault(tensor, []).append(dx)
            pending[tensor.op] -= 1
            if not pending[tensor.op]:
                queue.append(tensor.op)
    totals = {x: _sum(grads[x]) for x in dict.fromkeys(xs)}
    return [totals[x] for x in xs]


def _sum(parts: list[Any]) -> Any:
    if len(parts) < 2:
        return parts[0] if parts else None
    return ops.add_n(parts)
