"""What an object or a name means in a graph: `as_graph_element` and its kin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfbench.engine.tensor import Tensor

if TYPE_CHECKING:
    from tfbench.engine.graph import Graph, Operation


def as_graph_element(graph: Graph, obj: Any, allow_tensor: bool, allow_operation: bool) -> Any:
    """See `Graph.as_graph_element`."""
    from tfbench.engine.graph import Operation

    if allow_tensor and allow_operation:
        wanted = "Tensor or Operation"
    elif allow_tensor:
        wanted = "Tensor"
    elif allow_operation:
        wanted = "Operation"
    else:
        raise ValueError("allow_tensor and allow_operation can't both be False.")

    element = obj
    if not isinstance(obj, (Tensor, Operation, str, bytes)):
        convert = getattr(obj, "_as_graph_element", None)
        if callable(convert):
            element = convert()
    if isinstance(element, bytes):
        element = element.decode()
    if isinstance(element, str):
        return _by_name(graph, element, allow_tensor, allow_operation)
    if isinstance(element, Tensor) and allow_tensor:
        check_alive(graph, element.op, element)
        return element
    if isinstance(element, Operation) and allow_operation:
        check_alive(graph, element, element)
        return element
    raise TypeError(f"Can not convert a {type(element).__name__} into a {wanted}.")


def check_alive(graph: Graph, op: Operation, element: Any) -> None:
    """Raises ValueError where `element` is not, or no longer, part of `graph`."""
    if op.graph is graph and graph.owns(op):
        return
    if op.graph is graph:
        raise replaced_error(op, element)
    what = f"Tensor {element}" if isinstance(element, Tensor) else f"Operation {op.name!r} (type {op.type})"
    raise ValueError(f"{what} is not an element of this graph.")


def replaced_error(op: Operation, element: Any) -> Exception:
    """The error for a tensor or operation that was removed when a cell was run again."""
    from tfbench.errors import ReplacedTensorError

    note = op.__dict__.get("_replaced_by")
    cell = op.source.cell if op.source else None
    what = "Tensor" if isinstance(element, Tensor) else "Operation"
    if note is not None:
        message = f"{what} {element.name!r} is not an element of this graph any more: {note}"
    else:
        message = (
            f"{what} {element.name!r} is not an element of this graph any more: it was removed when a cell was run "
            f"again; run {'cell ' + cell if cell else 'the cell that made it'} again to get its successor."
        )
    return ReplacedTensorError(element.name, cell, message)


def _by_name(graph: Graph, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
    form = 'Tensor names must be of the form "<op_name>:<output_index>".'
    if ":" in name and allow_tensor:
        op_name, _, index_text = name.partition(":")
        try:
            index = int(index_text)
        except ValueError:
            raise ValueError(f"The name {name!r} looks a like a Tensor name, but is not a valid one. {form}") from None
        op = graph._by_name.get(op_name)
        if op is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. "
                f"The operation, {op_name!r}, does not exist in the graph.{_near(graph, op_name)}"
            )
        if not -len(op.outputs_list) <= index < len(op.outputs_list):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. "
                f"The operation, {op_name!r}, exists but only has {len(op.outputs_list)} outputs."
            )
        return op.outputs_list[index]
    if ":" in name:
        raise ValueError(f"Name {name!r} appears to refer to a Tensor, not a Operation.")
    op = graph._by_name.get(name)
    if op is None:
        if allow_operation:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.{_near(graph, name)}")
        raise ValueError(f"The name {name!r} looks like an (invalid) Operation name, not a Tensor. {form}")
    if not allow_operation:
        means = f" Did you mean '{name}:0'?" if op.outputs_list else ""
        raise ValueError(f"The name {name!r} refers to an Operation, not a Tensor. {form}{means}")
    return op


def _near(graph: Graph, name: str) -> str:
    """' Did you mean …?' with the nearest names, or ''."""
    import difflib

    names = list(graph._by_name)
    if len(names) > 20_000 or len(name) > 200:
        return ""
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.75)
    return f" Did you mean {' or '.join(repr(n) for n in near)}?" if near else ""


def control_operations(graph: Graph, control_inputs: Any) -> list[Operation]:
    """The distinct operations that a `control_dependencies` argument stands for."""
    found: dict[Operation, None] = {}
    for item in control_inputs:
        if type(item) is Tensor and item.op.graph is graph and graph.owns(item.op):
            found[item.op] = None
            continue
        # Variables and IndexedSlices stand for the operation that makes them; SparseTensors stand for none.
        if not isinstance(item, (Tensor, str)) and not getattr(item, "no_dependency", False):
            item = getattr(item, "op", item)
        element = as_graph_element(graph, item, True, True)
        op = element.op if isinstance(element, Tensor) else element
        found[op] = None
    return list(found)


def colocation_operation(graph: Graph, op: Any) -> Operation | None:
    """The operation that `colocate_with(op)` names."""
    from tfbench.engine.graph import Operation

    if op is None:
        return None
    if not isinstance(op, (Operation, str)):
        handle_or_op = getattr(op, "op", None)
        if isinstance(handle_or_op, Operation):
            op = handle_or_op
    if not isinstance(op, (Operation, Tensor)):
        from tfbench.engine.convert import convert_to_tensor

        op = convert_to_tensor(op)
    if not isinstance(op, Operation):
        element = as_graph_element(graph, op, True, True)
        op = element.op if isinstance(element, Tensor) else element
    check_alive(graph, op, op)
    found: Operation = op
    return found
