"""`tf.strided_slice` and `tf.slice`: the ops behind `tensor[...]`, and slices of partly known shapes."""

from __future__ import annotations

import builtins
from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import PARTIAL_VALUES, VALUE_FROM_SHAPES
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_common import as_array, known_list
from tfbench.engine.ops.array_fill import ones_like
from tfbench.engine.ops.shape_ops import shape_from_input
from tfbench.engine.ops.slice_assign import resource_strided_slice_assign, strided_slice_assign
from tfbench.engine.ops.slice_spec import MASK_ATTRS, Masks, index_tuple, sliced_shape
from tfbench.engine.shape_math import dim_sub, merge, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["slice", "strided_slice"]

_strided_slice = op(
    "StridedSlice",
    "input: T, begin: Index, end: Index, strides: Index",
    "output: T",
    f"T: type; Index: {{int16, int32, int64}}; {MASK_ATTRS}",
    views=True,
)


def _check_spec(*shapes: Shape) -> int | None:
    """How many entries the vectors of a slice have."""
    common: Shape = (None,)
    for shape in shapes:
        common = merge(common, with_rank(shape, 1))
    return None if common is None else common[0]


@_strided_slice.shape
def _strided_slice_shape(node: Operation, x: Shape, begin: Shape, end: Shape, strides: Shape) -> list[Shape]:
    count = _check_spec(begin, end, strides)
    steps = known_list(node._inputs[3])
    if x is None or count is None or steps is None:
        return [None]
    masks = Masks.of(node.attrs)
    return [sliced_shape(x, known_list(node._inputs[1]), known_list(node._inputs[2]), steps, masks)]


