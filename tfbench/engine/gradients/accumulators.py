"""Loop variables that gradients add: counters of iterations, and the sums of what a value from outside gets in each.

`n = 0; while pivot: n += 1` in the forward loop; `n = count; while n >= 1: n -= 1` makes the loop that goes back, and
`acc = 0; while pivot: acc += grad` in that one adds up the gradient of a value that is the same in all iterations.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.control_flow import WhileContext, nodes
from tfbench.engine.graph import Operation
from tfbench.engine.ops.resource_state import variable_shape
from tfbench.engine.ops.shape_queries import shape_internal
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor


def forward_counter(context: WhileContext, outer: Any) -> tuple[Tensor, Tensor]:
    """Counts the iterations of a forward loop: the count after the loop, and the NextIteration of the counter.

    Called in the context around the loop. `outer` is what is kept of the forward loop around it, if that is gone back
    through too.
    """
    start: Tensor = ops.constant(0, name="f_count")
    if outer is not None:
        # What one run of an inner loop pushes comes before what the next one pushes.
        start.op._add_control_input(outer.forward_index.op._inputs[0].op)
    context.Enter()
    context.AddName(start.name)
    entered = nodes.enter(start, context.name, False, context.parallel_iterations, name="f_count")
    merged = nodes.merge([entered, entered])[0]
    assert context.pivot is not None
    switched = nodes.switch(merged, context.pivot)
    following = nodes.next_iteration(ops.add(switched[1], 1))
    merged.op._update_input(1, following)
    total = nodes.leave(switched[0], name="f_count")
    context.add_variable(entered, total)
    context.ExitResult([total])
    context.Exit()
    return total, following


def backward_counter(context: WhileContext, count: Tensor, outer: Any) -> Tensor:
    """Makes the loop that goes back `count` times; the NextIteration of its counter."""
    one = ops.constant(1, name="b_count")
    context.Enter()
    context.AddName(count.name)
    entered = nodes.enter(count, context.name, False, context.parallel_iterations, name="b_count")
    merged = nodes.merge([entered, entered])[0]
    context._pivot_for_pred = merged
    context._pivot = nodes.loop_cond(ops.greater_equal(merged, one), name="b_count")
    switched = nodes.switch(merged, context._pivot)
    index = ops.subtract(switched[1], one)
    context._pivot_for_body = index
    following: Tensor = nodes.next_iteration(index)
    merged.op._update_input(1, following)
    final = nodes.leave(switched[0], name="b_count")
    context.add_variable(entered, final)
    if outer is not None:
        # What one run of an inner loop pops comes before what the next one pops.
        outer.grad_sync._add_control_input(final.op)
    context.ExitResult([final])
    context.Exit()
    return following


def add(context: WhileContext, op: Operation, dy: Tensor) -> Tensor:
    """The sum of `dy`, the gradient of the constant Enter `op`, over all iterations. Called in `context`."""
    around = context.outer_context
    context.Exit()
    shape = dy.shape
    if isinstance(around, WhileContext) and around.grad_state is not None and not shape.is_fully_defined():
        zeros = _nested_zeros(context, op, dy)
    else:
        if around is not None:
            around.Enter()
        if shape.is_fully_defined():
            zeros = ops.constant(0, dy.dtype, shape=shape, name="b_acc")
        else:
            zeros = ops.zeros(shape_internal(op._inputs[0], optimize=False), dy.dtype)
        if around is not None:
            around.Exit()
    context.Enter()
    context.AddName(zeros.name)
    entered = nodes.enter(zeros, context.name, False, context.parallel_iterations, name="b_acc")
    merged = nodes.merge([entered, entered], name="b_acc")[0]
    assert context.pivot is not None
    before, total = nodes.switch(merged, context.pivot)
    merged.op._update_input(1, nodes.next_iteration(ops.add(total, dy)))
    result: Tensor = nodes.leave(before, name="b_acc")
    context.add_variable(entered, result)
    context.ExitResult([result])
    return result


def _nested_zeros(context: WhileContext, op: Operation, dy: Tensor) -> Tensor:
    """Zeros in the loop around, which goes back as well: the forward loop there keeps the shape."""
    state = context.grad_state
    around, forward_around = context.outer_context, state.forward_context.outer_context
    assert around is not None
    forward_around.Enter()
    shape = shape_internal(op._inputs[0], optimize=False)
    forward_around.Exit()
    history = state.outer.push(shape)
    around.Enter()
    zeros: Tensor = ops.zeros(state.outer.pop(history, shape), dy.dtype)
    around.Exit()
    return zeros


def add_slices(context: WhileContext, op: Operation, dy: IndexedSlices) -> IndexedSlices:
    """The same for rows: those of all iterations, one after the other, behind a row of zeros."""
    around = context.outer_context
    context.Exit()
    if around is not None:
        around.Enter()
    values, indices, dense = dy.values, dy.indices, dy.dense_shape
    source = op._inputs[0]
    if values.shape.is_fully_defined():
        zeros = ops.constant(0, values.dtype, shape=[1, *values.shape.as_list()[1:]], name="b_acc")
    else:
        known = variable_shape(source) if source.dtype is dtypes.resource else None
        row: Any = shape_internal(source, optimize=False)[1:] if known is None else TensorShape(known[1:])
        zeros = ops.zeros(ops.concat([[1], row], 0), values.dtype)
    start = [ops.constant([0], indices.dtype), zeros]
    if dense is not None:
        if dense.shape.is_fully_defined():
            start.append(ops.constant(0, dense.dtype, shape=dense.shape))
        else:
            like = shape_internal(source, optimize=False, out_type=dense.dtype)
            start.append(ops.zeros_like(like, optimize=False))
    if around is not None:
        around.Exit()
    context.Enter()
    for tensor in start:
        context.AddName(tensor.name)
    entered = [
        nodes.enter(tensor, context.name, False, context.parallel_iterations, keep_shape=False, name="b_acc")
        for tensor in start
    ]
    entered[0].set_shape([None])
    if zeros.shape.ndims is not None:
        entered[1].set_shape(TensorShape([None, *zeros.shape.as_list()[1:]]))
    merged = [nodes.merge([tensor, tensor], name="b_acc")[0] for tensor in entered]
    assert context.pivot is not None
    switched = [nodes.switch(tensor, context.pivot) for tensor in merged]
    results = [ops.concat([so_far, new], 0) for (_, so_far), new in zip(switched[:2], (indices, values), strict=True)]
    if dense is not None:
        results.append(ops.maximum(dense, switched[2][1]))
    following = [nodes.next_iteration(tensor) for tensor in results]
    for tensor, back in zip(merged, following, strict=True):
        tensor.op._update_input(1, back)
    left = [nodes.leave(before, name="b_acc") for before, _ in switched]
    for tensor, out in zip(entered, left, strict=True):
        context.add_variable(tensor, out)
    context.ExitResult(left)
    return IndexedSlices(left[1], left[0], left[2] if dense is not None else None)
