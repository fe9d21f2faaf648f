"""Fractional pooling: windows of two sizes in a random order, so that an image shrinks by a ratio between 1 and 2.

An axis of `n` inputs and `m` outputs is cut at `m + 1` places, drawn with TensorFlow's random words. Windows reach
from one place to the next, or to the one behind it if they overlap.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernels.geometry import invalid
from tfbench.engine.kernels.philox import PhiloxStream
from tfbench.engine.kernels.random_discrete import shuffled_order
from tfbench.engine.kernels.random_fill import unit_float64

Window = tuple[slice, slice]


def places(stream: PhiloxStream, inputs: int, outputs: int, pseudo_random: bool) -> Any:
    """Where an axis is cut: `outputs + 1` growing positions from 0 to `inputs`, as int64."""
    steps = _regular(stream, inputs, outputs) if pseudo_random else _shuffled(stream, inputs, outputs)
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(steps, dtype=np.int64)])


def _shuffled(stream: PhiloxStream, inputs: int, outputs: int) -> Any:
    """As many long steps as are needed, in random order."""
    short, longer = divmod(inputs, outputs)
    steps = np.full(outputs, short, np.int64)
    steps[:longer] += 1
    return steps[shuffled_order(stream.reserve((outputs + 3) // 4), outputs)]


def _regular(stream: PhiloxStream, inputs: int, outputs: int) -> Any:
    """Steps as regular as can be, from a random start: ceil(ratio * (i + u))."""
    ratio, short = inputs / outputs, inputs // outputs
    largest = min((short + 2) / ratio - 1, (inputs + 1 - short) / ratio - (outputs - 1))
    words = stream.reserve(1).words(2).astype(np.uint64)
    start = float(unit_float64(np, words[:1], words[1:])[0]) * largest
    ends = [1, *(math.ceil(ratio * (i + start)) for i in range(1, outputs)), inputs + 1]
    return np.diff(np.array(ends, np.int64))


def output_size(size: int, ratio: float) -> int:
    """How many windows `size` rows or columns are cut into."""
    return math.floor(size / ratio)


def bind(
    stream: Callable[[], PhiloxStream],
    reduce: Callable[..., Any],
    pooling_ratio: Sequence[float],
    pseudo_random: bool,
    overlapping: bool,
) -> Callable[[Any], tuple[Any, Any, Any]]:
    """The kernel of FractionalMaxPool or FractionalAvgPool; `stream()` gives the random words of one run."""

    def pool(value: Any) -> tuple[Any, Any, Any]:
        if value.ndim != 4:
            raise invalid("tensor_in must be 4-dimensional")
        source = stream()
        cuts = []
        for axis in (1, 2):
            inputs, outputs = value.shape[axis], output_size(value.shape[axis], pooling_ratio[axis])
            if outputs < 1:
                raise invalid(f"pooling ratio {pooling_ratio[axis]} leaves nothing of axis {axis} of {value.shape}")
            cuts.append(places(source, inputs, outputs, pseudo_random))
        rows, columns = cuts
        out = np.empty((value.shape[0], len(rows) - 1, len(columns) - 1, value.shape[3]), value.dtype)
        for at, window in _windows(rows, columns, value.shape, overlapping):
            out[(slice(None), *at)] = reduce(value[(slice(None), *window)])
        return out, rows, columns

    return pool


def _windows(
    rows: Any, columns: Any, shape: Sequence[int], overlapping: bool
) -> Iterator[tuple[tuple[int, int], Window]]:
    """Each output position with the window that it looks at."""
    more = 1 if overlapping else 0
    for i in range(len(rows) - 1):
        high = slice(int(rows[i]), min(int(rows[i + 1]) + more, shape[1]))
        for j in range(len(columns) - 1):
            yield (i, j), (high, slice(int(columns[j]), min(int(columns[j + 1]) + more, shape[2])))


def maximum(window: Any) -> Any:
    """The largest value of each image and channel."""
    return window.max(axis=(1, 2))


def average(window: Any) -> Any:
    """The mean; integers are divided as in C."""
    count = window.shape[1] * window.shape[2]
    total = window.sum(axis=(1, 2), dtype=window.dtype)
    return total / window.dtype.type(count) if window.dtype.kind == "f" else np.fix(total / count).astype(window.dtype)


def max_pool_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    out_backprop: Any,
    row_pooling_sequence: Any,
    col_pooling_sequence: Any,
    *,
    overlapping: bool = False,
) -> Any:
    """`FractionalMaxPoolGrad`: each window's gradient goes to the first of its largest inputs."""
    dx = np.zeros_like(orig_input)
    batch, channel = np.ogrid[: orig_input.shape[0], : orig_input.shape[3]]
    for at, window in _windows(row_pooling_sequence, col_pooling_sequence, orig_input.shape, overlapping):
        block = orig_input[(slice(None), *window)]
        width = block.shape[2]
        first = block.reshape(block.shape[0], -1, block.shape[3]).argmax(axis=1)
        rows, columns = window[0].start + first // width, window[1].start + first % width
        dx[batch, rows, columns, channel] += out_backprop[(slice(None), *at)]
    return dx


def avg_pool_grad(
    xp: Any,
    orig_input_tensor_shape: Any,
    out_backprop: Any,
    row_pooling_sequence: Any,
    col_pooling_sequence: Any,
    *,
    overlapping: bool = False,
) -> Any:
    """`FractionalAvgPoolGrad`: each window's gradient shared equally by its inputs."""
    shape = tuple(int(size) for size in orig_input_tensor_shape)
    dx = np.zeros(shape, np.float64 if out_backprop.dtype.kind == "f" else out_backprop.dtype)
    for at, window in _windows(row_pooling_sequence, col_pooling_sequence, shape, overlapping):
        target = dx[(slice(None), *window)]
        share = out_backprop[(slice(None), *at)][:, None, None, :]
        count = target.shape[1] * target.shape[2]
        target += share / count if dx.dtype.kind == "f" else np.fix(share / count).astype(dx.dtype)
    return dx.astype(out_backprop.dtype, copy=False)
