"""Joining tensors, along an axis (ConcatV2) or a new one (Pack); Unpack is what undoes Pack."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import PARTIAL_VALUES, VALUE_FROM_SHAPES, constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.base import identity
from tfbench.engine.shape_math import dim_add, merge, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["concat", "stack", "unstack"]


# -- Pack and Unpack -------------------------------------------------------------------------------------------

_pack = op("Pack", "values: N * T", "output: T", "N: int >= 1; T: type; axis: int = 0", fresh=True)


@_pack.shape
def _pack_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    common: Shape = inputs[-1]
    for i in range(len(inputs) - 2, -1, -1):
        try:
            common = merge(inputs[i], common)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {i} with other shapes.") from None
    if common is None:
        return [None]
    axis = node.attrs["axis"]
    rank = len(common) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    position = axis % rank
    return [(*common[:position], len(inputs), *common[position:])]


@_pack.kernel(CPU, GPU)
def _pack_kernel(xp: Any, *values: Any, axis: int) -> Any:
    first = values[0]
    rank = getattr(first, "ndim", None)
    if rank is None:
        handles = np.empty(len(values), object)
        handles[:] = values
        return handles
    if rank == 0 and xp is np:
        for value in values:
            if value.ndim:
                break
        else:
            if first.dtype != object:
                return np.array(values, first.dtype)
            strings = np.empty(len(values), object)
            strings[:] = [value.item() for value in values]
            return strings
    for i, value in enumerate(values):
        if value.shape != first.shape:
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {list(first.shape)} "
                f"!= values[{i}].shape = {list(value.shape)}"
            )
    if axis == 0:
        return xp.concatenate([value[None] for value in values])
    return xp.stack(values, axis)


@_pack.gradient
def _pack_gradient(node: Operation, dy: Any) -> Any:
    return unstack(dy, num=len(node.inputs), axis=node.attrs["axis"])


def _partial_pack(node: Operation, follow: Any) -> list[int | None] | None:
    sizes: list[int | None] = []
    for tensor in node._inputs:
        if tensor._shape != ():
            return None
        made_by = tensor.op
        if made_by.type == "Enter" and made_by.attrs["is_constant"]:
            tensor = made_by._inputs[0]  # a size from outside of a loop; TensorFlow looks out of one, and only here
        value = follow(tensor)
        sizes.append(None if value is None else value[0])
    return sizes


PARTIAL_VALUES["Pack"] = _partial_pack


def stack(values: Any, axis: int = 0, name: str = "stack") -> Tensor:
    """Tensors of one shape put side by side along a new `axis`. A list of numbers becomes a constant.

    Raises:
      ValueError: if the axis is out of range or the shapes differ.
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError, NotImplementedError):
            pass  # what cannot be a constant or packed as it is says so below
    first = convert_to_tensor(values[0], name=name)._shape
    if first is not None:
        rank = len(first) + 1
        if not -rank <= axis < rank:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return _pack(values, axis=axis, name=name)


_unpack = op("Unpack", "value: T", "output: num * T", "num: int >= 0; T: type; axis: int = 0", views=True)


@_unpack.shape
def _unpack_shape(node: Operation, x: Shape) -> list[Shape]:
    num, axis = node.attrs["num"], node.attrs["axis"]
    if x is None:
        return [None] * num
    if not x:
        raise ValueError("Shape must be at least rank 1 but is rank 0")
    rank = len(x)
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    axis %= rank
    if x[axis] not in (None, num):
        raise ValueError(f"Dimension must be {num} but is {x[axis]}")
    return [(*x[:axis], *x[axis + 1 :])] * num


@_unpack.kernel(CPU, GPU)
def _unpack_kernel(xp: Any, x: Any, *, num: int, axis: int) -> Any:
    if not -x.ndim <= axis < x.ndim:
        raise invalid(f"axis = {axis} not in [{-x.ndim}, {x.ndim})")
    if x.shape[axis] != num:
        raise invalid(f"Input shape axis {axis % x.ndim} must equal {num}, got shape {list(x.shape)}")
    if x.ndim == 1:
        return list(x) if x.dtype != object else [np.array(item, object) for item in x]
    return list(x) if axis == 0 else list(xp.moveaxis(x, axis, 0))


@_unpack.gradient
def _unpack_gradient(node: Operation, *grads: Any) -> Any:
    return [stack(list(grads), axis=node.attrs["axis"])]


def _value_of_unpack(tensor: Tensor) -> Any:
    """`tf.unstack(tf.shape(x))[1]` is known where that one size is."""
    source = tensor.op._inputs[0].op
    known = source._inputs[0]._shape if source.type == "Shape" else None
    size = None if known is None else known[tensor.value_index]
    return None if size is None else np.array(size, tensor._dtype.as_numpy_dtype)


