"""The dataflow ops of loops: Enter and Exit move a value into and out of a frame, NextIteration to its next iteration.

A loop variable is `Merge(Enter, NextIteration)` and a `Switch` of it by the `LoopCond`. None of these computes: a plan
compiles a frame as a whole, so they have no kernels of their own.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.shapes import Shape

__all__: list[str] = []

enter_op = op(
    "Enter",
    "data: T",
    "output: T",
    "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
    aliases=True,
)
ref_enter_op = op(
    "RefEnter",
    "data: Ref(T)",
    "output: Ref(T)",
    "T: type; frame_name: string; is_constant: bool = false; parallel_iterations: int = 10",
    aliases=True,
)
exit_op = op("Exit", "data: T", "output: T", "T: type", aliases=True)
ref_exit_op = op("RefExit", "data: Ref(T)", "output: Ref(T)", "T: type", aliases=True)
next_iteration_op = op("NextIteration", "data: T", "output: T", "T: type", aliases=True)
ref_next_iteration_op = op("RefNextIteration", "data: Ref(T)", "output: Ref(T)", "T: type", aliases=True)
loop_cond_op = op("LoopCond", "input: bool", "output: bool", aliases=True)
control_trigger_op = op("ControlTrigger", doc="Does nothing, and does it even if what it waits for is dead.")
control_trigger_op.no_gradient("it has neither inputs nor outputs")


@enter_op.shape
def _enter_shape(node: Operation, data: Shape) -> list[Shape]:
    """A loop variable may get another shape in a later iteration; only a constant is known to keep its own."""
    return [data if node.attrs["is_constant"] else None]


@exit_op.shape
@ref_exit_op.shape
@ref_enter_op.shape
@next_iteration_op.shape
@ref_next_iteration_op.shape
def _same_shape(node: Operation, data: Shape) -> list[Shape]:
    return [data]


@loop_cond_op.shape
def _loop_cond_shape(node: Operation, predicate: Shape) -> list[Shape]:
    if predicate is not None and predicate != ():
        raise ValueError(f"Shape must be rank 0 but is rank {len(predicate)}")
    return [()]


@control_trigger_op.kernel(CPU, GPU)
def _control_trigger_kernel(xp: Any) -> None:
    return None
