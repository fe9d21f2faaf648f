"""Going over an array in pieces that stay in the cache.

A kernel that passes over its input several times is bound by memory unless the passes are made piece by piece. The
pieces do not depend on the number of threads, so neither does the result. Devices other than the CPU get pieces that
are bounded by memory alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernels import threads

#: What stays in a core's second-level cache, temporaries included.
BLOCK_BYTES = 512 << 10
#: What a device may use on the side: for it, one piece is best while there is memory.
DEVICE_BYTES = 256 << 20

#: The piece of a compiled loop, which sees to the caches itself: what is worth waking another thread for.
COMPILED_BYTES = 4 << 20

#: The bytes of a cache line.
LINE = 64

#: Values on the last axis that make an innermost loop worth its set-up.
LONG = 256


def pieces(xp: Any, items: int, item_bytes: int, budget: int = 0) -> list[slice]:
    """Slices of about `budget` (default `BLOCK_BYTES`) over an axis of `items` entries of `item_bytes`."""
    size = max(1, ((budget or BLOCK_BYTES) if xp is np else DEVICE_BYTES) // max(1, item_bytes))
    count = -(-items // size)
    return [slice(part * items // count, (part + 1) * items // count) for part in range(count)]


def run(xp: Any, count: int, task: Callable[[int], None]) -> None:
    """Calls `task` for 0 … count-1: on the CPU's pool of threads, or in a row."""

    def work(numbers: Iterator[int]) -> None:
        for number in numbers:
            task(number)

    if xp is np:
        threads.parallel(count, work)
    else:
        work(iter(range(count)))


def aligned(shape: Sequence[int], dtype: Any) -> Any:
    """A new NumPy array, not filled, that begins where a cache line does.

    NumPy's begin 16 bytes further. Then every vector as long as a line crosses one, and where memory is the limit, that
    can double the time.
    """
    dtype = np.dtype(dtype)
    memory = np.empty(math.prod(shape) * dtype.itemsize + LINE, np.uint8)
    return np.ndarray(shape, dtype, memory, -memory.__array_interface__["data"][0] % LINE)


def wide(dtype: Any) -> Any:
    """The type to compute in: single precision for half."""
    return np.dtype(np.float32) if dtype == np.float16 else np.dtype(dtype)


def side_by_side(rows: int, channels: int) -> int:
    """How many rows to lay side by side for long innermost loops: a power of two that divides their number."""
    side = 1
    while channels * side < LONG and rows % (side * 2) == 0 and rows:
        side *= 2
    return side
