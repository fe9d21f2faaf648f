"""Bilinear resizing of images, `(images, height, width, channels)`, and its gradient, in float32.

For each new row or column `lower` and `upper` are its neighbours among the old ones and `part` says how far from the
lower one it lies (`kernels/image_resize`). A row is stretched first; a stretched row is kept while new rows lie between
the same old ones.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from tfbench.engine.compiled.sources import Loops

Array = Any

_TAPS = ["i8[1]", "i8[1]", "f4[1]"]


def _stretch(row: Array, lower: Array, upper: Array, part: Array, channels: int, line: Array) -> None:
    for q in range(lower.shape[0]):
        left, right, share = lower[q], upper[q], part[q]
        for k in range(channels):
            low = row[left, k]
            line[q * channels + k] = low + (row[right, k] - low) * share


stretch: Any = njit(error_model="numpy")(_stretch)


def resize_bilinear() -> Loops:
    """`out` from `x`; `lines` is memory for two stretched rows."""

    def loops(
        x: Array, above: Array, below: Array, down: Array, lower: Array, upper: Array, part: Array,
        lines: Array, out: Array,
    ) -> None:  # fmt: skip
        images, rows, length = out.shape
        channels = x.shape[3]
        for image in range(images):
            held = -1  # the old row that lies stretched in the first line
            other = -1
            for p in range(rows):
                first, second = above[p], below[p]
                if first != held and first == other:
                    for i in range(length):
                        lines[0, i] = lines[1, i]
                elif first != held:
                    stretch(x[image, first], lower, upper, part, channels, lines[0])
                held = first
                if second != other:
                    stretch(x[image, second], lower, upper, part, channels, lines[1])
                    other = second
                share = down[p]
                for i in range(length):
                    low = lines[0, i]
                    out[image, p, i] = low + (lines[1, i] - low) * share

    return Loops(loops, ["f4[4]", *_TAPS, *_TAPS, "f4[2]", "f4[3]"])


def resize_bilinear_grad() -> Loops:
    """Adds to `dx` what the old pixels get from the new ones that looked at them; `line` is as long as an old row."""

    def loops(
        dy: Array, above: Array, below: Array, down: Array, lower: Array, upper: Array, part: Array,
        line: Array, dx: Array,
    ) -> None:  # fmt: skip
        images, rows, columns, channels = dy.shape
        for image in range(images):
            for p in range(rows):
                line[:] = 0
                for q in range(columns):
                    left, right, share = lower[q] * channels, upper[q] * channels, part[q]
                    for k in range(channels):
                        given = dy[image, p, q, k]
                        further = given * share
                        line[left + k] += given - further
                        line[right + k] += further
                first, second, share = above[p], below[p], down[p]
                for i in range(line.shape[0]):
                    further = line[i] * share
                    dx[image, first, i] += line[i] - further
                    dx[image, second, i] += further

    return Loops(loops, ["f4[4]", *_TAPS, *_TAPS, "f4[1]", "f4[3]"])
