"""Colours: RGB to HSV and back, and changes of contrast, hue and saturation. The last axis holds the channels.

Numbers are computed in float32 or better, in the order in which TensorFlow's formulas do.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernel_errors import brackets, invalid

Array = Any


def _wide(xp: Any, x: Array) -> Array:
    """At least float32: half precision would round in every step."""
    return x if x.dtype.itemsize >= 4 else x.astype(np.float32)


def _channels(x: Array) -> tuple[Array, Array, Array]:
    return x[..., 0], x[..., 1], x[..., 2]


def _quotient(xp: Any, a: Array, b: Array) -> Array:
    """a / b, and 0 where b is not positive."""
    positive = b > 0
    return xp.where(positive, a / xp.where(positive, b, b.dtype.type(1)), b.dtype.type(0))


def _split(xp: Any, x: Array) -> tuple[Array, Array, Array]:
    """Hue from 0 to 1, saturation and value of RGB."""
    number = x.dtype.type
    red, green, blue = _channels(x)
    value = xp.maximum(xp.maximum(red, green), blue)
    spread = value - xp.minimum(xp.minimum(red, green), blue)
    unit = _quotient(xp, number(1), number(6) * spread)
    hue = xp.where(
        red == value,
        unit * (green - blue),
        xp.where(green == value, unit * (blue - red) + number(2.0 / 6.0), unit * (red - green) + number(4.0 / 6.0)),
    )
    hue = xp.where(spread > 0, hue, number(0))
    hue = xp.where(hue < 0, hue + number(1), hue)
    return hue, _quotient(xp, spread, value), value


def _joined(xp: Any, hue: Array, saturation: Array, value: Array, out: Array) -> Array:
    """RGB written to `out`."""
    number = value.dtype.type
    six = hue * number(6)
    rest = number(1) - saturation
    parts = (
        xp.abs(six - number(3)) - number(1),
        number(2) - xp.abs(six - number(2)),
        number(2) - xp.abs(six - number(4)),
    )
    for i, part in enumerate(parts):
        out[..., i] = (rest + saturation * xp.clip(part, number(0), number(1))) * value
    return out


def rgb_to_hsv(xp: Any, x: Array) -> Array:
    _three(x)
    wide = _wide(xp, x)
    out = xp.empty(x.shape, x.dtype)
    out[..., 0], out[..., 1], out[..., 2] = _split(xp, wide)
    return out


def hsv_to_rgb(xp: Any, x: Array) -> Array:
    _three(x)
    return _joined(xp, *_channels(_wide(xp, x)), xp.empty(x.shape, x.dtype))


def adjust_saturation(xp: Any, x: Array, scale: Array) -> Array:
    """The saturation times `scale`, at most 1."""
    _adjustable(x, scale, "scale")
    wide = _wide(xp, x)
    hue, saturation, value = _split(xp, wide)
    number = wide.dtype.type
    saturation = xp.minimum(number(1), xp.maximum(number(0), saturation * _factor(scale, number)))
    return _joined(xp, hue, saturation, value, xp.empty(x.shape, x.dtype))


def adjust_hue(xp: Any, x: Array, delta: Array) -> Array:
    """The hue turned by `delta` turns. The greatest and the least of the channels stay what they are."""
    _adjustable(x, delta, "delta")
    wide = _wide(xp, x)
    number = wide.dtype.type
    red, green, blue = _channels(wide)
    high = xp.maximum(xp.maximum(red, green), blue)
    low = xp.minimum(xp.minimum(red, green), blue)
    hue, _, _ = _split(xp, wide)
    six = hue * number(6) + _factor(delta, number) * number(6)
    six = six - xp.floor(six / number(6)) * number(6)
    spread = high - low
    out = xp.empty(x.shape, x.dtype)
    parts = (
        xp.abs(six - number(3)) - number(1),
        number(2) - xp.abs(six - number(2)),
        number(2) - xp.abs(six - number(4)),
    )
    for i, part in enumerate(parts):
        share = xp.clip(part, number(0), number(1))
        out[..., i] = xp.where(share >= 1, high, low + share * spread)
    return out


def adjust_contrast(xp: Any, x: Array, factor: Array) -> Array:
    """What differs from the mean of each channel of each image, times `factor`."""
    if x.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{brackets(x.shape)}")
    if factor.ndim:
        raise invalid(f"contrast_factor must be scalar: {brackets(factor.shape)}")
    if x.size == 0:
        return xp.empty(x.shape, x.dtype)
    wide = _wide(xp, x)
    # A sum over all axes but the last is a product with ones, which costs a tenth.
    pixels = wide.shape[-3] * wide.shape[-2]
    flat = wide.reshape(-1, pixels, wide.shape[-1])
    mean = xp.full((1, pixels), 1.0 / pixels, wide.dtype) @ flat
    mean = mean.reshape((*wide.shape[:-3], 1, 1, wide.shape[-1]))
    result = wide - mean
    result *= _factor(factor, wide.dtype.type)
    result += mean
    return result.astype(x.dtype, copy=False)


def _factor(value: Array, number: Any) -> Any:
    """A scalar of some float type as one of type `number`, where it is."""
    return number(value) if isinstance(value, (np.generic, np.ndarray)) else value.astype(number)


def _three(x: Array) -> None:
    if x.ndim < 1:
        raise invalid("input must be at least 1D")
    if x.shape[-1] != 3:
        raise errors.FailedPreconditionError(
            None, None, f"input must have 3 channels but input only has {x.shape[-1]} channels."
        )


def _adjustable(x: Array, amount: Array, name: str) -> None:
    if x.ndim < 3:
        raise invalid(f"input must be at least 3-D, got shape{brackets(x.shape)}")
    if amount.ndim:
        raise invalid(f"{name} must be scalar: {brackets(amount.shape)}")
    if x.shape[-1] != 3:
        raise invalid(f"input must have 3 channels but instead has {x.shape[-1]} channels.")
