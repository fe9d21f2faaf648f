"""`tf.get_static_value`: what Python code that builds a graph may know of a tensor's value.

It follows fewer ops than shape functions do (`infer.constant_value`): exactly those that TensorFlow's
function follows, because programs and graphs depend on where it says None. A tensor whose value was looked at
can no longer be fed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.dtypes import DType
from tfbench.engine.graph import Operation
from tfbench.engine.shape_math import num_elements
from tfbench.engine.tensor import Tensor

__all__ = ["get_static_value", "is_tensor"]

Array = np.ndarray[Any, Any]


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of `tensor` as an array where it is known while the graph is built, else None.

    With `partial`, a packed tensor gives an array of objects in which unknown elements are None. What is no
    tensor is given back as it is.
    """
    if not isinstance(tensor, Tensor):
        return None if hasattr(tensor, "_as_graph_element") else tensor
    value = _value(tensor, partial)
    if value is not None:
        tensor.graph.prevent_feeding(tensor)
    return value


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, or stands for one: a variable, a SparseTensor, an IndexedSlices."""
    return isinstance(x, Tensor) or hasattr(x, "_as_graph_element") or hasattr(x, "__tf_identity__")


def _value(tensor: Tensor, partial: bool) -> Any:
    node = tensor.op
    if node.type == "Const":
        return node.attrs["value"]
    rule = _RULES.get(node.type)
    return None if rule is None else rule(node, tensor, partial)


def _inputs(node: Operation, tensors: Any = None) -> list[Any] | None:
    values = [get_static_value(tensor) for tensor in (node._inputs if tensors is None else tensors)]
    return None if any(value is None for value in values) else values


def _shape(node: Operation, tensor: Tensor, partial: bool) -> Any:
    known = node._inputs[0]._shape
    if known is None or None in known:
        return None
    return np.array(known, tensor._dtype.as_numpy_dtype)


def _size(node: Operation, tensor: Tensor, partial: bool) -> Any:
    known = node._inputs[0]._shape
    if known is None or None in known:
        return None
    return np.array(num_elements(known), np.int32)


def _rank(node: Operation, tensor: Tensor, partial: bool) -> Any:
    known = node._inputs[0]._shape
    return None if known is None else np.array(len(known), np.int32)


def _range(node: Operation, tensor: Tensor, partial: bool) -> Any:
    values = _inputs(node)
    return None if values is None else np.arange(*[value.item() for value in values], dtype=values[0].dtype)


def _cast(node: Operation, tensor: Tensor, partial: bool) -> Any:
    value = get_static_value(node._inputs[0])
    wanted: DType = node.attrs["DstT"]
    return None if value is None else value.astype(wanted.as_numpy_dtype)


def _concat(node: Operation, tensor: Tensor, partial: bool) -> Any:
    first = node.type == "Concat"
    axis = get_static_value(node._inputs[0 if first else -1])
    values = None if axis is None else _inputs(node, node._inputs[1:] if first else node._inputs[:-1])
    return None if values is None else np.concatenate(values, axis=int(axis))


def _pack(node: Operation, tensor: Tensor, partial: bool) -> Any:
    if node.attrs["axis"] != 0:
        return None
    values = [get_static_value(source, partial) for source in node._inputs]
    if any(value is None for value in values):
        if not partial:
            return None
        return np.array(values, object)
    return np.array(values)


def _unpack(node: Operation, tensor: Tensor, partial: bool) -> Any:
    if node.attrs["axis"] != 0:
        return None
    value = get_static_value(node._inputs[0], partial)
    return None if value is None else value[tensor.value_index]


def _split(node: Operation, tensor: Tensor, partial: bool) -> Any:
    axis = get_static_value(node._inputs[0])
    value = get_static_value(node._inputs[1])
    if axis is None or value is None:
        return None
    return np.split(value, node.attrs["num_split"], int(axis))[tensor.value_index]


def _fill(node: Operation, tensor: Tensor, partial: bool) -> Any:
    known = tensor._shape
    value = get_static_value(node._inputs[1])
    if known is None or None in known or value is None:
        return None
    return np.full(known, value, value.dtype)


def _compare(equal: bool) -> Callable[[Operation, Tensor, bool], Any]:
    def rule(node: Operation, tensor: Tensor, partial: bool) -> Any:
        values = _inputs(node)
        if values is None:
            return None
        return np.equal(*values) if equal else np.not_equal(*values)

    return rule


def _same(node: Operation, tensor: Tensor, partial: bool) -> Any:
    return get_static_value(node._inputs[0], partial)


_RULES: dict[str, Callable[[Operation, Tensor, bool], Any]] = {
    "Cast": _cast,
    "Concat": _concat,
    "ConcatV2": _concat,
    "Equal": _compare(True),
    "Fill": _fill,
    "Identity": _same,
    "NotEqual": _compare(False),
    "Pack": _pack,
    "Range": _range,
    "Rank": _rank,
    "Shape": _shape,
    "Size": _size,
    "Split": _split,
    "StopGradient": _same,
    "Unpack": _unpack,
}
