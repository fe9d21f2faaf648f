"""Ops about shapes: asking for one (Shape, Rank, Size) and changing it without moving an element.

`tf.shape` of a tensor whose static shape is known is a constant, as in TensorFlow: no node asks for what the
graph says already.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor, register_tensor_conversion_function
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import PARTIAL_OUTPUTS, PARTIAL_VALUES, VALUE_FROM_SHAPES, constant_value, partial_sizes
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.shape_math import debug_string, dim_div, is_fully_defined, num_elements
from tfbench.engine.shapes import Dimension, Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["expand_dims", "rank", "reshape", "shape", "shape_n", "size", "squeeze"]

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
    result = np.array(sizes, np.int64)
    if out_type is dtypes.int32:
        if result.size and result.max() > _INT32_MAX:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Shape output type is 32-bit but dim size {result.max()} does not fit; use out_type=tf.int64",
            )
        return result.astype(np.int32)
    return result


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


def shape(input: Any, name: str | None = None, out_type: Any = None, optimize: bool = True) -> Tensor:
    """The sizes of `input` as a vector of int32 (or `out_type`); a constant where they are known."""
    return shape_internal(input, name, optimize, dtypes.int32 if out_type is None else out_type)


def shape_internal(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Tensor:
    """`shape`, and without `optimize` always a Shape node."""
    wanted = dtypes.int32 if out_type is None else as_dtype(out_type)
    with name_scope(name, "Shape", [input]) as scope:
        composite = _composite_shape(input)
        if composite is not None:
            return lookup("Cast")(composite, DstT=wanted)  # type: ignore[no-any-return]
        tensor = convert_to_tensor(input)
        known = tensor._shape
        if optimize and is_fully_defined(known):
            if out_type is None:
                return convert_to_tensor(TensorShape(known))
            return constant(list(known or ()), wanted, name=scope)
        return _shape(tensor, out_type=wanted, name=scope)  # type: ignore[no-any-return]


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
    return _shape_n(input, out_type=as_dtype(out_type), name=name)  # type: ignore[no-any-return]


def rank(input: Any, name: str | None = None) -> Tensor:
    """The number of dimensions of `input`, a scalar int32; a constant where it is known."""
    return rank_internal(input, name)


def rank_internal(input: Any, name: str | None = None, optimize: bool = True) -> Tensor:
    """`rank`, and without `optimize` always a Rank node."""
    with name_scope(name, "Rank", [input]) as scope:
        composite = _composite_shape(input)
        if composite is not None:
            return _size(composite, out_type=dtypes.int32, name=scope)  # type: ignore[no-any-return]
        tensor = convert_to_tensor(input)
        if optimize and tensor._shape is not None:
            return constant(len(tensor._shape), dtypes.int32, name=scope)
        return _rank(tensor, name=scope)  # type: ignore[no-any-return]


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
            return lookup("Prod")(sizes, 0, name=scope)  # type: ignore[no-any-return]
        tensor = convert_to_tensor(input)
        if optimize:
            known = tensor._shape
            if is_fully_defined(known):
                return constant(num_elements(known), wanted, name=scope)
            if known is not None and 0 in known:
                return constant(0, wanted, name=scope)
        return _size(tensor, out_type=wanted, name=scope)  # type: ignore[no-any-return]


# -- changing --------------------------------------------------------------------------------------------------

_reshape = op(
    "Reshape", "tensor: T, shape: Tshape", "output: T", "T: type; Tshape: {int32, int64} = int32", aliases=True
)


def shape_from_input(node: Operation, index: int) -> Shape:
    """The shape that input `index` of `node` describes, as far as its value is known (-1 is an unknown size).

    Raises:
      ValueError: for other negative sizes, and for a shape input that is no vector.
    """
    tensor = node._inputs[index]
    own = tensor._shape
    if own is not None and len(own) > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {len(own)}")
    sizes = partial_sizes(tensor)
    if own == ():
        if sizes is not None and sizes[0] is not None and sizes[0] != -1:
            raise ValueError("Input tensor must be scalar with value -1, or 1-D: the shape must be a vector")
        return None
    if sizes is None:
        return None if own is None or own[0] is None else (None,) * own[0]
    for value in sizes:
        if value is not None and value < -1:
            raise ValueError(f"Invalid value in tensor used for shape: {value}")
    return tuple(None if value is None or value < 0 else value for value in sizes)


@_reshape.shape
def _reshape_shape(node: Operation, x: Shape, sizes: Shape) -> list[Shape]:
    wanted = shape_from_input(node, 1)
    if wanted is None or x is None:
        return [wanted]
    unknown_out = [i for i, value in enumerate(wanted) if value is None] if num_elements(wanted) is None else []
    unknown_in = [i for i, value in enumerate(x) if value is None] if num_elements(x) is None else []
    if len(unknown_out) > 1 or len(unknown_in) > 1:
        return [wanted]
    have = _product(x)
    want = _product(wanted)
    if not unknown_in and not unknown_out:
        if have != want:
            raise ValueError(
                f"Cannot reshape a tensor with {have} elements to shape {debug_string(wanted)} ({want} elements)"
            )
    elif not unknown_in:
        if want > 0:
            missing = dim_div(have, want, evenly=True)
            position = unknown_out[0]
            return [(*wanted[:position], missing, *wanted[position + 1 :])]
    elif not unknown_out and have != 0:
        dim_div(want, have, evenly=True)
    return [wanted]


def _product(shape: Shape) -> int:
    """The number of elements, unknown sizes counted as one; nothing if any size is nothing."""
    count = 1
    for value in shape or ():
        if value is not None:
            count *= value
    return count


@_reshape.kernel(CPU, GPU)
def _reshape_kernel(xp: Any, x: Any, sizes: Any) -> Any:
    try:
        return x.reshape(sizes.tolist())
    except (ValueError, TypeError):
        raise _reshape_error(x, sizes) from None


def _reshape_error(x: Any, sizes: Any) -> errors.OpError:
    if sizes.ndim != 1:
        return errors.InvalidArgumentError(None, None, f"sizes input must be 1-D, not {list(sizes.shape)}")
    wanted = sizes.tolist()
    unknown = [i for i, value in enumerate(wanted) if value == -1]
    negative = [i for i, value in enumerate(wanted) if value < -1]
    if len(unknown) > 1:
        text = f"Only one input size may be -1, not both {unknown[0]} and {unknown[1]}"
    elif negative:
        text = f"Size {negative[0]} must be non-negative, not {wanted[negative[0]]}"
    else:
        product = 1
        for value in wanted:
            product *= 1 if value == -1 else value
        if not unknown:
            text = f"Input to reshape is a tensor with {x.size} values, but the requested shape has {product}"
        elif product > 0:
            text = (
                f"Input to reshape is a tensor with {x.size} values, "
                f"but the requested shape requires a multiple of {product}"
            )
        else:
            text = (
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes "
                "are non-zero"
            )
    return errors.InvalidArgumentError(None, None, text)


@_reshape.gradient
def _reshape_gradient(node: Operation, dy: Any) -> Any:
    return [reshape(dy, shape(node.inputs[0])), None]


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor` in another `shape`, of which one size may be -1: whatever is left."""
    return _reshape(tensor, shape, name=name)  # type: ignore[no-any-return]


