"""`tf.contrib.framework`: what is decided while a graph is built, names relative to scopes, shapes that are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tfbench.data.structure import map_up_to
from tfbench.engine import nest, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.asserts_static import assert_scalar
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.case import case
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.math_confusion import remove_squeezable_dimensions as remove_squeezable
from tfbench.engine.ops.script import py_func as engine_py_func
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.train.training_step import assert_global_step, get_global_step

__all__ = [
    "VariableDeviceChooser", "assert_or_get_global_step", "assert_scalar_int", "get_graph_from_inputs",
    "get_name_scope", "get_placeholders", "prepend_name_scope", "py_func", "reduce_sum_n",
    "remove_squeezable_dimensions", "smart_case", "smart_cond", "smart_constant_value", "strip_name_scope",
    "with_same_shape", "with_shape",
]  # fmt: skip


# -- decided now, if it is known --------------------------------------------------------------------------------------


def smart_constant_value(pred: Any) -> Any:
    """The value of a predicate where it is known now: a bool, 0 or 1, or a constant tensor; else None.

    Raises:
      TypeError: for anything else.
    """
    if isinstance(pred, Tensor):
        return constant_value(pred)
    if isinstance(pred, bool) or pred in (0, 1):
        return bool(pred)
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}")


def smart_cond(
    pred: Any, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None, name: Any = None
) -> Any:
    """`tf.cond`, decided now where the predicate is known.

    Raises:
      TypeError: if one of the two is no function.
    """
    for what, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"`{what}` must be callable.")
    assert true_fn is not None
    assert false_fn is not None
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn, false_fn, name=name)
    return true_fn() if known else false_fn()


def smart_case(
    pred_fn_pairs: Any, default: Callable[[], Any] | None = None, exclusive: bool = False, name: str = "smart_case"
) -> Any:
    """`tf.case`, with what is known decided now: a predicate that holds ends the list, one that does not is left "
    "out."""
    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, Mapping) else list(pred_fn_pairs)
    with name_scope(name, "smart_case", [pred for pred, _ in pairs]) as scope:
        open_pairs = []
        for pred, function in pairs:
            known = smart_constant_value(pred)
            if known is None:
                open_pairs.append((pred, function))
            elif known:
                default = function
                break
        if not open_pairs and default is not None:
            return default()
        return case(open_pairs, default=default, exclusive=exclusive, name=scope)


# -- names ------------------------------------------------------------------------------------------------------------


def get_name_scope() -> str:
    """The name scope that is open."""
    return str(get_default_graph().get_name_scope())


