"""Logarithm, sine and cosine as TensorFlow's random kernels get them: the C library's, to the last bit.

TensorFlow's CPU kernels call the C library's `logf` and `sincosf` once a number; NumPy's own float32 loops round
differently in one case out of five. glibc computes both in float64 - a table of 16 reciprocals and a cubic for the
logarithm, two short polynomials after reduction by pi/2 for sine and cosine - and rounds once. The same float64
operations over arrays give the same bits: compared with glibc for all 2**23 arguments that a random float32 can be.
The numbers below are the published coefficients of these approximations (Arm's optimized routines).

For float64 the C library itself is asked, number by number where NumPy's loop does not agree with it; `math` calls
the library that TensorFlow would call on the same machine.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.kernels.philox import BLOCK

_hex = float.fromhex

# ln(x) = k ln2 + ln(c) + ln(z/c), with x = z 2**k and c the middle of one of 16 pieces of [0.699, 1.398)
_LOG_START = 0x3F330000  # the bits of the lower end
_LOG_TABLE = """
    0x1.661ec79f8f3bep+0 -0x1.57bf7808caadep-2  0x1.571ed4aaf883dp+0 -0x1.2bef0a7c06ddbp-2
    0x1.49539f0f010bp+0  -0x1.01eae7f513a67p-2  0x1.3c995b0b80385p+0 -0x1.b31d8a68224e9p-3
    0x1.30d190c8864a5p+0 -0x1.6574f0ac07758p-3  0x1.25e227b0b8eap+0  -0x1.1aa2bc79c81p-3
    0x1.1bb4a4a1a343fp+0 -0x1.a4e76ce8c0e5ep-4  0x1.12358f08ae5bap+0 -0x1.1973c5a611cccp-4
    0x1.0953f419900a7p+0 -0x1.252f438e10c1ep-5  0x1p+0                0x0p+0
    0x1.e608cfd9a47acp-1  0x1.aa5aa5df25984p-5  0x1.ca4b31f026aap-1   0x1.c5e53aa362eb4p-4
    0x1.b2036576afce6p-1  0x1.526e57720db08p-3  0x1.9c2d163a1aa2dp-1  0x1.bc2860d22477p-3
    0x1.886e6037841edp-1  0x1.1058bc8a07ee1p-2  0x1.767dcf5534862p-1  0x1.4043057b6ee09p-2
"""
_LN2 = _hex("0x1.62e42fefa39efp-1")
_LOG2, _LOG1, _LOG0 = _hex("-0x1.00ea348b88334p-2"), _hex("0x1.5575b0be00b6ap-2"), _hex("-0x1.ffffef20a4123p-2")
_LOG_SCALES = range(-126, 129)  # k for every normal float32
_LOG_FIRST = 126 << 23  # the smallest of them as an exponent

_TWO_OVER_PI_24 = _hex("0x1.45F306DC9C883p-1") * 2.0**24
_HALF_PI = _hex("0x1.921FB54442D18p0")
_COS1, _COS2 = _hex("-0x1.ffffffd0c621cp-2"), _hex("0x1.55553e1068f19p-5")
_COS3, _COS4 = _hex("-0x1.6c087e89a359dp-10"), _hex("0x1.99343027bf8c3p-16")
_SIN1, _SIN2, _SIN3 = _hex("-0x1.555545995a603p-3"), _hex("0x1.1107605230bc4p-7"), _hex("-0x1.994eb3774cf24p-13")

_tables: dict[int, tuple[Any, Any]] = {}  # id of the array module -> (1/c, ln(c) + k ln2) for every piece and scale


def _log_tables(xp: Any) -> tuple[Any, Any]:
    found = _tables.get(id(xp))
    if found is None:
        numbers = [_hex(word) for word in _LOG_TABLE.split()]
        inverse = numbers[0::2] * len(_LOG_SCALES)
        logarithm = [log + k * _LN2 for k in _LOG_SCALES for log in numbers[1::2]]
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
    xp.subtract(bits, _LOG_START - _LOG_FIRST, out=offset)
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
    xp.multiply(r, _LOG1, out=y)
    y += _LOG0
    xp.multiply(r2, _LOG2, out=r)
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
    xp.multiply(x, _TWO_OVER_PI_24, out=tail)
    quarter = scratch.row(6, size, xp.int32)
    xp.copyto(quarter, tail, casting="unsafe")
    quarter += 0x800000
    quarter >>= 24  # how many right angles to take away: the nearest integer
    xp.multiply(quarter, _HALF_PI, out=tail)
    x -= tail
    xp.multiply(x, x, out=x2)
    xp.multiply(x2, x, out=x3)
    xp.multiply(x3, _SIN1, out=sine)
    sine += x
    x3 *= x2
    xp.multiply(x2, _SIN3, out=tail)
    tail += _SIN2
    tail *= x3
    sine += tail
    xp.multiply(x2, _COS1, out=cosine)
    cosine += 1.0
    xp.multiply(x2, _COS4, out=tail)
    tail += _COS3
    x4 = xp.multiply(x2, x2, out=x3)
    x2 *= x4
    tail *= x2
    x4 *= _COS2
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
