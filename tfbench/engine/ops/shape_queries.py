"""Asking for a shape: Shape, ShapeN, Rank, Size; and static shapes as tensors.

`tf.shape` of a tensor whose static shape is known is a constant, as in TensorFlow: no node asks for what the
graph says already.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor, register_tensor_conversion_function
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import PARTIAL_OUTPUTS, PARTIAL_VALUES, VALUE_FROM_SHAPES
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.shape_math import is_fully_defined, num_elements
from tfbench.engine.shapes import Dimension, Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["rank", "shape", "shape_n", "size"]

_INT32_MAX = 2**31 - 1


# -- static shapes as tensors ------------------------------------------------------------------------------------


def _integer_type(value: Any, kind: str, dtype: Any, largest: int) -> DType:
    if dtype is None:
        return dtypes.int64 if largest > _INT32_MAX else dtypes.int32
    wanted = as_dtype(dtype).base_dtype
    if wanted is not dtypes.int32 and wanted is not dtypes.int64:
        raise TypeError(f"Cannot convert {kind} {value} to dtype {dtype}. Allowed dtypes are tf.int32 and tf.int64.")
    if wanted is dtypes.int32 and largest > _INT32_MAX:
        raise ValueError(f"Cannot convert the {kind} {value} to dtype int32: {largest} is too large. Use tf.int64.")
    return wanted


def _shape_as_tensor(value: TensorShape, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    sizes = value._dims
    if sizes is None or None in sizes:
        raise ValueError(f"Cannot convert a partially known TensorShape {value} to a Tensor.")
    wanted = _integer_type(value, "TensorShape", dtype, max((size or 0 for size in sizes), default=0))
    return constant(np.array(sizes, wanted.as_numpy_dtype), name=name or "shape_as_tensor")


def _dimension_as_tensor(value: Dimension, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    size = value.value
    if size is None:
        raise ValueError(f"Cannot convert unknown Dimension {value} to a Tensor.")
    return constant(size, _integer_type(value, "Dimension", dtype, size), name=name or "shape_as_tensor")


register_tensor_conversion_function(TensorShape, _shape_as_tensor, 100)
register_tensor_conversion_function(Dimension, _dimension_as_tensor, 100)


# -- asking ----------------------------------------------------------------------------------------------------

_shape = op("Shape", "input: T", "output: out_type", "T: type; out_type: {int32, int64} = int32", fresh=True)


@_shape.shape
def _shape_shape(node: Operation, x: Shape) -> list[Shape]:
    return [(None if x is None else len(x),)]


@_shape.kernel(CPU, GPU)
def _shape_kernel(xp: Any, x: Any, *, out_type: DType) -> Any:
    return _sizes(x.shape, out_type)


_shape.no_gradient("a shape does not depend on the values")

_shape_n = op(
    "ShapeN",
    "input: N * T",
    "output: N * out_type",
    "N: int >= 1; T: type; out_type: {int32, int64} = int32",
    fresh=True,
)


@_shape_n.shape
def _shape_n_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    return [(None if x is None else len(x),) for x in inputs]


@_shape_n.kernel(CPU, GPU)
def _shape_n_kernel(xp: Any, *inputs: Any, out_type: DType) -> Any:
    return [_sizes(x.shape, out_type) for x in inputs]


_shape_n.no_gradient("a shape does not depend on the values")

_rank = op("Rank", "input: T", "output: int32", "T: type", fresh=True)


@_rank.shape
def _rank_shape(node: Operation, x: Shape) -> list[Shape]:
    return [()]


@_rank.kernel(CPU, GPU)
def _rank_kernel(xp: Any, x: Any) -> Any:
    return np.int32(x.ndim)


_rank.no_gradient("a rank does not depend on the values")

_size = op("Size", "input: T", "output: out_type", "T: type; out_type: {int32, int64} = int32", fresh=True)
_size.shape(_rank_shape)


@_size.kernel(CPU, GPU)
def _size_kernel(xp: Any, x: Any, *, out_type: DType) -> Any:
    return _sizes(x.size, out_type)


_size.no_gradient("a size does not depend on the values")


def _sizes(sizes: Any, out_type: DType) -> Any:
    try:
        return np.array(sizes, out_type.as_numpy_dtype)
    except OverflowError:
        raise invalid(
            f"Shape output type is 32-bit but dim size {np.max(sizes)} does not fit; use out_type=tf.int64"
        ) from None


def _value_of_shape(tensor: Tensor) -> Any:
    known = tensor.op._inputs[tensor.value_index if tensor.op.type == "ShapeN" else 0]._shape
    if known is None or None in known:
        return None
    return np.array(known, tensor._dtype.as_numpy_dtype)


def _value_of_rank(tensor: Tensor) -> Any:
    known = tensor.op._inputs[0]._shape
    return None if known is None else np.array(len(known), np.int32)


def _value_of_size(tensor: Tensor) -> Any:
    count = num_elements(tensor.op._inputs[0]._shape)
    return None if count is None else np.array(count, tensor._dtype.as_numpy_dtype)


VALUE_FROM_SHAPES.update({
    "Shape": _value_of_shape,
    "ShapeN": _value_of_shape,
    "Rank": _value_of_rank,
    "Size": _value_of_size,
})  # fmt: skip


def _partial_shape(node: Operation, follow: Any) -> list[int | None] | None:
    known = node._inputs[0]._shape
    return None if known is None else list(known)


def _partial_shape_n(tensor: Tensor) -> list[int | None] | None:
    known = tensor.op._inputs[tensor.value_index]._shape
    return None if known is None else list(known)


PARTIAL_VALUES["Shape"] = _partial_shape
PARTIAL_OUTPUTS["ShapeN"] = _partial_shape_n


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The sizes of `input` as a vector of int32 (or `out_type`); a constant where they are known."""
    return shape_internal(input, name, True, dtypes.int32 if out_type is None else out_type)


