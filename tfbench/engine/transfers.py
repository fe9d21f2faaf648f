"""Copying from one device's memory to another's: what happens where an edge of the graph crosses.

What arrives is a copy, so nothing that happens to one device's array later shows on another device. Numbers that cannot
change are handed over as they are, and so are handles: what they stand for is on its own device in any case.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine import dtypes

if TYPE_CHECKING:
    from tfbench.engine.devices import DeviceSet
    from tfbench.engine.partition import Transfer

_HANDLES = frozenset({dtypes.resource, dtypes.variant})


def copier(transfer: Transfer) -> Callable[..., Any]:
    """The function that makes a transfer's copy."""
    if transfer.tensor is None:
        return nothing
    return as_it_is if transfer.tensor._dtype.base_dtype in _HANDLES else copied


def pace(devices: DeviceSet) -> Callable[[Any], float] | None:
    """How many seconds a value is under way between these devices, where that is simulated."""
    bandwidth, latency = devices.bandwidth, devices.latency or 0.0
    if bandwidth is None and not latency:
        return None
    return lambda value: latency + (getattr(value, "nbytes", 0) / bandwidth if bandwidth else 0.0)


def waiting(copy: Callable[..., Any], pace: Callable[[Any], float]) -> Callable[..., Any]:
    """A copy that takes as long as the value is under way."""

    def transfer(*values: Any) -> Any:
        began = time.perf_counter()
        result = copy(*values)
        wait_until(began + pace(result))
        return result

    return transfer


def wait_until(moment: float) -> None:
    """Sleeps until `time.perf_counter()` says so."""
    left = moment - time.perf_counter()
    if left > 0:
        time.sleep(left)


def nothing() -> None:
    """Only an empty message."""


def copied(value: Any) -> Any:
    """A value in memory of its own. Numbers (NumPy's scalars, bytes) cannot change and stay as they are."""
    return value.copy() if isinstance(value, np.ndarray) else value


def as_it_is(value: Any) -> Any:
    return value
