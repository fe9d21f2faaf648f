"""Local response normalisation of `(rows, channels)`, and its gradient.

A tile of rows lies in scratch memory with zeros between the rows, as many as a window reaches to one side and the
other: the sums over windows are then one long loop. The reach of a window is a constant to the compiler; so is the
power, one of those that roots give: 1, 3/4 or 1/2 (`fourths` is it times four).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from tfbench.engine.compiled.sources import Loops

Array = Any


def _window_sums(width: int) -> Any:
    """A function that makes `sums[i] = padded[i] + … + padded[i + width - 1]`."""

    def window_sums(padded: Array, count: int, sums: Array) -> None:
        for i in range(count):
            total = padded[i]
            for shift in range(1, width):
                total += padded[i + shift]
            sums[i] = total

    return register_jitable(window_sums)


def _inverse_power(fourths: int) -> Any:
    """A function that gives x to the power -fourths / 4."""

    def inverse_power(x: Any, one: Any) -> Any:
        root = np.sqrt(x)
        if fourths == 4:
            return one / x
        if fourths == 2:
            return one / root
        return one / (root * np.sqrt(root))

    return register_jitable(inverse_power)


def lrn(kind: str, radius: int, fourths: int) -> Loops:
    """`x / (bias + alpha * sum of squares of the neighbours) ** beta`; `squares` is zero before."""
    window_sums, inverse_power = _window_sums(2 * radius + 1), _inverse_power(fourths)

    def loops(x: Array, bias: Any, alpha: Any, squares: Array, sums: Array, out: Array) -> None:
        rows, channels = x.shape
        one = x.dtype.type(1)
        pitch = channels + 2 * radius
        tile = max(1, sums.shape[0] // pitch)
        for start in range(0, rows, tile):
            count = min(tile, rows - start)
            for row in range(count):
                source, target = x[start + row], squares[row * pitch + radius : (row + 1) * pitch - radius]
                for k in range(channels):
                    target[k] = source[k] * source[k]
            window_sums(squares, count * pitch - 2 * radius, sums)
            for row in range(count):
                source, target, near = x[start + row], out[start + row], sums[row * pitch : (row + 1) * pitch]
                for k in range(channels):
                    target[k] = source[k] * inverse_power(bias + alpha * near[k], one)

    return Loops(loops, [f"{kind}[2]", kind, kind, f"{kind}[1]", f"{kind}[1]", f"{kind}[2]"], fastmath=["contract"])


def lrn_grad(kind: str, radius: int, fourths: int) -> Loops:
    """The gradient of `lrn`; `factor` is -2 alpha beta; `padded` is zero before."""
    window_sums, inverse_power = _window_sums(2 * radius + 1), _inverse_power(fourths)

    def loops(
        dy: Array, x: Array, y: Array, bias: Any, alpha: Any, factor: Any,
        padded: Array, norms: Array, through: Array, dx: Array,
    ) -> None:  # fmt: skip
        rows, channels = x.shape
        one = x.dtype.type(1)
        pitch = channels + 2 * radius
        tile = max(1, norms.shape[0] // pitch)
        for start in range(0, rows, tile):
            count = min(tile, rows - start)
            for row in range(count):
                source, target = x[start + row], padded[row * pitch + radius : (row + 1) * pitch - radius]
                for k in range(channels):
                    target[k] = source[k] * source[k]
            window_sums(padded, count * pitch - 2 * radius, norms)
            for row in range(count):
                given, made, norm = dy[start + row], y[start + row], norms[row * pitch : (row + 1) * pitch]
                target = padded[row * pitch + radius : (row + 1) * pitch - radius]
                for k in range(channels):
                    norm[k] = bias + alpha * norm[k]
                    target[k] = given[k] * made[k] / norm[k]
            window_sums(padded, count * pitch - 2 * radius, through)
            for row in range(count):
                given, source, target = dy[start + row], x[start + row], dx[start + row]
                norm, near = norms[row * pitch : (row + 1) * pitch], through[row * pitch : (row + 1) * pitch]
                for k in range(channels):
                    target[k] = near[k] * source[k] * factor + given[k] * inverse_power(norm[k], one)

    vectors = [*[f"{kind}[2]"] * 3, kind, kind, kind, *[f"{kind}[1]"] * 3, f"{kind}[2]"]
    return Loops(loops, vectors, fastmath=["contract"])
