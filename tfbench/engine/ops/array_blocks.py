"""Moving blocks of pixels between dimensions: space, batch and depth."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_common import known_list
from tfbench.engine.ops.array_fill import zeros
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.shape_math import dim_add, dim_div, dim_mul, dim_sub, with_dim, with_rank, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "batch_to_space", "batch_to_space_nd", "depth_to_space",
    "required_space_to_batch_paddings", "space_to_batch", "space_to_batch_nd", "space_to_depth",
]  # fmt: skip

_space_to_batch_nd = op(
    "SpaceToBatchND",
    "input: T, block_shape: Tblock_shape, paddings: Tpaddings",
    "output: T",
    "T: type; Tblock_shape: {int32, int64} = int32; Tpaddings: {int32, int64} = int32",
    fresh=True,
)
_batch_to_space_nd = op(
    "BatchToSpaceND",
    "input: T, block_shape: Tblock_shape, crops: Tcrops",
    "output: T",
    "T: type; Tblock_shape: {int32, int64} = int32; Tcrops: {int32, int64} = int32",
    fresh=True,
)


def _block_shape(node: Operation, x: Shape, block: Shape, borders: Shape, to_batch: bool) -> list[Shape]:
    (count,) = with_rank(block, 1)
    rows, columns = with_rank(borders, 2)
    with_dim(columns, 2)
    if count is not None and rows is not None:
        with_dim(rows, count)
    if x is None or count is None:
        return [x if count is None else None]
    x = with_rank_at_least(x, count + 1)
    if x is None:
        return [None]
    blocks = known_list(node._inputs[1])
    pairs = constant_value(node._inputs[2])
    batch = x[0]
    if blocks is None:
        return [(None,) * (count + 1) + x[count + 1 :]]
    for i, size in enumerate(blocks):
        if size < 1:
            raise ValueError(f"block_shape must be positive, but block_shape[{i}] = {size}")
        batch = dim_mul(batch, size) if to_batch else dim_div(batch, size, evenly=True)
    sizes: list[int | None] = []
    for i, size in enumerate(blocks):
        whole = x[i + 1]
        if to_batch:
            if pairs is not None:
                before, after = pairs.tolist()[i]
                if before < 0 or after < 0:
                    raise ValueError("paddings cannot be negative")
                sizes.append(dim_div(dim_add(whole, before + after), size, evenly=True))
            else:
                sizes.append(None)
        elif pairs is not None:
            before, after = pairs.tolist()[i]
            if before < 0 or after < 0:
                raise ValueError("crops cannot be negative")
            sizes.append(dim_sub(dim_mul(whole, size), before + after))
        else:
            sizes.append(None)
    return [(batch, *sizes, *x[count + 1 :])]


@_space_to_batch_nd.shape
def _space_to_batch_nd_shape(node: Operation, x: Shape, block: Shape, paddings: Shape) -> list[Shape]:
    return _block_shape(node, x, block, paddings, True)


@_batch_to_space_nd.shape
def _batch_to_space_nd_shape(node: Operation, x: Shape, block: Shape, crops: Shape) -> list[Shape]:
    return _block_shape(node, x, block, crops, False)


def _block_arguments(x: Any, block: Any, borders: Any) -> tuple[list[int], list[list[int]]]:
    count = block.size
    if x.ndim < count + 1:
        raise invalid(f"input rank should be >= {count + 1} instead of {x.ndim}")
    if borders.shape != (count, 2):
        raise invalid(f"paddings or crops should have shape [{count}, 2] instead of {brackets(borders.shape)}")
    blocks: list[int] = block.tolist()
    for size in blocks:
        if size < 1:
            raise invalid("All values in block_shape must be positive, got value, " + str(size))
    pairs: list[list[int]] = borders.tolist()
    if any(value < 0 for pair in pairs for value in pair):
        raise invalid("paddings and crops must be non-negative")
    return blocks, pairs


@_space_to_batch_nd.kernel(CPU, GPU)
def _space_to_batch_nd_kernel(xp: Any, x: Any, block: Any, paddings: Any) -> Any:
    blocks, pairs = _block_arguments(x, block, paddings)
    count = len(blocks)
    sizes = [before + size + after for size, (before, after) in zip(x.shape[1:], pairs)]
    for i, (size, by) in enumerate(zip(sizes, blocks)):
        if size % by:
            raise invalid(f"padded_shape[{i}]={size} is not divisible by block_shape[{i}]={by}")
    padded = xp.zeros((x.shape[0], *sizes, *x.shape[count + 1 :]), x.dtype)
    inner = tuple(slice(before, before + size) for size, (before, _) in zip(x.shape[1:], pairs))
    padded[(slice(None), *inner)] = x
    split: list[int] = [x.shape[0]]
    for size, by in zip(sizes, blocks):
        split += [size // by, by]
    rest = x.shape[count + 1 :]
    parts = padded.reshape((*split, *rest))
    order = [2 * i + 2 for i in range(count)] + [0] + [2 * i + 1 for i in range(count)]
    order += range(2 * count + 1, parts.ndim)
    volume = int(np.prod(blocks, dtype=np.int64))
    result = parts.transpose(order).reshape(
        (x.shape[0] * volume, *(size // by for size, by in zip(sizes, blocks)), *rest)
    )
    return xp.ascontiguousarray(result)


@_batch_to_space_nd.kernel(CPU, GPU)
def _batch_to_space_nd_kernel(xp: Any, x: Any, block: Any, crops: Any) -> Any:
    blocks, pairs = _block_arguments(x, block, crops)
    count = len(blocks)
    volume = int(np.prod(blocks, dtype=np.int64))
    if x.shape[0] % volume:
        raise invalid(f"Input batch dimension ({x.shape[0]}) is not divisible by product of block sizes ({volume})")
    batch = x.shape[0] // volume
    rest = x.shape[count + 1 :]
    parts = x.reshape((*blocks, batch, *x.shape[1:]))
    order = [count]
    for i in range(count):
        order += [count + 1 + i, i]
    order += range(2 * count + 1, parts.ndim)
    whole = parts.transpose(order).reshape((batch, *(size * by for size, by in zip(x.shape[1:], blocks)), *rest))
    index: list[Any] = [slice(None)]
    for i, (before, after) in enumerate(pairs):
        size = whole.shape[i + 1]
        if before + after > size:
            raise invalid(f"cropped_shape[{i}]={size - before - after} must be non-negative")
        index.append(slice(before, size - after))
    return xp.array(whole[tuple(index)], order="C")


@_space_to_batch_nd.gradient
def _space_to_batch_nd_gradient(node: Operation, dy: Any) -> Any:
    return [batch_to_space_nd(dy, node.inputs[1], node.inputs[2]), None, None]


@_batch_to_space_nd.gradient
def _batch_to_space_nd_gradient(node: Operation, dy: Any) -> Any:
    return [space_to_batch_nd(dy, node.inputs[1], node.inputs[2]), None, None]


def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """`input` padded, its spatial dimensions cut into blocks, and each position within a block made a batch entry."""
    return _space_to_batch_nd(input, block_shape, paddings, name=name)


def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """The reverse of `space_to_batch_nd`, cropped."""
    return _batch_to_space_nd(input, block_shape, crops, name=name)


def space_to_batch(
    input: Any, paddings: Any, block_size: Any = None, name: str | None = None, block_shape: Any = None
) -> Tensor:
    """`space_to_batch_nd` for images of 4 dimensions and square blocks."""
    size = renamed("block_size", block_size, "block_shape", block_shape)
    result = space_to_batch_nd(input, np.array([size, size], np.int64), paddings, name)
    result.set_shape(result.shape.with_rank(4))
    return result


def batch_to_space(
    input: Any, crops: Any, block_size: Any = None, name: str | None = None, block_shape: Any = None
) -> Tensor:
    """`batch_to_space_nd` for images of 4 dimensions and square blocks."""
    size = renamed("block_size", block_size, "block_shape", block_shape)
    result = batch_to_space_nd(input, np.array([size, size], np.int64), crops, name)
    result.set_shape(result.shape.with_rank(4))
    return result


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The paddings that make `input_shape` divisible by `block_shape`, and the crops that undo what they add."""
    with name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        input_shape = convert_to_tensor(input_shape, dtype="int32", name="input_shape")
        block_shape = convert_to_tensor(block_shape, dtype="int32", name="block_shape")
        if block_shape._shape is None or len(block_shape._shape) != 1 or block_shape._shape[0] is None:
            raise ValueError("block_shape must be a vector of known length")
        count = block_shape._shape[0]
        if count == 0:
            nothing = zeros([0, 2], "int32")
            return nothing, nothing
        input_shape.shape.assert_is_compatible_with([count])
        if base_paddings is None:
            base_paddings = zeros([count, 2], "int32")
        else:
            base_paddings = convert_to_tensor(base_paddings, dtype="int32", name="base_paddings")
            base_paddings.shape.assert_is_compatible_with([count, 2])
        known = [get_static_value(tensor) for tensor in (block_shape, input_shape, base_paddings)]
        if all(value is not None for value in known):
            block, sizes, base = known
            start, end = base[:, 0], base[:, 1]
            extra = -(sizes + start + end) % block
            paddings = np.stack([start, end + extra], 1)
            crops = np.stack([np.zeros_like(extra), extra], 1)
            return (
                constant(paddings.astype(np.int32), name="paddings"),
                constant(crops.astype(np.int32), name="crops"),
            )
        start_of, end_of = base_paddings[:, 0], base_paddings[:, 1]
        padded = input_shape + start_of + end_of
        more = (block_shape - padded % block_shape) % block_shape
        after = end_of + more
        return (
            stack([[start_of[i], after[i]] for i in range(count)], name="paddings"),
            stack([[0, more[i]] for i in range(count)], name="crops"),
        )


