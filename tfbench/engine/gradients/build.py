"""`tf.gradients`: what is asked for is checked and made tensors, and `walk` builds the gradients.

While it does, all nodes are said to come from where `gradients` was called: they are many, and all from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from enum import Enum
from typing import Any

from tfbench.engine import dtypes, ops, source
from tfbench.engine.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.gradients import registry
from tfbench.engine.gradients.walk import Walk
from tfbench.engine.graph import Graph
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.resource_state import variable_dtype, variable_shape
from tfbench.engine.shape_math import is_fully_defined
from tfbench.engine.tensor import Tensor


class AggregationMethod:
    """How gradients that meet are added up: by one AddN, or pair by pair."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(Enum):
    """What the gradient is where y does not depend on x: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradient of the sum of `ys` with respect to each of `xs`: a tensor, an IndexedSlices, or None.

    `grad_ys` are the gradients to start from (ones where None); `stop_gradients` are treated as constants;
    `gate_gradients` lets nobody use one gradient of an op before all of them are there.

    Raises:
      LookupError: if an op between has no gradient function.
      ValueError: if `grad_ys` are not as many as `ys`, or a gradient has a wrong shape.
      TypeError: if a gradient has a wrong type.
    """
    ys, xs, stops = _as_list(ys), _as_list(xs), [] if stop_gradients is None else _as_list(stop_gradients)
    starts = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    ys = [convert_to_tensor(y) if _is_resource_variable(y) else y for y in ys]
    xs = [x.handle if _is_resource_variable(x) else x for x in xs]
    try:
        unconnected = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: '{unconnected_gradients}'") from None
    registry.load()
    with name_scope(name, "gradients", [item for item in (*ys, *xs, *stops, *starts) if item is not None]):
        graph = get_default_graph()
        graph.unique_name("uid")  # TensorFlow uses up this name
        targets = [convert_to_tensor_or_indexed_slices(y, name=f"y_{i}") for i, y in enumerate(ys)]
        sources = [
            x if isinstance(x, IndexedSlices) else convert_to_tensor(x, name=f"x_{i}", as_ref=True)
            for i, x in enumerate(xs)
        ]
        colocate = bool(colocate_gradients_with_ops)
        method = AggregationMethod.DEFAULT if aggregation_method is None else aggregation_method
        walk = Walk(graph, colocate, bool(gate_gradients), method)
        state = graph.scope_state
        outer, state.trace = state.trace, state.trace or source.capture()
        context = graph._control_flow_context
        try:
            walk.run(targets, sources, _start_gradients(graph, colocate, targets, starts), stops)
        finally:
            state.trace = outer
            graph._control_flow_context = context
    walk.finish()
    found = [walk.result(x) for x in sources]
    if unconnected is UnconnectedGradients.ZERO:
        return [_zeros(x) if dx is None else dx for x, dx in zip(sources, found)]
    return found


def _as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_resource_variable(x: Any) -> bool:
    handle = None if isinstance(x, Tensor) else getattr(x, "handle", None)
    return isinstance(handle, Tensor) and handle.dtype is dtypes.resource


def _zeros(x: Any) -> Tensor:
    """The gradient by an x on which no y depends, where it is not to be None."""
    if x.dtype is dtypes.resource:
        shape = variable_shape(x)
        known = is_fully_defined(shape)
        sizes = ops.constant(shape, dtypes.int32) if known else lookup("VariableShape")(x)
        return ops.zeros(sizes, variable_dtype(x))
    zeros: Tensor = ops.zeros_like(x)
    return zeros


def _start_gradients(graph: Graph, colocate: bool, ys: Sequence[Any], given: Sequence[Any]) -> list[Any]:
    """The gradients of the ys: what the caller gave, else ones."""
    if len(given) != len(ys):
        raise ValueError(f"Length mismatch. Passed {len(given)} grad_ys for {len(ys)} ys")
    given = [
        dy if dy is None else convert_to_tensor_or_indexed_slices(dy, name=f"grad_y_{i}") for i, dy in enumerate(given)
    ]
    result: list[Any] = []
    for i, (y, dy) in enumerate(zip(ys, given)):
        with graph.colocate_with(y.op) if colocate else nullcontext():
            if dy is None:
                if y.dtype.is_complex:
                    raise TypeError(f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})")
                result.append(ops.ones(ops.shape(y), dtype=y.dtype.base_dtype, name=f"grad_ys_{i}"))
                continue
            _check_start_type(y, dy)
            if isinstance(dy, IndexedSlices):
                rows = ops.identity(dy.indices, name=f"grad_ys_{i}_indices")
                values = ops.identity(dy.values, name=f"grad_ys_{i}_values")
                dense = dy.dense_shape
                if dense is not None:
                    dense = ops.identity(dense, name=f"grad_ys_{i}_shape")
                result.append(IndexedSlices(values, rows, dense))
            else:
                result.append(ops.identity(dy, name=f"grad_ys_{i}"))
    return result


def _check_start_type(y: Any, dy: Any) -> None:
    real, given = y.dtype.base_dtype, dy.dtype.base_dtype
    if real.is_floating or real.is_integer:
        if not given.is_floating and not given.is_integer:
            raise TypeError(
                f"Gradient type {given.name} generated for real or integer-valued tensor {y} with type {real.name} "
                "must be real or integer"
            )
    elif real.is_complex:
        if not given.is_complex:
            raise TypeError(
                f"Gradient type {given.name} generated for complex-valued tensor {y} with type {real.name} must be "
                "complex"
            )
    else:
        raise TypeError(f"Tensor {y} with type {real.name} must be numeric to obtain a default gradient")