@_strided_slice.kernel(CPU, GPU)
def _strided_slice_kernel(
    xp: Any,
    x: Any,
    begin: Any,
    end: Any,
    strides: Any,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Any:
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    index = index_tuple(begin.tolist(), end.tolist(), strides.tolist(), masks)
    try:
        return as_array(x[index])
    except (IndexError, ValueError, TypeError):
        sliced_shape(x.shape, begin.tolist(), end.tolist(), strides.tolist(), masks)
        raise


_strided_slice_grad = op(
    "StridedSliceGrad",
    "shape: Index, begin: Index, end: Index, strides: Index, dy: T",
    "output: T",
    f"T: type; Index: {{int32, int64}}; {MASK_ATTRS}",
    fresh=True,
)


@_strided_slice_grad.shape
def _strided_slice_grad_shape(
    node: Operation, shape: Shape, begin: Shape, end: Shape, strides: Shape, dy: Shape
) -> list[Shape]:
    return [shape_from_input(node, 0)]


@_strided_slice_grad.kernel(CPU, GPU)
def _strided_slice_grad_kernel(
    xp: Any,
    shape: Any,
    begin: Any,
    end: Any,
    strides: Any,
    dy: Any,
    *,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> Any:
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    result = xp.zeros(shape.tolist(), dy.dtype)
    wanted = sliced_shape(result.shape, begin.tolist(), end.tolist(), strides.tolist(), masks)
    if wanted != dy.shape:
        raise invalid(f"shape of dy was {list(dy.shape)} instead of {list(wanted or ())}")
    result[index_tuple(begin.tolist(), end.tolist(), strides.tolist(), masks)] = dy
    return result


@_strided_slice_grad.gradient
def _strided_slice_grad_gradient(node: Operation, dy: Any) -> Any:
    _, begin, end, strides, _ = node.inputs
    masks = {key: value for key, value in node.attrs.items() if key.endswith("_mask")}
    return [None, None, None, None, _strided_slice(dy, begin, end, strides, **masks)]


def _slice_of_sizes(node: Operation, sizes: list[int | None]) -> list[int | None] | None:
    """The part of partly known sizes that a strided slice takes; a single index gives a list of one."""
    begin, end, steps = [known_list(tensor) for tensor in node._inputs[1:4]]
    masks = Masks.of(node.attrs)
    if begin is None or end is None or steps is None or len(begin) != 1 or masks.ellipsis or masks.new_axis:
        return None
    part = sizes[index_tuple(begin, end, steps, masks)[0]]
    return part if isinstance(part, list) else [part]


def _partial_strided_slice(node: Operation, follow: Any) -> list[int | None] | None:
    sizes = follow(node._inputs[0])
    # A single size of a partly known shape counts only straight from a Shape (`_value_of_slice`).
    if sizes is None or node._inputs[0]._shape == () or node.attrs["shrink_axis_mask"]:
        return None
    return _slice_of_sizes(node, sizes)


PARTIAL_VALUES["StridedSlice"] = _partial_strided_slice


def _value_of_slice(tensor: Tensor) -> Any:
    """`tf.shape(x)[1]` is known where that one size is."""
    import numpy as np

    source = tensor.op._inputs[0]
    if source.op.type != "Shape" or tensor.op.attrs["shrink_axis_mask"] != 1:
        return None
    known = source.op._inputs[0]._shape
    part = None if known is None else _slice_of_sizes(tensor.op, list(known))
    if part is None or None in part:
        return None
    return np.array(part[0], tensor._dtype.as_numpy_dtype)


VALUE_FROM_SHAPES["StridedSlice"] = _value_of_slice


def strided_slice(
    input_: Any,
    begin: Any,
    end: Any,
    strides: Any = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
    var: Any = None,
    name: str | None = None,
) -> Tensor:
    """The part of `input_` from `begin` up to `end` by `strides`; each bit of a mask is about one entry."""
    if strides is None:
        strides = ones_like(begin)
    result: Tensor = _strided_slice(
        input_,
        begin,
        end,
        strides,
        name=name,
        begin_mask=begin_mask,
        end_mask=end_mask,
        ellipsis_mask=ellipsis_mask,
        new_axis_mask=new_axis_mask,
        shrink_axis_mask=shrink_axis_mask,
    )
    if var is not None:
        masks = {key: value for key, value in result.op.attrs.items() if key.endswith("_mask")}
        where = (begin, end, strides)

        def assign(value: Any, name: str | None = None) -> Any:
            """Assigns `value` to this part of the variable."""
            return assign_slice(var, where, value, masks, name or f"{result.op.name}/_assign")

        result.assign = assign  # type: ignore[attr-defined]
    return result


def assign_slice(var: Any, where: tuple[Any, Any, Any], value: Any, masks: dict[str, int], name: str) -> Any:
    """Adds the op that puts `value` where a strided slice of `var` lies; gives the variable's value after it."""
    if hasattr(var, "handle"):
        value = convert_to_tensor(value, dtype=var.dtype.base_dtype)
        return var._after(resource_strided_slice_assign(var.handle, *where, value, name=name, **masks), True)
    return strided_slice_assign(var._ref(), *where, value, name=name, **masks)


# -- tf.slice ----------------------------------------------------------------------------------------------------

_slice = op("Slice", "input: T, begin: Index, size: Index", "output: T", "T: type; Index: {int32, int64}", views=True)


@_slice.shape
def _slice_shape(node: Operation, x: Shape, begin: Shape, size: Shape) -> list[Shape]:
    count = _check_spec(begin, size)
    if count is not None:
        x = with_rank(x, count)
    sizes = known_list(node._inputs[2])
    # Read as shapes: a begin of -1 is an unknown one, and a smaller number in either is refused.
    begins, partial = shape_from_input(node, 1), shape_from_input(node, 2)
    if sizes is not None:
        result: list[int | None] = []
        x = with_rank(x, len(sizes))
        for i, wanted in enumerate(sizes):
            result.append(dim_sub(x[i], begins[i] if begins else None) if wanted == -1 else wanted)
        return [tuple(result)]
    if partial is not None:
        return [partial]
    if x is not None:
        return [(None,) * len(x)]
    return [None if begins is None else (None,) * len(begins)]


@_slice.kernel(CPU, GPU)
def _slice_kernel(xp: Any, x: Any, begin: Any, size: Any) -> Any:
    if begin.ndim != 1 or begin.size != x.ndim or size.size != x.ndim:
        raise invalid(
            f"Expected begin and size arguments to be 1-D tensors of size {x.ndim}, but got shapes "
            f"{list(begin.shape)} and {list(size.shape)} instead."
        )
    index: list[Any] = []
    for i, (first, count) in enumerate(zip(begin.tolist(), size.tolist())):
        have = x.shape[i]
        if not 0 <= first <= have:
            raise invalid(f"Expected begin[{i}] in [0, {have}], but got {first}")
        if count == -1:
            count = have - first
        elif not 0 <= count <= have - first:
            raise invalid(f"Expected size[{i}] in [0, {have - first}], but got {count}")
        index.append(builtins.slice(first, first + count))
    return x[tuple(index)]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """The part of `input_` that starts at `begin` and has `size` elements a dimension (-1: all that are left)."""
    return _slice(input_, begin, size, name=name)
