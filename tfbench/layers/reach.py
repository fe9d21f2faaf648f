"""Which operations follow from which tensors: the updates of a layer are told apart by the inputs they come from."""

from __future__ import annotations

from typing import Any

from tfbench.engine.operation import Operation


def reached_from(inputs: list[Any]) -> set[Operation]:
    """The operations to which data or control edges lead from these tensors."""
    starts, reached, before = set(inputs), set[Operation](), -1
    while before < len(reached):  # twice is enough but where loops are: an op is younger than what it waits for
        before = len(reached)
        for op in inputs[0].graph.get_operations() if inputs else ():
            data = any(tensor in starts or tensor.op in reached for tensor in op.inputs)
            if data or any(other in reached for other in op.control_inputs):
                reached.add(op)
    return reached
