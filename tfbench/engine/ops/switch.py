"""The dataflow ops of branches: Switch sends a value to one of two outputs, Merge takes whichever arrives.

Dead values are the plan's business (see `guards.py`); the kernels here never see one.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.shapes import Shape

__all__: list[str] = []

switch_op = op("Switch", "data: T, pred: bool", "output_false: T, output_true: T", "T: type", aliases=True)
ref_switch_op = op(
    "RefSwitch", "data: Ref(T), pred: bool", "output_false: Ref(T), output_true: Ref(T)", "T: type", aliases=True
)


@switch_op.shape
@ref_switch_op.shape
def _switch_shape(node: Operation, data: Shape, pred: Shape) -> list[Shape]:
    if pred is not None and pred != ():
        raise ValueError(f"Shape must be rank 0 but is rank {len(pred)}")
    return [data, data]


@switch_op.kernel(CPU, GPU)
@ref_switch_op.kernel(CPU, GPU)
def _switch_kernel(xp: Any, data: Any, pred: Any) -> Any:
    # Static shapes do not rule it out: a variable may have got another rank.
    if getattr(pred, "ndim", 0):
        raise invalid(f"The second input must be a scalar, but it has shape {brackets(pred.shape)}")
    return data, data


merge_op = op("Merge", "inputs: N * T", "output: T, value_index: int32", "T: type; N: int >= 1")
ref_merge_op = op("RefMerge", "inputs: N * Ref(T)", "output: Ref(T), value_index: int32", "T: type; N: int >= 1")


@merge_op.shape
@ref_merge_op.shape
def _merge_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    """What all inputs have in common: sizes that differ are unknown, so is the rank if it differs."""
    result = inputs[0]
    for shape in inputs[1:]:
        if result is None or shape is None or len(result) != len(shape):
            return [None, ()]
        result = tuple(a if a == b else None for a, b in zip(result, shape, strict=True))
    return [result, ()]
