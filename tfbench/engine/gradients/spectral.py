"""Gradients of Fourier transforms: the transform back, but for its divisor."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup


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
