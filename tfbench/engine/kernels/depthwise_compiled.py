"""Depthwise convolutions as machine code, once it is there (`compiled.tier`, `compiled.loops_depthwise`).

Arrays are channels last. Each function returns None where NumPy has to do it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels.blocks import COMPILED_BYTES, pieces, run
from tfbench.engine.kernels.geometry import Window

Array = Any

#: arrays that NumPy goes over for each tap: a product, then its addition
_PASSES = 6
#: of how many parts a filter's gradient is the sum, at most
_PARTS = 8


def _kernel(maker: str, rest: tuple[Any, ...], work: int, *arrays: Array) -> Any:
    kinds = {native(array) for array in arrays}
    (kind,) = kinds if len(kinds) == 1 else (None,)
    if kind is None or not all(array.size for array in arrays):
        return None
    return tier.kernel("loops_depthwise", maker, kind, *rest).ready(work)


def _numbers(found: Sequence[Window]) -> list[int]:
    return [number for axis in found for number in (axis.before, axis.size, axis.stride, axis.dilation)]


def _lines(images: Array) -> Array:
    return images.reshape(*images.shape[:2], -1)


def _by_rows(multiplier: int, found: Sequence[Window]) -> bool:
    """Whether a tap meets neighbours all along a row."""
    return multiplier == found[0].stride == found[1].stride == 1


def _repeated(filter: Array, pixels: int) -> Array:
    """The filter for each pixel of a row."""
    return np.tile(filter.reshape(*filter.shape[:2], -1), (1, 1, pixels))


def _correlation(maker: str, source: Array, filter: Array, found: Sequence[Window], shape: Sequence[int]) -> Any:
    """`forward`, `input_gradient` or `rows_forward`: from `source` to an array of `shape`."""
    multiplier, by_rows = filter.shape[3], maker.startswith("rows")
    work = _PASSES * source.nbytes * found[0].size * found[1].size
    loops = _kernel(maker, () if by_rows else (multiplier,), work, source, filter)
    if loops is None or 0 in shape:
        return None
    out = np.empty(tuple(shape), source.dtype)
    lines, target, numbers = _lines(source), _lines(out), _numbers(found)
    weights = _repeated(filter, shape[2]) if by_rows else filter.reshape(*filter.shape[:2], -1)
    if by_rows:
        numbers = [shape[3], *numbers]
    parts = pieces(np, len(out), out[:1].nbytes, COMPILED_BYTES // 4)
    run(np, len(parts), lambda part: loops(lines[parts[part]], weights, target[parts[part]], *numbers))
    return out


def forward(x: Array, filter: Array, found: Sequence[Window]) -> Array | None:
    """The convolution of `x` with a filter `(kh, kw, channels, multiplier)`."""
    channels, multiplier = filter.shape[2:]
    shape = (len(x), *(window.output for window in found), channels * multiplier)
    maker = "rows_forward" if _by_rows(multiplier, found) else "forward"
    return _correlation(maker, x, filter, found, shape)


def input_gradient(dy: Array, filter: Array, found: Sequence[Window]) -> Array | None:
    """The gradient with respect to the images."""
    channels, multiplier = filter.shape[2:]
    shape = (len(dy), *(window.input for window in found), channels)
    if not _by_rows(multiplier, found):
        return _correlation("input_gradient", dy, filter, found, shape)
    windows = [window.turned() for window in found]
    return _correlation("rows_forward", dy, np.ascontiguousarray(filter[::-1, ::-1]), windows, shape)


def filter_gradient(x: Array, dy: Array, sizes: Sequence[int], found: Sequence[Window]) -> Array | None:
    """The gradient with respect to the filter, of shape `sizes`."""
    height, width, channels, multiplier = sizes
    by_rows = _by_rows(multiplier, found)
    maker, rest = ("rows_filter_gradient", ()) if by_rows else ("filter_gradient", (multiplier,))
    loops = _kernel(maker, rest, _PASSES * x.nbytes * height * width, x, dy)
    if loops is None:
        return None
    count, pixels = min(_PARTS, len(x)), dy.shape[2] if by_rows else 1
    sums = np.zeros((count, height, width, pixels * channels * multiplier), x.dtype)
    lines, slopes, numbers = _lines(x), _lines(dy), _numbers(found)
    if by_rows:
        numbers = [channels, *numbers]

    def task(number: int) -> None:
        part = slice(number * len(x) // count, (number + 1) * len(x) // count)
        loops(lines[part], slopes[part], sums[number], *numbers)

    run(np, count, task)
    return sums.reshape(count, height, width, pixels, -1).sum(axis=(0, 3)).reshape(tuple(sizes))
