"""A shape function's complaint as TensorFlow words it: with the node, its attributes, and what it was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfbench.engine.attributes import proto_type_name
from tfbench.engine.dtypes import DType
from tfbench.engine.infer import constant_value
from tfbench.engine.shape_math import debug_string
from tfbench.engine.shapes import TensorShape

if TYPE_CHECKING:
    from tfbench.engine.operation import Operation
    from tfbench.engine.tensor import Tensor


def shape_error(op: Operation, error: ValueError) -> ValueError:
    """A shape function's complaint, with the node and the shapes it was given."""
    attrs = ", ".join(f"{key}={_attr_text(value)}" for key, value in sorted(op.attrs.items()) if key[0] != "_")
    inputs = ", ".join(_input_text(tensor) for tensor in op._inputs)
    shapes = ", ".join(debug_string(tensor._shape) for tensor in op._inputs)
    message = f"{error} for '{{{{node {op.name}}}}} = {op.type}[{attrs}]({inputs})' with input shapes: {shapes}"
    values = _known_inputs(op)
    return ValueError(message + (f" and with computed input tensors: {values}." if values else "."))


def _known_inputs(op: Operation) -> str:
    parts = []
    for i, tensor in enumerate(op._inputs):
        shape = tensor._shape
        if tensor._dtype.is_integer and shape is not None and len(shape) <= 1:
            value = constant_value(tensor)
            if value is not None and value.size <= 16:
                text = " ".join(str(item) for item in value.ravel().tolist())
                parts.append(f"input[{i}] = <{text}>")
    return ", ".join(parts)


def _input_text(tensor: Tensor) -> str:
    return tensor.op.name if tensor.value_index == 0 else tensor.name


def _attr_text(value: Any) -> str:
    if isinstance(value, DType):
        return f"DT_{proto_type_name(value)}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, TensorShape):
        return debug_string(value._dims)
    if isinstance(value, list):
        return f"[{', '.join(_attr_text(item) for item in value)}]"
    return str(value)
