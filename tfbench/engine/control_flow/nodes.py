"""The dataflow nodes of branches and loops, for a value or for a reference.

The declarations are looked up when a node is made: contexts are below the ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


def kind(type: str, data: Tensor) -> Any:
    """The declaration of op `type`, or of its form for references."""
    return lookup("Ref" + type if data._dtype._is_ref_dtype else type)


def identity(data: Tensor, name: str | None = None) -> Tensor:
    result: Tensor = kind("Identity", data)(data, name=name)
    return result


def switch(data: Tensor, pred: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """`data` as (output_false, output_true): only the one that `pred` chooses has a value."""
    false, true = lookup("Switch")(data, pred, name=name)
    return false, true


def ref_switch(data: Tensor, pred: Tensor, name: str | None = None) -> tuple[Tensor, Tensor]:
    """`switch` of a reference."""
    false, true = lookup("RefSwitch")(data, pred, name=name)
    return false, true


def switch_ref_or_tensor(data: Tensor, pred: Tensor, name: str = "Switch") -> tuple[Tensor, Tensor]:
    """The switch for the kind of `data`, placed with it."""
    with data.graph.colocate_with(data.op, ignore_existing=True):
        return ref_switch(data, pred, name) if data._dtype._is_ref_dtype else switch(data, pred, name)


def merge(inputs: Sequence[Tensor], name: str | None = None) -> tuple[Tensor, Tensor]:
    """(value, index) of the input that has a value."""
    all_refs = all(tensor._dtype._is_ref_dtype for tensor in inputs)
    value, index = lookup("RefMerge" if all_refs else "Merge")(list(inputs), name=name)
    return value, index


def enter(
    data: Tensor,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    keep_shape: bool = True,
    name: str | None = None,
) -> Tensor:
    """`data` in the frame of a loop. With `keep_shape`, all iterations have its static shape."""
    result: Tensor = kind("Enter", data)(
        data, frame_name=frame_name, is_constant=is_constant, parallel_iterations=parallel_iterations, name=name
    )
    if keep_shape:
        result.set_shape(data.shape)
    return result


def next_iteration(data: Tensor, name: str | None = None) -> Tensor:
    result: Tensor = kind("NextIteration", data)(data, name=name)
    return result


def leave(data: Tensor, name: str | None = None) -> Tensor:
    """`data` outside of its loop: an Exit."""
    result: Tensor = kind("Exit", data)(data, name=name)
    return result


def loop_cond(pred: Any, name: str | None = None) -> Tensor:
    result: Tensor = lookup("LoopCond")(pred, name=name)
    return result