_expand_dims = op(
    "ExpandDims", "input: T, dim: Tdim", "output: T", "T: type; Tdim: {int32, int64} = int32", aliases=True
)


@_expand_dims.shape
def _expand_dims_shape(node: Operation, x: Shape, dim: Shape) -> list[Shape]:
    value = constant_value(node._inputs[1])
    if value is not None and value.size != 1:
        raise ValueError(f"'dim' input must be a tensor with a single value, but has {value.size}")
    if x is None:
        return [None]
    if value is None:
        return [None]
    axis = int(value.ravel()[0])
    if not -len(x) - 1 <= axis <= len(x):
        raise ValueError(f"dim {axis} not in the interval [{-len(x) - 1}, {len(x)}].")
    position = axis if axis >= 0 else axis + len(x) + 1
    return [(*x[:position], 1, *x[position:])]


@_expand_dims.kernel(CPU, GPU)
def _expand_dims_kernel(xp: Any, x: Any, dim: Any) -> Any:
    if dim.size != 1:
        raise errors.InvalidArgumentError(None, None, "'dim' must be a tensor with a single value")
    axis = int(dim.ravel()[0]) if dim.ndim else int(dim)
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise errors.InvalidArgumentError(
            None, None, f"Tried to expand dim index {axis} for tensor with {x.ndim} dimensions."
        )
    position = axis if axis >= 0 else axis + x.ndim + 1
    return x.reshape((*x.shape[:position], 1, *x.shape[position:]))


@_expand_dims.gradient
def _expand_dims_gradient(node: Operation, dy: Any) -> Any:
    return [reshape(dy, shape(node.inputs[0])), None]


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """`input` with a dimension of size 1 put in at `axis` (negative: counted from behind). Older: `dim`.

    Raises:
      ValueError: without an axis, or with both spellings.
    """
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("Must specify an axis argument to tf.expand_dims()")
    return _expand_dims(input, axis, name=name)  # type: ignore[no-any-return]


_squeeze = op("Squeeze", "input: T", "output: T", "T: type; squeeze_dims: list(int) >= 0 = []", aliases=True)


@_squeeze.shape
def _squeeze_shape(node: Operation, x: Shape) -> list[Shape]:
    dims = node.attrs["squeeze_dims"]
    if x is None:
        return [None]
    if not dims:
        return [None if None in x else tuple(value for value in x if value != 1)]
    wanted = set()
    for axis in dims:
        if not -len(x) <= axis < len(x):
            raise ValueError(f"squeeze_dims[{dims.index(axis)}] not in [{-len(x)},{len(x)}).")
        wanted.add(axis % len(x))
    for axis in sorted(wanted):
        if x[axis] not in (None, 1):
            raise ValueError(f"Can not squeeze dim[{axis}], expected a dimension of 1, got {x[axis]}")
    return [tuple(value for i, value in enumerate(x) if i not in wanted)]


@_squeeze.kernel(CPU, GPU)
def _squeeze_kernel(xp: Any, x: Any, *, squeeze_dims: list[int]) -> Any:
    if not squeeze_dims:
        return x.reshape([value for value in x.shape if value != 1])
    try:
        return x.squeeze(tuple({axis % x.ndim for axis in squeeze_dims}))
    except ValueError:
        bad = next(axis for axis in squeeze_dims if x.shape[axis] != 1)
        raise errors.InvalidArgumentError(
            None, None, f"Can not squeeze dim[{bad % x.ndim}], expected a dimension of 1, got {x.shape[bad]}"
        ) from None


@_squeeze.gradient
def _squeeze_gradient(node: Operation, dy: Any) -> Any:
    return [reshape(dy, shape(node.inputs[0]))]


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """`input` without its dimensions of size 1, or without those listed in `axis`. Older: `squeeze_dims`."""
    axis = renamed("axis", axis, "squeeze_dims", squeeze_dims)
    dims = None if axis is None else ([axis] if not isinstance(axis, (list, tuple)) else axis)
    return _squeeze(input, squeeze_dims=dims, name=name)  # type: ignore[no-any-return]


def renamed(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The value of an argument that has two spellings. ValueError if both are given."""
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old
