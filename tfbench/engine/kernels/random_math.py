"""Logarithm, sine and cosine as TensorFlow's random kernels get them: the C library's, to the last bit.

TensorFlow's CPU kernels call the C library's `logf` and `sincosf` once a number; NumPy's own float32 loops round
differently in one case out of five. glibc computes both in float64 - a table of 16 reciprocals and a cubic for the
logarithm, two short polynomials after reduction by pi/2 for sine and cosine - and rounds once. The same float64
operations over arrays give the same bits: compared with glibc for all 2**23 arguments that a random float32 can be.
The coefficients (`compiled.random_constants`) are those published with these approximations (Arm's optimized
routines).

For float64 the C library itself is asked, number by number where NumPy's loop does not agree with it; `math` calls
the library that TensorFlow would call on the same machine.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.compiled.random_constants import (
    COS1,
    COS2,
    COS3,
    COS4,
    HALF_PI,
    LN2,
    LOG0,
    LOG1,
    LOG2,
    LOG_INVERSE,
    LOG_LOGARITHM,
    LOG_START,
    SIN1,
    SIN2,
    SIN3,
    TWO_OVER_PI_24,
)  # fmt: skip
from tfbench.engine.kernels.philox import BLOCK

_LOG_SCALES = range(-126, 129)  # k for every normal float32
_LOG_FIRST = 126 << 23  # the smallest of them as an exponent

_tables: dict[int, tuple[Any, Any]] = {}  # id of the array module -> (1/c, ln(c) + k ln2) for every piece and scale


def _log_tables(xp: Any) -> tuple[Any, Any]:
    found = _tables.get(id(xp))
    if found is None:
        inverse = list(LOG_INVERSE) * len(_LOG_SCALES)
        logarithm = [log + k * LN2 for k in _LOG_SCALES for log in LOG_LOGARITHM]
        found = _tables[id(xp)] = xp.asarray(inverse), xp.asarray(logarithm)
    return found


class Scratch:
    """Rows of 8-byte numbers to compute in, so that a block costs no allocation. Each row is used as any type."""

    __slots__ = ("_rows", "size")

    def __init__(self, xp: Any, size: int) -> None:
        self.size = size
        self._rows = xp.empty((9, size), xp.float64)

    def row(self, index: int, size: int, dtype: Any) -> Any:
        """The first `size` places of a row, as this type."""
        return self._rows[index].view(dtype)[:size]


class _Kept(threading.local):
    scratch: Scratch | None = None


_kept = _Kept()


def scratch_for(xp: Any, size: int) -> Scratch:
    """Scratch space for up to `size` numbers; on NumPy the thread's own, kept from call to call."""
    if xp is not np or size > BLOCK:
        return Scratch(xp, size)
    if _kept.scratch is None:
        _kept.scratch = Scratch(np, BLOCK)
    return _kept.scratch


def log_float32(xp: Any, x: Any, scratch: Scratch) -> Any:
    """ln(x) of positive, normal float32 numbers, as glibc's logf rounds it, in place. Uses the first four rows."""
    inverse, logarithm = _log_tables(xp)
    bits = x.view(xp.uint32)
    # The piece of the table, counted from the smallest scale, and where in it.
    offset = scratch.row(0, x.size, xp.uint32)
    xp.subtract(bits, LOG_START - _LOG_FIRST, out=offset)
    piece = scratch.row(1, x.size, xp.intp)
    xp.copyto(piece, offset >> 19, casting="unsafe")
    xp.bitwise_and(offset, 0xFF800000, out=offset)
    bits -= offset
    bits += _LOG_FIRST  # now x divided by 2**k
    r, y, base = (scratch.row(row, x.size, xp.float64) for row in (2, 3, 0))
    _look_up(xp, inverse, piece, r)
    r *= x
    r -= 1.0
    _look_up(xp, logarithm, piece, base)
    base += r
    r2 = xp.multiply(r, r, out=scratch.row(1, x.size, xp.float64))
    xp.multiply(r, LOG1, out=y)
    y += LOG0
    xp.multiply(r2, LOG2, out=r)
    y += r
    y *= r2
    y += base
    xp.copyto(x, y, casting="unsafe")
    return x


def _look_up(xp: Any, table: Any, places: Any, out: Any) -> None:
    if xp is np:
        table.take(places, out=out, mode="clip")  # "clip" writes to `out` directly; no place is outside
    else:
        xp.take(table, places, out=out)


