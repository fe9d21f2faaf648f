"""Handles of TensorArrays. Whatever its spelling, a handle carries the array itself while a run lasts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.tensor_arrays import TensorArrayState
from tfbench.engine.resources import VariableBuffer
from tfbench.engine.shape_math import Shape, concatenate, is_fully_defined
from tfbench.engine.tensor import Tensor

Array = Any

#: the value of every flow; on a GPU it is there
_FLOW = np.zeros((), np.float32)[()]

#: ops through which a handle stays what it is
_SAME_HANDLE = frozenset(["Identity", "Enter", "Switch", "Exit", "NextIteration"])


class HandleName(bytes):
    """The name of a TensorArray in a tensor of strings, and the array itself."""

    state: TensorArrayState


def state_of(handle: Any) -> TensorArrayState:
    """The array behind a handle of any spelling.

    Raises:
      InvalidArgumentError: if it is something else.
    """
    if type(handle) is TensorArrayState:
        return handle
    if isinstance(handle, VariableBuffer) and handle.dtype.name == "string":
        handle = handle.read()
    if isinstance(handle, np.ndarray) and handle.shape == (2,):
        state = getattr(handle[1], "state", None)
        if type(state) is TensorArrayState:
            return state
    raise invalid(
        "The handle is not that of a TensorArray of this run: handles do not outlive the run they are made in."
    )


def typed(handle: Any, dtype: Any, doing: str) -> TensorArrayState:
    """`state_of`, checked to hold `dtype`; `doing` is what the op does with that type, for the message."""
    state = state_of(handle)
    if state.dtype is not dtype:
        raise invalid(f"TensorArray dtype is {state.dtype.name} but Op {doing} dtype {dtype.name}.")
    return state


def _strings(state: TensorArrayState) -> Array:
    pair = np.empty(2, object)
    name = HandleName(state.name.encode())
    name.state = state
    pair[:] = [b"_tensor_array_grads" if state.is_gradient else b"_tensor_arrays", name]
    return pair


def resource_handle(context: Any) -> Callable[[TensorArrayState], Any]:
    """V3: the array and the flow."""
    flow = _FLOW if context.xp is np else context.xp.zeros((), np.float32)
    return lambda state: (state, flow)


def string_handle(context: Any) -> Callable[[TensorArrayState], Any]:
    """V2: the names of its container and of the array."""
    return _strings


def reference_handle(context: Any) -> Callable[[TensorArrayState], Any]:
    """V1: a reference to the same."""
    node = context.op

    def make(state: TensorArrayState) -> VariableBuffer:
        buffer = VariableBuffer(state.name, node.outputs_list[0].dtype.base_dtype)
        buffer.array = _strings(state)
        return buffer

    return make


def element(handle: Tensor) -> tuple[bool, Shape]:
    """What the shape functions know of an array's elements: whether they all have one shape, and which."""
    node = handle.op
    while node.type in _SAME_HANDLE:
        node = node._inputs[0].op
    if node.type == "TensorArrayV3":
        shape = node.attrs["element_shape"]._dims
        return bool(node.attrs["identical_element_shapes"]) or is_fully_defined(shape), shape
    if node.type == "TensorArrayGradV3":
        return element(node._inputs[0])
    if node.type == "TensorArrayGradWithShape":
        known, shape = element(node._inputs[0])
        count = (node._inputs[2]._shape or (None,))[0]
        return known, None if count is None else concatenate((None,) * count, shape)
    return False, None
