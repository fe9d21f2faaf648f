"""Broadcasting: shapes that fit together, tensors stretched to a shape, grids, and repeated elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_common import replaced
from tfbench.engine.ops.array_fill import ones
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.array_pad import tile
from tfbench.engine.ops.array_select import boolean_mask, sequence_mask
from tfbench.engine.ops.reductions import reduce_sum
from tfbench.engine.ops.shape_ops import expand_dims, rank, reshape, shape, shape_from_input, size
from tfbench.engine.shape_math import broadcast, dim_merge, with_rank, with_rank_at_most
from tfbench.engine.shapes import Shape, TensorShape, as_shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "meshgrid", "repeat",
]  # fmt: skip

_broadcast_to = op(
    "BroadcastTo", "input: T, shape: Tidx", "output: T", "T: type; Tidx: {int32, int64} = int32", views=True
)


@_broadcast_to.shape
def _broadcast_to_shape(node: Operation, x: Shape, sizes: Shape) -> list[Shape]:
    with_rank(sizes, 1)
    wanted = shape_from_input(node, 1)
    if wanted is None or x is None:
        return [wanted]
    with_rank_at_most(x, len(wanted))
    for i in range(1, len(x) + 1):
        size = x[-i]
        if size is not None and size > 1:
            position = len(wanted) - i
            wanted = replaced(wanted, position, dim_merge(size, wanted[position]))
    return [wanted]


@_broadcast_to.kernel(CPU, GPU)
def _broadcast_to_kernel(xp: Any, x: Any, sizes: Any) -> Any:
    wanted = sizes.tolist()
    if x.ndim > len(wanted):
        raise invalid(f"Rank of input ({x.ndim}) must be no greater than rank of output shape ({len(wanted)}).")
    try:
        return xp.broadcast_to(x, wanted)
    except ValueError:
        raise invalid(f"Incompatible shapes: {brackets(x.shape)} vs. {brackets(wanted)}") from None


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """`input` stretched to `shape`: dimensions of size 1 and missing leading ones are repeated."""
    return _broadcast_to(input, shape, name=name)


# -- shapes ------------------------------------------------------------------------------------------------------

_args = op("BroadcastArgs", "s0: T, s1: T", "r0: T", "T: {int32, int64} = int32", fresh=True)


@_args.shape
def _args_shape(node: Operation, x: Shape, y: Shape) -> list[Shape]:
    (first,), (second,) = with_rank(x, 1), with_rank(y, 1)
    return [(None if first is None or second is None else max(first, second),)]


def _sizes(xp: Any, x: Any, y: Any) -> tuple[list[int], list[int]]:
    for i, vector in enumerate((x, y)):
        if vector.ndim != 1:
            raise invalid(f"In[{i}] must be a vector.{brackets(vector.shape)}")
    return x.tolist(), y.tolist()


@_args.kernel(CPU)
def _args_kernel(xp: Any, x: Any, y: Any) -> Any:
    first, second = _sizes(xp, x, y)
    try:
        return np.array(np.broadcast_shapes(tuple(first), tuple(second)), x.dtype)
    except ValueError:
        raise invalid(f"Incompatible shapes: {brackets(first)} vs. {brackets(second)}") from None


_gradient_args = op(
    "BroadcastGradientArgs",
    "s0: T, s1: T",
    "r0: T, r1: T",
    "T: {int32, int64} = int32",
    fresh=True,
    doc="The axes over which the gradient of a broadcast operation is summed, for each operand.",
)


@_gradient_args.shape
def _gradient_args_shape(node: Operation, x: Shape, y: Shape) -> list[Shape]:
    with_rank(x, 1)
    with_rank(y, 1)
    return [(None,), (None,)]


@_gradient_args.kernel(CPU)
def _gradient_args_kernel(xp: Any, x: Any, y: Any) -> Any:
    first, second = _sizes(xp, x, y)
    rank = max(len(first), len(second))
    first = [1] * (rank - len(first)) + first
    second = [1] * (rank - len(second)) + second
    lost: tuple[list[int], list[int]] = ([], [])
    # An operand is summed along an axis where it has one element and the result may have more, or where
    # it is missing altogether; where both have one element both are, which changes no value.
    missing = (rank - x.size, rank - y.size)
    for axis, (a, b) in enumerate(zip(first, second)):
        if a == b:
            if a == 1:
                lost[0].append(axis)
                lost[1].append(axis)
            else:
                for side in (0, 1):
                    if axis < missing[side]:
                        lost[side].append(axis)
        elif a == 1:
            lost[0].append(axis)
        elif b == 1:
            lost[1].append(axis)
        else:
            raise invalid(f"Incompatible shapes: {brackets(x.tolist())} vs. {brackets(y.tolist())}")
    return np.array(lost[0], x.dtype), np.array(lost[1], x.dtype)


_args.no_gradient("shapes are integers")
_gradient_args.no_gradient("axes are integers")


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape, as a tensor, of an elementwise result of tensors of these shapes."""
    return _args(shape_x, shape_y)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The static shape of an elementwise result of tensors of these shapes.

    Raises:
      ValueError: if they do not broadcast.
    """
    first, second = as_shape(shape_x), as_shape(shape_y)
    try:
        return TensorShape(broadcast(first._dims, second._dims))
    except ValueError:
        raise ValueError(
            "Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are "
            f"either equal or one of them is 1. Received: {first} and {second}."
        ) from None


# -- grids and repetition ----------------------------------------------------------------------------------------


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """For vectors, one tensor each that varies along its own axis only; `indexing` is 'xy' (default) or 'ij'.

    Raises:
      ValueError, TypeError: for another indexing or another keyword.
    """
    indexing = kwargs.pop("indexing", "xy")
    name = kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"Argument `indexing` parameter must be either 'xy' or 'ij', got '{indexing}'")
    with name_scope(name, "meshgrid", args):
        count = len(args)
        if not count:
            return []
        single = (1,) * count
        parts = [reshape(stack(value), (*single[:i], -1, *single[i + 1 :])) for i, value in enumerate(args)]
        sizes = [size(value) for value in args]
        kind = convert_to_tensor(args[0]).dtype.base_dtype
        if indexing == "xy" and count > 1:
            rest = (1,) * (count - 2)
            parts[0] = reshape(parts[0], (1, -1, *rest))
            parts[1] = reshape(parts[1], (-1, 1, *rest))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        full = ones(sizes, kind)
        return [part * full for part in parts]


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element of `input` along `axis` (default: of all, flattened) `repeats` times (one number or one each)."""
    if axis is None:
        input, axis = reshape(input, [-1]), 0
    return _repeat_along(input, repeats, axis, name)


