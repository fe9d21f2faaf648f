"""Another shape for the same elements: Reshape, ExpandDims, Squeeze. None of them moves an element."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value, partial_sizes
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.shape_queries import rank as rank
from tfbench.engine.ops.shape_queries import rank_internal as rank_internal
from tfbench.engine.ops.shape_queries import shape as shape
from tfbench.engine.ops.shape_queries import shape_internal as shape_internal
from tfbench.engine.ops.shape_queries import shape_n as shape_n
from tfbench.engine.ops.shape_queries import size as size
from tfbench.engine.ops.shape_queries import size_internal as size_internal
from tfbench.engine.shape_math import debug_string, dim_div, num_elements, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["expand_dims", "rank", "reshape", "shape", "shape_n", "size", "squeeze"]

_reshape = op(
    "Reshape", "tensor: T, shape: Tshape", "output: T", "T: type; Tshape: {int32, int64} = int32", aliases=True
)


def shape_from_input(node: Operation, index: int) -> Shape:
    """The shape that input `index` of `node` describes, as far as its value is known (-1 is an unknown size).

    Raises:
      ValueError: for other negative sizes, and for a shape input that is no vector.
    """
    tensor = node._inputs[index]
    (length,) = with_rank(tensor._shape, 1)
    sizes = partial_sizes(tensor)
    if sizes is None:
        return None if length is None else (None,) * length
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
    wanted = sizes.tolist()
    try:
        # NumPy takes any negative number for the unknown size.
        if wanted and min(wanted) < -1:
            raise _reshape_error(x, sizes)
        return x.reshape(wanted)
    except (ValueError, TypeError):
        if not x.size and 0 in wanted and wanted.count(-1) == 1:
            # Nothing into [-1, 0]: NumPy finds any size fit, TensorFlow takes what the other sizes leave.
            rest = abs(math.prod(size for size in wanted if size))
            missing, over = divmod(math.prod(size for size in x.shape if size), rest)
            if not over or 0 in x.shape:
                return x.reshape([missing if size == -1 else size for size in wanted])
        raise _reshape_error(x, sizes) from None


def _reshape_error(x: Any, sizes: Any) -> errors.OpError:
    if sizes.ndim != 1:
        return invalid(f"sizes input must be 1-D, not {list(sizes.shape)}")
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
    return invalid(text)


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements of `tensor` in another `shape`, of which one size may be -1: whatever is left."""
    return _reshape(tensor, shape, name=name)


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
        raise invalid("'dim' must be a tensor with a single value")
    axis = int(dim.ravel()[0]) if dim.ndim else int(dim)
    if not -x.ndim - 1 <= axis <= x.ndim:
        raise invalid(f"Tried to expand dim index {axis} for tensor with {x.ndim} dimensions.")
    position = axis if axis >= 0 else axis + x.ndim + 1
    return x.reshape((*x.shape[:position], 1, *x.shape[position:]))


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """`input` with a dimension of size 1 put in at `axis` (negative: counted from behind). Older: `dim`.

    Raises:
      ValueError: without an axis, or with both spellings.
    """
    axis = renamed("axis", axis, "dim", dim)
    if axis is None:
        raise ValueError("tf.expand_dims() needs an axis argument: where to put the new axis")
    return _expand_dims(input, axis, name=name)


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
        raise invalid(f"Can not squeeze dim[{bad % x.ndim}], expected a dimension of 1, got {x.shape[bad]}") from None


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """`input` without its dimensions of size 1, or without those listed in `axis`. Older: `squeeze_dims`."""
    axis = renamed("axis", axis, "squeeze_dims", squeeze_dims)
    dims = [axis] if np.isscalar(axis) else axis
    if dims is not None and not isinstance(dims, (list, tuple)):
        raise TypeError(f"Expected list or an int for 'axis' of 'squeeze', not {axis!r}.")
    return _squeeze(input, squeeze_dims=dims, name=name)


def renamed(new_name: str, new: Any, old_name: str, old: Any) -> Any:
    """The value of an argument that has two spellings. ValueError if both are given."""
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old
