"""Grey-scale dilation (`Dilation2D`) and its gradients: max pooling of input plus filter.

As in max pooling, the first of equal sums wins, in the order row by row. TensorFlow starts from the type's lowest value
and takes a sum only if it is greater. Where none is - all NaN, or zero in an unsigned type - the gradient goes to the
window's first place inside the input, and to the filter's first value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from tfbench.engine.kernel_errors import invalid, unimplemented
from tfbench.engine.kernels.geometry import Window, taps, windows
from tfbench.engine.kernels.pool import lowest, pool

Shape = tuple[int, ...]


@lru_cache(maxsize=128)
def _plan(input: Shape, filter: Shape, strides: Shape, rates: Shape, padding: str) -> tuple[Window, ...]:
    if len(input) != 4:
        raise invalid(f"input must be 4-dimensional: {list(input)}")
    if len(filter) != 3:
        raise invalid(f"filter must be 3-dimensional: {list(filter)}")
    if input[3] != filter[2]:
        raise invalid(f"input and filter must have the same depth: {input[3]} vs {filter[2]}")
    for name, values in (("Stride", strides), ("Rate", rates)):
        if values[0] != 1 or values[3] != 1:
            raise unimplemented(f"{name} is only supported across spatial dimensions.")
    return tuple(windows(filter[:2], input, strides=strides, padding=padding, data_format="NHWC", dilations=rates))


def dilation2d(xp: Any, input: Any, filter: Any, *, strides: Sequence[int], rates: Sequence[int], padding: str) -> Any:
    """`Dilation2D`: the largest `input + filter` of each window; `filter` is `(kh, kw, c)`."""
    found = _plan(input.shape, filter.shape, tuple(strides), tuple(rates), padding)
    combine = xp.fmax if input.dtype.kind == "f" else xp.maximum

    def block(part: Any, found: Sequence[Window], out: Any) -> None:
        out[...] = lowest(part.dtype)
        for tap, outputs, inputs in taps(found):
            target = out[outputs]
            combine(target, part[inputs] + filter[tap], out=target)

    return pool(xp, input, found, block)


def _winners(xp: Any, x: Any, filter: Any, found: Sequence[Window], shape: Shape) -> Any:
    """The number of the first tap with the largest sum, for each output; -1 where no sum is above the lowest value."""
    best = xp.full(shape, lowest(x.dtype), x.dtype)
    winner = xp.full(shape, -1, xp.int32)
    for tap, outputs, inputs in taps(found):
        total, now = x[inputs] + filter[tap], best[outputs]
        number = tap[0] * found[1].size + tap[1]
        greater = total > now
        winner[outputs] = xp.where(greater, xp.int32(number), winner[outputs])
        best[outputs] = xp.where(greater, total, now)
    return winner


def _gradient_setup(
    op: str,
    xp: Any,
    x: Any,
    filter: Any,
    dy: Any,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
) -> tuple[Sequence[Window], Any]:
    found = _plan(x.shape, filter.shape, tuple(strides), tuple(rates), padding)
    shape = (x.shape[0], found[0].output, found[1].output, x.shape[3])
    if dy.shape != shape:
        raise invalid(f"{op}: out_backprop has incompatible size: expected {list(shape)}, got {list(dy.shape)}")
    return found, _winners(xp, x, filter, found, shape)


def dilation2d_backprop_input(
    xp: Any,
    input: Any,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
) -> Any:
    """`Dilation2DBackpropInput`: each gradient goes to the input that made the maximum."""
    op = "Dilation2DBackpropInput"
    found, winner = _gradient_setup(op, xp, input, filter, out_backprop, strides, rates, padding)
    dx = xp.zeros(input.shape, input.dtype)
    for tap, outputs, inputs in taps(found):
        number = tap[0] * found[1].size + tap[1]
        dx[inputs] += xp.where(winner[outputs] == number, out_backprop[outputs], input.dtype.type(0))
    image, row, column, channel = xp.nonzero(winner < 0)
    if image.size:
        rows, columns = (xp.maximum(at * window.stride - window.before, 0) for at, window in zip((row, column), found))
        xp.add.at(dx, (image, rows, columns, channel), out_backprop[winner < 0])
    return dx


def dilation2d_backprop_filter(
    xp: Any,
    input: Any,
    filter: Any,
    out_backprop: Any,
    *,
    strides: Sequence[int],
    rates: Sequence[int],
    padding: str,
) -> Any:
    """`Dilation2DBackpropFilter`: each gradient goes to the filter value that made the maximum."""
    op = "Dilation2DBackpropFilter"
    found, winner = _gradient_setup(op, xp, input, filter, out_backprop, strides, rates, padding)
    df = xp.zeros(filter.shape, filter.dtype)
    for tap, outputs, _ in taps(found):
        number = tap[0] * found[1].size + tap[1]
        chosen = xp.where(winner[outputs] == number, out_backprop[outputs], input.dtype.type(0))
        df[tap] = chosen.sum(axis=(0, 1, 2), dtype=df.dtype)
    df[0, 0] += xp.where(winner < 0, out_backprop, input.dtype.type(0)).sum(axis=(0, 1, 2), dtype=df.dtype)
    return df
