"""Fractional pooling: windows of two sizes in a random order, so that an image shrinks by a ratio between 1 and 2.

An axis of `n` inputs and `m` outputs is cut at `m + 1` places, drawn with TensorFlow's random words. Windows reach
from one place to the next, or to the one behind it if they overlap.

All windows are looked at together: first their first rows, then their second rows (of those that have one), and so on;
the columns likewise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.philox import PhiloxStream
from tfbench.engine.kernels.random_discrete import shuffled_order
from tfbench.engine.kernels.random_fill import unit_float64


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


class Cuts:
    """Where the windows along one axis begin, and how long they are."""

    __slots__ = ("axis", "counts", "longest", "starts")

    def __init__(self, places: Any, size: int, axis: int, overlapping: bool) -> None:
        self.axis = axis
        self.starts = places[:-1]
        self.counts = np.minimum(places[1:] + (1 if overlapping else 0), size) - self.starts
        self.longest = int(self.counts.max(initial=0))
        if self.counts.min(initial=1) < 1 or self.starts.min(initial=0) < 0:
            name = "Row" if axis == 1 else "Column"
            raise invalid(f"{name} sequence tensor values must not be negative, and grow, got {places.tolist()}")

    def first(self, x: Any) -> Any:
        """The first row or column of each window."""
        return np.take(x, self.starts, axis=self.axis)

    def nth(self, x: Any, k: int) -> Any:
        """The k-th of each window, or the last if there are fewer."""
        return np.take(x, self.starts + np.minimum(k, self.counts - 1), axis=self.axis)

    def some(self, k: int) -> tuple[Any, Any]:
        """Index of the windows that have a k-th row or column, and of these rows or columns."""
        has = np.flatnonzero(self.counts > k)
        before = (slice(None),) * self.axis
        return (*before, has), (*before, self.starts[has] + k)

    def spread(self, grad: Any, size: int) -> Any:
        """For each of `size` inputs what the windows that it is in have, added up: they are two at most."""
        before = (slice(None),) * self.axis
        inputs = np.arange(size)
        window = np.searchsorted(self.starts, inputs, side="right") - 1
        ends = self.starts + self.counts
        wide = np.take(grad, np.maximum(window, 0), axis=self.axis)
        outside = (window < 0) | (inputs >= ends[window])
        if outside.any():
            wide[(*before, outside)] = 0
        shared = np.flatnonzero(ends[:-1] > self.starts[1:])
        if shared.size:
            wide[(*before, self.starts[1:][shared])] += grad[(*before, shared)]
        return wide


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
        found = []
        for axis in (1, 2):
            inputs, outputs = value.shape[axis], output_size(value.shape[axis], pooling_ratio[axis])
            if outputs < 1:
                raise invalid(f"pooling ratio {pooling_ratio[axis]} leaves nothing of axis {axis} of {value.shape}")
            found.append(places(source, inputs, outputs, pseudo_random))
        cuts = [Cuts(place, value.shape[axis], axis, overlapping) for axis, place in zip((1, 2), found)]
        return reduce(value, *cuts), *found

    return pool


def maximum(value: Any, rows: Cuts, columns: Cuts) -> Any:
    """The largest value of each window, image and channel."""
    for cuts in (rows, columns):
        whole, value = value, cuts.first(value)
        for k in range(1, cuts.longest):
            np.maximum(value, cuts.nth(whole, k), out=value)
    return value


def average(value: Any, rows: Cuts, columns: Cuts) -> Any:
    """The mean; integers are divided as in C."""
    for cuts in (rows, columns):
        whole, value = value, cuts.first(value)
        for k in range(1, cuts.longest):
            windows, inputs = cuts.some(k)
            value[windows] += whole[inputs]
    return _divided(value, rows, columns)


def _divided(value: Any, rows: Cuts, columns: Cuts) -> Any:
    sizes = (rows.counts[:, None] * columns.counts)[:, :, None]
    return value / sizes.astype(value.dtype) if value.dtype.kind == "f" else np.fix(value / sizes).astype(value.dtype)


# -- gradients ----------------------------------------------------------------------------------------------------


def _cuts(shape: Sequence[int], grad: Any, rows: Any, columns: Any, overlapping: bool) -> list[Cuts]:
    """The windows that a gradient op is told, for images of `shape`."""
    if grad.ndim != 4:
        raise invalid(f"out_backprop must be 4-dimensional, got shape {list(grad.shape)}")
    if (grad.shape[0], grad.shape[3]) != (shape[0], shape[3]):
        raise invalid(f"out_backprop has shape {list(grad.shape)}, which does not go with images of {list(shape)}")
    found = []
    for axis, name, given in ((1, "row", rows), (2, "col", columns)):
        if given.ndim != 1:
            raise invalid(f"{name}_pooling_sequence must be a vector, received shape {list(given.shape)}")
        if len(given) != grad.shape[axis] + 1:
            raise invalid(
                f"Given out_backprop shape {list(grad.shape)}, {name}_seq_tensor must have at least "
                f"{grad.shape[axis] + 1} elements, but got {len(given)}"
            )
        found.append(Cuts(given, shape[axis], axis, overlapping))
    return found


def _largest(x: Any, numbers: list[Any], cuts: Cuts) -> tuple[Any, list[Any]]:
    """The largest of each window along one axis; its numbers along other axes, and that of the first along this one.

    Numbers are small and chosen by arithmetic: masks that are true here and there are slow.
    """
    best = cuts.first(x)
    kept = [cuts.first(number) for number in numbers]
    own = np.zeros(best.shape, np.min_scalar_type(cuts.longest))
    no_number = x.dtype.kind == "f" and bool(np.isnan(x).any())
    for k in range(1, cuts.longest):
        value = cuts.nth(x, k)
        better = value > best
        if no_number:
            better |= np.isnan(value) & ~np.isnan(best)
        np.maximum(best, value, out=best)
        np.maximum(own, better * own.dtype.type(k), out=own)
        kept = [old * ~better + cuts.nth(number, k) * better for old, number in zip(kept, numbers)]
    return best, [*kept, own]


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
    rows, columns = _cuts(orig_input.shape, out_backprop, row_pooling_sequence, col_pooling_sequence, overlapping)
    best, numbers = _largest(orig_input, [], columns)
    best, (column, row) = _largest(best, numbers, rows)
    if orig_output.shape != best.shape or not np.array_equal(orig_output, best, equal_nan=best.dtype.kind == "f"):
        raise invalid("tensor_out_dup is not the same as tensor_out: orig_output is not what the windows' largest are")
    dx = np.zeros(orig_input.shape, orig_input.dtype)
    strides = [stride // dx.itemsize for stride in dx.strides]
    place = row * np.intp(strides[1])
    place += column * np.intp(strides[2])
    places = (np.arange(len(dx)), rows.starts, columns.starts, np.arange(dx.shape[3]))
    for axis, (starts, stride) in enumerate(zip(places, strides)):
        place += (starts * stride).reshape([-1 if i == axis else 1 for i in range(4)])
    if overlapping:
        np.add.at(dx.reshape(-1), place.reshape(-1), out_backprop.reshape(-1))
    else:
        dx.reshape(-1)[place] = out_backprop
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
    shape = [int(size) for size in orig_input_tensor_shape]
    # TensorFlow takes sequences of any rank here.
    sequences = row_pooling_sequence.reshape(-1), col_pooling_sequence.reshape(-1)
    cuts = _cuts(shape, out_backprop, *sequences, overlapping)
    grad = _divided(out_backprop, *cuts)
    for one in reversed(cuts):
        grad = one.spread(grad, shape[one.axis])
    return grad