def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A name without the scope that it begins with."""
    if not export_scope:
        return name
    for mark in ("^", "loc:@"):
        if name.startswith(mark):
            return mark + name.removeprefix(mark).removeprefix(f"{export_scope.rstrip('/')}/")
    return name.removeprefix(f"{export_scope.rstrip('/')}/")


def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """A name in a scope."""
    if not import_scope:
        return name
    for mark in ("^", "loc:@"):
        if name.startswith(mark):
            return f"{mark}{import_scope.rstrip('/')}/{name.removeprefix(mark)}"
    return f"{import_scope.rstrip('/')}/{name}"


def get_placeholders(graph: Any) -> list[Any]:
    """The tensors of a graph that have to be fed."""
    return [op.outputs[0] for op in graph.get_operations() if op.type == "Placeholder"]


def get_graph_from_inputs(op_input_list: Iterable[Any], graph: Any = None) -> Any:
    """The graph that tensors are of, or the default one.

    Raises:
      ValueError: if they are of different graphs.
    """
    found = graph
    for item in op_input_list:
        own = getattr(item, "graph", None)
        if own is None:
            continue
        if found is None:
            found = own
        elif own is not found:
            raise ValueError(f"{item} must be from the same graph as the others (or the graph that was given).")
    return get_default_graph() if found is None else found


class VariableDeviceChooser:
    """A device function that puts one variable after the other on another task.

    Args:
      num_tasks: how many tasks of the job there are; 0: no job.
    """

    def __init__(
        self,
        num_tasks: int = 0,
        job_name: str = "ps",
        device_type: str = "CPU",
        device_index: int = 0,
        replica: int | None = None,
    ) -> None:
        self._job_name = job_name
        self._device_type = device_type
        self._device_index = device_index
        self._replica = replica
        self._num_tasks = num_tasks
        self._next_task = 0

    def __call__(self, op: Any) -> str:
        """The device of the next variable."""
        text = ""
        if self._num_tasks > 0:
            text = f"/job:{self._job_name}"
        if self._replica is not None:
            text += f"/replica:{self._replica}"
        if self._num_tasks > 0:
            text += f"/task:{self._next_task}"
            self._next_task = (self._next_task + 1) % self._num_tasks
        return f"{text}/device:{self._device_type}:{self._device_index}"


# -- values
# -------------------------------------------------------------------------------------------------------------


def reduce_sum_n(tensors: Sequence[Any], name: str | None = None) -> Any:
    """The sum of all elements of all tensors.

    Raises:
      ValueError: if there are none.
    """
    if not tensors:
        raise ValueError("No tensors provided.")
    with name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [ops.reduce_sum(tensor, name=f"{tensor.op.name}/sum") for tensor in tensors]
        return sums[0] if len(sums) == 1 else ops.add_n(sums, name=scope)


def remove_squeezable_dimensions(predictions: Any, labels: Any, name: str | None = None) -> tuple[Any, Any]:
    """Both, without a last axis of one element that only one of them has."""
    labels, predictions = remove_squeezable(labels, predictions, name=name)
    return predictions, labels


def assert_scalar_int(tensor: Any, name: str | None = None) -> Any:
    """The tensor.

    Raises:
      ValueError: if it is no integer, or no scalar.
    """
    with name_scope(name, "assert_scalar_int", [tensor]):
        tensor = convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(f"Expected integer type for {tensor.name}, received type: {tensor.dtype}.")
        return assert_scalar(tensor)


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """The global step that is given, if it is one, or that of the graph."""
    if global_step_tensor is None:
        return get_global_step(graph)
    assert_global_step(global_step_tensor)
    return global_step_tensor


def with_same_shape(expected_tensor: Any, tensor: Any) -> Any:
    """`tensor`, which has, or is checked in the run to have, the shape of `expected_tensor`."""
    with name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        return with_shape(expected_tensor.get_shape().as_list(), tensor)


def with_shape(expected_shape: Any, tensor: Any) -> Any:
    """`tensor`, which has, or is checked in the run to have, a shape; None and -1 stand for any size.

    Raises:
      ValueError: if its shape is known to be another.
    """
    sizes = [None if size in (None, -1) else int(size) for size in list(expected_shape)]
    expected = TensorShape(sizes)
    actual = tensor.get_shape()
    if actual.is_fully_defined() and expected.is_fully_defined():
        if actual.as_list() != sizes:
            shown = " ".join(map(str, sizes))
            raise ValueError(f"Invalid shape for tensor {tensor.name}, expected [{shown}], got {actual}.")
        return tensor
    merged = actual.merge_with(expected)
    with name_scope(f"{tensor.op.name}/", values=[tensor]):
        with name_scope("assert_shape"):
            wanted = constant([-1 if size is None else size for size in sizes])
            found = ops.shape(tensor, name="actual")
            same = ops.logical_or(ops.equal(wanted, -1), ops.equal(wanted, found))
            message = f"Wrong shape for {tensor.name} [expected] [actual]."
            check = Assert(ops.reduce_all(same), [message, wanted, found])
        with get_default_graph().control_dependencies([check]):
            checked = ops.identity(tensor)
    checked.set_shape(merged)
    return checked


def py_func(
    func: Callable[..., Any],
    args: Any = (),
    kwargs: Any = None,
    output_types: Any = None,
    output_shapes: Any = None,
    stateful: bool = True,
    name: str | None = None,
) -> Any:
    """`tf.py_func` with keyword arguments, nests of results, and their shapes."""
    kwargs = kwargs or {}
    inputs = [args, kwargs]
    types = nest.flatten(output_types) if nest.is_nested(output_types) else [output_types]

    def call(*values: Any) -> Any:
        given, named = nest.pack_sequence_as(inputs, values)
        found = func(*given, **named)
        return nest.flatten(found) if nest.is_nested(output_types) else [found]

    results = engine_py_func(call, nest.flatten(inputs), types, stateful=stateful, name=name)
    results = list(results) if isinstance(results, (list, tuple)) else [results]
    if output_shapes is not None:
        shapes: list[Any] = []
        map_up_to(lambda _, shape: shapes.append(shape), output_types, output_shapes)
        for result, shape in zip(results, shapes):
            result.set_shape(shape)
    return nest.pack_sequence_as(output_types, results) if nest.is_nested(output_types) else results[0]
