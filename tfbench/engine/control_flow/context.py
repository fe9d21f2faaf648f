"""What branches and loops have in common.

While a branch function or a loop's condition or body runs, its context is the graph's control flow context: every op
made then belongs to it and is handed to `AddOp`, which brings the op's inputs into the context and sees to it that
the op does not run before the context's pivot.

Names of methods are TensorFlow's, as programs that build control flow themselves call them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfbench.engine import nest
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.operation import Operation
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.control_flow.while_context import WhileContext

_EXITS = frozenset(["Exit", "RefExit"])
_ENTERS = frozenset(["Enter", "RefEnter"])
_SWITCHES = frozenset(["Switch", "RefSwitch"])


def is_loop_exit(op: Operation) -> bool:
    return op.type in _EXITS


def is_switch(op: Operation) -> bool:
    return op.type in _SWITCHES


def is_loop_switch(op: Operation) -> bool:
    """Whether `op` sends a loop variable on or out; not the switch of a branch inside a loop."""
    context: ControlFlowContext | None = op._control_flow_context
    return (
        op.type in _SWITCHES
        and context is not None
        and context.IsWhileContext()
        and op._inputs[1].op.type == "LoopCond"
    )


def while_context(op: Operation) -> WhileContext | None:
    """The innermost loop that `op` is in."""
    context: ControlFlowContext | None = op._control_flow_context
    return None if context is None else context.GetWhileContext()


def is_constant_enter(op: Operation) -> bool:
    """Whether `op` brings a value into a loop that is the same in all iterations."""
    return op.type in _ENTERS and bool(op.attrs["is_constant"])


def output_context(op: Operation) -> ControlFlowContext | None:
    """The context in which the outputs of `op` can be used: for the exit of a loop, the one around the loop."""
    context: ControlFlowContext | None = op._control_flow_context
    if context is not None and op.type in _EXITS:
        return context._outer_context
    return context


class _Contexts:
    """All contexts of a graph, so that a graph that is rolled back forgets what they got to know since."""

    def __init__(self) -> None:
        self.all: list[ControlFlowContext] = []

    def snapshot(self) -> list[tuple[ControlFlowContext, dict[str, Any]]]:
        return [(context, context._snapshot()) for context in self.all]

    def restore(self, state: list[tuple[ControlFlowContext, dict[str, Any]]]) -> None:
        self.all = [context for context, _ in state]
        for context, kept in state:
            context.__dict__.update(context._copied(kept))


class ControlFlowContext:
    """A region of the graph whose ops run together, or not at all."""

    def __init__(self, name: str, claimed: bool = False) -> None:
        graph = get_default_graph()
        self._name = name if claimed else graph.unique_name(name)
        self._graph = graph
        self._outer_context: ControlFlowContext | None = graph._control_flow_context
        self._nested_contexts: list[ControlFlowContext] = []
        if self._outer_context is not None:
            self._outer_context._nested_contexts.append(self)
        self._context_stack: list[ControlFlowContext | None] = []
        #: names of the tensors that are known in here: made here, or brought in already
        self._values: set[str] = set()
        #: names of tensors of the outside -> what they are in here
        self._external_values: dict[str, Tensor] = {}
        graph.extension("control_flow", _Contexts).all.append(self)

    def _snapshot(self) -> dict[str, Any]:
        return self._copied(self.__dict__)

    @staticmethod
    def _copied(fields: dict[str, Any]) -> dict[str, Any]:
        return {key: value.copy() if isinstance(value, (set, dict, list)) else value for key, value in fields.items()}

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._name

    @property
    def outer_context(self) -> ControlFlowContext | None:
        """The context in which this one was made."""
        return self._outer_context

    @property
    def grad_state(self) -> Any:
        """What the gradient of the loop around keeps; None outside of gradients."""
        found = self.GetWhileContext()
        return None if found is None else found.grad_state

    @property
    def back_prop(self) -> bool:
        """Whether gradients go through the loop around."""
        found = self.GetWhileContext()
        return False if found is None else found.back_prop

    def GetWhileContext(self) -> WhileContext | None:
        """The innermost loop that this is in, or is."""
        return None if self._outer_context is None else self._outer_context.GetWhileContext()

    def GetControlPivot(self) -> Tensor | None:
        """What ops without inputs of their own wait for."""
        return None

    def IsWhileContext(self) -> bool:
        return False

    def IsCondContext(self) -> bool:
        return False

    def IsXLAContext(self) -> bool:
        return False

    def is_inside(self, other: ControlFlowContext | None) -> bool:
        """Whether this is `other` or somewhere in it; everything is inside None."""
        context: ControlFlowContext | None = self
        while context is not other:
            if context is None:
                return False
            context = context._outer_context
        return True

    def __repr__(self) -> str:
        return f"<{type(self).__name__} '{self._name}'>"

    # -- going in and out ---------------------------------------------------------------------------------------

    def Enter(self) -> None:
        """Makes this the context of the graph."""
        graph = get_default_graph()
        self._context_stack.append(graph._control_flow_context)
        graph._control_flow_context = self

    def Exit(self) -> None:
        """Puts the context before `Enter` back."""
        get_default_graph()._control_flow_context = self._context_stack.pop()

    def EnterGradientColocation(self, op: Operation, gradient_uid: str) -> None:
        """Gradients of ops in here need nothing special to be placed with them."""

    def ExitGradientColocation(self, op: Operation, gradient_uid: str) -> None:
        """See `EnterGradientColocation`."""

    def AddName(self, name: str) -> None:
        """The tensor of this name can be used in here as it is."""
        self._values.add(name)

    def ExitResult(self, result: Any) -> None:
        """Makes the tensors of `result`, which leave this context, known to the one around."""
        if self._outer_context is not None:
            for tensor in nest.flatten(result):
                self._outer_context.AddName(tensor.name)

    # -- what belongs to it -------------------------------------------------------------------------------------

    def AddOp(self, op: Operation) -> None:
        """Takes a new op in."""
        self._take_in(op)

    def _take_in(self, op: Operation) -> None:
        raise NotImplementedError(f"{type(self).__name__} takes in no ops: AddOp is missing.")

    def AddValue(self, val: Tensor) -> Tensor:
        """What the tensor `val` is in here."""
        raise NotImplementedError(f"{type(self).__name__} takes in no values: AddValue is missing.")

    def AddInnerOp(self, op: Operation) -> None:
        """Hears of an op that was added to a context in here."""
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _drop_outside_control(self, op: Operation) -> tuple[list[Operation], list[Operation]]:
        """Takes away the control inputs of `op` that are outside the loop around; (those kept, those taken away)."""
        loop = self.GetWhileContext()
        inside: list[Operation] = []
        outside: list[Operation] = []
        for other in op._control_inputs:
            if loop is not None:
                context = output_context(other)
                if context is None or context.GetWhileContext() is not loop:
                    outside.append(other)
                    continue
            inside.append(other)
        if outside:
            op._remove_all_control_inputs()
            op._add_control_inputs(inside)
        return inside, outside
