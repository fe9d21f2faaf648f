"""Pooling of images, channels last: along columns of the image first, then along rows, as in `kernels/pool`.

The innermost loop always goes over neighbours in memory - all of an image's row, or the channels of a pixel - so it
becomes vector instructions without changing any result: what is infinite or not a number comes out as the NumPy
kernels let it. Images come as `(images, height, width * channels)`; a window is three numbers, the padding before it,
its size and its stride. `line` and `best` are memory to work in.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.extending import register_jitable

from tfbench.engine.compiled.sources import Loops

Array = Any

_WINDOWS = ["i8"] * 6  # of the rows, then of the columns
_UNROLLED = 25  # inputs in a small window


def _first(position: int, before: int, stride: int) -> int:
    """The first input that a window looks at."""
    return max(position * stride - before, 0)


def _end(position: int, before: int, size: int, stride: int, input: int) -> int:
    """The input behind the last that a window looks at."""
    return min(position * stride - before + size, input)


first_of = register_jitable(_first)
end_of = register_jitable(_end)


def max_pool(kind: str) -> Loops:
    """The largest of each window, but at least `lowest`; NaN is passed over."""

    def loops(
        x: Array, above: int, rows: int, down: int, before: int, columns: int, right: int,
        channels: int, lowest: Any, line: Array, out: Array,
    ) -> None:  # fmt: skip
        images, height, length = x.shape
        width = length // channels
        for image in range(images):
            for p in range(out.shape[1]):
                line[:] = lowest
                for u in range(first_of(p, above, down), end_of(p, above, rows, down, height)):
                    source = x[image, u]
                    for k in range(length):
                        line[k] = source[k] if source[k] > line[k] else line[k]
                for q in range(out.shape[2] // channels):
                    target = out[image, p, q * channels : (q + 1) * channels]
                    target[:] = lowest
                    for v in range(first_of(q, before, right), end_of(q, before, columns, right, width)):
                        part = line[v * channels : (v + 1) * channels]
                        for k in range(channels):
                            target[k] = part[k] if part[k] > target[k] else target[k]

    return Loops(loops, [f"{kind}[3]", *_WINDOWS, "i8", kind, f"{kind}[1]", f"{kind}[3]"])


def max_pool_grad(kind: str, rows: int, columns: int) -> Loops:
    """Fills `dx`: each of `dy` goes to the first of the largest inputs of its window; a NaN that comes first stays.

    The size of windows is a constant to the compiler. Where all of a window lies inside the image, and is not large,
    the search for its largest input is unrolled.
    """
    unrolled = rows * columns <= _UNROLLED

    def loops(
        x: Array, dy: Array, above: int, down: int, before: int, right: int, channels: int,
        best: Array, winner: Array, dx: Array,
    ) -> None:  # fmt: skip
        images, height, length = x.shape
        width = length // channels
        zero = dx.dtype.type(0)
        for image in range(images):
            for u in range(height):
                dx[image, u, :] = zero  # here, where it stays in the cache
            for p in range(dy.shape[1]):
                top, bottom = first_of(p, above, down), end_of(p, above, rows, down, height)
                for q in range(dy.shape[2] // channels):
                    left, end = first_of(q, before, right), end_of(q, before, columns, right, width)
                    if unrolled and bottom - top == rows and end - left == columns:
                        for k in range(channels):
                            value, number = x[image, top, left * channels + k], np.int32(0)
                            for u in range(rows):
                                for v in range(columns):
                                    candidate = x[image, top + u, (left + v) * channels + k]
                                    greater = candidate > value
                                    value = candidate if greater else value
                                    number = np.int32(u * columns + v) if greater else number
                            winner[k] = number
                    else:
                        for k in range(channels):
                            best[k] = x[image, top, left * channels + k]
                            winner[k] = 0
                        for u in range(top, bottom):
                            for v in range(left, end):
                                tap = np.int32((u - top) * columns + v - left)
                                candidates = x[image, u, v * channels : (v + 1) * channels]
                                for k in range(channels):
                                    greater = candidates[k] > best[k]
                                    best[k] = candidates[k] if greater else best[k]
                                    winner[k] = tap if greater else winner[k]
                    given, chosen = dy[image, p, q * channels : (q + 1) * channels], winner[0:channels]
                    for u in range(top, bottom):
                        for v in range(left, end):
                            tap = np.int32((u - top) * columns + v - left)
                            target = dx[image, u, v * channels : (v + 1) * channels]
                            for k in range(channels):
                                target[k] += given[k] if chosen[k] == tap else zero

    return Loops(loops, [*[f"{kind}[3]"] * 2, *["i8"] * 5, f"{kind}[1]", "i4[1]", f"{kind}[3]"])


def avg_pool(kind: str) -> Loops:
    """The mean of each window, over the inputs it really has."""

    def loops(
        x: Array, above: int, rows: int, down: int, before: int, columns: int, right: int,
        channels: int, line: Array, out: Array,
    ) -> None:  # fmt: skip
        images, height, length = x.shape
        width = length // channels
        for image in range(images):
            for p in range(out.shape[1]):
                line[:] = 0
                top, bottom = first_of(p, above, down), end_of(p, above, rows, down, height)
                for u in range(top, bottom):
                    source = x[image, u]
                    for k in range(length):
                        line[k] += source[k]
                for q in range(out.shape[2] // channels):
                    target = out[image, p, q * channels : (q + 1) * channels]
                    target[:] = 0
                    left, end = first_of(q, before, right), end_of(q, before, columns, right, width)
                    for v in range(left, end):
                        part = line[v * channels : (v + 1) * channels]
                        for k in range(channels):
                            target[k] += part[k]
                    count = x.dtype.type((bottom - top) * (end - left))
                    for k in range(channels):
                        target[k] /= count

    return Loops(loops, [f"{kind}[3]", *_WINDOWS, "i8", f"{kind}[1]", f"{kind}[3]"])


def avg_pool_grad(kind: str) -> Loops:
    """Fills `dx`: each of `dy` goes in equal parts to the inputs of its window."""

    def loops(
        dy: Array, above: int, rows: int, down: int, before: int, columns: int, right: int,
        channels: int, line: Array, dx: Array,
    ) -> None:  # fmt: skip
        images, height, length = dx.shape
        width = length // channels
        for image in range(images):
            for u in range(height):
                dx[image, u, :] = 0
            for p in range(dy.shape[1]):
                line[:] = 0
                top, bottom = first_of(p, above, down), end_of(p, above, rows, down, height)
                for q in range(dy.shape[2] // channels):
                    given = dy[image, p, q * channels : (q + 1) * channels]
                    left, end = first_of(q, before, right), end_of(q, before, columns, right, width)
                    count = dx.dtype.type((bottom - top) * (end - left))
                    for v in range(left, end):
                        part = line[v * channels : (v + 1) * channels]
                        for k in range(channels):
                            part[k] += given[k] / count
                for u in range(top, bottom):
                    target = dx[image, u]
                    for k in range(length):
                        target[k] += line[k]

    return Loops(loops, [f"{kind}[3]", *_WINDOWS, "i8", f"{kind}[1]", f"{kind}[3]"])
