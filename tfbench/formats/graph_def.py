"""Graphs and nodes as GraphDef and NodeDef messages, attribute by attribute as TensorFlow writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine.dtypes import DType
from tfbench.engine.function_graph import FunctionName
from tfbench.engine.shapes import TensorShape
from tfbench.formats import protos
from tfbench.formats.tensor_proto import make_tensor_proto

if TYPE_CHECKING:
    from tfbench.engine.graph import Graph, Operation

#: the version of the GraphDef format that is written, TensorFlow 2.21's
PRODUCER = 2384
MIN_CONSUMER = 0


def node_def(op: Operation) -> Any:
    """`op` as a NodeDef: data inputs in order, then control inputs as they were given."""
    node = protos.NodeDef(name=op.name, op=op.type, device=op.device)
    for tensor in op._inputs:
        node.input.append(tensor.op.name if tensor.value_index == 0 else tensor.name)
    node.input.extend(f"^{other.name}" for other in op._control_inputs)
    for key, value in op.attrs.items():
        definition = op.op_def.attrs.get(key)
        set_attr(node.attr[key], value, definition.kind if definition is not None else None)
    return node


def graph_def(graph: Graph, from_version: int = 0, add_shapes: bool = False) -> Any:
    """The nodes of `graph`, those made at or after `from_version` operations; with shapes as an attribute if asked."""
    message = protos.GraphDef()
    message.versions.producer = PRODUCER
    for op in graph.get_operations()[from_version:]:
        node = node_def(op)
        data = len(op._inputs)
        node.input[data:] = sorted(node.input[data:])  # in a graph, unlike in a node alone, by name
        if add_shapes and op.outputs_list:
            node.attr["_output_shapes"].list.shape.extend(tensor.shape.as_proto() for tensor in op.outputs_list)
        message.node.append(node)
    return message


def versions() -> Any:
    """The VersionDef of graphs made here."""
    return protos.VersionDef(producer=PRODUCER, min_consumer=MIN_CONSUMER)


def set_attr(message: Any, value: Any, kind: str | None) -> None:
    """Writes one attribute value into an AttrValue; `kind` is its declared kind, where there is one."""
    if isinstance(value, (list, tuple)):
        message.list.SetInParent()
        for item in value:
            _append(message.list, item, kind[5:-1] if kind else None)
    elif isinstance(value, DType):
        message.type = value.as_datatype_enum
    elif isinstance(value, TensorShape):
        message.shape.CopyFrom(value.as_proto())
    elif isinstance(value, (bool, np.bool_)):
        message.b = bool(value)
    elif kind == "float" or isinstance(value, float):
        message.f = float(value)
    elif isinstance(value, (int, np.integer)):
        message.i = int(value)
    elif isinstance(value, str):
        message.s = value.encode()
    elif isinstance(value, bytes):
        message.s = value
    elif isinstance(value, np.ndarray):
        message.tensor.CopyFrom(_tensor(value))
    elif type(value).__name__ == "AttrValue":
        message.CopyFrom(value)
    elif isinstance(value, FunctionName):
        message.func.CopyFrom(name_attr_list(value))
    else:
        raise TypeError(f"An attribute cannot hold {value!r} of type {type(value).__name__}.")


def name_attr_list(function: FunctionName) -> Any:
    """Which function a node calls, as a message; those of datasets are marked, as TensorFlow marks them."""
    message = protos.NameAttrList(name=function.name)
    if function.name.startswith("__inference_"):
        message.attr["_tf_data_function"].b = True
    return message


def _append(target: Any, item: Any, kind: str | None) -> None:
    if isinstance(item, DType):
        target.type.append(item.as_datatype_enum)
    elif isinstance(item, TensorShape):
        target.shape.append(item.as_proto())
    elif isinstance(item, (bool, np.bool_)):
        target.b.append(bool(item))
    elif kind == "float" or isinstance(item, float):
        target.f.append(float(item))
    elif isinstance(item, (int, np.integer)):
        target.i.append(int(item))
    elif isinstance(item, str):
        target.s.append(item.encode())
    elif isinstance(item, bytes):
        target.s.append(item)
    elif isinstance(item, np.ndarray):
        target.tensor.append(_tensor(item))
    else:
        raise TypeError(f"A list attribute cannot hold {item!r} of type {type(item).__name__}.")


def _tensor(array: np.ndarray[Any, Any]) -> Any:
    # A broadcast scalar (constant(0.0, shape=[…])) is written as the one value it repeats.
    if array.size > 1 and not any(array.strides):
        return make_tensor_proto(array.reshape(-1)[0], shape=array.shape)
    return make_tensor_proto(array)