def sincos_float32(xp: Any, angle: Any, scratch: Scratch) -> tuple[Any, Any]:
    """(sin, cos) of float32 angles in [0, 120), as glibc's sincosf rounds them.

    The sines take the place of the angles, the cosines are in row 0 of the scratch space, of which seven are used.
    """
    size = angle.size
    x, x2, x3, sine, cosine, tail = (scratch.row(row, size, xp.float64) for row in range(6))
    xp.copyto(x, angle)
    xp.multiply(x, TWO_OVER_PI_24, out=tail)
    quarter = scratch.row(6, size, xp.int32)
    xp.copyto(quarter, tail, casting="unsafe")
    quarter += 0x800000
    quarter >>= 24  # how many right angles to take away: the nearest integer
    xp.multiply(quarter, HALF_PI, out=tail)
    x -= tail
    xp.multiply(x, x, out=x2)
    xp.multiply(x2, x, out=x3)
    xp.multiply(x3, SIN1, out=sine)
    sine += x
    x3 *= x2
    xp.multiply(x2, SIN3, out=tail)
    tail += SIN2
    tail *= x3
    sine += tail
    xp.multiply(x2, COS1, out=cosine)
    cosine += 1.0
    xp.multiply(x2, COS4, out=tail)
    tail += COS3
    x4 = xp.multiply(x2, x2, out=x3)
    x2 *= x4
    tail *= x2
    x4 *= COS2
    cosine += x4
    cosine += tail
    made = scratch.row(0, size, xp.float32)
    xp.copyto(angle, sine, casting="unsafe")
    xp.copyto(made, cosine, casting="unsafe")
    _turn(xp, angle, made, quarter, scratch.row(1, size, xp.int32))
    return angle, made


def _turn(xp: Any, sine: Any, cosine: Any, quarter: Any, mask: Any) -> None:
    """Sine and cosine become those of an angle larger by `quarter` right angles: swapped and negated, by their bits."""
    sine, cosine = sine.view(xp.int32), cosine.view(xp.int32)
    odd = xp.negative(quarter & 1)  # all ones where the two change places
    xp.bitwise_xor(sine, cosine, out=mask)
    mask &= odd
    sine ^= mask
    cosine ^= mask
    xp.bitwise_and(quarter, 2, out=mask)
    mask <<= 30
    sine ^= mask
    quarter += 1
    xp.bitwise_and(quarter, 2, out=mask)
    mask <<= 30
    cosine ^= mask


_exact: dict[str, bool] = {}  # function -> whether NumPy's float64 loop gives the C library's bits


def libm(name: str, x: Any) -> Any:
    """`log`, `log1p`, `exp`, `sin` or `cos` of a float64 NumPy array, by the C library."""
    loop: Callable[[Any], Any] = getattr(np, name)
    one: Callable[[float], float] = getattr(math, name)
    if name not in _exact:
        # A loop with another algorithm differs in one case out of a few hundred; this sample would show some ten.
        sample = (np.arange(4096.0) + 0.5) * (6.25 / 4096)
        _exact[name] = loop(sample).tolist() == [one(value) for value in sample.tolist()]
    if _exact[name]:
        return loop(x)
    special = ~((x > 0.0) & (x < 700.0)) if name != "log1p" else ~(x > -1.0)
    if special.any():
        # What `math` raises an error for is the same number everywhere: let NumPy find it.
        return np.where(special, loop(x), libm(name, np.where(special, 1.0, x)))
    flat = x.reshape(-1)
    return np.fromiter(map(one, flat.tolist()), np.float64, flat.size).reshape(x.shape)


def power(base: Any, exponent: Any) -> Any:
    """base ** exponent of float64 NumPy arrays with bases in [0, 1), by the C library."""
    made = np.power(base, exponent)
    exact = np.flatnonzero(np.isfinite(exponent) & (base > 0.0) & (exponent > 0.0))
    made[exact] = list(map(math.pow, base[exact].tolist(), exponent[exact].tolist()))
    return made


def log_float64(xp: Any, x: Any) -> Any:
    """ln(x) of float64; on NumPy with the C library's bits."""
    return libm("log", x) if xp is np else xp.log(x)


def sincos_float64(xp: Any, angle: Any) -> tuple[Any, Any]:
    """(sin, cos) of float64; on NumPy with the C library's bits."""
    return (libm("sin", angle), libm("cos", angle)) if xp is np else (xp.sin(angle), xp.cos(angle))
