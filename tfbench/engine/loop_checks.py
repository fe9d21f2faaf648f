"""What may not be in a loop: refused when its plan is made, or by the step that finds it in a run."""

from __future__ import annotations

from typing import Any

from tfbench import errors
from tfbench.engine.frames import Loop
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.program import Program
from tfbench.engine.tensor import Tensor


def check_fetches(program: Program, fed: set[Tensor]) -> None:
    """Refuses to fetch what has a value per iteration.

    Raises:
      InternalError: naming the tensor and the loop.
    """
    inside: dict[Operation, Loop] = {}
    for loop in program.units:
        if isinstance(loop, Loop) and loop.condition is not None:
            out = {op for op in [*loop.enters, *loop.tail] if isinstance(op, Operation)}
            inside.update((op, loop) for op in loop.operations() if op not in out)
    for position, tensor in enumerate(program.fetches):
        if tensor.op in inside and tensor not in fed:
            raise errors.InternalError(
                tensor.op.node_def,
                tensor.op,
                f"Retval[{position}] has already been set: '{tensor.name}' has a value in each iteration of the "
                f"loop '{inside[tensor.op].name}'. Fetch what the loop returns.",
            )


def check_alive(op: Operation, alive: Any) -> None:
    """The step that refuses to go on where `op`, which decides about the next iteration, has no value."""
    if not alive:
        raise invalid(
            f"'{op._inputs[0].name}', which the loop goes on with, has no value: it is in a branch that was not taken. "
            "Merge the branches first."
        )


def condition(predicate: Any) -> Any:
    """The kernel of a LoopCond whose shape is not known before the run."""
    if getattr(predicate, "ndim", 0):
        shape = brackets(predicate.shape)
        raise invalid(f"The second input must be a scalar, but it has shape {shape}: a loop's condition is one bool.")
    return predicate