# -- space and depth -----------------------------------------------------------------------------------------------

_DEPTH = (
    "input: T",
    "output: T",
    "T: type; block_size: int >= 2; data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
)
_space_to_depth = op("SpaceToDepth", *_DEPTH, fresh=True)
_depth_to_space = op("DepthToSpace", *_DEPTH, fresh=True)


def _image(node: Operation, x: Shape) -> tuple[int | None, int | None, int | None, int | None]:
    if node.attrs["data_format"] == "NCHW_VECT_C":
        raise ValueError("data_format NCHW_VECT_C is for quantized images on GPUs; use NHWC")
    batch, a, b, c = with_rank(x, 4)
    return (batch, b, c, a) if node.attrs["data_format"] == "NCHW" else (batch, a, b, c)


def _as_format(node: Operation, batch: Any, height: Any, width: Any, depth: Any) -> list[Shape]:
    if node.attrs["data_format"] == "NCHW":
        return [(batch, depth, height, width)]
    return [(batch, height, width, depth)]


@_space_to_depth.shape
def _space_to_depth_shape(node: Operation, x: Shape) -> list[Shape]:
    size = node.attrs["block_size"]
    batch, height, width, depth = _image(node, x)
    return _as_format(node, batch, dim_div(height, size, True), dim_div(width, size, True), dim_mul(depth, size * size))


