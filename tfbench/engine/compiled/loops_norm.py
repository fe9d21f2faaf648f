"""Batch normalisation of `(rows, channels)`, piece by piece: `kernels/norm` combines what the pieces give.

Sums are made in single precision over a tile of `_TILE` values, which stays in the first cache, and then added up in
double precision. The innermost loop goes over channels.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.compiled.sources import Loops

Array = Any

_TILE = 8_192


def moments(kind: str) -> Loops:
    """The mean of each channel, and the sum of squared deviations from it, in double precision.

    A tile is gone over twice: deviations are taken from what the first sum says its mean is, and their own sum then
    corrects that. The tiles are combined by their means; no digits are lost far from zero.
    """

    def loops(
        x: Array, total: Array, rest: Array, apart: Array, sums: Array, mean: Array, squares: Array
    ) -> None:  # fmt: skip
        rows, channels = x.shape
        tile = max(1, _TILE // channels)
        mean[:] = 0
        squares[:] = 0
        sums[:] = 0
        for start in range(0, rows, tile):
            count = min(tile, rows - start)
            fours = start + count - count % 4
            total[:] = 0
            rest[:] = 0
            apart[:] = 0
            for i in range(start, fours, 4):
                for k in range(channels):
                    total[k] += (x[i, k] + x[i + 1, k]) + (x[i + 2, k] + x[i + 3, k])
            for i in range(fours, start + count):
                for k in range(channels):
                    total[k] += x[i, k]
            for k in range(channels):
                total[k] /= x.dtype.type(count)
            for i in range(start, fours, 4):
                for k in range(channels):
                    a, b = x[i, k] - total[k], x[i + 1, k] - total[k]
                    c, d = x[i + 2, k] - total[k], x[i + 3, k] - total[k]
                    rest[k] += (a + b) + (c + d)
                    apart[k] += (a * a + b * b) + (c * c + d * d)
            for i in range(fours, start + count):
                for k in range(channels):
                    a = x[i, k] - total[k]
                    rest[k] += a
                    apart[k] += a * a
            share = count / (start + count)
            for k in range(channels):
                correction = rest[k] / count
                step = total[k] + correction - mean[k]
                mean[k] += step * share
                sums[k] += total[k] * count
                squares[k] += apart[k] - rest[k] * correction + step * step * (start * share)

        for k in range(channels):
            if mean[k] != mean[k]:
                mean[k] = sums[k] / rows  # infinite, if that is what the data are

    return Loops(loops, [f"{kind}[2]", *[f"{kind}[1]"] * 3, "f8[1]", "f8[1]", "f8[1]"], fastmath=["contract"])


def scale_and_shift(kind: str) -> Loops:
    """`(x - centre) * scale + shift`"""

    def loops(x: Array, centre: Array, scale: Array, shift: Array, out: Array) -> None:
        rows, channels = x.shape
        for row in range(rows):
            for k in range(channels):
                out[row, k] = (x[row, k] - centre[k]) * scale[k] + shift[k]

    return Loops(loops, [f"{kind}[2]", *[f"{kind}[1]"] * 3, f"{kind}[2]"], fastmath=["contract"])


def grad_sums(kind: str) -> Loops:
    """For each channel the sums of `dy` and of `dy * (x - centre)`, in double precision."""

    def loops(x: Array, dy: Array, centre: Array, given: Array, along: Array, total: Array, projected: Array) -> None:
        rows, channels = x.shape
        tile = max(1, _TILE // channels)
        total[:] = 0
        projected[:] = 0
        for start in range(0, rows, tile):
            given[:] = 0
            along[:] = 0
            for i in range(start, min(rows, start + tile)):
                for k in range(channels):
                    given[k] += dy[i, k]
                    along[k] += dy[i, k] * (x[i, k] - centre[k])
            for k in range(channels):
                total[k] += given[k]
                projected[k] += along[k]

    return Loops(loops, [*[f"{kind}[2]"] * 2, *[f"{kind}[1]"] * 3, "f8[1]", "f8[1]"], fastmath=["contract"])


def grad_combined(kind: str) -> Loops:
    """`(dy - (x - centre) * slope - average) * factor`"""

    def loops(x: Array, dy: Array, centre: Array, slope: Array, average: Array, factor: Array, dx: Array) -> None:
        rows, channels = x.shape
        for row in range(rows):
            for k in range(channels):
                dx[row, k] = (dy[row, k] - (x[row, k] - centre[k]) * slope[k] - average[k]) * factor[k]

    return Loops(loops, [*[f"{kind}[2]"] * 2, *[f"{kind}[1]"] * 4, f"{kind}[2]"], fastmath=["contract"])
