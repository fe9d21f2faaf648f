"""Gradients of the dataflow ops: a Merge's is a Switch and the other way round, an Exit's an Enter, an Enter's an Exit.

Each is built in the context that corresponds to the op's own: for an op of a loop, the loop that goes back through it.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.control_flow import CondContext, WhileContext, nodes, output_context
from tfbench.engine.control_flow.context import ControlFlowContext
from tfbench.engine.control_flow.values import parts
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.gradients import accumulators
from tfbench.engine.gradients.registry import gradient, zeros_functions
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.resource_state import variable_dtype
from tfbench.engine.ops.shape_queries import shape_internal
from tfbench.engine.tensor import Tensor


def _current() -> ControlFlowContext | None:
    context: ControlFlowContext | None = get_default_graph()._control_flow_context
    return context


# -- branches ----------------------------------------------------------------------------------------------------


@gradient("Switch", "RefSwitch")
def _switch_gradient(op: Operation, false: Any, true: Any) -> Any:
    context = op._control_flow_context
    if isinstance(context, WhileContext):
        return _loop_switch_gradient(op, false, true)
    if isinstance(context, CondContext):
        both = [false, true]
        if both[1 - context.branch] is None:
            # The handle of a resource variable has no zeros on the other side.
            if op._inputs[0].dtype is not dtypes.resource:
                return None, None
            return merge([both[context.branch]] * 2, name="cond_resource_grad"), None
        return merge(both, name="cond_grad"), None
    pred = op._inputs[1]
    return merge([nodes.switch(false, pred)[0], nodes.switch(true, pred)[1]]), None


def merge(grads: list[Any], name: str | None = None) -> Any:
    """The gradient that has a value; IndexedSlices where one of them is."""
    if any(isinstance(dy, IndexedSlices) for dy in grads):
        with name_scope(name, "Merge"):
            grads = [as_slices(dy) for dy in grads]
            if len({dy.indices.dtype for dy in grads}) > 1:
                grads = [_with_long_indices(dy) for dy in grads]
            merged = [nodes.merge(together)[0] for together in zip(*map(parts, grads), strict=True)]
        return IndexedSlices(*merged)
    return nodes.merge(grads, name=name)[0]


def as_slices(value: Any) -> IndexedSlices:
    """A dense gradient as one with all rows."""
    if isinstance(value, IndexedSlices):
        return value
    shape = shape_internal(value, optimize=False)
    return IndexedSlices(value, ops.range(0, shape[0]), shape)


def _with_long_indices(value: IndexedSlices) -> IndexedSlices:
    if value.indices.dtype is dtypes.int64:
        return value
    return IndexedSlices(value.values, ops.cast(value.indices, dtypes.int64), value.dense_shape)


@gradient("Merge", "RefMerge")
def _merge_gradient(op: Operation, dy: Any, _: Any) -> Any:
    context = output_context(op._inputs[0].op)
    current = _current()
    if isinstance(context, WhileContext):
        assert isinstance(current, WhileContext)
        assert current.pivot is not None
        return nodes.switch_ref_or_tensor(dy, current.pivot)
    if isinstance(context, CondContext):
        pred = context.pred
        if current is not None and current.grad_state is not None:
            pred = current.grad_state.real_predicate(pred)
        return nodes.switch_ref_or_tensor(dy, pred, name="cond_grad")
    chosen = [ops.equal(op.outputs_list[1], i) for i in range(len(op._inputs))]
    return [nodes.switch_ref_or_tensor(dy, each)[1] for each in chosen]


def _switch_zeros(op: Operation, index: int) -> Tensor:
    """Zeros for the side of a branch's Switch that nobody differentiated, made only where that side is alive."""
    output = op.outputs_list[index]
    context = op._control_flow_context
    if not isinstance(context, (CondContext, WhileContext)):
        return _plain_zeros(output)
    assert isinstance(context, CondContext)
    other = nodes.switch(op._inputs[0], context.pred)[1 - context.branch]
    # A control edge is to an op as a whole: the Identity is alive on this side alone.
    pivot = ops.identity(other)
    graph = op.graph
    if output.dtype is dtypes.resource:
        with graph.control_dependencies([pivot]):
            return ops.zeros(lookup("VariableShape")(other), variable_dtype(other))
    shape = shape_internal(other, optimize=False)
    with graph.control_dependencies([pivot]):
        return ops.zeros(shape, output.dtype)


def _plain_zeros(output: Tensor) -> Tensor:
    if output.dtype is dtypes.resource:
        return ops.zeros(lookup("VariableShape")(output), variable_dtype(output))
    return ops.zeros_like(output, optimize=False)


zeros_functions["Switch"] = zeros_functions["RefSwitch"] = _switch_zeros


# -- loops -------------------------------------------------------------------------------------------------------


def _loop_switch_gradient(op: Operation, exit: Any, body: Any) -> Any:
    """A loop variable's Switch is visited twice: first from the exit, which makes the Merge of the loop that goes back;
    then from the body, which closes that loop."""
    context = _current()
    assert isinstance(context, WhileContext)
    switches = context.grad_state.switch_map
    merged = switches.get(op)
    if merged is not None:
        if body is not None:
            back = nodes.next_iteration(body if isinstance(merged, Tensor) else as_slices(body))
            for into, value in zip(parts(merged), parts(back), strict=True):
                into.op._update_input(1, value)
        return None, None
    if exit is None:
        # The first visit is from the body: the result of this variable cannot be differentiated.
        return None, None
    merged = switches[op] = nodes.merge([exit, exit], name="b_switch")[0]
    return merged, None


@gradient("Exit", "RefExit")
def _exit_gradient(op: Operation, dy: Any) -> Any:
    context = _current()
    assert context is not None
    if not context.back_prop:
        # The loop was made with back_prop=False.
        return None
    if op._control_flow_context.grad_state is not None:
        raise TypeError(
            f"Second-order gradient for while loops not supported: '{op.name}' belongs to the loop "
            f"'{op._control_flow_context.name}', in which a gradient goes back."
        )
    assert isinstance(context, WhileContext)
    for part in parts(dy):
        context.AddName(part.name)
    context.Enter()
    entered = nodes.enter(dy, context.name, False, context.parallel_iterations, name="b_exit")
    for part in parts(entered):
        context.add_variable(part)
    context.Exit()
    return entered


@gradient("NextIteration", "RefNextIteration")
def _next_iteration_gradient(op: Operation, dy: Any) -> Any:
    return dy


@gradient("Enter", "RefEnter")
def _enter_gradient(op: Operation, dy: Any) -> Any:
    context = _current()
    if context is None or not context.back_prop or context.grad_state is None:
        return dy
    assert isinstance(context, WhileContext)
    if op.attrs["is_constant"]:
        if isinstance(dy, IndexedSlices):
            return accumulators.add_slices(context, op, dy)
        return accumulators.add(context, op, dy)
    left = nodes.leave(dy)
    for part in parts(left):
        context.add_exit(part)
    context.ExitResult(parts(left))
    return left


@gradient("LoopCond")
def _loop_cond_gradient(op: Operation, dy: Any) -> Any:
    return None
