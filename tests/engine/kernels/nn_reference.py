"""Convolution and pooling by the book: plain loops over every output and every tap, in double precision.

Slow and obviously right; the kernels' tests compare with these. Layout is channels last, any number of spatial axes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Point = tuple[int, ...]


def output_size(size: int, taps: int, stride: int, dilation: int, padding: Any) -> tuple[int, int]:
    """Number of outputs along an axis and how much padding comes before it. `padding`: SAME, VALID or a pair."""
    extent = dilation * (taps - 1) + 1
    if padding == "SAME":
        count = (size + stride - 1) // stride
        return count, max(0, (count - 1) * stride + extent - size) // 2
    before, after = (0, 0) if padding == "VALID" else padding
    return (size + before + after - extent) // stride + 1, before


class Geometry:
    """Sizes along the spatial axes."""

    def __init__(
        self,
        sizes: Sequence[int],
        taps: Sequence[int],
        strides: Sequence[int],
        dilations: Sequence[int],
        padding: Any,
    ) -> None:
        paddings = [padding] * len(sizes) if isinstance(padding, str) else padding
        found = [output_size(*axis) for axis in zip(sizes, taps, strides, dilations, paddings)]
        self.sizes, self.taps, self.strides, self.dilations = sizes, taps, strides, dilations
        self.outputs = [count for count, _ in found]
        self.before = [before for _, before in found]

    def points(self) -> Iterator[tuple[Point, Point, Point]]:
        """Every (output position, tap, input position) whose input position exists."""
        for output in itertools.product(*map(range, self.outputs)):
            for tap in itertools.product(*map(range, self.taps)):
                input = tuple(
                    o * stride + t * dilation - before
                    for o, stride, t, dilation, before in zip(output, self.strides, tap, self.dilations, self.before)
                )
                if all(0 <= at < size for at, size in zip(input, self.sizes)):
                    yield output, tap, input


def convolve(x: Array, filter: Array, at: Geometry) -> Array:
    out = np.zeros((x.shape[0], *at.outputs, filter.shape[-1]))
    for output, tap, input in at.points():
        out[(slice(None), *output)] += x[(slice(None), *input)].astype(float) @ filter[tap].astype(float)
    return out


def convolve_input_gradient(dy: Array, filter: Array, at: Geometry) -> Array:
    dx = np.zeros((dy.shape[0], *at.sizes, filter.shape[-2]))
    for output, tap, input in at.points():
        dx[(slice(None), *input)] += dy[(slice(None), *output)].astype(float) @ filter[tap].astype(float).T
    return dx


def convolve_filter_gradient(x: Array, dy: Array, at: Geometry) -> Array:
    df = np.zeros((*at.taps, x.shape[-1], dy.shape[-1]))
    for output, tap, input in at.points():
        df[tap] += x[(slice(None), *input)].astype(float).T @ dy[(slice(None), *output)].astype(float)
    return df


def depthwise(x: Array, filter: Array, at: Geometry) -> Array:
    images, channels, multiplier = x.shape[0], *filter.shape[-2:]
    out = np.zeros((images, *at.outputs, channels, multiplier))
    for output, tap, input in at.points():
        out[(slice(None), *output)] += x[(slice(None), *input)].astype(float)[..., None] * filter[tap]
    return out.reshape(images, *at.outputs, channels * multiplier)


def pool(x: Array, at: Geometry, reduce: Callable[[list[float]], float]) -> Array:
    """`reduce` of the list of each window's inputs."""
    out = np.zeros((x.shape[0], *at.outputs, x.shape[-1]))
    windows: dict[Point, list[Point]] = {}
    for output, _, input in at.points():
        windows.setdefault(output, []).append(input)
    for output, inputs in windows.items():
        for image in range(x.shape[0]):
            for channel in range(x.shape[-1]):
                values = [float(x[(image, *input, channel)]) for input in inputs]
                out[(image, *output, channel)] = reduce(values)
    return out


def first_largest(x: Array, at: Geometry) -> dict[tuple[int, Point, int], Point]:
    """For each (image, output, channel) the first input that no other of its window exceeds."""
    best: dict[tuple[int, Point, int], Point] = {}
    for output, _, input in at.points():
        for image in range(x.shape[0]):
            for channel in range(x.shape[-1]):
                key = (image, output, channel)
                if key not in best or x[(image, *input, channel)] > x[(image, *best[key], channel)]:
                    best[key] = input
    return best
