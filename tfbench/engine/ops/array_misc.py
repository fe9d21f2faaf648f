"""Ops that pass a value on with a condition or another reading: Bitcast, EnsureShape, PreventGradient, …"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_common import same_shape
from tfbench.engine.shape_math import debug_string, is_compatible, merge, with_rank_at_least
from tfbench.engine.shapes import Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["bitcast", "ensure_shape", "guarantee_const"]

_guarantee_const = op("GuaranteeConst", "input: T", "output: T", "T: type", stateful=True, aliases=True)
_guarantee_const.shape(same_shape)


@_guarantee_const.kernel(CPU)
def _guarantee_const_kernel(xp: Any, x: Any) -> Any:
    return x


_guarantee_const.no_gradient("the value is promised not to change")


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """`input`, with the promise that it is the same in every run."""
    return _guarantee_const(input, name=name)


_prevent_gradient = op("PreventGradient", "input: T", "output: T", "T: type; message: string = ''", aliases=True)
_prevent_gradient.shape(same_shape)
_prevent_gradient.kernel(CPU, GPU)(_guarantee_const_kernel)


@_prevent_gradient.gradient
def _prevent_gradient_gradient(node: Operation, dy: Any) -> Any:
    raise LookupError(f"Gradient explicitly disabled. Reason: {node.attrs['message']}")


_snapshot = op("Snapshot", "input: T", "output: T", "T: type", fresh=True)
_snapshot.shape(same_shape)


@_snapshot.kernel(CPU, GPU)
def _snapshot_kernel(xp: Any, x: Any) -> Any:
    return xp.array(x)


_snapshot.no_gradient("TensorFlow registers no gradient: only its optimiser adds such nodes")


# -- EnsureShape ---------------------------------------------------------------------------------------------------

_ensure_shape = op("EnsureShape", "input: T", "output: T", "shape: shape; T: type", aliases=True)


@_ensure_shape.shape
def _ensure_shape_shape(node: Operation, x: Shape) -> list[Shape]:
    return [merge(node.attrs["shape"]._dims, x)]


@_ensure_shape.bind(CPU, GPU)
def _ensure_shape_bind(context: Any) -> Any:
    wanted = context.attrs["shape"]._dims
    name = context.op._inputs[0].op.name

    def check(x: Any) -> Any:
        if not is_compatible(wanted, x.shape):
            raise invalid(
                f"Shape of tensor {name} {debug_string(x.shape)} is not compatible with expected shape "
                f"{debug_string(wanted)}."
            )
        return x

    return check


@_ensure_shape.gradient
def _ensure_shape_gradient(node: Operation, dy: Any) -> Any:
    return [dy]


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, which is checked in each run to have `shape` as far as that is known.

    Raises:
      ValueError: if the static shape contradicts it already.
    """
    return _ensure_shape(x, shape=TensorShape(shape), name=name)


# -- Bitcast -------------------------------------------------------------------------------------------------------

_BITS = (
    "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, complex128, "
    "qint8, quint8, qint16, quint16, qint32}"
)
_bitcast = op("Bitcast", "input: T", "output: type", f"T: {_BITS}; type: {_BITS}", views=True)


@_bitcast.shape
def _bitcast_shape(node: Operation, x: Shape) -> list[Shape]:
    if x is None:
        return [None]
    have, want = node.attrs["T"].size, node.attrs["type"].size
    if have == want:
        return [x]
    if have > want:
        return [(*x, have // want)]
    with_rank_at_least(x, 1)
    if x[-1] is not None and x[-1] != want // have:
        numbers = f"from {node.attrs['T'].as_datatype_enum} to {node.attrs['type'].as_datatype_enum}"
        raise ValueError(f"Cannot bitcast {numbers} due to shape. {x[-1]} does not match {want // have}")
    return [x[:-1]]


@_bitcast.kernel(CPU, GPU)
def _bitcast_kernel(xp: Any, x: Any, *, type: DType) -> Any:
    wanted = np.dtype(type.as_numpy_dtype)
    have = x.dtype.itemsize
    bits = xp.ascontiguousarray(x)
    if have == wanted.itemsize:
        return bits.view(wanted).reshape(x.shape)
    if have > wanted.itemsize:
        return bits.reshape((*x.shape, 1)).view(wanted)
    if x.ndim == 0 or x.shape[-1] != wanted.itemsize // have:
        raise invalid(
            f"Cannot bitcast from {as_dtype(x.dtype).name} to {type.name}: the last dimension must be "
            f"{wanted.itemsize // have}, but the shape is {list(x.shape)}"
        )
    return bits.view(wanted).reshape(x.shape[:-1])


_bitcast.no_gradient("bits read as another type are not differentiable")


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The bytes of `input` read as another type; where sizes differ, the last dimension is made or used up."""
    return _bitcast(input, type=as_dtype(type), name=name)
