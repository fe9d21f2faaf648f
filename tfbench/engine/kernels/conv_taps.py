"""Convolutions as a sum over the filter's taps: a few lines for any array module, type, rank, stride and dilation.

Each tap of the filter meets the output in one strided slice of the input; the product of that slice with the tap's
matrix is added. This is what devices without kernels of their own run, what the rare cases (strides together with
dilations in a gradient) run on the CPU, and the plain statement of what the blocked kernels compute.
Layout is channels last; filters are `(taps…, channels, filters)`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from tfbench.engine.kernels.geometry import Window

Index = tuple[slice, ...]


def _taps(windows: Sequence[Window]) -> Iterator[tuple[tuple[int, ...], Index, Index]]:
    """Each tap with the part of the output that it reaches and the part of the input that it looks at."""
    for tap in itertools.product(*(range(window.size) for window in windows)):
        reached = [window.reach(position) for window, position in zip(windows, tap)]
        yield (
            tap,
            (slice(None), *(output for output, _ in reached)),
            (slice(None), *(input for _, input in reached)),
        )


def forward(xp: Any, x: Any, filter: Any, windows: Sequence[Window]) -> Any:
    """The convolution of `x` with `filter`."""
    out = xp.zeros((x.shape[0], *(window.output for window in windows), filter.shape[-1]), x.dtype)
    for tap, output, input in _taps(windows):
        out[output] += xp.matmul(x[input], filter[tap])
    return out


def input_gradient(xp: Any, dy: Any, filter: Any, windows: Sequence[Window]) -> Any:
    """The gradient with respect to the input: what the transposed convolution computes."""
    dx = xp.zeros((dy.shape[0], *(window.input for window in windows), filter.shape[-2]), dy.dtype)
    for tap, output, input in _taps(windows):
        dx[input] += xp.matmul(dy[output], filter[tap].T)
    return dx


def filter_gradient(xp: Any, x: Any, dy: Any, windows: Sequence[Window]) -> Any:
    """The gradient with respect to the filter."""
    channels, filters = x.shape[-1], dy.shape[-1]
    df = xp.zeros((*(window.size for window in windows), channels, filters), x.dtype)
    for tap, output, input in _taps(windows):
        df[tap] = xp.matmul(x[input].reshape(-1, channels).T, dy[output].reshape(-1, filters))
    return df
