"""One step of a network whose sequences have several lengths: those that are over keep their state and emit zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import nest, ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.tensor import Tensor


def choose(over: Tensor, old: Any, new: Any) -> Any:
    """`old` where the sequence is over, `new` elsewhere. TensorArrays and scalars go through."""
    if isinstance(old, TensorArray) or old.shape.ndims == 0:
        return new
    with get_default_graph().colocate_with(new):
        return ops.where(over, old, new)


def rnn_step(
    time: Any,
    lengths: Tensor,
    shortest: Tensor,
    longest: Tensor,
    zero_output: Any,
    state: Any,
    call_cell: Callable[[], Any],
    in_loop: bool,
) -> tuple[Any, Any]:
    """Output and state after step `time`. In a loop each step chooses; unrolled, whole steps are skipped by conds."""
    old = [*nest.flatten(zero_output), *nest.flatten(state)]
    over = time >= lengths

    def call() -> list[Any]:
        output, new_state = call_cell()
        nest.assert_same_structure(zero_output, output)
        nest.assert_same_structure(state, new_state)
        return [*nest.flatten(output), *nest.flatten(new_state)]

    def chosen(new: list[Any]) -> list[Any]:
        return [choose(over, before, after) for before, after in zip(old, new, strict=True)]

    def partly() -> Any:
        new = call()
        return ops.cond(time < shortest, lambda: new, lambda: chosen(new))

    found = chosen(call()) if in_loop else ops.cond(time >= longest, lambda: old, partly)
    for before, after in zip(old, found, strict=True):
        if not isinstance(after, TensorArray):
            after.set_shape(before.shape)
    outputs = len(nest.flatten(zero_output))
    return nest.pack_sequence_as(zero_output, found[:outputs]), nest.pack_sequence_as(state, found[outputs:])
