"""The loop that goes back through one loop, and what the forward loop keeps for it.

A forward value that a gradient needs is pushed on a stack in each iteration of the forward loop, and popped in the
iteration of the backward loop that belongs to it. Values from outside the loop and constants need no stack.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.control_flow import CondContext, WhileContext, nodes, output_context
from tfbench.engine.control_flow.context import ControlFlowContext, is_constant_enter
from tfbench.engine.gradients.accumulators import backward_counter, forward_counter
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor

_SAME_VALUE = frozenset(["Switch", "RefSwitch", "Identity", "RefIdentity"])


class BackwardLoop:
    """What one call of `gradients` does with one loop. Contexts know it as their `grad_state`."""

    def __init__(self, forward: WhileContext, outer: BackwardLoop | None) -> None:
        #: the same for the loop around, if that is gone back through as well
        self.outer = outer
        self.forward_context = forward
        self.graph = forward._graph
        #: forward values, by name -> what they are in the backward loop
        self.history_map: dict[str, Tensor] = {}
        #: the Switch of a loop variable -> the Merge of its gradient
        self.switch_map: dict[Operation, Any] = {}
        self.unused_exits: list[Tensor] = []
        self.deferred_exits: list[Tensor] = []
        self.forward_loop_exits = list(forward.loop_exits)
        self.pending_exits = len(self.forward_loop_exits)
        self._forward_sync: Operation | None = None
        self._grad_sync: Operation | None = None
        around: ControlFlowContext | None = outer.forward_context if outer is not None else forward.outer_context
        self.grad_context: WhileContext
        _enter(around)
        count, self.forward_index = forward_counter(forward, outer)
        _exit(around)
        if outer is not None:
            # The loop runs once in each iteration of the one around, which keeps how long it was each time.
            assert around is not None
            around.AddName(count.name)
            history = outer.push(count)
            around = outer.grad_context
            around.Enter()
            self.grad_context = self._context()
            count = outer.pop(history, count)
        else:
            _enter(around)
            self.grad_context = self._context()
        self.grad_index = backward_counter(self.grad_context, count, outer)
        _exit(around)

    def _context(self) -> WhileContext:
        forward = self.forward_context
        return WhileContext(
            forward.maximum_iterations, forward.parallel_iterations, forward.back_prop, forward.swap_memory,
            forward.name, self,
        )  # fmt: skip

    # -- what pushes and pops are ordered by ----------------------------------------------------------------------

    @property
    def forward_sync(self) -> Operation:
        """What the forward counter waits for: the pushes in branches, which may be dead."""
        if self._forward_sync is None:
            self._forward_sync = self._trigger("f_sync", self.forward_context, self.forward_index)
        return self._forward_sync

    @property
    def grad_sync(self) -> Operation:
        """What the backward counter waits for: all pops."""
        if self._grad_sync is None:
            self._grad_sync = self._trigger("b_sync", self.grad_context, self.grad_index)
            if self.grad_context.outer_context is not None:
                self.grad_context.outer_context.AddInnerOp(self._grad_sync)
        return self._grad_sync

    def _trigger(self, name: str, context: WhileContext, index: Tensor) -> Operation:
        with self.graph.control_dependencies(None):
            trigger: Operation = lookup("ControlTrigger").node(name=name)
        trigger._set_control_flow_context(context)
        index.op._add_control_input(trigger)
        return trigger

    # -- stacks -----------------------------------------------------------------------------------------------------

    def push(self, value: Tensor, dead_branch: bool = False) -> Tensor:
        """Has the forward loop push `value` in each iteration; the stack. Called where `gradients` was called."""
        current = self.graph._control_flow_context
        with self.graph.control_dependencies(None):
            _enter(current)
            with self.graph.colocate_with(value):
                stack: Tensor = lookup("StackV2")(
                    ops.constant(-1, dtypes.int32), elem_type=value.dtype.base_dtype, name="f_acc"
                )
            _exit(current)
            inside = self.forward_context.AddValue(stack)
            context = output_context(value.op)
            if context is self.forward_context:
                pushed = self._pushed(inside, value, self.forward_context)
                self.forward_index.op._add_control_input(pushed)
            else:
                if not isinstance(context, CondContext):
                    raise TypeError(f"value_ctxt is not a CondContext: {context}")
                if dead_branch:
                    # Zeros for the side that was not taken: the push is not in the branch, but belongs to it.
                    assert context.outer_context is not None
                    pushed = self._pushed(inside, value, context.outer_context)
                    pushed._set_control_flow_context(context)
                else:
                    pushed = self._pushed(inside, value, context)
                self.forward_sync._add_control_input(pushed)
            pushed._add_control_input(self.forward_index.op._inputs[0].op)
        return stack

    def _pushed(self, stack: Tensor, value: Tensor, context: ControlFlowContext) -> Operation:
        context.Enter()
        pushed: Operation = lookup("StackPushV2").node(stack, value, swap_memory=self.forward_context.swap_memory)
        context.Exit()
        return pushed

    def pop(self, stack: Tensor, value: Tensor, dead_branch: bool = False) -> Tensor:
        """What the forward loop pushed of `value` in the iteration that the backward loop has come to."""
        branch = _branch_between(value, stack.op._control_flow_context)
        with self.graph.control_dependencies(None):
            self.grad_context.Enter()
            if branch is not None:
                side = 1 - branch.branch if dead_branch else branch.branch
                stack = nodes.switch_ref_or_tensor(stack, self._known_predicate(branch))[side]
            popped: Tensor = lookup("StackPopV2")(stack, elem_type=value.dtype.base_dtype)
            popped.set_shape(value.shape)
            self.grad_context.Exit()
        if self.grad_context.parallel_iterations > 1:
            self.grad_sync._add_control_input(popped.op)
        return popped

    def _known_predicate(self, branch: CondContext) -> Tensor:
        state: BackwardLoop | None = self
        while state is not None:
            known = state.history_map.get(branch.pred.name)
            if known is not None:
                return known
            state = state.outer
        return branch.pred

    # -- forward values in the backward loop --------------------------------------------------------------------------

    def GetRealValue(self, value: Tensor) -> Tensor:
        """What the forward `value` is in the backward loop. Called in its context."""
        real = self.history_map.get(value.name)
        if real is None:
            real = self.history_map[value.name] = self._real_value(value)
        return real

    def _real_value(self, value: Tensor) -> Tensor:
        state = self
        while True:
            entered = _constant_enter(value)
            if entered is None:
                break
            # The same in all iterations: it is looked for outside.
            value = entered._inputs[0]
            if state.outer is None:
                return self.grad_context.AddValue(value)
            state = state.outer
        if value.op.type == "Const":
            self.graph.prevent_feeding(value)
            copy: Tensor = ops.constant(constant_value(value), dtype=value.dtype)
            return copy
        self.grad_context.Exit()
        history = state.push(value)
        self.grad_context.Enter()
        real = state.pop(history, value)
        return real if state is self else self.grad_context.AddValue(real)

    def real_predicate(self, pred: Tensor) -> Tensor:
        """What the predicate of a branch in the forward loop was. Called in the backward loop."""
        real = self.history_map.get(pred.name)
        if real is None:
            self.grad_context.Exit()
            history = self.push(pred)
            self.grad_context.Enter()
            real = self.history_map[pred.name] = self.pop(history, pred)
        return real


def _enter(context: ControlFlowContext | None) -> None:
    if context is not None:
        context.Enter()


def _exit(context: ControlFlowContext | None) -> None:
    if context is not None:
        context.Exit()


def _constant_enter(value: Tensor) -> Operation | None:
    """The Enter that `value` is the value of, if it is the same in all iterations."""
    op = value.op
    while op.type in _SAME_VALUE:
        op = op._inputs[0].op
    return op if is_constant_enter(op) else None


def _branch_between(value: Tensor, outside: ControlFlowContext | None) -> CondContext | None:
    """The innermost branch that `value` is in, within `outside`."""
    context: ControlFlowContext | None = value.op._control_flow_context
    while context is not None and context is not outside:
        if isinstance(context, CondContext):
            return context
        context = context.outer_context
    return None
