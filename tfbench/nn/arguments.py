"""Arguments of convolutions and poolings as attributes: one value an axis, paddings, layouts."""

from __future__ import annotations

from typing import Any

from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor


def per_axis(value: Any, count: int, channel_axis: int, name: str) -> list[Any]:
    """One value an axis from one for all of space, one for each axis of it, or one for each axis of the tensor."""
    if value is None:
        value = [1]
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes)):
        value = [value]
    values = list(value)
    found = len(values)
    if found == count + 2:
        return values
    if found == 1:
        values = values * count
    elif found != count:
        raise ValueError(
            f"{name} should be of length 1, {count} or {count + 2}. Received: {name}={values} of length {found}"
        )
    return [1, 1, *values] if channel_axis == 1 else [1, *values, 1]


def padding_of(padding: Any, rank: int = 4) -> tuple[Any, list[Any]]:
    """The attributes `padding` and `explicit_paddings` from a string or from pairs of sizes, one an axis."""
    if not isinstance(padding, (list, tuple)):
        if padding == "EXPLICIT":
            raise ValueError(
                "'EXPLICIT' is not a valid value for `padding`. To use explicit padding, `padding` must be a list."
            )
        return padding, []
    if len(padding) != rank:
        raise ValueError(
            f"When padding is a list, it must be of size {rank}. Received: padding={padding} of size {len(padding)}"
        )
    flat: list[Any] = []
    for i, pair in enumerate(padding):
        if not isinstance(pair, (list, tuple)) or len(pair) != 2:
            found = f"of size {len(pair)}" if isinstance(pair, (list, tuple)) else f"of type {type(pair).__name__}"
            raise ValueError(
                "When `padding` is a list, each element of `padding` must be a list/tuple of size 2. "
                f"Received: padding={padding} with element at index {i} {found}"
            )
        flat.extend(pair)
    return "EXPLICIT", flat


def rank_of(value: Any) -> int | None:
    """The static rank of a tensor, variable or array. AttributeError for what has no shape, as in TensorFlow."""
    if isinstance(value, Tensor):
        return None if value._shape is None else len(value._shape)
    shape = value.shape
    return shape.ndims if isinstance(shape, TensorShape) else len(shape)
