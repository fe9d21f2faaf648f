"""Tensors filled with one value: `zeros`, `ones`, `fill` and their `_like` forms.

Small ones with a known shape are constants; above a thousand elements they are Fill nodes, so that the graph
does not carry the elements about.
"""

from __future__ import annotations

import functools
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.convert import const_node, constant, convert_to_tensor, repeated, to_array
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.shape_ops import reshape, shape_from_input, shape_internal
from tfbench.engine.shape_math import is_fully_defined, num_elements
from tfbench.engine.shapes import Shape, TensorShape, to_tuple
from tfbench.engine.tensor import Tensor

__all__ = ["fill", "ones", "ones_like", "zeros", "zeros_like"]

#: with this many elements or more, a Fill node instead of a constant
_LARGE = 1000

_fill = op("Fill", "dims: index_type, value: T", "output: T", "T: type; index_type: {int32, int64} = int32", fresh=True)


@_fill.shape
def _fill_shape(node: Operation, dims: Shape, value: Shape) -> list[Shape]:
    if value:
        raise ValueError(f"Shape must be rank 0 but is rank {len(value)}")
    if dims is not None and len(dims) != 1:
        raise ValueError(f"Shape must be rank 1 but is rank {len(dims)}")
    sizes = constant_value(node._inputs[0])
    if sizes is not None and (sizes < 0).any():
        raise ValueError("Fill dimensions must be >= 0")
    return [shape_from_input(node, 0)]


@_fill.kernel(CPU, GPU)
def _fill_kernel(xp: Any, dims: Any, value: Any) -> Any:
    if dims.ndim != 1:
        raise invalid(f"dims must be a vector, got shape {list(dims.shape)}")
    if value.ndim:
        if value.shape != (1,):  # a vector of one element will do
            raise invalid(f"value must represent a scalar, got shape {list(value.shape)}")
        value = value[0]
    sizes = dims.tolist()
    for position, size in enumerate(sizes):
        if size < 0:
            raise invalid(f"dims[{position}] = {size} must be nonnegative.")
    return xp.full(sizes, value, value.dtype)


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of shape `dims` with `value` everywhere."""
    return _fill(dims, value, name=name)


_zeros_like = op("ZerosLike", "x: T", "y: T", "T: type", fresh=True)


@_zeros_like.shape
def _like_shape(node: Operation, x: Shape) -> list[Shape]:
    return [x]


@_zeros_like.kernel(CPU, GPU)
def _zeros_like_kernel(xp: Any, x: Any) -> Any:
    return xp.full(x.shape, b"", object) if x.dtype == object else xp.zeros(x.shape, x.dtype)


_zeros_like.no_gradient("zeros do not depend on the values of the input")

_ones_like = op(
    "OnesLike",
    "x: T",
    "y: T",
    "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, "
    "complex128, bool}",
    fresh=True,
)
_ones_like.shape(_like_shape)


@_ones_like.kernel(CPU, GPU)
def _ones_like_kernel(xp: Any, x: Any) -> Any:
    return xp.ones(x.shape, x.dtype)


_ones_like.no_gradient("ones do not depend on the values of the input")


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Zeros (False, empty strings) of `shape`: a list, a TensorShape or a tensor."""
    dtype = as_dtype(dtype).base_dtype
    if name is None:  # what most initial values are: one node, which needs no scope
        small = _constant_if_small(shape, _zero(dtype), dtype, "zeros")
        if small is not None:
            return small
    with name_scope(name, "zeros", [shape]) as scope:
        return _filled(shape, _zero(dtype), dtype, scope)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """Ones (True) of `shape`: a list, a TensorShape or a tensor."""
    dtype = as_dtype(dtype).base_dtype
    with name_scope(name, "ones", [shape]) as scope:
        return _filled(shape, _one(dtype), dtype, scope)


def _zero(dtype: DType) -> Any:
    return False if dtype is dtypes.bool else "" if dtype is dtypes.string else 0


def _one(dtype: DType) -> Any:
    return True if dtype is dtypes.bool else 1


def _filled(shape: Any, value: Any, dtype: DType, scope: str) -> Tensor:
    if not isinstance(shape, Tensor):
        small = _constant_if_small(shape, value, dtype, scope)
        if small is not None:
            return small
        try:
            shape = convert_to_tensor(TensorShape(shape))
        except (TypeError, ValueError):
            # a list with tensors in it
            shape = convert_to_tensor(shape, dtype=dtypes.int32)
    if not shape._shape:
        # a single size, or what may be one
        shape = reshape(shape, [-1])
    return fill(shape, constant(value, dtype), name=scope)


def _constant_if_small(shape: Any, value: Any, dtype: DType, scope: str) -> Tensor | None:
    """The constant for a list of sizes; None for a single size, for large tensors and where a size is a tensor."""
    try:
        sizes = to_tuple(shape)
    except (TypeError, ValueError):
        return None
    if sizes is None or None in sizes or not hasattr(shape, "__iter__"):
        return None
    if (num_elements(sizes) or 0) >= _LARGE:
        return None
    try:
        array = _repeated(value, dtype, sizes)
    except TypeError:
        return None  # no such value of this type: the Fill node's value will say so
    return const_node(get_default_graph(), array, dtype, scope)


@functools.lru_cache(maxsize=256)
def _repeated(value: Any, dtype: DType, sizes: tuple[int, ...]) -> Any:
    """`value` in the shape `sizes`, read-only: shared by all constants that are the same."""
    return repeated(to_array(value, dtype)[0], sizes)


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Zeros in the shape (and, without `dtype`, of the type) of `tensor`."""
    with name_scope(name, "zeros_like", [tensor]) as scope:
        if isinstance(tensor, IndexedSlices) and optimize and tensor.shape.is_fully_defined():
            # The rows' own shape says enough: they need not become a dense tensor.
            return zeros(tensor.shape, dtype or tensor.dtype, name=scope)
        # TensorFlow leaves other rows to the op to convert, which calls its input x.
        source = convert_to_tensor(tensor, name="x" if isinstance(tensor, IndexedSlices) else "tensor")
        kind = source._dtype.base_dtype
        wanted = kind if dtype is None else as_dtype(dtype).base_dtype
        known = source._shape
        if optimize and is_fully_defined(known) and kind is not dtypes.variant:
            return zeros(TensorShape(known), wanted, name=scope)
        if wanted is not kind and kind is not dtypes.variant:
            return zeros(shape_internal(source, optimize=optimize), wanted, name=scope)
        return _zeros_like(source, name=scope)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Ones in the shape (and, without `dtype`, of the type) of `tensor`."""
    with name_scope(name, "ones_like", [tensor]) as scope:
        source = convert_to_tensor(tensor, name="tensor")
        wanted = source._dtype.base_dtype if dtype is None else as_dtype(dtype).base_dtype
        like = shape_internal(source, optimize=optimize)
        result = ones(like, wanted, name=scope)
        result.set_shape(source.shape)
        return result
