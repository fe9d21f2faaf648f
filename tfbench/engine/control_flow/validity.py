"""From where a tensor may be used: not from outside the loop that makes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tfbench.engine.control_flow.context import ControlFlowContext, output_context
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.control_flow.while_context import WhileContext

#: Contexts make these, which bring values in, while no context is open, and take them over then.
_DOORS = frozenset(["Switch", "RefSwitch", "Enter", "RefEnter"])


def check_inputs(type: str, name: str, context: ControlFlowContext | None, inputs: Sequence[Tensor]) -> None:
    """Checks that a node of this type and name, in `context`, can use `inputs`.

    Raises:
      ValueError: if one of them has a value in a loop only that `context` is not in.
    """
    for tensor in inputs:
        source = output_context(tensor.op)
        if source is None or source is context:
            continue
        theirs = source.GetWhileContext()
        ours = None if context is None else context.GetWhileContext()
        if theirs is None or (ours is None and type in _DOORS):
            continue
        if ours is not None and (ours.is_inside(theirs) or _is_gradient(ours, theirs, source)):
            continue
        raise ValueError(_message(tensor, name, ours, theirs))


def _is_gradient(ours: WhileContext, theirs: WhileContext, source: ControlFlowContext) -> bool:
    """Whether one of the loops goes back through the other, as nodes of gradients may use both."""
    state = ours.grad_state
    if state is not None:
        forward = state.forward_context
        if forward.is_inside(theirs) or forward is theirs.outer_context:
            return True
    state = theirs.grad_state
    if state is None:
        return False
    if state.forward_context is ours:
        return True
    state = state.forward_context.grad_state
    return state is not None and state.forward_context is ours


def _message(tensor: Tensor, name: str, ours: WhileContext | None, theirs: WhileContext) -> str:
    made = tensor.op.source
    where = f", made at {made}" if made is not None else ""
    if ours is not None:
        return (
            f"Cannot use '{tensor.op.name}' as input to '{name}' because they are in different while loops: "
            f"'{theirs.name}'{where} and '{ours.name}'."
        )
    return (
        f"Cannot use '{tensor.op.name}' as input to '{name}' because '{tensor.op.name}' is in a while loop: "
        f"'{theirs.name}'{where}. What a loop hands out are its results, what `tf.while_loop` returned."
    )
