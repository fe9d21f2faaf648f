"""The dataflow nodes of branches and loops, for a value, a reference, or each part of a composite.

The declarations are looked up when a node is made: contexts are below the ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.control_flow.values import pack, parts
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


def kind(type: str, data: Tensor) -> Any:
    """The declaration of op `type`, or of its form for references."""
    return lookup("Ref" + type if data._dtype._is_ref_dtype else type)


def identity(data: Tensor, name: str | None = None) -> Tensor:
    result: Tensor = kind("Identity", data)(data, name=name)
    return result


def switch(data: Any, pred: Tensor, name: str | None = None) -> tuple[Any, Any]:
    """`data` as (output_false, output_true): only the one that `pred` chooses has a value."""
    if isinstance(data, Tensor):
        false, true = lookup("Switch")(data, pred, name=name)
        return false, true
    with name_scope(name, "Switch"):
        both = [switch(part, pred) for part in parts(data)]
    return pack(data, [pair[0] for pair in both]), pack(data, [pair[1] for pair in both])


def switch_ref_or_tensor(data: Any, pred: Tensor, name: str = "Switch") -> tuple[Any, Any]:
    """The switch for the kind of `data`, placed with it."""
    with data.graph.colocate_with(data.op, ignore_existing=True):
        if isinstance(data, Tensor) and data._dtype._is_ref_dtype:
            false, true = lookup("RefSwitch")(data, pred, name=name)
            return false, true
        return switch(data, pred, name)


def merge(inputs: Sequence[Any], name: str | None = None) -> tuple[Any, Tensor]:
    """(value, index) of the input that has a value; composites of one kind are merged part by part."""
    if isinstance(inputs[0], Tensor):
        all_refs = all(tensor._dtype._is_ref_dtype for tensor in inputs)
        value, index = lookup("RefMerge" if all_refs else "Merge")(list(inputs), name=name or "Merge")
        return value, index
    with name_scope(name, "Merge"):
        merged = [merge(together) for together in zip(*map(parts, inputs), strict=True)]
    return pack(inputs[0], [value for value, _ in merged]), merged[0][1]


def enter(
    data: Any,
    frame_name: str,
    is_constant: bool = False,
    parallel_iterations: int = 10,
    keep_shape: bool = True,
    name: str | None = None,
) -> Any:
    """`data` in the frame of a loop. With `keep_shape`, all iterations have its static shape."""
    if not isinstance(data, Tensor):
        inside = [enter(part, frame_name, is_constant, parallel_iterations, keep_shape) for part in parts(data)]
        return pack(data, inside)
    result: Tensor = kind("Enter", data)(
        data, frame_name=frame_name, is_constant=is_constant, parallel_iterations=parallel_iterations, name=name
    )
    if keep_shape:
        result.set_shape(data.shape)
    return result


def next_iteration(data: Any, name: str | None = None) -> Any:
    if not isinstance(data, Tensor):
        return pack(data, [next_iteration(part) for part in parts(data)])
    return kind("NextIteration", data)(data, name=name)


def leave(data: Any, name: str | None = None) -> Any:
    """`data` outside of its loop: an Exit."""
    if not isinstance(data, Tensor):
        return pack(data, [leave(part) for part in parts(data)])
    return kind("Exit", data)(data, name=name)


def loop_cond(pred: Any, name: str | None = None) -> Tensor:
    result: Tensor = lookup("LoopCond")(pred, name=name)
    return result
