"""Histograms as TensorFlow's summaries have them: 1551 buckets, each limit a tenth larger than the one before."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from tfbench.engine.kernels import wire

_MAX = sys.float_info.max
#: values that are added up at a time: the sum is TensorFlow's to the bit, since it goes from value to value
_BLOCK = 1 << 16

_limits: Any = None


def limits() -> Any:
    """The upper limits of the buckets, ascending; a value that is a limit is in the bucket above."""
    global _limits
    if _limits is None:
        positive = []
        value = 1e-12
        while value < 1e20:
            positive.append(value)
            value *= 1.1
        positive.append(_MAX)
        _limits = np.array([-value for value in reversed(positive)] + [0.0] + positive)
    return _limits


def encode(values: Any) -> bytes:
    """The HistogramProto of finite numbers (any shape). Runs of empty buckets are one."""
    values = np.asarray(values).astype(np.float64).ravel()
    bounds = limits()
    if not values.size:
        return wire.double(1, _MAX) + wire.double(2, -_MAX) + wire.doubles(6, bounds[-1:]) + wire.doubles(7, [0.0])
    places = np.searchsorted(bounds, values, side="right")
    counts = np.bincount(np.minimum(places, len(bounds) - 1), minlength=len(bounds))
    full = counts > 0
    # Of a run of empty buckets only the last is listed, since its limit ends the run.
    kept = full.copy()
    kept[:-1] |= full[1:]
    kept[-1] = True
    return (
        # argmin: of 0.0 and -0.0 the first, as comparing one after the other finds it
        wire.double(1, values[values.argmin()])
        + wire.double(2, values[values.argmax()])
        + wire.double(3, values.size)
        + wire.double(4, _added(values))
        + wire.double(5, _added(values * values))
        + wire.doubles(6, bounds[kept])
        + wire.doubles(7, counts[kept])
    )


def _added(values: Any) -> float:
    """The sum from the first value to the last, one after the other."""
    total = 0.0
    for start in range(0, values.size, _BLOCK):
        block = values[start : start + _BLOCK]
        # cumsum goes from value to value, where sum adds up pairwise.
        total = float(np.cumsum(np.concatenate([[total], block]))[-1])
    return total
