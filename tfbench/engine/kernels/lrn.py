"""Local response normalisation over neighbouring channels, and its gradient.

The sum over a window of channels is a product with a banded matrix of ones, which BLAS makes faster than NumPy adds
shifted arrays - until there are so many channels that most of the matrix is zero.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import lrn_compiled
from tfbench.engine.kernels.blocks import pieces, run, wide
from tfbench.engine.kernels.geometry import Array

#: A multiplication in BLAS is so many times cheaper than an element of a NumPy addition.
_CHEAPER = 16


@lru_cache(maxsize=32)
def _band(channels: int, radius: int, char: str) -> Array:
    at = np.arange(channels)
    near: Array = np.abs(at[:, None] - at) <= radius
    return near.astype(char)


def _window_sum(xp: Any, x: Any, radius: int) -> Any:
    """For each channel of `(rows, channels)` the sum over it and `radius` neighbours on either side."""
    channels = x.shape[1]
    if channels <= _CHEAPER * (2 * min(radius, channels) + 1):
        return x @ xp.asarray(_band(channels, radius, x.dtype.char))
    total = x.copy()
    for shift in range(1, radius + 1):
        total[:, :-shift] += x[:, shift:]
        total[:, shift:] += x[:, :-shift]
    return total


def _power(xp: Any, x: Any, beta: float) -> Any:
    """`x ** -beta`."""
    if beta == 1:
        return 1 / x
    if beta == 0.5:
        return 1 / xp.sqrt(x)
    if beta == 0.75:
        root = xp.sqrt(x)
        return 1 / (root * xp.sqrt(root))
    return x ** x.dtype.type(-beta)


def _check(x: Any, depth_radius: int, name: str) -> None:
    if x.ndim != 4:
        raise invalid(f"{name} must be 4-dimensional, got shape {list(x.shape)}")
    if depth_radius < 0:
        raise invalid(f"depth_radius = {depth_radius} must not be negative")


def lrn(
    xp: Any,
    input: Any,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Any:
    """`LRN`: `input / (bias + alpha * sum of squares of the neighbouring channels) ** beta`."""
    _check(input, depth_radius, "in")
    kind = wide(input.dtype)
    rows = input.reshape(-1, input.shape[3])
    made = lrn_compiled.lrn(xp, rows, depth_radius, bias, alpha, beta)
    if made is not None:
        return made.reshape(input.shape)
    out = xp.empty_like(rows)
    parts = pieces(xp, len(rows), rows[:1].nbytes * 2)

    def task(number: int) -> None:
        x = rows[parts[number]].astype(kind, copy=False)
        norm = _window_sum(xp, x * x, depth_radius)
        norm *= kind.type(alpha)
        norm += kind.type(bias)
        out[parts[number]] = x * _power(xp, norm, beta)

    if out.size:
        run(xp, len(parts), task)
    return out.reshape(input.shape)


def lrn_grad(
    xp: Any,
    input_grads: Any,
    input_image: Any,
    output_image: Any,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Any:
    """`LRNGrad`: the gradient with respect to the input of `LRN`."""
    _check(input_image, depth_radius, "input image")
    if not input_grads.shape == input_image.shape == output_image.shape:
        raise invalid("input_grads, input_image, and out_image should have the same shape")
    kind = wide(input_image.dtype)
    channels = input_image.shape[3]
    gradients, inputs, outputs = (array.reshape(-1, channels) for array in (input_grads, input_image, output_image))
    made = lrn_compiled.lrn_grad(xp, gradients, inputs, outputs, depth_radius, bias, alpha, beta)
    if made is not None:
        return made.reshape(input_image.shape)
    out = xp.empty_like(inputs)
    parts = pieces(xp, len(inputs), inputs[:1].nbytes * 4)

    def task(number: int) -> None:
        dy, x, y = (array[parts[number]].astype(kind, copy=False) for array in (gradients, inputs, outputs))
        norm = _window_sum(xp, x * x, depth_radius)
        norm *= kind.type(alpha)
        norm += kind.type(bias)
        through = _window_sum(xp, dy * y / norm, depth_radius)
        through *= x
        through *= kind.type(-2 * alpha * beta)
        through += dy * _power(xp, norm, beta)
        out[parts[number]] = through

    if out.size:
        run(xp, len(parts), task)
    return out.reshape(input_image.shape)
