"""What loops need of the walk of gradients (see `loops`): when their ops are ready, and in which loop's context.

A loop is gone back through only if one of its results has a gradient. Then all of its results need one, zeros if
nothing else, because a variable of which the result is not used may be used by others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfbench.engine import dtypes, ops
from tfbench.engine.control_flow import CondContext, WhileContext, nodes
from tfbench.engine.control_flow.context import is_loop_exit, is_loop_switch, is_switch, output_context, while_context
from tfbench.engine.gradients import loops
from tfbench.engine.gradients.backward_loop import BackwardLoop
from tfbench.engine.gradients.between import trainable
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.resource_state import variable_dtype, variable_shape
from tfbench.engine.ops.shape_queries import shape_internal
from tfbench.engine.scopes import Colocation
from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.gradients.walk import Walk


def provide(walk: Walk, between: list[Operation]) -> loops.LoopGradients | None:
    """The loops of which an exit lies between. All other exits of these loops are then between too."""
    current = walk.graph._control_flow_context
    # In the body of a loop no exit lies between, but its variables' Switches may.
    state = _Loops(walk) if current is not None and current.GetWhileContext() is not None else None
    added: list[Operation] = []
    for op in between:  # grows on the way
        if is_loop_exit(op):
            if state is None:
                state = _Loops(walk)
            if walk.colocate:
                with Colocation(walk.graph, op, False):
                    state.add_loop(op, between, added)
            else:
                state.add_loop(op, between, added)
    if added:
        _count_uses(walk, between, added)
    return state


def _count_uses(walk: Walk, between: list[Operation], added: list[Operation]) -> None:
    """Ops that came between late are waited for, and wait, as the others."""
    late, all_between = set(added), set(between)
    for op in between:
        for tensor in op._inputs:
            source = tensor.op
            if source in late or (op in late and source in all_between):
                walk.pending[source] = walk.pending.get(source, 0) + 1


class _Loops(loops.LoopGradients):
    def __init__(self, walk: Walk) -> None:
        super().__init__(walk)
        self.states: dict[WhileContext, BackwardLoop] = {}

    def add_loop(self, op: Operation, between: list[Operation], added: list[Operation]) -> None:
        """Makes the backward loop for the loop of the Exit `op`."""
        forward = while_context(op)
        if forward is None:
            raise ValueError(
                f"'{op.name}' is the exit of a loop of which nothing is known: gradients go through loops that "
                "tf.while_loop made in this graph, or that were imported with their contexts (a MetaGraph)."
            )
        if forward in self.states:
            return
        around = None if forward.outer_context is None else forward.outer_context.GetWhileContext()
        state = BackwardLoop(forward, None if around is None else self.states.get(around))
        self.states[forward] = state
        known = set(between)
        for tensor in state.forward_loop_exits:
            if tensor.op not in known:
                between.append(tensor.op)
                added.append(tensor.op)

    def state_of(self, op: Operation, before: bool) -> BackwardLoop | None:
        """The backward loop that `op` belongs to; `before`: for an exit, the one around."""
        if before and is_loop_exit(op):
            around = output_context(op)
            forward = None if around is None else around.GetWhileContext()
        else:
            forward = while_context(op)
        return None if forward is None else self.states.get(forward)

    # -- what the walk asks -----------------------------------------------------------------------------------------

    def start(self) -> None:
        pending, to_ops = self.walk.pending, set(self.walk.queue)
        for state in self.states.values():
            ready: list[Tensor] = []
            for tensor in state.forward_loop_exits:
                if not pending.get(tensor.op):
                    state.pending_exits -= 1
                    if tensor.op not in to_ops:
                        state.unused_exits.append(tensor)
                    if not state.pending_exits:
                        ready.extend(state.unused_exits)
            for tensor in state.forward_context.loop_enters:
                if not pending.get(tensor.op):
                    pending[tensor.op] = 1
            for tensor in ready:
                if trainable(tensor._dtype):
                    self.walk.add(tensor, self._exit_zeros(tensor))
                    self.walk.queue.append(tensor.op)

    def enter(self, op: Operation, before: bool) -> None:
        state = self.state_of(op, before)
        if state is not None:
            state.grad_context.Enter()
        if not before and is_switch(op):
            context = op._control_flow_context
            if context is not None and context.IsWhileContext() and context is op.graph._control_flow_context:
                raise ValueError(
                    f"Cannot compute gradient inside while loop '{context.name}' with respect to op "
                    f"'{self._source(op).name}'. We do not support taking the gradient wrt or through the initial "
                    "value of a loop variable. Gradients can be computed through loop invariants or wrt the input "
                    "parameters to the loop body."
                )

    def _source(self, op: Operation) -> Operation:
        """The nearest of the xs before `op`, for a message."""
        wanted, seen, found = set(self.walk.from_ops), {op}, [op]
        for each in found:  # grows on the way
            if each in wanted:
                return each
            for tensor in each._inputs:
                if tensor.op not in seen:
                    seen.add(tensor.op)
                    found.append(tensor.op)
        return op

    def exit(self, op: Operation, before: bool) -> None:
        state = self.state_of(op, before)
        if state is not None:
            state.grad_context.Exit()

    def used(self, op: Operation, left: int) -> None:
        if left and not (left > 0 and is_loop_switch(op)):
            return
        queue = self.walk.queue
        state = self.state_of(op, False) if is_loop_exit(op) else None
        if state is None:
            queue.append(op)
            return
        # An exit waits for the other exits of its loop.
        state.deferred_exits.append(op.outputs_list[0])
        state.pending_exits -= 1
        if state.pending_exits:
            return
        any_gradient = False
        for tensor in state.deferred_exits:
            if self.walk.grads.get(tensor) is not None:
                any_gradient = True
                queue.append(tensor.op)
            else:
                state.unused_exits.append(tensor)
        for tensor in state.unused_exits:
            if any_gradient and trainable(tensor._dtype):
                self.walk.add(tensor, self._exit_zeros(tensor))
            queue.append(tensor.op)

    def finish(self) -> None:
        """Where a variable's next value does not depend on its last one, the gradient is zeros after one iteration."""
        for state in self.states.values():
            for merged in state.switch_map.values():
                first, second = merged.op._inputs
                if first is second:
                    merged.op._update_input(1, self._zeros_from_then_on(state, first))

    # -- zeros ------------------------------------------------------------------------------------------------------

    def _zeros_from_then_on(self, state: BackwardLoop, first: Tensor) -> Tensor:
        context = state.grad_context
        if first.shape.is_fully_defined():
            context.Enter()
            zeros = ops.constant(0, dtype=first.dtype, shape=first.shape)
        else:
            around = context.outer_context
            if around is not None:
                around.Enter()
            zeros = ops.zeros(shape_internal(first.op._inputs[0], optimize=False))
            if around is not None:
                around.Exit()
            context.Enter()
        following: Tensor = nodes.next_iteration(zeros)
        context.Exit()
        return following

    def _exit_zeros(self, tensor: Tensor) -> Tensor:
        """The gradient of a result that nobody uses. Called where `gradients` was called."""
        context = tensor.op._control_flow_context
        around = context.outer_context
        loop = None if around is None else around.GetWhileContext()
        state = None if loop is None else self.states.get(loop)
        if state is None:
            if tensor.shape.is_fully_defined():
                return ops.zeros(tensor.shape, tensor.dtype)
            return ops.zeros_like(tensor, optimize=False)
        if tensor.shape.is_fully_defined():
            state.grad_context.Enter()
            zeros = ops.zeros(tensor.shape, tensor.dtype)
        else:
            around.Enter()
            shape = shape_internal(tensor, optimize=False)
            around.Exit()
            history = state.push(shape)
            state.grad_context.Enter()
            zeros = ops.zeros(state.pop(history, shape), tensor.dtype)
        state.grad_context.Exit()
        return zeros

    def zeros(self, op: Operation, index: int) -> Tensor | None:
        """The gradient of an output that nobody differentiated; called in the backward loop of `op`."""
        if is_loop_switch(op):
            return None
        forward = while_context(op)
        state = None if forward is None else self.states.get(forward)
        if state is None:
            return super().zeros(op, index)
        value = op.outputs_list[index]
        dead = is_switch(op)
        context = op._control_flow_context
        if not value.shape.is_fully_defined():
            return self._zeros_of_kept_shape(state, op, value)
        if value.dtype is dtypes.resource:
            known_shape = variable_shape(value)
            known = known_shape is not None and None not in known_shape
            sizes = ops.constant(list(known_shape), dtypes.int32) if known else lookup("VariableShape")(value)
            result = ops.zeros(sizes, variable_dtype(value))
        else:
            result = ops.constant(0, shape=value.shape, dtype=value.dtype)
        if dead:
            assert isinstance(context, CondContext)
            result = nodes.switch_ref_or_tensor(result, state.history_map[context.pred.name])[1 - context.branch]
        return result

    def _zeros_of_kept_shape(self, state: BackwardLoop, op: Operation, value: Tensor) -> Tensor:
        """The forward loop keeps the shape; where a branch was not taken, the shape of what would have gone into it."""
        context = op._control_flow_context
        dead = is_switch(op)
        if dead:
            assert isinstance(context, CondContext)
            assert context.outer_context is not None
            context.outer_context.Enter()
            value = nodes.switch_ref_or_tensor(op._inputs[0], context.pred)[1 - context.branch]
            shape = shape_internal(value, optimize=False)
            context.outer_context.Exit()
            value.op._set_control_flow_context(context)
            shape.op._set_control_flow_context(context)
        else:
            context.Enter()
            shape = shape_internal(value, optimize=False)
            context.Exit()
        state.grad_context.Exit()
        history = state.push(shape, dead)
        state.grad_context.Enter()
        return ops.zeros(state.pop(history, shape, dead), value.dtype)


loops.provider.append(provide)
