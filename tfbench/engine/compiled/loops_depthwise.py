"""Depthwise convolutions, channels last: tap after tap is added to a line of channels, or to a whole row of pixels.

Images come as `(images, height, width * channels)`, filters as `(height, width, channels * multiplier)`. A window is
four numbers: padding before it, size, stride, dilation. The multiplier is a constant to the compiler, nearly always 1.

With multiplier and stride 1 a tap meets neighbours in memory all along a row of pixels, if the filter is repeated as
often as there are pixels in a row (`rows…`): the loops are then long enough to be fast.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.compiled.sources import Loops

Array = Any

_WINDOWS = ["i8"] * 8  # of the rows, then of the columns
_FASTMATH = ("contract",)  # a product and its addition may be one instruction


def forward(kind: str, multiplier: int) -> Loops:
    """The convolution."""

    def loops(
        x: Array, filter: Array, out: Array,
        above: int, rows: int, down: int, apart: int, before: int, columns: int, right: int, aside: int,
    ) -> None:  # fmt: skip
        images, height, length = x.shape
        filters = filter.shape[2]
        channels = filters // multiplier
        width = length // channels
        for image in range(images):
            for p in range(out.shape[1]):
                for q in range(out.shape[2] // filters):
                    target = out[image, p, q * filters : (q + 1) * filters]
                    target[:] = 0
                    for u in range(rows):
                        y = p * down - above + u * apart
                        if y < 0 or y >= height:
                            continue
                        for v in range(columns):
                            z = q * right - before + v * aside
                            if z < 0 or z >= width:
                                continue
                            source, weight = x[image, y, z * channels : (z + 1) * channels], filter[u, v]
                            for k in range(channels):
                                for j in range(multiplier):
                                    target[k * multiplier + j] += source[k] * weight[k * multiplier + j]

    return Loops(loops, [f"{kind}[3]", f"{kind}[3]", f"{kind}[3]", *_WINDOWS], _FASTMATH)


def input_gradient(kind: str, multiplier: int) -> Loops:
    """The gradient with respect to the images: each pixel looks at the windows that it is in."""

    def loops(
        dy: Array, filter: Array, dx: Array,
        above: int, rows: int, down: int, apart: int, before: int, columns: int, right: int, aside: int,
    ) -> None:  # fmt: skip
        images, height, length = dy.shape
        filters = filter.shape[2]
        channels = filters // multiplier
        width = length // filters
        for image in range(images):
            for y in range(dx.shape[1]):
                for z in range(dx.shape[2] // channels):
                    target = dx[image, y, z * channels : (z + 1) * channels]
                    target[:] = 0
                    for u in range(rows):
                        p = y + above - u * apart
                        if p < 0 or p % down != 0 or p // down >= height:
                            continue
                        for v in range(columns):
                            q = z + before - v * aside
                            if q < 0 or q % right != 0 or q // right >= width:
                                continue
                            at = q // right * filters
                            source, weight = dy[image, p // down, at : at + filters], filter[u, v]
                            for k in range(channels):
                                for j in range(multiplier):
                                    target[k] += source[k * multiplier + j] * weight[k * multiplier + j]

    return Loops(loops, [f"{kind}[3]", f"{kind}[3]", f"{kind}[3]", *_WINDOWS], _FASTMATH)


def filter_gradient(kind: str, multiplier: int) -> Loops:
    """The gradient with respect to the filter, which is added to `sums`."""

    def loops(
        x: Array, dy: Array, sums: Array,
        above: int, rows: int, down: int, apart: int, before: int, columns: int, right: int, aside: int,
    ) -> None:  # fmt: skip
        images, height, length = x.shape
        filters = sums.shape[2]
        channels = filters // multiplier
        width = length // channels
        for image in range(images):
            for p in range(dy.shape[1]):
                for u in range(rows):
                    y = p * down - above + u * apart
                    if y < 0 or y >= height:
                        continue
                    for v in range(columns):
                        total = sums[u, v]
                        for q in range(dy.shape[2] // filters):
                            z = q * right - before + v * aside
                            if z < 0 or z >= width:
                                continue
                            source = x[image, y, z * channels : (z + 1) * channels]
                            slope = dy[image, p, q * filters : (q + 1) * filters]
                            for k in range(channels):
                                for j in range(multiplier):
                                    total[k * multiplier + j] += source[k] * slope[k * multiplier + j]

    return Loops(loops, [f"{kind}[3]", f"{kind}[3]", f"{kind}[3]", *_WINDOWS], _FASTMATH)


def rows_forward(kind: str) -> Loops:
    """The convolution of stride and multiplier 1; the filter is `(height, width, pixels of a row * channels)`."""

    def loops(
        x: Array, filter: Array, out: Array, channels: int,
        above: int, rows: int, down: int, apart: int, before: int, columns: int, right: int, aside: int,
    ) -> None:  # fmt: skip
        images, height, length = x.shape
        for image in range(images):
            for p in range(out.shape[1]):
                target = out[image, p]
                target[:] = 0
                for u in range(rows):
                    y = p - above + u * apart
                    if y < 0 or y >= height:
                        continue
                    for v in range(columns):
                        shift = (v * aside - before) * channels
                        first, last = max(0, -shift), min(len(target), length - shift)
                        part, source, weight = target[first:last], x[image, y, first + shift :], filter[u, v, first:]
                        for k in range(last - first):
                            part[k] += source[k] * weight[k]

    return Loops(loops, [f"{kind}[3]", f"{kind}[3]", f"{kind}[3]", "i8", *_WINDOWS], _FASTMATH)


def rows_filter_gradient(kind: str) -> Loops:
    """The filter's gradient for each pixel of a row, which is added to `sums`."""

    def loops(
        x: Array, dy: Array, sums: Array, channels: int,
        above: int, rows: int, down: int, apart: int, before: int, columns: int, right: int, aside: int,
    ) -> None:  # fmt: skip
        images, height, length = x.shape
        for image in range(images):
            for p in range(dy.shape[1]):
                for u in range(rows):
                    y = p - above + u * apart
                    if y < 0 or y >= height:
                        continue
                    for v in range(columns):
                        shift = (v * aside - before) * channels
                        first, last = max(0, -shift), min(sums.shape[2], length - shift)
                        total, source, slope = (
                            sums[u, v, first:last],
                            x[image, y, first + shift :],
                            dy[image, p, first:],
                        )
                        for k in range(last - first):
                            total[k] += source[k] * slope[k]

    return Loops(loops, [f"{kind}[3]", f"{kind}[3]", f"{kind}[3]", "i8", *_WINDOWS], _FASTMATH)
