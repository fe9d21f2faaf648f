"""Which input of a window was the largest: MaxPoolWithArgmax and the gradients of max pooling.

TensorFlow goes through a window row by row and moves on to an input that is *greater* than the best so far: the first
of equal inputs wins, a NaN that comes first stays, one that comes later is passed over. So does `argmax` here, tap by
tap over whole arrays, keeping the number of the winning tap for each output in a small integer.

Masks are applied by multiplying the bits of the value as an integer with 0 or 1: that is exact (0 * inf would not be)
and an order of magnitude faster than NumPy's masked copies.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import pool_compiled
from tfbench.engine.kernels.blocks import pieces, run
from tfbench.engine.kernels.geometry import Window, channels_first, channels_last, is_channels_first
from tfbench.engine.kernels.pool import plan

Index = tuple[slice, ...]


def _taps(found: Sequence[Window]) -> Iterator[tuple[int, Index, Index]]:
    """The taps in TensorFlow's order: number, outputs reached, inputs looked at."""
    for number, tap in enumerate(itertools.product(*(range(window.size) for window in found))):
        reached = [window.reach(position) for window, position in zip(found, tap)]
        outputs = (slice(None), *(output for output, _ in reached))
        inputs = (slice(None), *(input for _, input in reached))
        if all(output.stop > output.start for output, _ in reached):
            yield number, outputs, inputs


