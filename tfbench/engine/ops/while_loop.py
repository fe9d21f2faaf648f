"""`while_loop`, built from Enter, Merge, Switch, NextIteration and Exit as TensorFlow 1.x builds it.

Each loop variable is Enter -> Merge -> Switch by the condition -> Identity (what the body gets) -> NextIteration ->
back to the Merge; the other side of the Switch goes to the Exit. While the condition and the body are called, the
loop's `WhileContext` takes in every op that they make.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from tfbench import errors
from tfbench.engine import nest
from tfbench.engine.attributes import proto_type_name
from tfbench.engine.collections import GraphKeys
from tfbench.engine.composite import IndexedSlices, SparseTensor
from tfbench.engine.control_flow import nodes, values
from tfbench.engine.control_flow.context import is_constant_enter
from tfbench.engine.control_flow.while_context import WhileContext
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.comparison import logical_and
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["while_loop"]


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
    maximum_iterations: Any = None,
    return_same_structure: bool = False,
) -> Any:
    """Repeats `body` as long as `cond` is true; both get the loop variables, and `body` returns their next values.

    `loop_vars` is a list or tuple of tensors, composites, TensorArrays and nests of them. They keep dtype and
    structure, and their shapes too unless `shape_invariants`, of the same structure, holds less specific ones. A
    single variable comes back by itself, unless `return_same_structure`. `back_prop=False` says that no gradient goes
    through; the order of iterations is fixed here, so `parallel_iterations` and `swap_memory` only go into the graph.

    Raises:
      TypeError: if `cond` or `body` is not callable, or the condition is not a bool.
      ValueError: if there are no loop variables, or one changes its shape, or the structure changes.
      InvalidArgumentError: if a variable changes its dtype.
    """
    if not callable(cond):
        raise TypeError("'cond' must be callable.")
    if not callable(body):
        raise TypeError("'body' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    # Resource variables are read before the loop's name is claimed.
    loop_vars = values.read_variables(loop_vars)
    with name_scope(name, "while", nest.flatten(loop_vars)):
        if not loop_vars:
            raise ValueError("'loop_vars' must be provided.")
        counted = maximum_iterations is not None
        if counted:
            maximum_iterations = convert_to_tensor(maximum_iterations, name="maximum_iterations")
            if maximum_iterations.shape.ndims != 0:
                raise ValueError(f"'maximum_iterations' must be a scalar. Received shape: {maximum_iterations.shape}")
            single = len(loop_vars) == 1 and not return_same_structure
            cond, body, loop_vars = _counted(cond, body, loop_vars, maximum_iterations, single)
            if shape_invariants is not None:
                shape_invariants = (TensorShape([]), shape_invariants)
        context = WhileContext(maximum_iterations, parallel_iterations, back_prop, swap_memory)
        if context.outer_context is None:
            get_default_graph().add_to_collection(GraphKeys.WHILE_CONTEXT, context)
        loop_vars = values.to_values(loop_vars)
        invariants = _invariants(loop_vars, shape_invariants)
        context.Enter()
        try:
            returned, exits = _build(context, cond, body, loop_vars, invariants)
        finally:
            context.Exit()
        result = values.pack(returned, exits)
        if counted:
            return result[1]
        return result[0] if len(exits) == 1 and not return_same_structure else result


def _counted(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, limit: Tensor, single: bool
) -> builtins.tuple[Callable[..., Any], Callable[..., Any], Any]:
    """Condition, body and variables with a counter before the others, which are one variable, or one nest."""
    counter = constant(0, dtype=limit.dtype, name="iteration_counter")
    if single:
        return (
            lambda i, value: logical_and(i < limit, cond(value)),
            lambda i, value: (i + 1, body(value)),
            (counter, loop_vars[0]),
        )
    return (
        lambda i, rest: logical_and(i < limit, cond(*rest)),
        lambda i, rest: (i + 1, body(*rest)),
        (counter, loop_vars),
    )


# -- shapes ------------------------------------------------------------------------------------------------------


def _invariants(loop_vars: Any, shape_invariants: Any) -> list[TensorShape]:
    """For each tensor of the loop variables, the shape that it has in all iterations."""
    if shape_invariants is None:
        given: list[Any] = [None] * len(nest.flatten(loop_vars))
    else:
        nest.assert_same_structure(loop_vars, shape_invariants)
        given = nest.flatten(shape_invariants)
    return [shape for leaf, wanted in zip(nest.flatten(loop_vars), given) for shape in _invariants_of(leaf, wanted)]


def _invariants_of(leaf: Any, wanted: Any) -> list[TensorShape]:
    if wanted is not None and not isinstance(wanted, TensorShape):
        raise TypeError(f"'shape' must be one of TypeSpec, TensorShape or None. Received: {type(wanted)}")
    if isinstance(leaf, SparseTensor):
        # How many elements there are may change in any case.
        rank = (leaf.shape if wanted is None else wanted).ndims
        return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]
    if isinstance(leaf, IndexedSlices):
        rows = leaf.indices.shape.merge_with(leaf.values.shape[:1])
        inner = TensorShape([None]).concatenate(leaf.values.shape[1:])
        if wanted is not None:
            rows, inner = wanted[:1], wanted
        shapes = [rows.concatenate(inner[1:]), rows]
        return shapes if leaf.dense_shape is None else [*shapes, TensorShape([inner.ndims])]
    if values.is_tensor_array(leaf):
        return [TensorShape([]) if wanted is None else wanted]
    return [leaf.shape if wanted is None else wanted]


def _covers(general: TensorShape, special: TensorShape) -> bool:
    """Whether every shape that `special` allows is one that `general` allows."""
    if general.ndims is None:
        return True
    if special.ndims != general.ndims:
        return False
    return all(a is None or a == b for a, b in zip(general.as_list(), special.as_list(), strict=True))


# -- the loop ----------------------------------------------------------------------------------------------------


def _build(
    context: WhileContext,
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    invariants: list[TensorShape],
) -> builtins.tuple[Any, list[Tensor]]:
    """The nodes of the loop: what the body returned, and the Exits."""
    enters = _enters(context, values.flatten(loop_vars), invariants)
    merges = [nodes.merge([enter, enter])[0] for enter in enters]
    context._pivot_for_pred = merges[0]
    predicate = convert_to_tensor(cond(*values.pack(loop_vars, merges)))
    context._pivot = nodes.loop_cond(predicate, name="LoopCond")
    switches = [nodes.switch_ref_or_tensor(merge, context._pivot) for merge in merges]
    inside = [nodes.identity(true) for _, true in switches]
    context._pivot_for_body = inside[0]
    arguments = values.pack(loop_vars, inside)
    returned = body(*arguments)
    if not nest.is_nested(returned):
        returned = [returned]
    returned = values.read_variables(returned)
    # The outermost level is usually a list on the way in and a tuple on the way out.
    values.assert_same_structure(list(arguments), list(returned))
    results = [convert_to_tensor(part) for part in values.flatten(returned)]
    for merge, result in zip(merges, results, strict=True):
        _close(context, merge, result)
    exits = [nodes.leave(false) for false, _ in switches]
    context._loop_exits = exits
    context.ExitResult(exits)
    return returned, exits


def _enters(context: WhileContext, variables: list[Tensor], invariants: list[TensorShape]) -> list[Tensor]:
    """The loop variables in the frame; they are known in the contexts around."""
    context._values = {tensor.name for tensor in variables}
    outer = context.outer_context
    if outer is not None:
        variables = [outer.AddValue(tensor) for tensor in variables]
    graph = get_default_graph()
    enters = []
    with graph.control_dependencies(None):
        for tensor, invariant in zip(variables, invariants, strict=True):
            entered = nodes.enter(tensor, context.name, False, context.parallel_iterations, keep_shape=False)
            if not _covers(invariant, tensor.shape):
                raise ValueError(
                    f"The shape invariant specified for {tensor.name} is not compatible with the initial shape of the "
                    f"loop variable. It enters the loop '{context.name}' with shape {tensor.shape}, but the specified "
                    f"shape invariant is {invariant}."
                )
            entered.set_shape(invariant)
            graph.prevent_feeding(entered)
            if outer is not None:
                outer.AddInnerOp(entered.op)
            enters.append(entered)
    pivot = _pivot_around(context)
    if pivot is not None:
        for entered in enters:
            if is_constant_enter(entered.op._inputs[0].op):
                # What is the same in all iterations of the loop around must enter this loop once in each of them.
                entered.op._add_control_input(pivot.op)
    context.fix_enters(enters)
    context._values = {tensor.name for tensor in enters}
    context._loop_enters = enters
    return enters


def _pivot_around(context: WhileContext) -> Tensor | None:
    around = context.outer_context
    while around is not None:
        pivot = around.GetControlPivot()
        if pivot is not None:
            return pivot
        around = around.outer_context
    return None


def _close(context: WhileContext, merge: Tensor, result: Tensor) -> None:
    """Leads what the body returned for a loop variable back to its Merge."""
    back = nodes.next_iteration(result)
    variable = merge.op._inputs[0].op._inputs[0]
    if not _covers(merge.shape, back.shape):
        raise ValueError(
            f"Input tensor '{variable.name}' enters the loop with shape {variable.shape}, but has shape {back.shape} "
            "after one iteration. To allow the shape to vary across iterations, use the `shape_invariants` argument "
            "of tf.while_loop to specify a less-specific shape. "
            f"(Loop '{context.name}'{_made(result)})"
        )
    if back.dtype.base_dtype != merge.dtype.base_dtype:
        given, wanted = (proto_type_name(kind.base_dtype).lower() for kind in (back.dtype, merge.dtype))
        raise errors.InvalidArgumentError(
            None,
            merge.op,
            f"Input 1 of node {merge.op.name} was passed {given} from {back.op.name}:0 incompatible with expected "
            f"{wanted}: '{variable.name}' enters the loop '{context.name}' as {merge.dtype.base_dtype.name}, and the "
            f"body returns {back.dtype.base_dtype.name} for it{_made(result)}.",
        )
    merge.op._update_input(1, back)


def _made(tensor: Tensor) -> str:
    place = tensor.op.source
    return "" if place is None else f", the new value made at {place}"
