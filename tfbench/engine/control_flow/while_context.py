"""One loop: what is known of it, and how ops and values get into its frame.

A value from outside comes in through an Enter that is the same in all iterations. An op that depends on nothing but
such values must still run once an iteration, so it waits for the pivot: in the condition, the first loop variable; in
the body, the first loop variable behind its Switch.

In the loop that a gradient goes back through, a value of the forward loop is taken from where the forward loop
kept it (`grad_state`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.control_flow.context import (
    ControlFlowContext,
    is_constant_enter,
    is_loop_exit,
    output_context,
)
from tfbench.engine.control_flow.nodes import enter
from tfbench.engine.control_flow.validity import check_inputs
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.opdef import lookup
from tfbench.engine.operation import Operation
from tfbench.engine.scopes import control_inputs_for
from tfbench.engine.tensor import Tensor

#: ops of which only what they make is kept for the gradient, not the tensor that they look at
_SMALLER_THAN_INPUT = frozenset(["Shape", "Size", "Rank"])


class WhileContext(ControlFlowContext):
    """A loop: its options, its variables' Enters and Exits, its pivots."""

    def __init__(
        self,
        maximum_iterations: Any = None,
        parallel_iterations: Any = 10,
        back_prop: bool = True,
        swap_memory: bool = False,
        name: str = "while_context",
        grad_state: Any = None,
    ) -> None:
        if not isinstance(parallel_iterations, int) or parallel_iterations <= 0:
            raise ValueError(f"'parallel_iterations' must be a positive integer: {parallel_iterations}")
        super().__init__(name)
        self._maximum_iterations = maximum_iterations
        self._parallel_iterations: int = parallel_iterations
        self._back_prop = back_prop
        self._swap_memory = swap_memory
        self._grad_state = grad_state
        self._pivot_for_pred: Tensor | None = None
        self._pivot_for_body: Tensor | None = None
        self._pivot: Tensor | None = None
        #: lists are replaced, never changed: a graph that is rolled back has the old ones
        self._loop_enters: list[Tensor] = []
        self._loop_exits: list[Tensor] = []
        self._graph.input_check = check_inputs

    @property
    def maximum_iterations(self) -> Any:
        return self._maximum_iterations

    @property
    def parallel_iterations(self) -> int:
        return self._parallel_iterations

    @property
    def back_prop(self) -> bool:
        return self._back_prop

    @property
    def swap_memory(self) -> bool:
        return self._swap_memory

    @property
    def pivot(self) -> Tensor | None:
        """Whether there is another iteration: the LoopCond."""
        return self._pivot

    @property
    def loop_enters(self) -> list[Tensor]:
        """The Enters of the loop variables."""
        return self._loop_enters

    @property
    def loop_exits(self) -> list[Tensor]:
        return self._loop_exits

    def add_variable(self, enter: Tensor, exit: Tensor | None = None) -> None:
        """Notes a loop variable that a gradient adds."""
        self._loop_enters = [*self._loop_enters, enter]
        if exit is not None:
            self.add_exit(exit)

    def add_exit(self, exit: Tensor) -> None:
        self._loop_exits = [*self._loop_exits, exit]

    @property
    def grad_state(self) -> Any:
        """For a loop that a gradient goes back through, what it keeps of the forward loop."""
        return self._grad_state

    def GetWhileContext(self) -> WhileContext | None:
        return self

    def GetControlPivot(self) -> Tensor | None:
        return self._pivot_for_body if self._pivot_for_body is not None else self._pivot_for_pred

    def IsWhileContext(self) -> bool:
        return True

    # -- values -------------------------------------------------------------------------------------------------

    def AddValue(self, val: Tensor) -> Tensor:
        """What `val` is in this loop; an Enter is made for one that comes from outside."""
        if val.name in self._values or val.op._control_flow_context is self:
            return self._external_values.get(val.name, val)
        self._values.add(val.name)
        kept = self._from_forward_loop(val)
        if kept is not None:
            self._external_values[val.name] = kept
            return kept
        outside = val if self._outer_context is None else self._outer_context.AddValue(val)
        graph = val.graph
        with graph.control_dependencies(None):
            inside: Tensor = enter(outside, self._name, True, self._parallel_iterations)
            graph.prevent_feeding(inside)
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(inside.op)
        self.fix_enters([inside])
        self._values.add(inside.name)
        self._external_values[val.name] = inside
        return inside

    def _from_forward_loop(self, val: Tensor) -> Tensor | None:
        """The value that `val` of the forward loop had in the iteration that is gone back through."""
        current: ControlFlowContext | None = val.graph._control_flow_context
        loop = None if current is None else current.GetWhileContext()
        if loop is None or loop._grad_state is None:
            return None
        context = output_context(val.op)
        if context is None or context.GetWhileContext() is not loop._grad_state.forward_context:
            return None
        real: Tensor = loop._grad_state.GetRealValue(val)
        return real

    def fix_enters(self, enters: Sequence[Tensor]) -> None:
        """Makes Enters, made outside of all scopes, part of this loop; they wait for what is asked for around it."""
        state = get_default_graph().scope_state
        for tensor in enters:
            op = tensor.op
            wanted = [other for other in control_inputs_for(state, op._inputs[:1]) if self._encloses_us(other)]
            op._set_control_flow_context(self)
            op._add_control_inputs(wanted)
            for scope in state.control:
                scope.seen.add(op)

    def _encloses_us(self, op: Operation) -> bool:
        """Whether `op` is in a context around this loop, within the next loop around."""
        context = self._outer_context
        loop = None if context is None else context.GetWhileContext()
        wanted = output_context(op)
        while context is not wanted:
            if context is None or context is loop:
                return False
            context = context._outer_context
        return True

    # -- ops ----------------------------------------------------------------------------------------------------

    def AddOp(self, op: Operation) -> None:
        """Takes a new op into the loop."""
        if op.type not in _SMALLER_THAN_INPUT or not self._moved_to_forward_loop(op):
            self._take_in(op)

    def _take_in(self, op: Operation) -> None:
        graph = op.graph
        if not op._inputs:
            inside, outside = self._drop_outside_control(op)
            if not inside:
                op._add_control_input(self._control_pivot().op)
        else:
            for index, tensor in enumerate(op._inputs):
                real = self.AddValue(tensor)
                if real is not tensor:
                    op._update_input(index, real)
            _, outside = self._drop_outside_control(op)
            if not op._control_inputs and all(is_constant_enter(tensor.op) for tensor in op._inputs):
                op._add_control_input(self._control_pivot().op)
        for tensor in op.outputs_list:
            self._values.add(tensor.name)
        if outside:
            self._wait_for_outside(op, outside)
        if self._outer_context is not None or not is_loop_exit(op):
            graph.prevent_fetching(op)
            for tensor in op.outputs_list:
                graph.prevent_feeding(tensor)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def _control_pivot(self) -> Tensor:
        pivot = self.GetControlPivot()
        if pivot is None:
            raise ValueError(f"The loop '{self._name}' has no variable yet that ops in it can wait for.")
        return pivot

    def _wait_for_outside(self, op: Operation, outside: list[Operation]) -> None:
        """A control edge cannot go into a frame: the op waits for the value of an Identity instead."""
        with op.graph.control_dependencies(None):
            self.Enter()
            try:
                identity = lookup("Identity").node
                waited = [identity(other.outputs_list[0]) for other in outside if other.outputs_list]
            finally:
                self.Exit()
        op._add_control_inputs(waited)

    def _moved_to_forward_loop(self, op: Operation) -> bool:
        """A gradient that asks for the shape of a forward value: the forward loop keeps the shape, not the value."""
        current = op.graph._control_flow_context
        loop = None if current is None else current.GetWhileContext()
        if loop is None or loop._grad_state is None:
            return False
        context = op._inputs[0].op._control_flow_context
        if context is None or context.GetWhileContext() is not loop._grad_state.forward_context:
            return False
        op._set_control_flow_context(context)
        context._take_in(op)
        return True