def _first_taps(found: Sequence[Window]) -> tuple[list[Any], Any]:
    """Of each output's first tap inside the input: its position along each axis, and its number."""
    positions, numbers = [], np.zeros((1,) * (len(found) + 2), np.int64)
    for axis, window in enumerate(found):
        top = np.arange(window.output) * window.stride - window.before
        tap = -(np.minimum(top, 0) // window.dilation)
        shape = [1] * (len(found) + 2)
        shape[axis + 1] = window.output
        positions.append((top + tap * window.dilation).reshape(shape[1:-1]))
        numbers = numbers * window.size + tap.reshape(shape)
    return positions, numbers


def _small(found: Sequence[Window]) -> np.dtype[Any]:
    """The type of tap numbers."""
    return np.min_scalar_type(-int(np.prod([window.size for window in found])) - 1)


def argmax(xp: Any, x: Any, found: Sequence[Window]) -> tuple[Any, Any]:
    """The largest input of each window and the number of its tap (channels last)."""
    kind = _small(found)
    positions, numbers = _first_taps(found)
    best = x[(slice(None), *(xp.asarray(position) for position in positions))]
    winner = xp.empty(best.shape, kind)
    winner[...] = xp.asarray(numbers.astype(kind))
    if xp is not np and x.dtype.kind == "f":
        # Whether there is a NaN, the host would have to wait to see.
        return _argmax_with_nan(xp, x, found, best, winner)
    start = best.copy() if x.dtype.kind == "f" else None
    spare = xp.empty_like(winner)
    greater = xp.empty(best.shape, bool)
    for number, outputs, inputs in _taps(found):
        candidate, now, mask = x[inputs], best[outputs], greater[outputs]
        xp.greater(candidate, now, out=mask)
        taken = spare[outputs]
        xp.multiply(mask.view(np.int8), kind.type(number), out=taken)
        xp.maximum(winner[outputs], taken, out=winner[outputs])
        xp.maximum(now, candidate, out=now)
    if start is not None and bool(xp.isnan(best).any()):
        return _argmax_with_nan(xp, x, found, start, xp.asarray(numbers.astype(kind)))
    return best, winner


def _argmax_with_nan(xp: Any, x: Any, found: Sequence[Window], best: Any, numbers: Any) -> tuple[Any, Any]:
    """The same, taking a value only where it is greater: `maximum` would take every NaN."""
    winner = xp.empty(best.shape, numbers.dtype)
    winner[...] = numbers
    for number, outputs, inputs in _taps(found):
        candidate, now = x[inputs], best[outputs]
        mask = candidate > now
        best[outputs] = xp.where(mask, candidate, now)
        winner[outputs] = xp.where(mask, winner.dtype.type(number), winner[outputs])
    return best, winner


def _bits(xp: Any, x: Any) -> Any:
    """The same memory as integers."""
    return x.view(np.dtype(f"i{x.dtype.itemsize}"))


def _scatter(xp: Any, dy: Any, found: Sequence[Window], dx: Any, chosen: Any) -> None:
    """Adds `dy` to `dx` at each tap where `chosen(number, outputs, inputs)` is true."""
    spare = xp.empty_like(dy)
    for number, outputs, inputs in _taps(found):
        part = spare[outputs]
        mask = chosen(number, outputs, inputs)
        xp.multiply(_bits(xp, dy[outputs]), mask.view(np.int8), out=_bits(xp, part))
        target = dx[inputs]
        xp.add(target, part, out=target)


def _gather(xp: Any, grad: Any, found: Sequence[Window], x: Any, y: Any, out: Any) -> None:
    """Fills `out` with `grad` at the first tap of each window at which `x` equals its output, `y`."""
    out.fill(0)
    spare = xp.empty_like(out)
    done = xp.zeros(y.shape, bool)
    for _, outputs, inputs in _taps(found):
        part, before = spare[outputs], done[outputs]
        equal = x[inputs] == y[outputs]
        mask = equal > before
        xp.logical_or(before, equal, out=before)
        xp.multiply(_bits(xp, grad[inputs]), mask.view(np.int8), out=_bits(xp, part))
        target = _bits(xp, out[outputs])
        xp.bitwise_or(target, _bits(xp, part), out=target)


# -- with indices --------------------------------------------------------------------------------------------


def _flat_index(xp: Any, winner: Any, found: Sequence[Window], channels: int, batch: bool) -> Any:
    """Tap numbers as positions in the flattened image, or in the flattened batch."""
    vertical, horizontal = found
    tap_rows, tap_columns = np.divmod(np.arange(vertical.size * horizontal.size), horizontal.size)
    table = (tap_rows * horizontal.input + tap_columns) * channels
    rows = np.arange(vertical.output) * vertical.stride - vertical.before
    columns = np.arange(horizontal.output) * horizontal.stride - horizontal.before
    corner = (rows[:, None] * horizontal.input + columns) * channels
    index = xp.asarray(table)[winner]
    index += xp.asarray(corner[..., None] + np.arange(channels))
    if batch:
        step = vertical.input * horizontal.input * channels
        index += xp.arange(len(winner)).reshape(-1, 1, 1, 1) * step
    return index


def max_pool_with_argmax(
    xp: Any,
    input: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    Targmax: Any = np.int64,
    include_batch_in_index: bool = False,
) -> tuple[Any, Any]:
    """`MaxPoolWithArgmax`: the largest value of each window and where it was, as a flat index."""
    found = plan("MaxPoolWithArgmax", input.shape, tuple(ksize), tuple(strides), padding, (), "NHWC")
    images, channels = input.shape[0], input.shape[-1]
    shape = (images, *(window.output for window in found), channels)
    out, winner = xp.empty(shape, input.dtype), xp.empty(shape, _small(found))
    groups = pieces(xp, images, input[:1].nbytes)

    def task(number: int) -> None:
        out[groups[number]], winner[groups[number]] = argmax(xp, input[groups[number]], found)

    if out.size:
        run(xp, len(groups), task)
    index = _flat_index(xp, winner, found, channels, include_batch_in_index)
    return out, index.astype(getattr(Targmax, "as_numpy_dtype", Targmax))


def _check_argmax(op: str, index: Any, input: Sequence[int], batch: bool) -> int:
    """The number of values that indices count through."""
    limit = int(np.prod(input)) if batch else int(np.prod(input[1:]))
    # Elsewhere than on the CPU, looking would make the host wait; TensorFlow's GPUs do not look either.
    if isinstance(index, np.ndarray) and index.size and (int(index.min()) < 0 or int(index.max()) >= limit):
        raise invalid(f"{op}: Invalid argmax: an index is outside [0, {limit})")
    return limit


def _absolute(xp: Any, index: Any, limit: int, batch: bool) -> Any:
    """Indices into the flattened batch."""
    if batch:
        return index
    return index + xp.arange(len(index)).reshape(-1, *(1,) * (index.ndim - 1)) * limit


def max_pool_grad_with_argmax(
    xp: Any,
    input: Any,
    grad: Any,
    argmax: Any,
    *,
    ksize: Sequence[int] = (),
    strides: Sequence[int] = (),
    padding: str = "VALID",
    include_batch_in_index: bool = False,
) -> Any:
    """`MaxPoolGradWithArgmax`: the gradient brought back to where the maxima were."""
    if grad.shape != argmax.shape:
        raise invalid(
            f"MaxPoolGradWithArgmax: Expected grad shape to be {list(argmax.shape)}, but got {list(grad.shape)}"
        )
    limit = _check_argmax("MaxPoolGradWithArgmax", argmax, input.shape, include_batch_in_index)
    dx = xp.zeros(input.shape, grad.dtype)
    xp.add.at(dx.reshape(-1), _absolute(xp, argmax, limit, include_batch_in_index).reshape(-1), grad.reshape(-1))
    return dx


def max_pool_grad_grad_with_argmax(
    xp: Any,
    input: Any,
    grad: Any,
    argmax: Any,
    *,
    ksize: Sequence[int] = (),
    strides: Sequence[int] = (),
    padding: str = "VALID",
    include_batch_in_index: bool = False,
) -> Any:
    """`MaxPoolGradGradWithArgmax`: `grad`, shaped as the input, looked up where the maxima were."""
    limit = _check_argmax("MaxPoolGradGradWithArgmax", argmax, input.shape, include_batch_in_index)
    return grad.reshape(-1)[_absolute(xp, argmax, limit, include_batch_in_index)]


# -- gradients of MaxPool and MaxPool3D ----------------------------------------------------------------------


def _gradient(
    op: str,
    xp: Any,
    x: Any,
    y: Any,
    grad: Any,
    attrs: tuple[Sequence[int], Sequence[int], str, Sequence[int], str],
    second: bool,
) -> Any:
    ksize, strides, padding, explicit, data_format = attrs
    found = plan(op, x.shape, tuple(ksize), tuple(strides), padding, tuple(explicit), data_format)
    first = is_channels_first(data_format)
    if first:
        x, y, grad = (channels_last(xp, array) for array in (x, y, grad))
    pooled = (x.shape[0], *(window.output for window in found), x.shape[-1])
    for name, array, wanted in (("orig_output", y, pooled), ("grad", grad, x.shape if second else pooled)):
        if array.shape != wanted:
            raise invalid(f"{op}: Expected {name} shape to be {list(wanted)}, but got {list(array.shape)}")
    made = pool_compiled.max_pool_grad(xp, x, grad, found) if op == "MaxPoolGrad" else None
    if made is not None:
        return channels_first(xp, made) if first else made
    out = xp.empty(pooled, grad.dtype) if second else xp.zeros(x.shape, grad.dtype)
    shared = op == "MaxPool3DGrad"
    groups = pieces(xp, len(x), x[:1].nbytes)

    def task(number: int) -> None:
        images = groups[number]
        block, result, gradient = x[images], out[images], grad[images]
        if shared:
            top = y[images]
            _scatter(xp, gradient, found, result, lambda _, outputs, inputs: block[inputs] == top[outputs])
            return
        if second:
            _gather(xp, gradient, found, block, y[images], result)
            return
        _, winner = argmax(xp, block, found)
        _scatter(xp, gradient, found, result, lambda number, outputs, _: winner[outputs] == number)

    if out.size and grad.size:
        run(xp, len(groups), task)
    return channels_first(xp, out) if first else out


def max_pool_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
    data_format: str = "NHWC",
) -> Any:
    """`MaxPoolGrad`: each window's gradient goes to the first of its largest inputs."""
    attrs = (ksize, strides, padding, explicit_paddings, data_format)
    return _gradient("MaxPoolGrad", xp, orig_input, orig_output, grad, attrs, second=False)


def max_pool_grad_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NHWC",
) -> Any:
    """`MaxPoolGradGrad`: `grad`, shaped as the input, at the first input of each window that equals its output."""
    attrs = (ksize, strides, padding, (), data_format)
    return _gradient("MaxPoolGradGrad", xp, orig_input, orig_output, grad, attrs, second=True)


def max_pool3d_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """`MaxPool3DGrad`: each window's gradient goes to *every* input that equals its output."""
    attrs = (ksize, strides, padding, (), data_format)
    return _gradient("MaxPool3DGrad", xp, orig_input, orig_output, grad, attrs, second=False)


def max_pool3d_grad_grad(
    xp: Any,
    orig_input: Any,
    orig_output: Any,
    grad: Any,
    *,
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    data_format: str = "NDHWC",
) -> Any:
    """`MaxPool3DGradGrad`: `grad`, shaped as the input, at the first input of each window that equals its output."""
    attrs = (ksize, strides, padding, (), data_format)
    return _gradient("MaxPool3DGradGrad", xp, orig_input, orig_output, grad, attrs, second=True)