def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Tensor:
    """`shape`, and without `optimize` always a Shape node."""
    wanted = dtypes.int32 if out_type is None else as_dtype(out_type)
    with name_scope(name, "Shape", [input]) as scope:
        composite = _composite_shape(input)
        if composite is not None:
            return lookup("Cast")(composite, DstT=wanted)
        tensor = convert_to_tensor(input)
        known = tensor._shape
        if optimize and is_fully_defined(known):
            if out_type is None:
                return convert_to_tensor(TensorShape(known))
            return constant(list(known or ()), wanted, name=scope)
        return _shape(tensor, out_type=wanted, name=scope)


def _composite_shape(value: Any) -> Tensor | None:
    """The shape that a sparse tensor (or its value) carries with it; None for everything else."""
    if isinstance(value, Tensor) or not hasattr(value, "dense_shape") or not hasattr(value, "indices"):
        return None
    carried = value.dense_shape
    if carried is None or not _is_sparse(value):
        return None
    return convert_to_tensor(carried, dtype=dtypes.int64)


def _is_sparse(value: Any) -> bool:
    return type(value).__name__ in ("SparseTensor", "SparseTensorValue")


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The sizes of each tensor of a list."""
    return _shape_n(input, out_type=as_dtype(out_type), name=name)


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`, a scalar int32; a constant where it is known."""
    return rank_internal(input, name)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """`rank`, and without `optimize` always a Rank node."""
    with name_scope(name, "Rank", [input]) as scope:
        composite = _composite_shape(input)
        if composite is not None:
            return _size(composite, out_type=dtypes.int32, name=scope)
        tensor = convert_to_tensor(input)
        if optimize and tensor._shape is not None:
            return constant(len(tensor._shape), dtypes.int32, name=scope)
        return _rank(tensor, name=scope)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The number of elements of `input`, a scalar int32 (or `out_type`); a constant where it is known."""
    return size_internal(input, name, True, out_type)


def size_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Tensor:
    """`size`, and without `optimize` always a Size node."""
    wanted = as_dtype(dtypes.int32 if out_type is None else out_type)
    with name_scope(name, "Size", [input]) as scope:
        composite = _composite_shape(input)
        if composite is not None:
            sizes = lookup("Cast")(composite, DstT=wanted)
            return lookup("Prod")(sizes, 0, name=scope)
        tensor = convert_to_tensor(input)
        if optimize:
            known = tensor._shape
            if is_fully_defined(known):
                return constant(num_elements(known), wanted, name=scope)
            if known is not None and 0 in known:
                return constant(0, wanted, name=scope)
        return _size(tensor, out_type=wanted, name=scope)