@_depth_to_space.shape
def _depth_to_space_shape(node: Operation, x: Shape) -> list[Shape]:
    size = node.attrs["block_size"]
    batch, height, width, depth = _image(node, x)
    return _as_format(node, batch, dim_mul(height, size), dim_mul(width, size), dim_div(depth, size * size, True))


def _check_format(xp: Any, data_format: str) -> None:
    if xp is np and data_format != "NHWC":
        raise invalid(f"Only NHWC data_format supported on CPU. Got {data_format}")


@_space_to_depth.kernel(CPU, GPU)
def _space_to_depth_kernel(xp: Any, x: Any, *, block_size: int, data_format: str) -> Any:
    _check_format(xp, data_format)
    if data_format == "NCHW":
        x = xp.moveaxis(x, 1, -1)
    batch, height, width, depth = x.shape
    if height % block_size or width % block_size:
        raise invalid(f"Image height {height} and width {width} should be divisible by block_size: {block_size}")
    parts = x.reshape((batch, height // block_size, block_size, width // block_size, block_size, depth))
    result = parts.transpose((0, 1, 3, 2, 4, 5)).reshape(
        (batch, height // block_size, width // block_size, block_size * block_size * depth)
    )
    return xp.array(xp.moveaxis(result, -1, 1) if data_format == "NCHW" else result, order="C")


@_depth_to_space.kernel(CPU, GPU)
def _depth_to_space_kernel(xp: Any, x: Any, *, block_size: int, data_format: str) -> Any:
    _check_format(xp, data_format)
    if data_format == "NCHW":
        x = xp.moveaxis(x, 1, -1)
    batch, height, width, depth = x.shape
    left, rest = divmod(depth, block_size * block_size)
    if rest:
        raise invalid(f"Input depth dimension {depth} should be divisible by: {block_size * block_size}")
    parts = x.reshape((batch, height, width, block_size, block_size, left))
    result = parts.transpose((0, 1, 3, 2, 4, 5)).reshape((batch, height * block_size, width * block_size, left))
    return xp.array(xp.moveaxis(result, -1, 1) if data_format == "NCHW" else result, order="C")


@_space_to_depth.gradient
def _space_to_depth_gradient(node: Operation, dy: Any) -> Any:
    return [depth_to_space(dy, node.attrs["block_size"], data_format=node.attrs["data_format"])]


@_depth_to_space.gradient
def _depth_to_space_gradient(node: Operation, dy: Any) -> Any:
    return [space_to_depth(dy, node.attrs["block_size"], data_format=node.attrs["data_format"])]


def space_to_depth(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Images whose blocks of block_size x block_size pixels have become the channels of one pixel."""
    return _space_to_depth(input, block_size=block_size, data_format=data_format, name=name)


def depth_to_space(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Images in which the channels of one pixel have become a block of block_size x block_size pixels."""
    return _depth_to_space(input, block_size=block_size, data_format=data_format, name=name)
