"""`tf.graph_util`: GraphDefs made smaller, and variables turned into constants.

All of it works on messages: what comes out is a new GraphDef, and what went in is not changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tfbench import logging
from tfbench.engine import dtypes
from tfbench.engine.graph import Operation

if TYPE_CHECKING:
    from tfbench.formats.import_graph import import_graph_def

__all__ = [
    "convert_variables_to_constants", "extract_sub_graph", "import_graph_def", "must_run_on_cpu",
    "remove_training_nodes", "tensor_shape_from_node_def_name",
]  # fmt: skip

_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp"})
#: belong to variables, for `must_run_on_cpu`
_PINNED = frozenset(
    {
        "Assign", "AssignAdd", "AssignSub", "ScatterAdd", "ScatterSub", "ScatterUpdate", "TruncatedNormal", "Variable",
        "VariableV2",
    }
)  # fmt: skip
_INT32, _STRING = dtypes.int32.as_datatype_enum, dtypes.string.as_datatype_enum
_RESOURCE = dtypes.resource.as_datatype_enum
#: hand a variable's handle on, and name its type `T`
_PASSES = frozenset({"Enter", "Exit", "Identity", "LoopCond", "Merge", "NextIteration", "Switch"})


def __getattr__(name: str) -> Any:
    if name == "import_graph_def":
        from tfbench.formats.import_graph import import_graph_def

        return import_graph_def
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _node_name(text: str) -> str:
    """The node that an input is of: `a:1` and `^a` are of `a`."""
    return text.removeprefix("^").partition(":")[0]


def extract_sub_graph(graph_def: Any, dest_nodes: Iterable[str]) -> Any:
    """The nodes that `dest_nodes` need, in the order in which they were.

    Raises:
      TypeError: if `graph_def` is no GraphDef, or `dest_nodes` is one string.
      AssertionError: if a node is not there.
    """
    from tfbench.formats import protos

    if not isinstance(graph_def, protos.GraphDef):
        raise TypeError(f"graph_def must be a graph_pb2.GraphDef proto, but got type {type(graph_def)}.")
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes must be an iterable of strings, but got type {type(dest_nodes)}.")
    by_name = {node.name: node for node in graph_def.node}
    waiting = deque(dest_nodes)
    for name in waiting:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    kept = set()
    while waiting:
        name = waiting.popleft()
        if name not in kept:
            kept.add(name)
            waiting.extend(map(_node_name, by_name[name].input))
    result = protos.GraphDef()
    result.node.extend(node for node in graph_def.node if node.name in kept)
    result.library.CopyFrom(graph_def.library)
    result.versions.CopyFrom(graph_def.versions)
    return result


def convert_variables_to_constants(
    sess: Any,
    input_graph_def: Any,
    output_node_names: Iterable[str],
    variable_names_whitelist: Iterable[str] | None = None,
    variable_names_blacklist: Iterable[str] | None = None,
) -> Any:
    """What `output_node_names` need, with each variable as a constant of the value that it has in the session.

    Args:
      variable_names_whitelist: only these variables are converted. variable_names_blacklist: these are not.

    Raises:
      AssertionError: if a node is not in the graph. FailedPreconditionError: if a variable is not initialized.
    """
    from tfbench.formats import protos

    graph = extract_sub_graph(input_graph_def, output_node_names)
    allowed = None if variable_names_whitelist is None else set(variable_names_whitelist)
    denied = set(variable_names_blacklist or ())
    names = [
        node.name
        for node in graph.node
        if node.op in _VARIABLES and (allowed is None or node.name in allowed) and node.name not in denied
    ]
    values = dict(zip(names, sess.run([_value_of(sess.graph, name) for name in names]))) if names else {}
    types = _types_of_handles(graph, {node.name: node.attr["dtype"].type for node in graph.node if node.name in values})
    result = protos.GraphDef()
    added: list[Any] = []
    for node in graph.node:
        result.node.append(_converted(node, values, types, added))
    result.node.extend(added)
    result.library.CopyFrom(graph.library)
    result.versions.CopyFrom(graph.versions)
    logging.info("Converted %d variables to const ops.", len(values))
    return result


def _value_of(graph: Any, name: str) -> Any:
    """A tensor with the variable's value."""
    op = graph.get_operation_by_name(name)
    if op.type != "VarHandleOp":
        return op.outputs[0]
    for reader in op.outputs[0].consumers():
        if reader.type == "ReadVariableOp" and not reader.control_inputs:
            return reader.outputs[0]
    from tfbench.engine.ops.resource_state import read_variable

    with graph.as_default(), graph.control_dependencies(None):
        return read_variable(op.outputs[0], dtype=op.get_attr("dtype"), name=f"{name}/Read/ReadVariableOp")


def _types_of_handles(graph: Any, types: dict[str, int]) -> dict[str, int]:
    """The types of the values behind all handles: those of the variables, and those that nodes hand on."""
    found = dict(types)
    again = True
    while again:
        again = False
        for node in graph.node:
            if node.op in _PASSES and node.name not in found and node.input and _is_resource(node):
                source = found.get(_node_name(node.input[0]))
                if source is not None:
                    found[node.name] = source
                    again = True
    return found


