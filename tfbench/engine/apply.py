"""Adding a node from an op's declaration: its name, then its inputs (`inputs`), then its attributes (`attributes`).

The node's name scope is claimed first, so that constants made for Python values are called `add/y`, as in
TensorFlow. Most nodes take tensors only, and there was one like them before: they skip everything else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.attributes import complete, convert_attr, given_attrs, output_dtypes
from tfbench.engine.default_graph import default_graph_stack
from tfbench.engine.dtypes import DType
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.graph_elements import replaced_error
from tfbench.engine.inputs import check_lists, convert_inputs, list_input, single_input
from tfbench.engine.opdef import OpDef, builder
from tfbench.engine.scopes import NameScope, check_name
from tfbench.engine.signature import ArgDef
from tfbench.engine.source import Trace
from tfbench.engine.tensor import Tensor


def apply_op(op_def: OpDef, inputs: Sequence[Any], attrs: dict[str, Any], name: str | None) -> Operation:
    """Adds a node of type `op_def` for `inputs` (tensors or Python values).

    Raises:
      TypeError, ValueError: naming the op and the input or attribute, before anything is added but the
        constants made for earlier inputs.
    """
    args = op_def.inputs
    if len(inputs) != len(args):
        raise TypeError(f"{op_def.type} takes {len(args)} inputs ({_names(args)}), but got {len(inputs)}.")
    key: Any = None
    if op_def.takes_single_tensors and type(inputs[0]) is Tensor:
        # Most nodes: tensors of one graph, and attributes as some node before had them. What follows from types and
        # attributes has been worked out then. Whatever else is the case is looked into below.
        graph = inputs[0].op.graph
        key = _form_key(graph, inputs, attrs)
        if key is not None and graph._control_flow_context is None and not builder.tracing:
            form = op_def.forms.get(key)
            if form is not None:
                return graph.add_node(op_def, _claim(graph, name, op_def.type), inputs, form[0], form[1])
    graph = graph_of(inputs)
    # An attribute of a wrong type is refused before the name is used up.
    known = given_attrs(op_def, attrs)
    if op_def.has_lists:
        check_lists(op_def, inputs)
    scope = NameScope(graph, name or op_def.type)
    claimed = scope.__enter__()
    try:
        node = _apply(graph, op_def, inputs, known, claimed[:-1])
    finally:
        scope.__exit__()
    if key is not None and len(op_def.forms) < _FORMS and list not in map(type, known.values()):
        # Scopes add attributes to a node's own; those that it was called with are the form's.
        op_def.forms[key] = (known, tuple([output._dtype for output in node.outputs_list]))
    return node


#: so many combinations of types and attributes are remembered of an op
_FORMS = 64

#: types of attribute values that are what they are called: no float is mistaken for an integer or a truth
_PLAIN_VALUES = frozenset([bool, int, str, DType, type(None)])


def _form_key(graph: Graph, inputs: Sequence[Any], attrs: dict[str, Any]) -> Any:
    """What decides the attributes and output types of a node, as a key; None where that is not plain to see."""
    nodes = graph._nodes
    kinds: list[Any] = []
    for tensor in inputs:
        if type(tensor) is not Tensor:
            return None
        op = tensor.op
        if op.graph is not graph or op._id >= len(nodes) or nodes[op._id] is not op:
            return None
        kinds.append(tensor._dtype._type_enum)
    if attrs:
        for value in attrs.values():
            if type(value) not in _PLAIN_VALUES:
                return None
        kinds += attrs.items()
    return tuple(kinds)


def _claim(graph: Graph, name: str | None, type: str) -> str:
    """The unique node name for `name` (default: the type), which may be a whole scope ('a/b/').

    Raises:
      ValueError: if it is no name for a node.
    """
    if not name:
        return graph.unique_name(type)
    name = name[:-1] if name[-1] == "/" else graph.unique_name(name)
    check_name(name)
    return name


def graph_of(values: Any) -> Graph:
    """The graph that the tensors among `values` (lists looked into) belong to; else the default graph.

    Raises:
      ValueError: if they belong to different graphs, or one of them was removed from its graph.
    """
    default = default_graph_stack.get()
    if default.building_function:
        return default  # which takes in what comes from outside (`function_graph`)
    graph: Graph | None = None
    first: Any = None
    for value in values:
        if type(value) is Tensor:
            # The common case, written out: this runs for every input of every node.
            op = value.op
            own = op.graph
            if graph is None:
                graph, first = own, value
            nodes = own._nodes
            if own is graph and op._id < len(nodes) and nodes[op._id] is op:
                continue
        if isinstance(value, (list, tuple)):
            inner = [item for item in value if isinstance(item, Tensor) or hasattr(item, "_as_graph_element")]
        else:
            inner = [value]
        for item in inner:
            if not isinstance(item, Tensor):
                element = getattr(item, "_as_graph_element", None)
                if element is None:
                    continue
                item = element()
            op = item.op if isinstance(item, Tensor) else item
            own = op.graph
            nodes = own._nodes
            if op._id >= len(nodes) or nodes[op._id] is not op:
                raise replaced_error(op, item)
            if graph is None:
                graph, first = own, item
            elif own is not graph:
                raise _two_graphs(item, own, first, graph)
    return default if graph is None else graph


def _two_graphs(item: Any, own: Graph, first: Any, graph: Graph) -> ValueError:
    made = [
        f" '{one.name}' was made at {place}."
        for one in (item, first)
        if (place := (one.op if isinstance(one, Tensor) else one).source) is not None
    ]
    return ValueError(
        f"{item} must be from the same graph as {first} (graphs are {own} and {graph}).{''.join(made)} What one graph "
        "computes can be fed to another, as an array."
    )


def _apply(graph: Graph, op_def: OpDef, inputs: Sequence[Any], known: dict[str, Any], name: str) -> Operation:
    inferred_from: dict[str, str] = {}
    if graph is default_graph_stack.get():
        tensors = convert_inputs(op_def, inputs, known, inferred_from)
    else:
        with graph.as_default():
            tensors = convert_inputs(op_def, inputs, known, inferred_from)
    complete(op_def, known, inferred_from)
    return _add(graph, op_def, name, tensors, known)


def add_made(
    op_def: OpDef,
    name: str,
    tensors: Sequence[Tensor],
    attrs: dict[str, Any],
    trace: Trace | None = None,
    beside: Sequence[Operation] = (),
    graph: Graph | None = None,
) -> Operation:
    """Adds a node for library code that knows its own: a unique name, tensors of the right types, attributes converted.

    Attributes that are not given have their defaults. With `trace`, the node is from the same place as another one;
    `beside` are operations that it is placed with. `graph` is given where the tensors are known to be of it.
    """
    attrs = {**op_def.defaults, **attrs}
    graph = graph or graph_of(tensors)
    return graph.add_node(op_def, name, tensors, attrs, output_dtypes(op_def, attrs), trace, beside)


def _add(graph: Graph, op_def: OpDef, name: str, tensors: list[Tensor], attrs: dict[str, Any]) -> Operation:
    """Adds the checked node; one that takes references is placed with them, as they are buffers, not values."""
    beside: list[Operation] = []
    if op_def.takes_references:
        # As TensorFlow pairs them: of a list of references only the first counts.
        beside = [tensor.op for arg, tensor in zip(op_def.inputs, tensors, strict=False) if arg.is_ref]
    return graph.add_node(op_def, name, tensors, attrs, output_dtypes(op_def, attrs), None, beside)


def create_from_parts(
    graph: Graph, op_def: OpDef, inputs: list[Tensor], attrs: dict[str, Any], name: str | None
) -> Operation:
    """Adds a node whose inputs are tensors already (`Graph.create_op`, importing a graph)."""
    known = {
        key: convert_attr(op_def, op_def.attrs[key], value) if key in op_def.attrs else value
        for key, value in attrs.items()
    }
    inferred_from: dict[str, str] = {}
    position = 0
    for arg in op_def.inputs:
        if not arg.is_list:
            single_input(op_def, arg, inputs[position], known, inferred_from)
            position += 1
            continue
        if arg.type_list_attr is not None:
            count = len(known[arg.type_list_attr]) if arg.type_list_attr in known else len(inputs) - position
        else:
            count = known.get(arg.number_attr or "", len(inputs) - position)
        list_input(op_def, arg, inputs[position : position + count], known, inferred_from)
        position += count
    if position != len(inputs):
        raise ValueError(f"{op_def.type} takes {position} inputs ({_names(op_def.inputs)}), but got {len(inputs)}.")
    complete(op_def, known, inferred_from)
    return _add(graph, op_def, _claim(graph, name, op_def.type), inputs, known)


def _names(args: Sequence[ArgDef]) -> str:
    return ", ".join(arg.name for arg in args) or "none"


builder.apply_op = apply_op
builder.create_from_parts = create_from_parts