VALUE_FROM_SHAPES["Unpack"] = _value_of_unpack


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices of `value` along `axis`, as a list of `num` tensors (known from the shape where it is).

    Raises:
      ValueError: if `num` is neither given nor known, or the axis is out of range.
    """
    if num is None:
        value = convert_to_tensor(value)
        shape = value._shape
        if shape is not None:
            if not -len(shape) <= axis < len(shape):
                raise ValueError(f"Argument `axis` = {axis} not in range [{-len(shape)}, {len(shape)})")
            num = shape[axis]
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return _unpack(value, num=num, axis=axis, name=name)


# -- Concat ------------------------------------------------------------------------------------------------------

_concat_v2 = op(
    "ConcatV2",
    "values: N * T, axis: Tidx",
    "output: T",
    "N: int >= 2; T: type; Tidx: {int32, int64} = int32",
    fresh=True,
)


def _concat_shape(values: tuple[Shape, ...], axis_tensor: Tensor) -> list[Shape]:
    with_rank(axis_tensor._shape, 0)
    known = constant_value(axis_tensor)
    if known is None:
        rank = next((len(value) for value in values if value is not None), None)
        for value in values:
            if value is not None and rank is not None and len(value) != rank:
                raise ValueError(f"Shape must be rank {rank} but is rank {len(value)}")
        return [None if rank is None else (None,) * rank]
    axis = int(known.ravel()[0])
    least = axis + 1 if axis >= 0 else -axis
    for value in values:
        if value is not None and len(value) < least:
            raise ValueError(f"Shape must be at least rank {least} but is rank {len(value)}")
    if any(value is None for value in values):
        return [_concat_unknown(values, axis)]
    first = values[0] or ()
    rank = len(first)
    position = axis % rank
    before: Shape = first[:position]
    after: Shape = first[position + 1 :]
    total = first[position]
    for value in values[1:]:
        value = value or ()
        if len(value) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(value)}")
        try:
            before = merge(before, value[:position])
            after = merge(after, value[position + 1 :])
        except ValueError as error:
            raise ValueError(f"{error}") from None
        total = dim_add(total, value[position])
    return [(*(before or ()), total, *(after or ()))]


def _concat_unknown(values: tuple[Shape, ...], axis: int) -> Shape:
    """The result where some ranks are unknown: what the known ones agree on, the joined size unknown."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    rank = len(known[0])
    position = axis % rank
    result: Shape = (None,) * rank
    for value in known:
        if len(value) != rank:
            raise ValueError(f"Shape must be rank {rank} but is rank {len(value)}")
        result = merge(result, (*value[:position], None, *value[position + 1 :]))
    return result


@_concat_v2.shape
def _concat_v2_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    return _concat_shape(inputs[:-1], node._inputs[-1])


def concat_arrays(xp: Any, values: Any, axis: Any) -> Any:
    """The arrays joined along `axis`. InvalidArgumentError names the two whose shapes do not fit."""
    first = values[0]
    position = int(axis)
    if not -first.ndim <= position < first.ndim:
        raise invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [{-first.ndim}, {first.ndim}), "
            f"but got {position}"
        )
    try:
        return xp.concatenate(values, position)
    except ValueError:
        pass
    position %= first.ndim
    for i, value in enumerate(values):
        if value.ndim != first.ndim:
            text = f"ConcatOp : Ranks of all input tensors should match: shape[0] = {list(first.shape)}"
            raise invalid(f"{text} vs. shape[{i}] = {list(value.shape)}") from None
        for j, (a, b) in enumerate(zip(first.shape, value.shape)):
            if j != position and a != b:
                text = (
                    f"ConcatOp : Dimension {j} in both shapes must be equal: shape[0] = {list(first.shape)} "
                    f"vs. shape[{i}] = {list(value.shape)}"
                )
                raise invalid(text) from None
    raise errors.InternalError(None, None, "Concatenation failed.")


@_concat_v2.kernel(CPU, GPU)
def _concat_v2_kernel(xp: Any, *inputs: Any) -> Any:
    return concat_arrays(xp, inputs[:-1], inputs[-1])


def _partial_concat(values: Any, follow: Any) -> list[int | None] | None:
    sizes: list[int | None] = []
    for tensor in values:
        part = follow(tensor)
        if part is None:
            shape = tensor._shape
            if shape is None or len(shape) != 1 or shape[0] is None:
                return None
            part = [None] * shape[0]
        sizes.extend(part)
    return sizes


PARTIAL_VALUES["ConcatV2"] = lambda node, follow: _partial_concat(node._inputs[:-1], follow)


def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Tensors joined along `axis`, which they already have. The old order (axis first) is not understood.

    Raises:
      ValueError: for an empty list, or where the shapes do not fit.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if len(values) == 1:
        with name_scope(name):
            try:
                shape = convert_to_tensor(axis, name="concat_dim", dtype=dtypes.int32).shape
                shape.assert_has_rank(0)
            except (TypeError, ValueError) as error:
                if isinstance(axis, (list, tuple)):
                    error.add_note("tf.concat(values, axis): the axis is the second argument since TensorFlow 1.0")
                raise
            return identity(values[0], name=name)
    return _concat_v2(values, axis, name=name)