def _is_resource(node: Any) -> bool:
    return bool(node.attr["T"].type == _RESOURCE) if "T" in node.attr else False


def _converted(node: Any, values: dict[str, Any], types: dict[str, int], added: list[Any]) -> Any:
    """The node that stands for `node`; what it needs besides is put into `added`."""
    from tfbench.formats import protos
    from tfbench.formats.tensor_proto import make_tensor_proto

    new = protos.NodeDef()
    if node.name in values:
        new.name, new.op = node.name, "Const"
        new.attr["dtype"].type = types[node.name]
        new.attr["value"].tensor.CopyFrom(make_tensor_proto(values[node.name], dtype=types[node.name]))
        return new
    new.CopyFrom(node)
    kind = types.get(_node_name(node.input[0])) if node.input else None
    if node.name in types:
        new.attr["T"].type = types[node.name]
    elif kind is None:
        pass
    elif node.op == "ReadVariableOp":
        # A constant is there at any time: nothing is waited for.
        new.op = "Identity"
        new.input[:] = [node.input[0]]
        new.attr.clear()
        new.attr["T"].type = kind
        if "_class" in node.attr:
            new.attr["_class"].CopyFrom(node.attr["_class"])
    elif node.op == "ResourceGather":
        if node.attr["batch_dims"].i != 0:
            raise ValueError(
                "batch_dims must be 0 for freeze_graph, but got "
                f"node({node.name}).attr('batch_dims') = {node.attr['batch_dims'].i}."
            )
        axis = protos.NodeDef(name=f"{node.name}/axis", op="Const", device=node.device)
        axis.attr["dtype"].type = _INT32
        axis.attr["value"].tensor.CopyFrom(make_tensor_proto(0, dtype=_INT32))
        added.append(axis)
        new.op = "GatherV2"
        new.input[:] = [node.input[0], node.input[1], axis.name]
        new.attr.clear()
        new.attr["Tparams"].type = node.attr["dtype"].type
        new.attr["Tindices"].type = node.attr["Tindices"].type
        new.attr["Taxis"].type = _INT32
        if "_class" in node.attr:
            new.attr["_class"].CopyFrom(node.attr["_class"])
    return new


def remove_training_nodes(input_graph: Any, protected_nodes: Iterable[str] | None = None) -> Any:
    """The graph without nodes that only matter in training.

    CheckNumerics are left out, Identity and StopGradient skipped.

    As in TensorFlow, what takes the value of a CheckNumerics loses that input.

    Args:
      protected_nodes: stay whatever they are.
    """
    from tfbench.formats import protos

    protected = set(protected_nodes or ())
    dropped = {node.name for node in input_graph.node if node.op == "CheckNumerics" and node.name not in protected}
    kept = []
    for node in input_graph.node:
        if node.name not in dropped:
            kept.append(_with_inputs(node, [item for item in node.input if item.removeprefix("^") not in dropped]))
    # A node that waits, or is waited for, may matter for that.
    waits = {node.name for node in kept if any(item.startswith("^") for item in node.input)}
    waited_for = {item[1:] for node in kept for item in node.input if item.startswith("^")}
    skipped = {
        node.name: node.input[0]
        for node in kept
        if node.op in ("Identity", "StopGradient") and node.name not in protected | waits | waited_for and node.input
    }
    result = protos.GraphDef()
    for node in kept:
        if node.name in skipped:
            continue
        inputs = []
        for item in node.input:
            while item.removeprefix("^") in skipped:
                item = skipped[item.removeprefix("^")]
            inputs.append(item)
        result.node.append(_with_inputs(node, inputs))
    return result


def _with_inputs(node: Any, inputs: list[str]) -> Any:
    new = type(node)()
    new.CopyFrom(node)
    new.input[:] = inputs
    return new


def tensor_shape_from_node_def_name(graph: Any, input_name: str) -> Any:
    """The static shape of a tensor, by its name or by the name of the node whose first output it is.

    Raises:
      KeyError: if it is not in the graph.
    """
    name = input_name if ":" in input_name else f"{input_name}:0"
    return graph.get_tensor_by_name(name).get_shape()


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether an operation or a NodeDef can only run on a CPU: it makes strings or integers, or loads what is a string.

    Args:
      pin_variables_on_cpu: whether variables belong there, too.
    """
    from tfbench.formats import protos

    if isinstance(node, Operation):
        node = node.node_def
    elif not isinstance(node, protos.NodeDef):
        raise AssertionError(f"Expected an Operation or a NodeDef, found {type(node).__name__}: {node!r}")
    if pin_variables_on_cpu and node.op in _PINNED:
        return True
    attribute = {"Const": "dtype", "DynamicStitch": "T", "Cast": "SrcT"}.get(node.op)
    if attribute is None:
        return False
    kind = node.attr[attribute].type
    return bool(kind == _INT32 or (kind == _STRING and node.op == "Const"))
