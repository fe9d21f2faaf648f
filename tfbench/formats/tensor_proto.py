"""Arrays as TensorProto and back.

TensorFlow stores a tensor of several numbers as its raw bytes (`tensor_content`). Single values, strings, booleans
and complex numbers go into the list of their type (`float_val`, `int_val`, ...). A list may be shorter than the
tensor: its last value then stands for the rest, so that `tf.zeros([1000])` is one number.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import to_array
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.tensor import Tensor
from tfbench.formats import protos

Array = np.ndarray[Any, Any]

# The list in which values of a type are stored one by one.
_LISTS = {
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.int64: "int64_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    dtypes.bool: "bool_val",
    dtypes.string: "string_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
    **dict.fromkeys(
        (dtypes.int32, dtypes.uint8, dtypes.int16, dtypes.int8, dtypes.uint16, dtypes.qint8, dtypes.quint8,
         dtypes.qint32, dtypes.qint16, dtypes.quint16, dtypes.int4, dtypes.uint4), "int_val",
    ),
}  # fmt: skip


def make_tensor_proto(
    values: Any,
    dtype: Any = None,
    shape: Iterable[Any] | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """The TensorProto of an array or of Python values, as `tf.make_tensor_proto` packs it.

    Fewer values than `shape` has elements are allowed unless `verify_shape`: the last one fills the rest.

    Raises:
      ValueError: for None, ragged lists, and more values than `shape` holds.
      TypeError: for a Tensor, for values that are not of `dtype`, and if `verify_shape` finds another shape.
    """
    if isinstance(values, protos.TensorProto):
        return values
    if isinstance(values, Tensor):
        raise TypeError(f"Expected any non-tensor type, but got a tensor instead: {values!r}")
    kind = None if dtype is None else as_dtype(dtype).base_dtype
    sizes = None if shape is None else tuple([int(size) for size in shape])
    if sizes is not None and 0 in sizes and not isinstance(values, (np.ndarray, np.generic)):
        values, verify_shape = np.zeros(sizes, np.float32), False  # TensorFlow does not look at the value then
    array, kind = to_array(values, kind)
    if sizes is None:
        sizes = array.shape
    elif verify_shape and sizes != array.shape:
        raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
    elif array.size > _count(sizes):
        raise ValueError(f"Too many elements provided. Takes at most {_count(sizes)}, but got {array.size}.")
    return _pack(array, kind, sizes)


def array_to_proto(array: Array, dtype: DType) -> Any:
    """The TensorProto of an array that already has the type. One value broadcast to a shape is stored once."""
    if array.size > 1 and not any(array.strides):
        return _pack(array[(slice(1),) * array.ndim], dtype, array.shape)
    return _pack(array, dtype, array.shape)


def _pack(array: Array, dtype: DType, sizes: tuple[int, ...]) -> Any:
    proto = protos.TensorProto(dtype=dtype.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in sizes:
        proto.tensor_shape.dim.add().size = size
    count = _count(sizes)
    if count == 0:
        return proto
    as_bytes = not (dtype.is_complex or dtype.is_bool or dtype is dtypes.string)
    if as_bytes and array.size > 1 and array.size == count:
        proto.tensor_content = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        return proto
    where = _LISTS.get(dtype)
    if where is None:
        raise TypeError(f"Unrecognized data type for a TensorProto: {dtype}")
    getattr(proto, where).extend(_one_by_one(array.ravel(), dtype))
    return proto


def _one_by_one(flat: Array, dtype: DType) -> Any:
    if dtype is dtypes.float16 or dtype is dtypes.bfloat16:
        return flat.view(np.uint16).tolist()
    if dtype.is_complex:
        return flat.view(flat.real.dtype).tolist()
    if dtype.is_quantized and flat.dtype.names:
        return flat.view(flat.dtype[0]).tolist()
    return flat.tolist()


def make_ndarray(tensor: Any) -> Array:
    """The array that a TensorProto stands for; strings come as an object array of bytes.

    Raises:
      TypeError: for types without an array, such as resource.
      ValueError: if there are not as many values as the shape says.
    """
    sizes = tuple([dim.size for dim in tensor.tensor_shape.dim])
    dtype = as_dtype(tensor.dtype).base_dtype
    if tensor.tensor_content and dtype is not dtypes.string:
        numpy_type = np.dtype(dtype.as_numpy_dtype)
        # Copied, because an array over the message's bytes would be read-only.
        return np.frombuffer(tensor.tensor_content, numpy_type).copy().reshape(sizes)
    where = _LISTS.get(dtype)
    if where is None:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype} ({dtype.name})")
    return _fill(_listed(getattr(tensor, where), dtype), sizes)


def _listed(values: Any, dtype: DType) -> Array:
    if dtype is dtypes.string:
        result = np.empty(len(values), object)
        result[:] = list(values)
        return result
    numpy_type = np.dtype(dtype.as_numpy_dtype)
    if dtype is dtypes.float16 or dtype is dtypes.bfloat16:
        return np.array(values, np.uint16).view(numpy_type)
    if dtype.is_complex:
        return np.array(values, np.float32 if dtype is dtypes.complex64 else np.float64).view(numpy_type)
    if dtype.is_quantized:
        return np.array(values, np.int64).astype(numpy_type[0]).view(numpy_type)
    return np.array(list(values), numpy_type)


def _fill(values: Array, sizes: tuple[int, ...]) -> Array:
    """`values` in the shape, the last one repeated as often as needed; zeros if there is none."""
    count = _count(sizes)
    if 0 < values.size < count:
        values = np.concatenate([values, np.repeat(values[-1:], count - values.size)])
    elif values.size == 0 and count > 0:
        values = np.zeros(count, values.dtype) if values.dtype != object else np.full(count, b"", object)
    return values.reshape(sizes)


def _count(sizes: tuple[int, ...]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


MakeNdarray = make_ndarray
