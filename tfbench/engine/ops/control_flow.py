"""`cond`, built from Switch and Merge as TensorFlow 1.x builds it.

While a branch function runs, its `CondContext` is the graph's control flow context: every op made then is
handed to it, and values from outside are replaced by the branch's side of a Switch.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from tfbench.engine import dtypes, nest
from tfbench.engine.collections import GraphKeys
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.control_flow import values
from tfbench.engine.control_flow.cond_context import CondContext
from tfbench.engine.control_flow.nodes import merge
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.tensor import Tensor

__all__ = ["cond"]


def cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Any] | None = None,
    fn2: Callable[[], Any] | None = None,
) -> Any:
    """The result of `true_fn()` or of `false_fn()`, as the scalar bool tensor `pred` says when it runs.

    Only ops that are made *inside* the functions belong to a branch; what was made before runs in any case.
    Both functions return the same structure and types. Lists with one element are unwrapped unless `strict`.

    Raises:
      TypeError: if a function is not callable, or `pred` is a Python bool.
      ValueError: if the branches return different types or structures, or nothing.
    """
    true_fn = _renamed("true_fn", true_fn, "fn1", fn1)
    false_fn = _renamed("false_fn", false_fn, "fn2", fn2)
    if not callable(true_fn):
        raise TypeError(f"'true_fn' must be callable: a function without arguments, not {true_fn!r}.")
    if not callable(false_fn):
        raise TypeError(f"'false_fn' must be callable: a function without arguments, not {false_fn!r}.")
    with name_scope(name, "cond", [pred]):
        if isinstance(pred, bool):
            raise TypeError(
                f"'pred' must not be a Python bool. What is known now, {pred}, needs no cond: use Python's `if`."
            )
        graph = get_default_graph()
        out_false, out_true = _split(pred)
        pivot_true = identity(out_true, name="switch_t")
        pivot_false = identity(out_false, name="switch_f")
        pred = identity(pred, name="pred_id")
        for tensor in (out_false, out_true, pivot_true, pivot_false, pred):
            graph.prevent_fetching(tensor.op)
        context_true, structure_true, true = _branch(pred, pivot_true, 1, true_fn, "true_fn")
        context_false, structure_false, false = _branch(pred, pivot_false, 0, false_fn, "false_fn")
        if not strict:
            structure_true, structure_false = _unwrapped(structure_true), _unwrapped(structure_false)
        if _mixed_indices(structure_true, structure_false):
            for _ in range(2):  # TensorFlow casts what the functions returned, and what became of it
                long_true, long_false = (
                    nest.map_structure(_with_long_indices, each) for each in (structure_true, structure_false)
                )
            true, false = values.flatten(long_true), values.flatten(long_false)
        try:
            values.assert_same_structure(structure_true, structure_false)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Incompatible return types of 'true_fn' and 'false_fn': {error}") from None
        if not true:
            raise ValueError("'true_fn' and 'false_fn' must return at least one result.")
        for a, b in zip(true, false, strict=True):
            if a.dtype.base_dtype != b.dtype.base_dtype:
                raise ValueError(
                    f"Outputs of 'true_fn' and 'false_fn' must have the same type(s). Received {a.dtype.name} from "
                    f"'true_fn' and {b.dtype.name} from 'false_fn'."
                )
        merged = [merge([b, a])[0] for a, b in zip(true, false, strict=True)]
        if context_true.outer_context is None:
            graph.add_to_collection(GraphKeys.COND_CONTEXT, context_true)
            graph.add_to_collection(GraphKeys.COND_CONTEXT, context_false)
        result = values.pack(structure_true, merged)
        return result if strict else _unwrapped(result)


def _split(pred: Any) -> builtins.tuple[Tensor, Tensor]:
    """A Switch of the predicate by itself: of a variable, the reference by its value."""
    switch_op = lookup("Switch")
    if values.is_resource_variable(pred):
        with name_scope(None, "Switch"):
            false, true = switch_op(pred, convert_to_tensor(pred))
    else:
        data = pred if isinstance(pred, Tensor) or not hasattr(pred, "_ref") else pred._ref()
        false, true = switch_op(data, pred)
    return false, true


def _mixed_indices(true: Any, false: Any) -> bool:
    """Whether rows that one branch numbers in int32 stand against rows that the other numbers in int64."""
    pairs = zip(nest.flatten(true), nest.flatten(false), strict=False)
    rows = [(a, b) for a, b in pairs if isinstance(a, IndexedSlices) and isinstance(b, IndexedSlices)]
    return any(a.indices.dtype != b.indices.dtype for a, b in rows)


def _with_long_indices(leaf: Any) -> Any:
    if not isinstance(leaf, IndexedSlices) or leaf.indices.dtype is dtypes.int64:
        return leaf
    return IndexedSlices(leaf.values, lookup("Cast")(leaf.indices, DstT=dtypes.int64), leaf.dense_shape)


def _branch(
    pred: Tensor, pivot: Tensor, branch: int, function: Callable[[], Any], what: str
) -> builtins.tuple[CondContext, Any, list[Tensor]]:
    context = CondContext(pred, pivot, branch)
    context.Enter()
    try:
        returned = function()
        if returned is None:
            raise ValueError(f"'{what}' must have a return value.")
        returned = values.read_variables(returned)
        results = [_result(context, part) for part in values.flatten(returned)]
        structure = values.pack(returned, results)
        context.ExitResult(results)
    finally:
        context.Exit()
    return context, structure, results


def _result(context: CondContext, value: Any) -> Tensor:
    """What a branch function returned, as a tensor of its branch."""
    if isinstance(value, Operation):
        # An operation has no value to merge: the pivot, after it, stands for it.
        tensor: Tensor = with_dependencies([value], context.pivot)
        return tensor
    return context.add_result(convert_to_tensor(value))


def _unwrapped(structure: Any) -> Any:
    """A list or tuple with one element is that element."""
    while isinstance(structure, (list, builtins.tuple)) and not hasattr(structure, "_fields") and len(structure) == 1:
        structure = structure[0]
    return structure


def _renamed(name: str, value: Any, old_name: str, old_value: Any) -> Any:
    if old_value is not None and value is not None:
        raise TypeError(f"cond(): '{name}' and its old name '{old_name}' must not both be given.")
    return old_value if value is None else value
