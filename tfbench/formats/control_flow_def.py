"""Contexts of branches and loops as messages, so that an imported graph can be added to and differentiated.

A context's message names the tensors that are known in it; the contexts inside it are nested in its message, not listed
beside it. When it is read, the ops of those tensors are put into the context again, inner contexts after outer ones.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.engine.control_flow.cond_context import CondContext
from tfbench.engine.control_flow.context import ControlFlowContext
from tfbench.engine.control_flow.validity import check_inputs
from tfbench.engine.control_flow.while_context import WhileContext
from tfbench.engine.default_graph import get_default_graph
from tfbench.formats import protos
from tfbench.formats.collection_def import ProtoFunctions, register_proto_functions, strip


def context_def(context: ControlFlowContext, scope: str | None) -> Any:
    """The CondContextDef or WhileContextDef of a context, named relative to `scope`; None if it is not in there."""
    if scope and not context.name.startswith(f"{scope}/"):
        return None
    message = _cond(context, scope) if isinstance(context, CondContext) else _while(context, scope)
    message.context_name = strip(context.name, scope)
    message.values_def.values.extend(sorted(strip(name, scope) for name in context._values))
    for name, tensor in context._external_values.items():
        message.values_def.external_values[strip(name, scope)] = strip(tensor.name, scope)
    for inner in context._nested_contexts:
        found = context_def(inner, scope)
        if found is not None:
            field = "cond_ctxt" if isinstance(inner, CondContext) else "while_ctxt"
            getattr(message.nested_contexts.add(), field).CopyFrom(found)
    return message


def _cond(context: CondContext, scope: str | None) -> Any:
    return protos.CondContextDef(
        pred_name=strip(context.pred.name, scope), pivot_name=strip(context.pivot.name, scope), branch=context.branch
    )


def _while(context: Any, scope: str | None) -> Any:
    message = protos.WhileContextDef(
        parallel_iterations=context.parallel_iterations,
        back_prop=context.back_prop,
        swap_memory=context.swap_memory,
        loop_enter_names=[strip(tensor.name, scope) for tensor in context.loop_enters],
        loop_exit_names=[strip(tensor.name, scope) for tensor in context.loop_exits],
    )
    for field, tensor in (
        ("pivot_name", context._pivot),
        ("pivot_for_pred_name", context._pivot_for_pred),
        ("pivot_for_body_name", context._pivot_for_body),
        ("maximum_iterations_name", context.maximum_iterations),
    ):
        if tensor is not None:
            setattr(message, field, strip(tensor.name, scope))
    return message


def context_from_def(message: Any, scope: str | None) -> ControlFlowContext:
    """The context that a message describes, in the default graph, whose nodes were imported into `scope`."""
    kind = CondContext if hasattr(message, "pred_name") else WhileContext
    prefix = f"{scope}/" if scope else ""
    graph = get_default_graph()

    def tensor(name: str) -> Any:
        return graph.as_graph_element(prefix + name, allow_operation=False) if name else None

    context: Any = kind.__new__(kind)
    ControlFlowContext.__init__(context, prefix + message.context_name, claimed=True)
    if kind is CondContext:
        context._pred, context._pivot, context._branch = (
            tensor(message.pred_name),
            tensor(message.pivot_name),
            message.branch,
        )
    else:
        context._maximum_iterations = tensor(message.maximum_iterations_name)
        context._parallel_iterations = message.parallel_iterations
        context._back_prop, context._swap_memory, context._grad_state = message.back_prop, message.swap_memory, None
        context._pivot = tensor(message.pivot_name)
        context._pivot_for_pred = tensor(message.pivot_for_pred_name)
        context._pivot_for_body = tensor(message.pivot_for_body_name)
        context._loop_enters = [tensor(name) for name in message.loop_enter_names]
        context._loop_exits = [tensor(name) for name in message.loop_exit_names]
        graph.input_check = check_inputs
    values = message.values_def
    context._values = {prefix + name for name in values.values}
    context._external_values = {prefix + name: tensor(inside) for name, inside in values.external_values.items()}
    own = {name.partition(":")[0] for name in context._values - set(context._external_values)}
    for name in sorted(own):
        op = graph.get_operation_by_name(name)
        op._set_control_flow_context(context)
        if kind is WhileContext and op.type in ("Enter", "RefEnter"):
            op._set_attr("frame_name", context.name)  # the frame is called as the context is, so it moves with it
    context.Enter()
    try:
        for nested in message.nested_contexts:
            context_from_def(getattr(nested, nested.WhichOneof("ctxt")), scope)
    finally:
        context.Exit()
    return context


register_proto_functions(
    GraphKeys.COND_CONTEXT, ProtoFunctions(lambda: protos.CondContextDef(), context_def, context_from_def)
)
register_proto_functions(
    GraphKeys.WHILE_CONTEXT, ProtoFunctions(lambda: protos.WhileContextDef(), context_def, context_from_def)
)
