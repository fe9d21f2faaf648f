"""Normal numbers between given bounds (ParameterizedTruncatedNormal), bit for bit those of TensorFlow's CPU kernel.

Each row of the output may have a mean, deviation and bounds of its own; where all rows have the same, the output is cut
into rows of a hundred instead. How a row is drawn depends on where its bounds lie: normal numbers, uniform numbers or
exponential ones, of which those that do not fit are drawn again. Rows take counters one after another, each
beginning with a new one. TensorFlow starts anew for each part of the rows that another thread may work on; these
are the numbers that it gives on one thread. NumPy only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernels.philox import PhiloxStream
from tfbench.engine.kernels.random_fill import standard_normal, uniform
from tfbench.engine.kernels.random_math import Scratch, log_float32, log_float64

_ROW = 100  # numbers in a row where all have the same parameters
_TRIES = 1000  # rejections in a row that TensorFlow puts up with
_ENOUGH = 1.3  # deviations inside the bounds from which normal numbers are drawn


def bounded_normal(
    stream: PhiloxStream, shape: tuple[int, ...], means: Any, deviations: Any, lows: Any, highs: Any
) -> Any:
    """Numbers of the parameters' type; each parameter is a number, or has one number for each row.

    ValueError for parameters of other sizes, deviations that are not positive, and bounds without anything between.
    """
    size = math.prod(shape)
    rows, width = shape[0], math.prod(shape[1:])
    if means.size == 1 and deviations.size == 1 and lows.ndim == 0 and highs.ndim == 0:
        rows, width = -(-size // _ROW), _ROW
    else:
        for name, values in (("means", means), ("stddevs", deviations), ("minvals", lows), ("maxvals", highs)):
            if values.size not in (1, rows):
                raise ValueError(f"Input {name} should have length 1 or shape[0], got shape: {list(values.shape)}")
    start = stream.reserve(rows * 2 * _TRIES * (width + 3) // 4)
    made = np.empty(size, means.dtype)
    parameters = [np.broadcast_to(values.reshape(-1), (rows,)) for values in (means, deviations, lows, highs)]
    source = _Source(start, means.dtype)
    with np.errstate(all="ignore"):
        for row, (mean, deviation, low, high) in enumerate(zip(*parameters)):
            if not (deviation > 0 and low < high and (np.isfinite(low) or np.isfinite(high))):
                raise ValueError("Invalid parameters")
            part = made[row * width : (row + 1) * width]
            _fill_row(source, part, mean, deviation, low, high)
    return made.reshape(shape)


class _Source:
    """Blocks of uniform or normal numbers, a counter at a time."""

    def __init__(self, start: PhiloxStream, dtype: Any) -> None:
        self.counter = start.counter
        self.dtype = dtype
        self.width = 2 if dtype == np.float64 else 4
        self._key = start.key

    def numbers(self, make: Callable[..., Any], counters: int) -> Any:
        """What the next counters give, as (counters, width). Does not move on."""
        here = PhiloxStream.at(self._key, self.counter)
        return make(here, (counters, self.width), self.dtype)


def _fill_row(source: _Source, out: Any, mean: Any, deviation: Any, low: Any, high: Any) -> None:
    kind = source.dtype.type
    if (np.isinf(low) and low < 0) or high < mean:  # mirrored, so that a single bound is the lower one
        low, high, deviation = high, low, -deviation
    bottom, top = (low - mean) / deviation, (high - mean) / deviation
    root = np.sqrt(bottom * bottom + kind(4))
    cutoff = kind(2) * np.exp(kind(0.5) + (bottom * (bottom - root)) / kind(4)) / (bottom + root)
    enough = kind(_ENOUGH)
    if (bottom < -enough and top >= 0) or (top > enough and bottom <= 0):
        _accept(source, out, 1, lambda counters: _from_normal(source, counters, bottom, top))
    elif top - bottom < cutoff:
        _accept(source, out, 2, lambda counters: _from_uniform(source, counters, bottom, top - bottom))
    else:
        rate = (bottom + root) / kind(2)
        _accept(source, out, 1, lambda counters: _from_exponential(source, counters, bottom, top, rate))
    out *= deviation
    out += mean


def _accept(source: _Source, out: Any, step: int, draw: Callable[[int], tuple[Any, Any]]) -> None:
    """Fills `out` with the candidates that are accepted; moves on by `step` counters a group of candidates."""
    have, rejected = 0, 0
    groups = max(1, out.size // source.width)
    while have < out.size:
        candidates, good = draw(step * groups)
        places = np.flatnonzero(good)
        use = places[: out.size - have]
        out[have : have + use.size] = candidates[use]
        have += use.size
        per_group = candidates.size // groups
        done = groups if have < out.size else int(use[-1]) // per_group + 1
        source.counter += step * done
        rejected = 0 if places.size else rejected + candidates.size
        if rejected > _TRIES:
            raise errors.InternalError(
                None,
                None,
                f"TruncatedNormal rejection sampler failed to accept a sample in {rejected} tries: the bounds are too "
                "far from the mean.",
            )
        groups = max(1, (out.size - have + source.width - 1) // source.width)


def _from_normal(source: _Source, counters: int, bottom: Any, top: Any) -> tuple[Any, Any]:
    numbers = source.numbers(standard_normal, counters).reshape(-1)
    return numbers, (numbers >= bottom) & (numbers <= top)


def _from_uniform(source: _Source, counters: int, bottom: Any, span: Any) -> tuple[Any, Any]:
    kind = source.dtype.type
    pairs = source.numbers(uniform, counters).reshape(-1, 2, source.width)
    z = pairs[:, 0].reshape(-1) * span + bottom
    extra = kind(0) if bottom < 0 else bottom * bottom
    return z, pairs[:, 1].reshape(-1) <= np.exp((extra - z * z) / kind(2))


def _from_exponential(source: _Source, counters: int, bottom: Any, top: Any, rate: Any) -> tuple[Any, Any]:
    kind = source.dtype.type
    pairs = source.numbers(uniform, counters).reshape(-1, 2)
    z = -_log(pairs[:, 0]) / rate + bottom
    x = rate - z if bottom < rate else bottom - rate
    return z, (pairs[:, 1] <= np.exp(-x * x / kind(2))) & (z < top)


def _log(numbers: Any) -> Any:
    """ln of numbers in [0, 1) in their own type; minus infinity for zero."""
    if numbers.dtype == np.float64:
        made = log_float64(np, np.where(numbers > 0, numbers, 1.0))
    else:
        single = np.where(numbers > 0, numbers, 1).astype(np.float32)
        made = log_float32(np, single, Scratch(np, single.size)).astype(numbers.dtype)
    made[numbers == 0] = -np.inf
    return made
