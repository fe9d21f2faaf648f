"""Random numbers as machine code, once it is there (`compiled.tier`): NumPy's, bit for bit (`compiled.loops_random`).

Small arrays are drawn many times (a dropout layer does it in every step), so little is done here beside the call.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.random_constants import RESERVED
from tfbench.engine.kernels.blocks import aligned, run

if TYPE_CHECKING:
    from tfbench.engine.kernels.philox import PhiloxStream

_MASK64 = (1 << 64) - 1

#: Numbers in a task: worth waking another thread for, and a multiple of what the machine code makes at once.
_EASY, _HARD = 1 << 19, 1 << 17
#: Arrays of more numbers begin where a cache line does: it takes a while to see to that, and shorter to write them.
_LARGE = 1 << 16
#: Truncated normal numbers are made in multiples of this.
_LINE = 32

#: what is made and the character of its type -> the kernel, the type that it writes, what a number costs NumPy (in
#: bytes moved), and numbers in a task
_KERNELS: dict[tuple[str, str], tuple[tuple[str, ...], Any, int, int]] = {
    (what, np.dtype(dtype).char): (kernel, np.dtype(made), cost, task)
    for what, dtype, made, kernel, cost, task in (
        ("bits", np.int32, np.int32, ("fill", "bits32"), 200, _EASY),
        ("bits", np.uint32, np.int32, ("fill", "bits32"), 200, _EASY),
        ("bits", np.int64, np.int64, ("fill", "bits64"), 400, _EASY),
        ("bits", np.uint64, np.int64, ("fill", "bits64"), 400, _EASY),
        ("integers", np.int32, np.int32, ("fill", "integers32"), 200, _EASY),
        ("integers", np.int64, np.int64, ("fill", "integers64"), 400, _HARD),
        ("normal", np.float32, np.float32, ("fill", "normal32"), 500, _HARD),
        ("truncated", np.float32, np.float32, ("truncated",), 1000, _HARD),
        ("uniform", np.float32, np.float32, ("fill", "uniform32"), 200, _EASY),
        ("uniform", np.float64, np.float64, ("fill", "uniform64"), 400, _EASY),
    )
}


def numbers(what: str, stream: PhiloxStream, shape: tuple[int, ...], dtype: Any, xp: Any, *more: int) -> Any:
    """`shape` numbers of a kind, or None where NumPy has to make them; the stream moves on if they are made."""
    found = _KERNELS.get((what, dtype.char))
    size = math.prod(shape)
    if found is None or xp is not np or not size:
        return None
    kernel, kind, cost, task = found
    make = tier.kernel("loops_random", *kernel).ready(size * cost)
    if make is None:
        return None
    whole = size if what != "truncated" else -(-size // _LINE) * _LINE
    sizes = shape if whole == size else (whole,)
    out = np.empty(sizes, kind) if size <= _LARGE else aligned(sizes, kind)
    key, counter = stream.take(size * RESERVED)
    low, high = counter & _MASK64, counter >> 64
    if size <= task:
        make(out, key, low, high, 0, whole, *more)
    else:
        run(
            np,
            -(-whole // task),
            lambda part: make(out, key, low, high, part * task, min((part + 1) * task, whole), *more),
        )
    if whole != size:
        out = out[:size].reshape(shape)
    return out if kind is dtype else out.view(dtype)
