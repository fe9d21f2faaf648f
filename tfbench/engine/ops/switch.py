"""The dataflow ops of branches: Switch sends a value to one of two outputs, Merge takes whichever arrives.

Dead values are the plan's business (see `guards.py`); the kernels here never see one.
"""

from __future__ import annotations

from typing import Any

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

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
        shape = ",".join(str(size) for size in pred.shape)
        raise errors.InvalidArgumentError(None, None, f"The second input must be a scalar, but it has shape [{shape}]")
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


def switch(data: Any, pred: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """`data` as (output_false, output_true): only the one that `pred` chooses has a value."""
    false, true = switch_op(data, pred, name=name)
    return false, true


def ref_switch(data: Any, pred: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """`switch` of a reference."""
    false, true = ref_switch_op(data, pred, name=name)
    return false, true


def switch_ref_or_tensor(data: Tensor, pred: Tensor, name: str = "Switch") -> tuple[Tensor, Tensor]:
    """The switch for the kind of `data`, placed with it."""
    with data.graph.colocate_with(data.op, ignore_existing=True):
        if data.dtype._is_ref_dtype:
            return ref_switch(data, pred, name=name)
        return switch(data, pred, name=name)


def merge(inputs: list[Tensor], name: str | None = None) -> tuple[Tensor, Tensor]:
    """(value, index) of the input that has a value."""
    kind = ref_merge_op if all(tensor.dtype._is_ref_dtype for tensor in inputs) else merge_op
    value, index = kind(inputs, name=name or "Merge")
    return value, index
