"""Tensors as TensorProto messages in strings, and Examples written as JSON."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from tfbench.engine.dtypes import as_dtype, type_word
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels import wire
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.string_common import as_strings, each, same
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = ["decode_json_example", "parse_tensor", "serialize_tensor"]

Array = Any

_serialize = op("SerializeTensor", "tensor: T", "serialized: string", "T: type", fresh=True)
_parse = op("ParseTensor", "serialized: string", "output: out_type", "out_type: type", fresh=True)
_serialize.no_gradient("strings have no gradient")
_parse.no_gradient("strings have no gradient")
_json = op("DecodeJSONExample", "json_examples: string", "binary_examples: string", fresh=True)
for _declared in (_serialize, _parse, _json):
    _declared.no_gradient("strings have no gradient")
_json.shape(same)


@_serialize.shape
def _serialize_shape(node: Operation, tensor: Shape) -> list[Shape]:
    return [()]


@_serialize.kernel(CPU)
def _serialize_kernel(xp: Any, tensor: Array, *, T: Any) -> Array:
    return as_strings([wire.tensor(tensor, T.base_dtype.as_datatype_enum)], ())


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A string that holds a tensor with its type and shape: a TensorProto message."""
    return _serialize(tensor, name=name)


@_parse.shape
def _parse_shape(node: Operation, serialized: Shape) -> list[Shape]:
    return [None]


@_parse.kernel(CPU)
def _parse_kernel(xp: Any, serialized: Array, *, out_type: Any) -> Array:
    if np.ndim(serialized):
        raise invalid(f"Expected `serialized` to be a scalar, got shape: {brackets(np.shape(serialized))}")
    data: Any = np.asarray(serialized)[()]
    try:
        message = OPERATORS["tensor_proto"](data)
        array = OPERATORS["make_ndarray"](message)
    except (ValueError, TypeError):
        text = base64.urlsafe_b64encode(data).decode().rstrip("=")
        raise invalid(f"Could not parse `serialized` as TensorProto, base64: {text[:200]}") from None
    found = as_dtype(message.dtype)
    if found != out_type:
        raise invalid(f"Type mismatch between parsed tensor ({type_word(found)}) and dtype ({type_word(out_type)})")
    return array


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that `serialize_tensor` made a string of.

    Raises (when run):
      InvalidArgumentError: if the string is no TensorProto, or one of another type.
    """
    return _parse(serialized, out_type=out_type, name=name)


@_json.kernel(CPU)
def _json_kernel(xp: Any, json_examples: Array) -> Array:
    return each(_from_json, json_examples)


def _from_json(text: bytes) -> bytes:
    try:
        data: bytes = OPERATORS["example_from_json"](text)
    except ValueError as error:
        raise invalid(f"Error while parsing JSON: {error}") from None
    return data


def decode_json_example(json_examples: Any, name: str | None = None) -> Tensor:
    """Example messages written as JSON, as the strings that `parse_example` takes.

    Raises (when run):
      InvalidArgumentError: if a string is no Example.
    """
    return _json(json_examples, name=name)
