"""Stacks: what a loop pushes on its way and pops on the way back. Known by op type only.

The handle is the stack itself, as with TensorArrays: it lives while a run needs it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.resources import VariableBuffer
from tfbench.engine.shape_math import Shape, debug_string

Array = Any


class StackState:
    """The values of one stack, and how many it may hold (-1: any number)."""

    __slots__ = ("closed", "dtype", "limit", "name", "values")

    def __init__(self, name: str, dtype: Any, limit: int) -> None:
        self.name = name
        self.dtype = dtype
        self.limit = limit
        self.closed = False
        self.values: list[Array] = []

    def __repr__(self) -> str:
        return f"<Stack {self.name}: {len(self.values)} values, {self.dtype.name}>"

    def check_open(self) -> None:
        """Raises InvalidArgumentError if the stack was closed."""
        if self.closed:
            raise invalid(f"Stack[{self.name}] has already been closed.")


class StackName(bytes):
    """The name of a stack in a tensor of strings, and the stack itself."""

    state: StackState


def _state(handle: Any) -> StackState:
    if type(handle) is StackState:
        return handle
    if isinstance(handle, VariableBuffer) and handle.array is not None and handle.array.shape == (2,):
        state = getattr(handle.array[1], "state", None)
        if type(state) is StackState:
            return state
    raise invalid("The handle is not that of a stack of this run: handles do not outlive the run they are made in.")


def _name(context: Any) -> str:
    given = context.attrs["stack_name"]
    return (given.decode() if isinstance(given, bytes) else given) or str(context.op.name)


stack = op("StackV2", "max_size: int32", "handle: resource", "elem_type: type; stack_name: string = ''", stateful=True)
stack.no_gradient("a stack has no value of its own")


@stack.shape
def _stack_shape(node: Operation, *size: Shape) -> list[Shape]:
    return [(2,)]


@stack.bind(CPU, GPU)
def _stack_bind(context: Any) -> Any:
    name, dtype = _name(context), context.attrs["elem_type"]

    def create(size: Any) -> StackState:
        if size.shape != ():
            raise invalid(f"Stack size must be a scalar, but had shape: {debug_string(size.shape)}")
        return StackState(name, dtype, int(size))

    return create


_stack_v1 = op("Stack", "", "handle: Ref(string)", "elem_type: type; stack_name: string = ''", stateful=True)
_stack_v1.shape(_stack_shape)
_stack_v1.no_gradient("a stack has no value of its own")


@_stack_v1.bind(CPU, GPU)
def _stack_v1_bind(context: Any) -> Any:
    name, dtype = _name(context), context.attrs["elem_type"]
    text = context.op.outputs_list[0].dtype.base_dtype

    def create() -> VariableBuffer:
        label = StackName(name.encode())
        label.state = StackState(name, dtype, -1)
        buffer = VariableBuffer(name, text)
        buffer.array = np.empty(2, object)
        buffer.array[:] = [b"_stacks", label]
        return buffer

    return create


def _pushes(type: str, handle: str, stateful: bool) -> OpDef:
    # Aliasing: what is pushed comes out as it is.
    definition = op(
        type, f"handle: {handle}, elem: T", "output: T", "T: type; swap_memory: bool = false",
        stateful=stateful, aliases=True,
    )  # fmt: skip
    definition.no_gradient("what is pushed is kept for a gradient, and not differentiated")

    @definition.shape
    def _(node: Operation, handle: Shape, elem: Shape) -> list[Shape]:
        return [elem]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, elem: Any, *, T: Any) -> Array:
        state = _state(handle)
        state.check_open()
        if state.dtype is not T:
            raise invalid(f"Must have type {state.dtype.name} but got {T.name}: Stack[{state.name}] holds one type.")
        if 0 <= state.limit <= len(state.values):
            raise invalid(f"Stack[{state.name}] overflowed its max_size ({state.limit})")
        state.values.append(elem)
        return elem

    return definition


def _pops(type: str, handle: str, stateful: bool) -> OpDef:
    definition = op(type, f"handle: {handle}", "elem: elem_type", "elem_type: type", stateful=stateful)
    definition.no_gradient("what is pushed is kept for a gradient, and not differentiated")

    @definition.shape
    def _(node: Operation, handle: Shape) -> list[Shape]:
        return [None]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, *, elem_type: Any) -> Array:
        state = _state(handle)
        state.check_open()
        if not state.values:
            raise invalid(f"Stack[{state.name}] is empty when calling Pop().")
        if state.dtype is not elem_type:
            raise errors.InternalError(
                None,
                None,
                f"Output 0 of type {state.dtype.name} does not match declared output type {elem_type.name}",
            )
        return state.values.pop()

    return definition


def _closes(type: str, handle: str, stateful: bool) -> OpDef:
    definition = op(type, f"handle: {handle}", stateful=stateful)
    definition.no_gradient("nothing comes out")

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any) -> None:
        state = _state(handle)
        state.closed = True
        state.values = []

    return definition


push = _pushes("StackPushV2", "resource", True)
_pushes("StackPush", "Ref(string)", False)
pop = _pops("StackPopV2", "resource", True)
_pops("StackPop", "Ref(string)", False)
close = _closes("StackCloseV2", "resource", True)
_closes("StackClose", "Ref(string)", False)
