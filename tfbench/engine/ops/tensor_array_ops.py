"""The ops of TensorArrays, in the spellings that graphs hold: V3 (resource handles), V2 (strings), V1 (references).

Whatever a handle is called, it carries the `TensorArrayState` itself (see `kernels/tensor_arrays.py`); the spellings
share their kernels. What orders reads after writes is the *flow*, a scalar that every write returns and every
reader takes; its value means nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.tensor_arrays import TensorArrayState
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.tensor_array_handles import (
    element,
    reference_handle,
    resource_handle,
    state_of,
    string_handle,
    typed,
)
from tfbench.engine.shape_math import Shape, concatenate, debug_string, merge, with_rank

Array = Any

_UNKNOWN = " = { unknown_rank: true }"


# -- checks of inputs -------------------------------------------------------------------------------------------------


def _index(index: Any) -> int:
    if index.shape != ():
        raise invalid(f"TensorArray index must be scalar, but had shape: {debug_string(index.shape)}")
    return int(index)


def _indices(indices: Any) -> list[int]:
    if indices.ndim != 1:
        raise invalid(f"Expected indices to be a vector, but received shape: {debug_string(indices.shape)}")
    return list(indices.tolist())


def _vector(shape: Shape) -> None:
    with_rank(shape, 1)


def _scalars(*shapes: Shape) -> None:
    for shape in shapes:
        with_rank(shape, 0)


# -- the ops --------------------------------------------------------------------------------------------------------


def _creates(type: str, handle: str, make_handle: Any, attrs: str) -> OpDef:
    v3 = handle == "resource"
    definition = op(type, "size: int32", f"handle: {handle}" + (", flow: float" if v3 else ""), attrs, stateful=True)
    definition.no_gradient("an array has no value of its own: the values that are written have gradients")

    @definition.shape
    def _(node: Operation, size: Shape) -> Any:
        _scalars(size)
        return [(2,), ()] if v3 else [(2,)]

    @definition.bind(CPU, GPU)
    def _(context: Any) -> Any:
        options = context.attrs
        given = options["tensor_array_name"]
        name = (given.decode() if isinstance(given, bytes) else given) or context.op.name
        dtype, shape = options["dtype"], options["element_shape"]._dims
        identical = bool(options.get("identical_element_shapes", False))
        dynamic, clears = bool(options["dynamic_size"]), bool(options["clear_after_read"])
        wrap, xp = make_handle(context), context.xp

        def create(size: Any) -> Any:
            if size.shape != ():
                raise invalid(f"TensorArray size must be scalar, but had shape: {debug_string(size.shape)}")
            if size < 0:
                raise invalid(f"Size should be >= 0, but is {size}.")
            state = TensorArrayState(
                name, dtype, int(size), shape, identical=identical, dynamic=dynamic, clears=clears, xp=xp
            )
            return wrap(state)

        return create

    return definition


def _creates_gradient(type: str, inputs: str, outputs: str, make_handle: Any) -> OpDef:
    definition = op(type, inputs, outputs, "source: string", stateful=True)
    definition.no_gradient("second derivatives through a TensorArray are not supported")
    v3 = "resource" in outputs

    @definition.shape
    def _(node: Operation, handle: Shape, flow: Shape, *prepend: Shape) -> Any:
        _scalars(flow)
        return [(2,), ()] if v3 else [(2,)]

    @definition.bind(CPU, GPU)
    def _(context: Any) -> Any:
        source = context.attrs["source"]
        wrap = make_handle(context)

        def create(handle: Any, flow: Any, prepend: Any = ()) -> Any:
            return wrap(state_of(handle).gradient(source, tuple(int(size) for size in prepend)))

        return create

    return definition


def _reads(version: str, handle: str, stateful: bool) -> OpDef:
    definition = op(
        f"TensorArrayRead{version}", f"handle: {handle}, index: int32, flow_in: float", "value: dtype", "dtype: type",
        stateful=stateful,
    )  # fmt: skip

    @definition.shape
    def _(node: Operation, handle: Shape, index: Shape, flow: Shape) -> Any:
        _scalars(index, flow)
        known, shape = element(node._inputs[0])
        return [shape if known else None]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, index: Any, flow: Any, *, dtype: Any) -> Array:
        return typed(handle, dtype, "requested").read(_index(index))

    return definition


def _writes(version: str, handle: str, stateful: bool) -> OpDef:
    definition = op(
        f"TensorArrayWrite{version}", f"handle: {handle}, index: int32, value: T, flow_in: float", "flow_out: float",
        "T: type", stateful=stateful,
    )  # fmt: skip

    @definition.shape
    def _(node: Operation, handle: Shape, index: Shape, value: Shape, flow: Shape) -> Any:
        _scalars(index, flow)
        known, shape = element(node._inputs[0])
        if known:
            merge(shape, value)
        return [()]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, index: Any, value: Any, flow: Any, *, T: Any) -> Array:
        state = state_of(handle)
        at = _index(index)
        if state.dtype is not T:
            raise invalid(
                f"TensorArray {state.name}: Could not write to TensorArray index {at} because the value dtype is "
                f"{T.name} but TensorArray dtype is {state.dtype.name}."
            )
        state.write(at, value)
        return flow

    return definition


def _gathers(type: str, inputs: str, stateful: bool) -> OpDef:
    definition = op(type, inputs, "value: dtype", f"dtype: type; element_shape: shape{_UNKNOWN}", stateful=stateful)
    packs = "indices" not in inputs

    @definition.shape
    def _(node: Operation, handle: Shape, *rest: Shape) -> Any:
        _scalars(rest[-1])
        if packs:
            return [None]
        _vector(rest[0])
        known, shape = element(node._inputs[0])
        if not known:
            shape = node.attrs["element_shape"]._dims
        return [concatenate(with_rank(rest[0], 1), shape)]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, *rest: Any, dtype: Any, element_shape: Any) -> Array:
        state = typed(handle, dtype, "requested")
        return state.gather(range(state.size) if packs else _indices(rest[0]), element_shape._dims)

    return definition


def _scatters(type: str, inputs: str, stateful: bool) -> OpDef:
    definition = op(type, inputs, "flow_out: float", "T: type", stateful=stateful)
    unpacks = "indices" not in inputs

    @definition.shape
    def _(node: Operation, handle: Shape, *rest: Shape) -> Any:
        *indices, value, flow = rest
        _scalars(flow)
        if unpacks:
            return [()]
        _vector(indices[0])
        if value:
            merge(indices[0], value[:1])
        known, shape = element(node._inputs[0])
        if known and value:
            merge(shape, value[1:])
        return [()]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, *rest: Any, T: Any) -> Array:
        *indices, value, flow = rest
        state = state_of(handle)
        at = None if unpacks else _indices(indices[0])
        if state.dtype is not T:
            raise invalid(f"TensorArray dtype is {state.dtype.name} but Op is trying to write dtype {T.name}.")
        if not value.ndim:
            raise invalid("Input value for unpack must be at least a vector but received shape: []")
        count = len(value)
        if at is None:
            at = list(range(count))
        if len(at) != count:
            raise invalid(f"Expected len(indices) == values.shape[0], but saw: {len(at)} vs. {count}")
        state.scatter(at, value)
        return flow

    return definition


def _concats(version: str, handle: str, stateful: bool) -> OpDef:
    definition = op(
        f"TensorArrayConcat{version}", f"handle: {handle}, flow_in: float", "value: dtype, lengths: int64",
        f"dtype: type; element_shape_except0: shape{_UNKNOWN}", stateful=stateful,
    )  # fmt: skip

    @definition.shape
    def _(node: Operation, handle: Shape, flow: Shape) -> Any:
        _scalars(flow)
        return [None, (None,)]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, flow: Any, *, dtype: Any, element_shape_except0: Any) -> tuple[Array, Array]:
        return typed(handle, dtype, "requested").concat(element_shape_except0._dims)

    return definition


def _splits(version: str, handle: str, stateful: bool) -> OpDef:
    definition = op(
        f"TensorArraySplit{version}", f"handle: {handle}, value: T, lengths: int64, flow_in: float", "flow_out: float",
        "T: type", stateful=stateful,
    )  # fmt: skip

    @definition.shape
    def _(node: Operation, handle: Shape, value: Shape, lengths: Shape, flow: Shape) -> Any:
        _vector(lengths)
        _scalars(flow)
        return [()]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, value: Any, lengths: Any, flow: Any, *, T: Any) -> Array:
        state = typed(handle, T, "is trying to write")
        if lengths.ndim != 1:
            raise invalid(f"Expected lengths to be a vector, received shape: {debug_string(lengths.shape)}")
        if not value.ndim:
            raise invalid("Expected value to be at least a vector, but received shape: []")
        pieces = lengths.tolist()
        if min(pieces, default=0) < 0:
            raise invalid(f"Expected lengths to be at least 0, but received {pieces}")
        if sum(pieces) != len(value):
            raise invalid(
                f"Expected sum of lengths to be equal to values.shape[0], but sum of lengths is {sum(pieces)} and "
                f"value's shape is: {debug_string(value.shape)}"
            )
        state.split(value, pieces)
        return flow

    return definition


def _sizes(version: str, handle: str, stateful: bool) -> OpDef:
    definition = op(
        f"TensorArraySize{version}", f"handle: {handle}, flow_in: float", "size: int32", stateful=stateful, fresh=True
    )
    definition.no_gradient("a size is an integer")

    @definition.shape
    def _(node: Operation, handle: Shape, flow: Shape) -> Any:
        _scalars(flow)
        return [()]

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any, flow: Any) -> Array:
        return np.int32(state_of(handle).size)

    return definition


def _closes(version: str, handle: str, stateful: bool) -> OpDef:
    definition = op(f"TensorArrayClose{version}", f"handle: {handle}", stateful=stateful)
    definition.no_gradient("nothing comes out")

    @definition.kernel(CPU, GPU)
    def _(xp: Any, handle: Any) -> None:
        state_of(handle).close()

    return definition


_ATTRS = (
    "dtype: type; element_shape: shape" + _UNKNOWN + "; dynamic_size: bool = false; clear_after_read: bool = true; "
    "tensor_array_name: string = ''"
)

tensor_array = _creates(
    "TensorArrayV3", "resource", resource_handle, _ATTRS + "; identical_element_shapes: bool = false"
)
_creates("TensorArrayV2", "string", string_handle, _ATTRS)
_creates("TensorArray", "Ref(string)", reference_handle, _ATTRS)

gradient = _creates_gradient(
    "TensorArrayGradV3", "handle: resource, flow_in: float", "grad_handle: resource, flow_out: float", resource_handle
)
_creates_gradient("TensorArrayGradV2", "handle: string, flow_in: float", "grad_handle: string", string_handle)
_creates_gradient("TensorArrayGrad", "handle: string, flow_in: float", "grad_handle: Ref(string)", reference_handle)
_creates_gradient(
    "TensorArrayGradWithShape",
    "handle: resource, flow_in: float, shape_to_prepend: int32",
    "grad_handle: resource, flow_out: float",
    resource_handle,
)

READS: list[OpDef] = []
WRITES: list[OpDef] = []
GATHERS: list[OpDef] = []
SCATTERS: list[OpDef] = []
CONCATS: list[OpDef] = []
SPLITS: list[OpDef] = []
SIZES: list[OpDef] = []
CLOSES: list[OpDef] = []

for _version, _handle, _stateful in (("V3", "resource", True), ("V2", "string", False), ("", "Ref(string)", False)):
    READS.append(_reads(_version, _handle, _stateful))
    WRITES.append(_writes(_version, _handle, _stateful))
    GATHERS.append(
        _gathers(f"TensorArrayGather{_version}", f"handle: {_handle}, indices: int32, flow_in: float", _stateful)
    )
    SCATTERS.append(
        _scatters(
            f"TensorArrayScatter{_version}", f"handle: {_handle}, indices: int32, value: T, flow_in: float", _stateful
        )
    )
    CONCATS.append(_concats(_version, _handle, _stateful))
    SPLITS.append(_splits(_version, _handle, _stateful))
    SIZES.append(_sizes(_version, _handle, _stateful))
    CLOSES.append(_closes(_version, _handle, _stateful))

pack = _gathers("TensorArrayPack", "handle: Ref(string), flow_in: float", False)
unpack = _scatters("TensorArrayUnpack", "handle: Ref(string), value: T, flow_in: float", False)
for _old in (pack, unpack):
    _old.no_gradient("graphs from before version 1.0 hold it, and TensorFlow has no gradient for it any more")

# The newest spelling of each: what `tf.TensorArray` is made of.
read, write, gather, scatter = READS[0], WRITES[0], GATHERS[0], SCATTERS[0]
concat, split, size, close = CONCATS[0], SPLITS[0], SIZES[0], CLOSES[0]
