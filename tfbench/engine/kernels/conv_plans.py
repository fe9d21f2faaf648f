"""Plans of convolutions for one set of shapes: contiguous, channels-last arrays in, array out.

All three are correlations. The gradient with respect to the input correlates the output's gradient with the filter
turned round. With stride `s` that falls into `s * s` independent correlations of stride 1, one for each position
of an input pixel relative to the stride, each with every `s`-th tap of the filter: nothing is scattered or added twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernels import blocks, conv_spread, conv_taps, threads
from tfbench.engine.kernels.correlate import Correlation, Sources
from tfbench.engine.kernels.geometry import Array, Window

Shape = tuple[int, ...]

_PIXELS = 1024  # pixels a task of a 1x1 convolution has


def _forward_sources(depth: Window) -> Sources:
    """Which input slices an output slice of a volume is the sum over."""

    def sources(image: int) -> list[tuple[int, int]]:
        volume, at = divmod(image, depth.output)
        places = ((at * depth.stride + tap * depth.dilation - depth.before, tap) for tap in range(depth.size))
        return [(volume * depth.input + place, tap) for place, tap in places if 0 <= place < depth.input]

    return sources


def _backward_sources(depth: Window) -> Sources:
    """Which output slices look at an input slice."""

    def sources(image: int) -> list[tuple[int, int]]:
        volume, at = divmod(image, depth.input)
        found = []
        for tap in range(depth.size):
            place, rest = divmod(at + depth.before - tap * depth.dilation, depth.stride)
            if rest == 0 and 0 <= place < depth.output:
                found.append((volume * depth.output + place, tap))
        return found

    return sources


def _correlation(batch: int, channels: int, filters: int, found: Sequence[Window], dtype: np.dtype[Any]) -> Correlation:
    if len(found) == 2:
        return Correlation(batch, channels, filters, found[0], found[1], dtype)
    depth = found[0]
    sources = _forward_sources(depth)
    return Correlation(batch * depth.output, channels, filters, found[1], found[2], dtype, sources)


class Forward:
    """Conv2D or Conv3D for one pair of shapes."""

    def __init__(self, x: Shape, filter: Shape, found: Sequence[Window], dtype: np.dtype[Any]) -> None:
        self.shape = (x[0], *(window.output for window in found), filter[-1])
        self.groups = x[-1] // filter[-2]
        self.pointwise = self.groups == 1 and all(
            window.size == window.stride == 1 and window.before == window.after == 0 for window in found
        )
        self.correlation = _correlation(x[0], filter[-2], filter[-1] // self.groups, found, dtype)

    def __call__(self, x: Array, filter: Array) -> Array:
        out = blocks.aligned(self.shape, x.dtype)
        plan = self.correlation
        if self.pointwise:
            _multiply(x.reshape(-1, plan.channels), filter.reshape(plan.channels, -1), out.reshape(-1, plan.filters))
            return out
        if out.size == 0:
            return out
        images = out.reshape(plan.images, plan.vertical.output, plan.horizontal.output, -1)
        if self.groups == 1:
            plan(x, filter, images)
            return out
        for group in range(self.groups):
            channels = slice(group * plan.channels, (group + 1) * plan.channels)
            filters = slice(group * plan.filters, (group + 1) * plan.filters)
            plan(np.ascontiguousarray(x[..., channels]), filter[..., filters], images[..., filters])
        return out


def _multiply(x: Array, matrix: Array, out: Array) -> None:
    """`out = x @ matrix` by bands of rows."""

    def work(tasks: Iterator[int]) -> None:
        for task in tasks:
            rows = slice(task * _PIXELS, (task + 1) * _PIXELS)
            np.matmul(x[rows], matrix, out=out[rows])

    threads.parallel(-(-len(x) // _PIXELS), work)


class InputGradient:
    """Conv2DBackpropInput or Conv3DBackpropInputV2 for one pair of shapes."""

    def __init__(self, input: Shape, filter: Shape, found: Sequence[Window], dtype: np.dtype[Any]) -> None:
        self.input = input
        self.windows = found
        *depth, vertical, horizontal = found
        self.depth = depth[0] if depth else None
        self.covered = True
        #: rows and columns of the input, rows and columns of the filter, and the correlation of those
        self.parts: list[tuple[slice, slice, slice, slice, Correlation]] = []
        if any(window.stride > 1 and window.dilation > 1 for window in (vertical, horizontal)):
            return
        images = input[0] * (self.depth.input if self.depth else 1)
        sources = _backward_sources(self.depth) if self.depth else None
        for rows, row_taps, down in _turned(vertical):
            for columns, column_taps, across in _turned(horizontal):
                if down is None or across is None:
                    self.covered = False
                    continue
                plan = Correlation(images, filter[-1], filter[-2], down, across, dtype, sources)
                self.parts.append((rows, columns, row_taps, column_taps, plan))

    def __call__(self, dy: Array, filter: Array) -> Array:
        if not self.parts or dy.size == 0:
            return np.asarray(conv_taps.input_gradient(np, dy, filter, self.windows))
        made = conv_spread.input_gradient(dy, filter, self.input, self.windows)
        if made is not None:
            return made
        dx = blocks.aligned(self.input, dy.dtype) if self.covered else np.zeros(self.input, dy.dtype)
        vertical, horizontal = self.windows[-2:]
        images = dx.reshape(-1, vertical.input, horizontal.input, self.input[-1])
        turned = filter.swapaxes(-1, -2)
        for rows, columns, row_taps, column_taps, plan in self.parts:
            taps = turned[..., row_taps, column_taps, :, :][..., ::-1, ::-1, :, :]
            plan(dy, taps, images[:, rows, columns])
        return dx


def _turned(window: Window) -> Iterator[tuple[slice, slice, Window | None]]:
    """For each phase of the stride: the inputs, the taps that reach them, and the window over the outputs.

    The window is None where no tap reaches: those inputs have no gradient.
    """
    if window.stride == 1:
        before = (window.size - 1) * window.dilation - window.before
        turned = Window(window.size, 1, window.dilation, before, 0, window.output, window.input)
        yield slice(None), slice(None), turned
        return
    stride = window.stride
    for phase in range(stride):
        # Inputs stride * u + phase - before, for u from `first` on; tap `phase + stride * t` of output `u - t` sees it.
        first = max(0, -((phase - window.before) // stride))
        start = stride * first + phase - window.before
        inputs = range(start, window.input, stride)
        taps = len(range(phase, window.size, stride))
        if not inputs:
            continue
        seen = Window(taps, 1, 1, taps - 1 - first, 0, window.output, len(inputs)) if taps else None
        yield slice(start, window.input, stride), slice(phase, window.size, stride), seen


class FilterGradient:
    """Conv2DBackpropFilter or Conv3DBackpropFilterV2 for one pair of shapes."""

    def __init__(self, x: Shape, filter: Shape, found: Sequence[Window], dtype: np.dtype[Any]) -> None:
        self.filter = filter
        self.correlation = _correlation(x[0], x[-1], filter[-1], found, dtype)

    def __call__(self, x: Array, dy: Array) -> Array:
        plan = self.correlation
        if dy.size == 0:
            return np.zeros(self.filter, x.dtype)
        out = np.empty(self.filter, x.dtype)
        images = dy.reshape(plan.images, plan.vertical.output, plan.horizontal.output, plan.filters)
        plan.filter_gradient(x, images, out)
        return out
