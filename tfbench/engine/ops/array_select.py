"""Choosing by a condition: Where, Select, SelectV2, boolean masks; and OneHot and sequence masks, which are made so."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_common import known_scalar
from tfbench.engine.ops.array_fill import zeros_like
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.reductions import reduce_prod
from tfbench.engine.ops.shape_ops import expand_dims, rank, reshape, shape, squeeze
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.shape_math import broadcast, merge, num_elements
from tfbench.engine.shapes import Shape, TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["boolean_mask", "one_hot", "sequence_mask", "where", "where_v2"]

_where = op(
    "Where",
    "input: T",
    "index: int64",
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
    "quint16, uint16, complex128, half, uint32, uint64, bool} = bool",
    fresh=True,
)


@_where.shape
def _where_shape(node: Operation, x: Shape) -> list[Shape]:
    return [(None, None if x is None else len(x))]


@_where.kernel(CPU, GPU)
def _where_kernel(xp: Any, x: Any) -> Any:
    if x.ndim == 0:
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    return xp.stack(xp.nonzero(x), axis=1).astype(np.int64, copy=False)


_where.no_gradient("where something is true are integers")

_select = op("Select", "condition: bool, t: T, e: T", "output: T", "T: type", fresh=True)


@_select.shape
def _select_shape(node: Operation, condition: Shape, t: Shape, e: Shape) -> list[Shape]:
    data = merge(t, e)
    if condition is None or data is None or not condition:
        return [data]
    if len(condition) > 1 or not data:
        return [merge(data, condition)]
    merge(condition, (data[0],))
    return [data]


def _check_same(t: Any, e: Any) -> None:
    if t.shape != e.shape:
        raise invalid(
            f"'then' and 'else' must have the same size.  but received: {brackets(t.shape)} vs. {brackets(e.shape)}"
        )


@_select.kernel(CPU, GPU)
def _select_kernel(xp: Any, condition: Any, t: Any, e: Any) -> Any:
    if condition.ndim == 1 and t.ndim > 1:
        _check_same(t, e)
        if condition.shape[0] != t.shape[0]:
            raise invalid(
                f"Number of batches of 'then' must match size of 'cond', but saw: {t.shape[0]} vs. {condition.shape[0]}"
            )
        condition = condition.reshape((-1,) + (1,) * (t.ndim - 1))
    elif condition.ndim == 0:
        _check_same(t, e)
    else:
        for i, data in enumerate((t, e), 1):
            if data.shape != condition.shape:
                raise invalid(
                    "Inputs to operation of type Select must have the same size and shape.  Input 0: "
                    f"{brackets(condition.shape)} != input {i}: {brackets(data.shape)}"
                )
    return xp.where(condition, t, e)


@_select.gradient
def _select_gradient(node: Operation, dy: Any) -> Any:
    condition, t = node.inputs[:2]
    nothing = zeros_like(t)
    return [None, where(condition, dy, nothing), where(condition, nothing, dy)]


_select_v2 = op("SelectV2", "condition: bool, t: T, e: T", "output: T", "T: type", fresh=True)


@_select_v2.shape
def _select_v2_shape(node: Operation, condition: Shape, t: Shape, e: Shape) -> list[Shape]:
    return [broadcast(condition, broadcast(t, e))]


@_select_v2.kernel(CPU, GPU)
def _select_v2_kernel(xp: Any, condition: Any, t: Any, e: Any) -> Any:
    try:
        return xp.where(condition, t, e)
    except ValueError:
        raise invalid(
            f"condition {brackets(condition.shape)}, then {brackets(t.shape)}, and else {brackets(e.shape)} must be "
            "broadcastable"
        ) from None


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Where `condition` is true: the positions (one row each); or, with `x` and `y`, x there and y elsewhere.

    A vector may be the condition for whole rows of x and y; otherwise all shapes are the same.

    Raises:
      ValueError: if only one of x and y is given.
    """
    return _choose("Select", condition, x, y, name)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """As `where`, but condition, x and y are broadcast."""
    return _choose("SelectV2", condition, x, y, name)


def _choose(type: str, condition: Any, x: Any, y: Any, name: str | None) -> Tensor:
    if x is None and y is None:
        with name_scope(name, "Where", [condition]) as scope:
            tensor = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
            return _where(tensor, name=scope)
    if x is None or y is None:
        raise ValueError("where() takes both x and y, or neither: one of them is None")
    return lookup(type)(condition, x, y, name=name)


