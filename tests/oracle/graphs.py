"""A graph as rows of plain JSON: [name, op, inputs, device, attributes] in the order of creation.

Read from `as_graph_def()`; where that is missing, from the operations themselves. Attribute values: a type is
{"type": "float32"}, a shape {"shape": [2, null]}, a tensor {"tensor": [dtype, shape, data]},
a function {"func": name}; strings, ints,
floats,
bools and lists of all these are themselves. Runs under tfbench and under TensorFlow 1.15 (Python 3.7): no newer syntax.
"""

from __future__ import annotations

import re

import numpy as np

# Notes that passes leave on a node; nothing a user wrote or sees.
BOOKKEEPING = frozenset(["_output_shapes", "_XlaSharding", "_has_manual_control_dependencies"])


def rows(graph, tf):
    """The nodes of a graph."""
    as_graph_def = getattr(graph, "as_graph_def", None)
    if as_graph_def is not None:
        nodes = as_graph_def().node
        return [[n.name, n.op, list(n.input), n.device, _attrs(n.attr, tf)] for n in nodes]
    return [_row(op, tf) for op in graph.get_operations()]


def _attrs(attr, tf):
    return {key: _proto(attr[key], tf) for key in sorted(attr) if key not in BOOKKEEPING}


def _row(op, tf):
    inputs = [_input_name(tensor) for tensor in op.inputs] + sorted("^" + c.name for c in op.control_inputs)
    names = sorted(op.node_def.attr)
    attrs = {name: _value(op.get_attr(name), tf) for name in names if name not in BOOKKEEPING}
    return [op.name, op.type, inputs, op.device, attrs]


def _input_name(tensor):
    return tensor.op.name if tensor.value_index == 0 else tensor.name


def _proto(value, tf):
    """One AttrValue."""
    which = getattr(value, "WhichOneof", None)
    if which is None:
        return _value(value, tf)
    kind = which("value")
    if kind is None:
        return None
    if kind == "list":
        for name in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
            items = list(getattr(value.list, name))
            if items:
                return [_field(name, item, tf) for item in items]
        return []
    return _field(kind, getattr(value, kind), tf)


def _field(kind, item, tf):
    if kind == "s":
        return _text(item.decode("latin-1") if isinstance(item, bytes) else item)
    if kind == "i":
        return int(item)
    if kind == "b":
        return bool(item)
    if kind == "f":
        return _float(item)
    if kind == "type":
        return {"type": tf.as_dtype(item).name}
    if kind == "shape":
        return {"shape": None if item.unknown_rank else [None if d.size < 0 else int(d.size) for d in item.dim]}
    if kind == "tensor":
        return _tensor(item, tf)
    if kind == "func":
        return {"func": _function(item.name)}
    return {kind: str(item)}


def _function(name):
    """The name of a function. TensorFlow numbers them over the whole process, and some have a digest for a number."""
    if name.startswith("_make_dataset_"):
        return "_make_dataset"
    return re.sub(r"_\d+$", "", name) if name.startswith("__inference_") else name


def _text(text):
    """A string attribute. TensorFlow numbers the gradients that functions bring along, over the whole process."""
    if text.startswith("CustomGradient-"):
        return "CustomGradient"
    # A table without a name of its own gets one that no other has.
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID", text)


def _value(item, tf):
    """One attribute given as a Python value, its kind told from its type."""
    if isinstance(item, (list, tuple)):
        return [_value(part, tf) for part in item]
    if isinstance(item, (bool, np.bool_)):
        return bool(item)
    if isinstance(item, (int, np.integer)):
        return int(item)
    if isinstance(item, (float, np.floating)):
        return _float(item)
    if isinstance(item, (bytes, str)):
        return _text(item.decode("latin-1") if isinstance(item, bytes) else item)
    if item is None or isinstance(item, str):
        return item
    if isinstance(item, (np.ndarray, np.generic)) or hasattr(item, "tensor_shape"):
        return _tensor(item, tf)
    if isinstance(item, tf.DType):
        return {"type": item.name}
    if isinstance(item, tf.TensorShape):
        return {"shape": None if item.dims is None else [getattr(d, "value", d) for d in item.dims]}
    if hasattr(item, "unknown_rank"):
        return _field("shape", item, tf)
    return {"func": _function(getattr(item, "name", type(item).__name__))}


def _float(item):
    """A float attribute is a float32 in TensorFlow's graphs."""
    from tests.oracle import values

    return values.number(np.float32(item), 9)


def _tensor(item, tf):
    from tests.oracle import values

    content = item if isinstance(item, (np.ndarray, np.generic)) else tf.make_ndarray(item)
    dtype = getattr(item, "dtype", None)
    fact = values.array(np.asarray(content))
    if isinstance(dtype, int):
        fact[0] = {"string": "str"}.get(tf.as_dtype(dtype).name, tf.as_dtype(dtype).name)
    return {"tensor": fact}
