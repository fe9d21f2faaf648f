"""Making a tensor larger by repeating it (Tile) or by a border (Pad, PadV2, MirrorPad)."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.array_common import is_tensor_like
from tfbench.engine.ops.shape_ops import shape_from_input
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.shape_math import dim_add, dim_mul, with_dim, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["pad", "tile"]

_tile = op(
    "Tile", "input: T, multiples: Tmultiples", "output: T", "T: type; Tmultiples: {int32, int64} = int32", fresh=True
)


@_tile.shape
def _tile_shape(node: Operation, x: Shape, multiples: Shape) -> list[Shape]:
    count = with_rank(multiples, 1)[0]
    times = shape_from_input(node, 1)
    if times is not None:
        if x is None:
            return [(None,) * len(times)]
        times = with_rank(times, len(x))
        return [tuple(0 if by == 0 else dim_mul(size, by) for size, by in zip(x, times))]
    if x is not None:
        return [(None,) * (len(x) if count is None else with_dim(count, len(x)))]
    return [None if count is None else (None,) * count]


@_tile.kernel(CPU, GPU)
def _tile_kernel(xp: Any, x: Any, multiples: Any) -> Any:
    times = [int(by) for by in multiples]
    if len(times) != x.ndim:
        raise invalid(f"Expected multiples argument to be a vector of length {x.ndim} but got length {len(times)}")
    for i, by in enumerate(times):
        if by < 0:
            raise invalid(f"Expected multiples[{i}] >= 0, but got {by}")
    return xp.tile(x, times)


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """`input` repeated `multiples[i]` times along each axis i."""
    return _tile(input, multiples, name=name)


# -- Pad -------------------------------------------------------------------------------------------------------

_PADDINGS = "T: type; Tpaddings: {int32, int64} = int32"
_pad = op("Pad", "input: T, paddings: Tpaddings", "output: T", _PADDINGS, fresh=True)
_pad_v2 = op("PadV2", "input: T, paddings: Tpaddings, constant_values: T", "output: T", _PADDINGS, fresh=True)
_mirror_pad = op(
    "MirrorPad",
    "input: T, paddings: Tpaddings",
    "output: T",
    _PADDINGS + "; mode: {'REFLECT', 'SYMMETRIC'}",
    fresh=True,
)
_mirror_pad_grad = op(
    "MirrorPadGrad",
    "input: T, paddings: Tpaddings",
    "output: T",
    _PADDINGS + "; mode: {'REFLECT', 'SYMMETRIC'}",
    fresh=True,
)


def _padded(node: Operation, x: Shape, paddings: Shape, sign: int) -> list[Shape]:
    rows, columns = with_rank(paddings, 2)
    with_dim(columns, 2)
    if rows is not None:
        x = with_rank(x, rows)
    value = constant_value(node._inputs[1])
    if value is None:
        if x is not None and rows is None:
            rows = len(x)
        return [None if rows is None else (None,) * rows]
    x = with_rank(x, len(value))
    result: list[int | None] = []
    for size, (before, after) in zip(x, value.tolist()):
        if before < 0 or after < 0:
            raise ValueError("Paddings must be non-negative")
        changed = dim_add(size, sign * (before + after))
        if changed is not None and changed < 0:
            raise ValueError(f"Paddings {before} and {after} are more than the size {size}")
        result.append(changed)
    return [tuple(result)]


@_pad.shape
def _pad_shape(node: Operation, x: Shape, paddings: Shape) -> list[Shape]:
    return _padded(node, x, paddings, 1)


@_pad_v2.shape
def _pad_v2_shape(node: Operation, x: Shape, paddings: Shape, values: Shape) -> list[Shape]:
    return _padded(node, x, paddings, 1)


_mirror_pad.shape(_pad_shape)


@_mirror_pad_grad.shape
def _mirror_pad_grad_shape(node: Operation, x: Shape, paddings: Shape) -> list[Shape]:
    return _padded(node, x, paddings, -1)


def _pairs(x: Any, paddings: Any) -> list[list[int]]:
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {list(paddings.shape)}")
    if paddings.shape[0] != x.ndim:
        raise invalid(
            f"The first dimension of paddings must be the rank of inputs {list(paddings.shape)} {list(x.shape)}"
        )
    pairs: list[list[int]] = paddings.tolist()
    for before, after in pairs:
        if before < 0 or after < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")
    return pairs


def _pad_with(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    pairs = _pairs(x, paddings)
    sizes = [before + size + after for size, (before, after) in zip(x.shape, pairs)]
    result = xp.full(sizes, value, x.dtype)
    result[tuple(slice(before, before + size) for size, (before, _) in zip(x.shape, pairs))] = x
    return result


@_pad.kernel(CPU, GPU)
def _pad_kernel(xp: Any, x: Any, paddings: Any) -> Any:
    return _pad_with(xp, x, paddings, b"" if x.dtype == object else 0)


@_pad_v2.kernel(CPU, GPU)
def _pad_v2_kernel(xp: Any, x: Any, paddings: Any, value: Any) -> Any:
    if value.ndim:
        raise invalid(f"constant_values must be a scalar. Found: {list(value.shape)}")
    return _pad_with(xp, x, paddings, value[()])


def _mirrored_indices(xp: Any, size: int, before: int, after: int, mode: str) -> Any:
    """Which element of an axis each element of the padded axis shows."""
    skip = 1 if mode == "REFLECT" else 0
    return xp.concatenate([
        xp.arange(before - 1 + skip, skip - 1, -1),
        xp.arange(size),
        xp.arange(size - 1 - skip, size - 1 - skip - after, -1),
    ])  # fmt: skip


def _check_mirror(size: int, before: int, after: int, mode: str) -> None:
    if mode == "REFLECT" and (before >= size or after >= size):
        raise invalid(f"paddings must be less than the dimension size: {before}, {after} not less than {size}")
    if mode == "SYMMETRIC" and (before > size or after > size):
        raise invalid(f"paddings must be no greater than the dimension size: {before}, {after} greater than {size}")


@_mirror_pad.kernel(CPU, GPU)
def _mirror_pad_kernel(xp: Any, x: Any, paddings: Any, *, mode: str) -> Any:
    pairs = _pairs(x, paddings)
    for size, (before, after) in zip(x.shape, pairs):
        if before or after:
            _check_mirror(size, before, after, mode)
    result = x
    for axis, (before, after) in enumerate(pairs):
        if before or after:
            indices = _mirrored_indices(xp, x.shape[axis], before, after, mode)
            result = xp.take(result, indices, axis)
    return xp.array(x) if result is x else result


@_mirror_pad_grad.kernel(CPU, GPU)
def _mirror_pad_grad_kernel(xp: Any, y: Any, paddings: Any, *, mode: str) -> Any:
    skip = 1 if mode == "REFLECT" else 0
    result = y
    for axis, (before, after) in enumerate(_pairs(y, paddings)):
        size = result.shape[axis] - before - after
        if size < 0:
            raise invalid(f"The paddings {before} and {after} are more than the size {result.shape[axis]}")
        _check_mirror(size, before, after, mode)
        moved = xp.moveaxis(result, axis, 0)
        centre = xp.array(moved[before : before + size])
        # What the border shows goes back to where it came from.
        if before:
            centre[skip : skip + before] += moved[:before][::-1]
        if after:
            centre[size - skip - after : size - skip] += moved[before + size :][::-1]
        result = xp.moveaxis(centre, 0, axis)
    return xp.array(y) if result is y else result


@_mirror_pad.gradient
def _mirror_pad_gradient(node: Operation, dy: Any) -> Any:
    return [_mirror_pad_grad(dy, node.inputs[1], mode=node.attrs["mode"]), None]


@_mirror_pad_grad.gradient
def _mirror_pad_grad_gradient(node: Operation, dy: Any) -> Any:
    return [_mirror_pad(dy, node.inputs[1], mode=node.attrs["mode"]), None]


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None, constant_values: Any = 0
) -> Tensor:
    """`tensor` with a border of `paddings[i] = [before, after]` elements along each axis i.

    `mode` is CONSTANT (the border is `constant_values`), REFLECT (a mirror in the outermost elements) or
    SYMMETRIC (a mirror just outside them).

    Raises:
      ValueError: for another mode, negative paddings, or paddings that do not fit the rank.
    """
    mode = mode.upper()
    if mode == "CONSTANT":
        if not is_tensor_like(constant_values) and constant_values == 0:
            result = _pad(tensor, paddings, name=name)
        else:
            result = _pad_v2(tensor, paddings, constant_values, name=name)
    elif mode in ("REFLECT", "SYMMETRIC"):
        result = _mirror_pad(tensor, paddings, mode=mode, name=name)
    else:
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or "SYMMETRIC". '
            f"Received `mode` = {mode}"
        )
    known = result.op._inputs[0]._shape
    pairs = _partly_known(paddings)
    if known is not None and pairs is not None and len(pairs) == len(known):
        result.set_shape([
            None if size is None or pair is None or None in pair else size + int(sum(pair))
            for size, pair in zip(known, pairs)
        ])  # fmt: skip
    return result


def _partly_known(paddings: Any) -> list[Any] | None:
    """The pairs of paddings, None for each number that is a tensor of unknown value."""
    value = get_static_value(paddings, partial=True) if isinstance(paddings, Tensor) else paddings
    if not isinstance(value, (list, tuple)):
        return None if value is None or not hasattr(value, "tolist") else value.tolist()
    return [
        None if pair is None else [_number(item) for item in pair] if hasattr(pair, "__len__") else None
        for pair in (get_static_value(pair) if isinstance(pair, Tensor) else pair for pair in value)
    ]


def _number(value: Any) -> Any:
    return get_static_value(value) if isinstance(value, Tensor) else value
