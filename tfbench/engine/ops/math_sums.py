"""Sums of many tensors, and tensors times a scalar."""

from __future__ import annotations

from typing import Any

from tfbench.engine import shape_math
from tfbench.engine.composite import IndexedSlices, SparseTensor, convert_to_tensor_or_indexed_slices
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.shapes import as_shape
from tfbench.engine.tensor import Tensor

__all__ = ["accumulate_n", "add_n", "scalar_mul"]

_add_n = op(
    "AddN",
    "inputs: N * T",
    "sum: T",
    "N: int >= 1; T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16,"
    " qint16, quint16, uint16, complex128, half, uint32, uint64, variant}",
    fresh=True,
    doc="the sum of tensors of one shape",
)


@_add_n.shape
def _add_n_shape(node: Operation, *shapes: Any) -> Any:
    merged = shapes[-1]
    for i in range(len(shapes) - 2, -1, -1):
        try:
            merged = shape_math.merge(shapes[i], merged)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    return [merged]


@_add_n.kernel(CPU, GPU)
def _add_n_kernel(xp: Any, *arrays: Any) -> Any:
    first = arrays[0]
    for i, array in enumerate(arrays):
        if array.shape != first.shape:
            raise invalid(
                "Inputs to operation AddN must have the same size and shape.  Input 0: "
                f"{shape_math.debug_string(first.shape)} != input {i}: {shape_math.debug_string(array.shape)}"
            )
    if len(arrays) == 1:
        return xp.array(first)
    if first.ndim == 0:
        total = first
        for array in arrays[1:]:
            total = xp.add(total, array)
        return total
    total = xp.add(first, arrays[1])
    for array in arrays[2:]:
        xp.add(total, array, out=total)
    return total


_NO_INPUTS = "Inputs must be an iterable of at least one Tensor/IndexedSlices with the same dtype and shape."


def add_n(inputs: Any, name: str | None = None) -> Any:
    """The sum of a list of tensors of one shape and type; one tensor alone comes back as it is.

    Raises:
      ValueError: if there are none, or their shapes differ.
      TypeError: if their types differ.
    """
    values = [] if isinstance(inputs, (str, bytes)) else list(inputs)
    if not values or any(value is None for value in values):
        raise ValueError(_NO_INPUTS)
    if any(isinstance(value, SparseTensor) for value in values):
        raise ValueError(_NO_INPUTS)
    tensors = [convert_to_tensor_or_indexed_slices(value) for value in values]
    if len(tensors) == 1:
        tensors = [convert_to_tensor(tensors[0])]
        return lookup("Identity")(tensors[0], name=name) if name else tensors[0]
    return _add_n(tensors, name=name)


def accumulate_n(inputs: Any, shape: Any = None, tensor_dtype: Any = None, name: str | None = None) -> Tensor:
    """The sum of a list of tensors of one shape and type, like add_n; what is known of `shape` is checked.

    Raises:
      ValueError: if there are none, or shapes or types differ.
    """
    message = "inputs must be a list of at least one Tensor, all with the same dtype and shape"
    if not isinstance(inputs, (list, tuple)) or not inputs:
        raise ValueError(message)
    if any(isinstance(value, (IndexedSlices, SparseTensor)) for value in inputs):
        raise ValueError(message)
    tensors = [convert_to_tensor(value) for value in inputs]
    if any(tensor._dtype.base_dtype is not tensors[0]._dtype.base_dtype for tensor in tensors):
        raise ValueError(message)
    merged = as_shape(shape)
    for tensor in tensors:
        merged = merged.merge_with(tensor.shape)
    if tensor_dtype is not None and tensor_dtype != tensors[0].dtype:
        raise TypeError(
            f"The `tensor_dtype` argument is {tensor_dtype}, but `input` is of type {tensors[0].dtype}. "
            "These must be equal. Try casting the input to the desired type."
        )
    if len(tensors) == 1 and name is None:
        return tensors[0]
    if len(tensors) == 1:
        return lookup("Identity")(tensors[0], name=name)
    return _add_n(tensors, name=name)


def scalar_mul(scalar: Any, x: Any, name: str | None = None) -> Any:
    """`x` times a number or a tensor of rank 0.

    Raises:
      ValueError: if `scalar` is not one.
    """
    scalar = convert_to_tensor(scalar, dtype=x.dtype.base_dtype, name="scalar")
    shape = scalar._shape
    if shape is not None and len(shape) != 0:
        raise ValueError(f"The input scalar must be a 0-D value. Received shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(lookup("Mul")(scalar, x.values, name=name), x.indices, x.dense_shape)
    return lookup("Mul")(scalar, x, name=name)