def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Tensor:
    """The elements (or slices) of `tensor` where `mask` is true; the mask covers dimensions from `axis` on.

    Raises:
      ValueError: if the mask is a scalar, of unknown rank, or does not fit the shape.
    """
    with name_scope(name, None, [tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        covered = mask._shape
        if covered == ():
            raise ValueError(
                f"mask cannot be scalar: it says for each row (or element) of {tensor} whether to keep it."
            )
        if covered is None:
            raise ValueError(
                "Number of mask dimensions must be specified: a mask of shape [None] has one, a mask of shape None "
                "leaves it open. Use mask.set_shape()."
            )
        count = len(covered)
        start: Any = 0 if axis is None else axis
        known = get_static_value(start)
        if known is not None:
            start = int(known)
            tensor.shape[start : start + count].assert_is_compatible_with(TensorShape(covered))

        size = reduce_prod(shape(tensor)[start : start + count], [0])
        before = tensor.shape
        tensor = reshape(tensor, concat([shape(tensor)[:start], [size], shape(tensor)[start + count :]], 0))
        if known is not None and before._dims is not None:
            dims = before._dims
            tensor.set_shape((*dims[:start], num_elements(dims[start : start + count]), *dims[start + count :]))
        flat = reshape(mask, [-1])
        indices = squeeze(where_v2(flat), axis=[1])
        return gather(tensor, indices, axis=start)


# -- one-hot -----------------------------------------------------------------------------------------------------

_one_hot = op(
    "OneHot",
    "indices: TI, depth: int32, on_value: T, off_value: T",
    "output: T",
    "axis: int = -1; T: type; TI: {uint8, int8, int32, int64} = int64",
    fresh=True,
)


@_one_hot.shape
def _one_hot_shape(node: Operation, indices: Shape, depth: Shape, on: Shape, off: Shape) -> list[Shape]:
    axis = node.attrs["axis"]
    if axis < -1:
        raise ValueError("axis must be >= -1")
    if depth:
        raise ValueError(f"Input must be scalar but has rank {len(depth)}")
    size = known_scalar(node._inputs[1])
    if size is not None and size < 0:
        raise ValueError(f"Dimension size, given by scalar input 1, must be non-negative but is {size}")
    if indices is None:
        return [None]
    position = len(indices) if axis == -1 else axis
    return [(*indices[:position], size, *indices[position:])]


@_one_hot.kernel(CPU, GPU)
def _one_hot_kernel(xp: Any, indices: Any, depth: Any, on: Any, off: Any, *, axis: int) -> Any:
    if not -1 <= axis <= indices.ndim:
        raise invalid(f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}")
    for word, value in (("depth", depth), ("on_value", on), ("off_value", off)):
        if np.ndim(value):
            raise invalid(f"{word} must be a scalar, but got: {list(value.shape)}")
    size = int(depth)
    if size < 0:
        raise invalid(f"depth must be non-negative, got: {size}")
    if xp is not np:
        # Without asking which of them are in range: one comparison of each index with each place.
        result = xp.where(indices[..., None] == xp.arange(size, dtype=indices.dtype), on, off)
        return result if axis in (-1, indices.ndim) else xp.moveaxis(result, -1, axis)
    flat = indices.reshape(-1)
    result = xp.full((flat.size, size), off, on.dtype)
    rows = xp.nonzero((flat >= 0) & (flat < size))[0]
    result[rows, flat[rows]] = on
    result = result.reshape((*indices.shape, size))
    return result if axis in (-1, indices.ndim) else xp.moveaxis(result, -1, axis)


_one_hot.no_gradient("the indices are integers")


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """`on_value` (1) at each of `indices` along a new axis of size `depth`, `off_value` (0) elsewhere.

    Raises:
      TypeError: if the types of on_value, off_value and `dtype` differ.
    """
    with name_scope(name, "one_hot", [indices, depth, on_value, off_value, axis, dtype]) as scope:
        wanted = None if dtype is None else as_dtype(dtype)
        on = None if on_value is None else convert_to_tensor(on_value, preferred_dtype=wanted)
        off = None if off_value is None else convert_to_tensor(off_value, preferred_dtype=wanted)
        for word, value in (("on_value", on), ("off_value", off)):
            if value is not None and wanted is not None and value._dtype.base_dtype is not wanted.base_dtype:
                raise TypeError(f"dtype {value._dtype.base_dtype} of {word} does not match dtype parameter {wanted}")
        given = on if on is not None else off
        kind = wanted if wanted is not None else dtypes.float32 if given is None else given._dtype.base_dtype
        if on is None:
            on = convert_to_tensor(1, kind, name="on_value")
        if off is None:
            off = convert_to_tensor(0, kind, name="off_value")
        if on._dtype.base_dtype is not off._dtype.base_dtype:
            raise TypeError(
                f"dtype {on._dtype.base_dtype} of on_value does not match dtype {off._dtype.base_dtype} of off_value"
            )
        return _one_hot(indices, depth, on, off, axis=axis, name=scope)


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None) -> Tensor:
    """For each length a row that is true (or 1) so many times and false after, `maxlen` (the longest) elements long.

    Raises:
      ValueError: if maxlen is no scalar.
    """
    with name_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            known = lengths._shape
            if known is None:
                axes = lookup("Range")(0, rank(lengths), 1)
            else:
                axes = constant(np.arange(len(known), dtype=np.int32), dtypes.int32)
            longest = lookup("Max")(lengths, axes)
            maxlen = lookup("Maximum")(constant(0, longest.dtype), longest)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen._shape is not None and maxlen._shape != ():
            raise ValueError(
                f"Argument `maxlen` must be scalar for sequence_mask, received `maxlen` = {maxlen} with shape "
                f"'{maxlen.shape}' instead"
            )
        kind = maxlen.dtype.base_dtype
        row = lookup("Range")(constant(0, kind), maxlen, constant(1, kind))
        result: Tensor = row < lookup("Cast")(expand_dims(lengths, -1), DstT=kind)
        if dtype is None or as_dtype(dtype).is_compatible_with(result.dtype):
            return result
        return lookup("Cast")(result, DstT=as_dtype(dtype))