def _repeat_along(data: Any, repeats: Any, axis: Any, name: str | None) -> Tensor:
    if not isinstance(axis, int):
        raise TypeError(f"Argument `axis` must be an int. Received `axis` = {axis} of type {type(axis).__name__}")
    with name_scope(name, "Repeat", [data, repeats]):
        data = convert_to_tensor(data, name="data")
        repeats = convert_to_tensor(repeats, name="repeats")
        if not repeats.dtype.is_integer:
            raise TypeError(
                f"Argument `tensor` (name: repeats) must be of type integer. Received `tensor` = {repeats} of dtype: "
                f"{repeats.dtype}"
            )
        repeats = lookup("Cast")(repeats, DstT=dtypes.int32)
        repeats.shape.with_rank_at_most(1)
        data = _at_least_vector(data)
        data_shape = shape(data, out_type=dtypes.int32)
        axis = _from_front(axis, data._rank)
        if repeats.shape.num_elements() == 1:
            repeats = reshape(repeats, [])
            tiled = _tile_one(expand_dims(data, axis + 1), axis + 1, repeats)
            sizes = concat([data_shape[:axis], [repeats * data_shape[axis]], data_shape[axis + 1 :]], 0)
            return reshape(tiled, sizes)
        if repeats._rank == 1 and data._rank is not None:
            data.shape[axis].assert_is_compatible_with(repeats.shape[0])
        repeats = each = broadcast_to(repeats, [data_shape[axis]])
        if repeats._rank != axis + 1:
            own = shape(repeats)
            repeats = broadcast_to(repeats, concat([data_shape[: axis + 1 - rank(repeats)], own], 0))
            repeats.set_shape([None] * (axis + 1))
        axes = constant(np.arange(axis + 1, dtype=np.int32))
        most = lookup("Max")(repeats, axes)
        longest = lookup("Maximum")(convert_to_tensor(0, name="zero", dtype=dtypes.int32), most)
        mask = sequence_mask(repeats, longest)
        tiled = _tile_one(expand_dims(data, axis + 1), axis + 1, longest)
        masked = boolean_mask(tiled, mask)
        if axis == 0:
            return masked
        total = reduce_sum(each, lookup("Range")(0, rank(each), 1))
        return reshape(masked, concat([data_shape[:axis], [total], data_shape[axis + 1 :]], 0))


def _at_least_vector(data: Tensor) -> Tensor:
    if data._shape is not None:
        return stack([data]) if not data._shape else data
    sizes, count = shape(data), rank(data)
    return reshape(data, concat([[1], sizes], 0)[-count:])


def _from_front(axis: int, rank: int | None) -> int:
    if rank is None:
        if axis < 0:
            raise ValueError(f"axis={axis} may only be negative if rank(data) is statically known.")
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return axis % rank


def _tile_one(data: Tensor, axis: int, multiple: Tensor) -> Tensor:
    """`data` repeated along one axis."""
    if data._shape is not None:
        multiples: list[Any] = [1] * len(data._shape)
        multiples[axis] = multiple
        return tile(data, multiples)
    single = ones(rank(data), dtypes.int32)
    return tile(data, concat([single[:axis], [multiple], single[axis + 1 :]], 0))
