"""Assigning to a part of a variable: `v[1:, 0].assign(value)`, for reference and resource variables."""

from __future__ import annotations

from typing import Any

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.slice_spec import MASK_ATTRS, Masks, index_tuple, sliced_shape
from tfbench.engine.resources import INITIALIZE, VariableBuffer
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape

__all__: list[str] = []

_SPEC = "begin: Index, end: Index, strides: Index, value: T"
_ATTRS = f"T: type; Index: {{int32, int64}}; {MASK_ATTRS}"

strided_slice_assign = op("StridedSliceAssign", f"ref: Ref(T), {_SPEC}", "output_ref: Ref(T)", _ATTRS)
resource_strided_slice_assign = op("ResourceStridedSliceAssign", f"ref: resource, {_SPEC}", "", _ATTRS, stateful=True)
strided_slice_assign.no_gradient("assigning is not differentiable")
resource_strided_slice_assign.no_gradient("assigning is not differentiable")


@strided_slice_assign.shape
def _assign_shape(node: Operation, ref: Shape, begin: Shape, end: Shape, strides: Shape, value: Shape) -> list[Shape]:
    for vector in (begin, end, strides):
        with_rank(vector, 1)
    return [ref]


@resource_strided_slice_assign.shape
def _resource_assign_shape(
    node: Operation, ref: Shape, begin: Shape, end: Shape, strides: Shape, value: Shape
) -> list[Shape]:
    for vector in (begin, end, strides):
        with_rank(vector, 1)
    return []


def _put(array: Any, begin: Any, end: Any, strides: Any, value: Any, masks: Masks) -> None:
    entries = begin.tolist(), end.tolist(), strides.tolist()
    wanted = sliced_shape(array.shape, *entries, masks)
    try:
        array[index_tuple(*entries, masks)] = value
    except ValueError:
        raise invalid(
            f"Cannot broadcast input shape {brackets(value.shape)} into final shape {brackets(wanted)}"
        ) from None


@strided_slice_assign.bind(CPU, GPU)
def _assign_bind(context: Any) -> Any:
    masks = Masks.of(context.attrs)

    def put(ref: VariableBuffer, begin: Any, end: Any, strides: Any, value: Any) -> VariableBuffer:
        with ref.lock:
            _put(ref.read(), begin, end, strides, value, masks)
            ref.updates += 1
        return ref

    return put


@resource_strided_slice_assign.bind(CPU, GPU)
def _resource_assign_bind(context: Any) -> Any:
    masks, xp = Masks.of(context.attrs), context.xp

    def put(ref: VariableBuffer, begin: Any, end: Any, strides: Any, value: Any) -> None:
        with ref.lock:
            if ref.array is None:
                raise errors.FailedPreconditionError(
                    None, None, f"Could not find variable {ref.name}: it was not initialized; {INITIALIZE}"
                )
            # What was read before stays as it was: the new value is put into a copy.
            changed = xp.array(ref.array)
            _put(changed, begin, end, strides, value, masks)
            ref.replace(changed)

    return put
