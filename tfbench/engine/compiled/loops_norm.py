"""Batch normalisation of `(rows, channels)`, piece by piece: `kernels/norm` combines what the pieces give.

Sums are made in single precision over a tile of `_TILE` values, which stays in the first cache, and then added up in
double precision. The innermost loop goes over channels, for several rows at once, so that the sums are seldom read and
written. What comes next is fetched ahead: that is what makes arrays fast that do not begin where a cache line does.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.compiled.fetching import fetch
from tfbench.engine.compiled.sources import Loops

Array = Any

_TILE = 8_192
#: values from what is read to what is fetched
_AHEAD = 2_048


def moments(kind: str) -> Loops:
    """The mean of each channel, and the sum of squared deviations from it, in double precision.

    Deviations are taken from `centre`: the first tile's mean, then that of all tiles before, which later only corrects.
    However far a tile is from that, its distance is part of what is summed up, so no digits are lost, nor are they far
    from zero.
    """

    def loops(
        x: Array, centre: Array, rest: Array, apart: Array, sums: Array, mean: Array, squares: Array
    ) -> None:  # fmt: skip
        rows, channels = x.shape
        tile = max(8, _TILE // channels)
        mean[:] = 0
        squares[:] = 0
        sums[:] = 0
        centre[:] = 0
        first = min(tile, rows)
        for i in range(first):
            for k in range(channels):
                centre[k] += x[i, k]
        for k in range(channels):
            about = centre[k] / x.dtype.type(first)
            centre[k] = about if about - about == 0 else 0
        for start in range(0, rows, tile):
            count = min(tile, rows - start)
            eights = start + count - count % 8
            rest[:] = 0
            apart[:] = 0
            for i in range(start, eights, 8):
                fetch(x, (i + 8) * channels, 8 * channels)
                for k in range(channels):
                    c = centre[k]
                    x0, x1, x2, x3 = x[i, k] - c, x[i + 1, k] - c, x[i + 2, k] - c, x[i + 3, k] - c
                    x4, x5, x6, x7 = x[i + 4, k] - c, x[i + 5, k] - c, x[i + 6, k] - c, x[i + 7, k] - c
                    rest[k] += ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7))
                    apart[k] += ((x0 * x0 + x1 * x1) + (x2 * x2 + x3 * x3)) + (
                        (x4 * x4 + x5 * x5) + (x6 * x6 + x7 * x7)
                    )
            for i in range(eights, start + count):
                for k in range(channels):
                    a = x[i, k] - centre[k]
                    rest[k] += a
                    apart[k] += a * a
            share = count / (start + count)
            for k in range(channels):
                correction = rest[k] / count
                here = centre[k] + correction
                step = here - mean[k]
                mean[k] += step * share
                sums[k] += here * count
                inside = apart[k] - rest[k] * correction
                squares[k] += (0 if inside < 0 else inside) + step * step * (start * share)
                about = x.dtype.type(mean[k])
                centre[k] = about if about - about == 0 else centre[k]

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
        tile, ahead = max(1, _TILE // channels), max(1, _AHEAD // channels)
        total[:] = 0
        projected[:] = 0
        for start in range(0, rows, tile):
            given[:] = 0
            along[:] = 0
            for i in range(start, min(rows, start + tile)):
                # Row by row: two arrays of which several rows are read at once would be fetched badly.
                fetch(x, (i + ahead) * channels, channels)
                fetch(dy, (i + ahead) * channels, channels)
                for k in range(channels):
                    given[k] += dy[i, k]
                    along[k] += dy[i, k] * (x[i, k] - centre[k])
            for k in range(channels):
                total[k] += given[k]
                projected[k] += along[k]

    return Loops(loops, [*[f"{kind}[2]"] * 2, *[f"{kind}[1]"] * 3, "f8[1]", "f8[1]"], fastmath=["contract"])


def column_sums(kind: str) -> Loops:
    """The sum of each column, in double precision."""

    def loops(x: Array, part: Array, total: Array) -> None:
        rows, channels = x.shape
        tile, ahead = max(2, _TILE // channels // 2 * 2), max(1, _AHEAD // channels)
        total[:] = 0
        for start in range(0, rows, tile):
            end = min(rows, start + tile)
            pairs = end - (end - start) % 2
            part[:] = 0
            for i in range(start, pairs, 2):
                fetch(x, (i + ahead) * channels, 2 * channels)
                for k in range(channels):
                    part[k] += x[i, k] + x[i + 1, k]
            for i in range(pairs, end):
                for k in range(channels):
                    part[k] += x[i, k]
            for k in range(channels):
                total[k] += part[k]

    return Loops(loops, [f"{kind}[2]", f"{kind}[1]", "f8[1]"], fastmath=["contract"])


def grad_combined(kind: str) -> Loops:
    """`(dy - (x - centre) * slope - average) * factor`"""

    def loops(x: Array, dy: Array, centre: Array, slope: Array, average: Array, factor: Array, dx: Array) -> None:
        rows, channels = x.shape
        for row in range(rows):
            for k in range(channels):
                dx[row, k] = (dy[row, k] - (x[row, k] - centre[k]) * slope[k] - average[k]) * factor[k]

    return Loops(loops, [*[f"{kind}[2]"] * 2, *[f"{kind}[1]"] * 4, f"{kind}[2]"], fastmath=["contract"])
