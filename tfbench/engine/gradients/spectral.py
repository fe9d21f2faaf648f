"""Gradients of Fourier transforms: the transform back, but for its divisor.

Of a real transform half the result is kept, so all of it but the first column, and but the last one if there is an even
number, stands for two: it counts twice on the way to a spectrum, and on the way from one the others are halved.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops import spectral_real
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor


def _count(dy: Any, axes: int) -> Any:
    sizes: Any = ops.shape(dy)
    return ops.reduce_prod(sizes[-axes:])


def _declare(axes: int, suffix: str) -> None:
    @gradient("FFT" + suffix)
    def forward(node: Operation, dy: Any) -> Any:
        count: Any = ops.cast(_count(dy, axes), dy.dtype)
        return [lookup("IFFT" + suffix)(dy) * count]

    @gradient("IFFT" + suffix)
    def back(node: Operation, dy: Any) -> Any:
        divisor: Any = ops.cast(_count(dy, axes), dy.dtype.real_dtype)
        factor = ops.cast(1.0 / divisor, dy.dtype)
        return [lookup("FFT" + suffix)(dy) * factor]


_declare(1, "")
_declare(2, "2D")
_declare(3, "3D")


# -- real numbers -------------------------------------------------------------------------------------------------


def _alternating(length: Any, kind: Any) -> Any:
    """1, -1, 1, …"""
    numbers: Any = ops.range(length)
    return ops.cast(1 - 2 * (numbers % 2), kind)


def _waves(length: Any, kind: Any) -> Any:
    """The matrix of a Fourier transform."""
    across = ops.tile(ops.expand_dims(ops.range(length), 0), (length, 1))
    down = ops.transpose(across, [1, 0])
    return ops.exp(-2j * math.pi * ops.cast(across * down, kind) / ops.cast(length, kind))


def _for_each(matrix: Any, batch: Any) -> Tensor:
    """`matrix`, repeated for each matrix of `batch`."""
    missing: Any = ops.rank(batch)
    shape = ops.concat([ops.ones([missing - 2], dtype=dtypes.int32), ops.shape(matrix)], 0)
    matrix = ops.reshape(matrix, shape)
    sizes: Any = ops.shape(batch)
    return ops.tile(matrix, ops.concat([sizes[:-2], [1, 1]], 0))


def _real_forward(axes: int, suffix: str, inverse: Callable[..., Any]) -> None:
    @gradient("RFFT" + suffix)
    def build(node: Operation, dy: Any) -> Any:
        x: Any = node.inputs[0]
        length: Any = node.inputs[1]
        kind = dy.dtype
        sizes: Any = ops.shape(x)
        even = ops.cast(1 - (length[-1] % 2), kind)
        first = dy[..., 0:1]
        if axes == 1:
            once = first + even * dy[..., -1:] * _alternating(sizes[-1], kind)
        else:
            waves = _for_each(_waves(sizes[-2], kind), first)
            once = ops.matmul(waves, ops.conj(first))
            last = ops.matmul(waves, ops.conj(dy[..., -1:]))
            width = sizes[-1]
            count: Any = ops.rank(dy)
            times = ops.concat([ops.ones([count - 1], dtype=dtypes.int32), [width]], 0)
            once += even * (ops.tile(last, times) * _alternating(width, kind))
        count = ops.cast(_count(x, axes), kind.real_dtype)
        return [0.5 * (inverse(dy, length) * count + ops.real(once)), None]


def _real_back(axes: int, suffix: str, forward: Callable[..., Any]) -> None:
    @gradient("IRFFT" + suffix)
    def build(node: Operation, dy: Any) -> Any:
        kind = dy.dtype
        known = get_static_value(node.inputs[1])
        length: Any = node.inputs[1] if known is None else known
        odd: Any = ops.mod(length[-1], 2, name="mod")
        sizes: Any = ops.shape(node.inputs[0])
        twice = 2.0 * ops.ones([sizes[-1] - 2 + odd], dtype=kind)
        weights: Any = ops.concat([[1.0], twice, ops.ones([1 - odd], dtype=kind)], 0)
        share: Any = ops.reciprocal(ops.cast(_count(dy, axes), kind))
        spectrum = forward(dy, length)
        return [spectrum * ops.cast(share * weights, spectrum.dtype), None]


_real_forward(1, "", spectral_real.irfft)
_real_forward(2, "2D", spectral_real.irfft2d)
_real_back(1, "", spectral_real.rfft)
_real_back(2, "2D", spectral_real.rfft2d)
