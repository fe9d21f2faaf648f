"""Functions of single numbers, among them exponentials in single precision that become vector instructions.

`exp` splits x into n ln 2 + r, takes a polynomial for e^r and puts n into the exponent's bits. Adding and taking away
1.5 * 2^23 rounds to a whole number and leaves it in the lowest bits, so no conversion ever sees a NaN. The
power of two is multiplied in as two halves: that gives infinities, denormal numbers and zeros where they belong. The
relative error is below 1.2e-7 for normal results. Coefficients: the Cephes library's `expf` (Moshier, 1992).

Nothing here may be compiled with flags that regroup sums or assume that there are no NaN.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tfbench.engine.compiled.sources import Loops

Array = Any

_F = np.float32
_LOG2E = _F(1.4426950408889634)
#: ln 2 as a number with few digits, whose multiples are exact, and the rest
_LN2_HIGH, _LN2_LOW = _F(0.693359375), _F(-2.12194440e-4)
_ROUNDING = _F(12582912.0)  # 1.5 * 2^23
_ROUNDING_BITS = np.int32(_ROUNDING.view(np.int32))
_LOWEST, _HIGHEST = _F(-104.0), _F(89.0)  # e^x is 0 and infinite from here on
_ONE = _F(1)
_P0, _P1, _P2 = _F(1.9875691500e-4), _F(1.3981999507e-3), _F(8.3334519073e-3)
_P3, _P4, _P5 = _F(4.1665795894e-2), _F(1.6666665459e-1), _F(5.0000001201e-1)


def _exp(x: Any) -> Any:
    """e to the power x of a float32."""
    x = _LOWEST if x < _LOWEST else x
    x = _HIGHEST if x > _HIGHEST else x
    shifted = x * _LOG2E + _ROUNDING
    whole = shifted - _ROUNDING
    r = x - whole * _LN2_HIGH
    r = r - whole * _LN2_LOW
    p = ((((_P0 * r + _P1) * r + _P2) * r + _P3) * r + _P4) * r + _P5
    p = p * (r * r) + r + _ONE
    n = np.int32(np.float32(shifted).view(np.int32) - _ROUNDING_BITS)
    half = np.int32(n >> 1)
    first = np.int32((half + 127) << 23).view(np.float32)
    second = np.int32((n - half + 127) << 23).view(np.float32)
    return p * first * second


exp32: Any = njit(fastmath={"contract"})(_exp)


def exp() -> Loops:
    """e to the power of each number of a vector."""

    def loops(x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = exp32(x[i])

    return Loops(loops, ["f4[1]", "f4[1]"], fastmath=["contract"])


def sigmoid() -> Loops:
    """1 / (1 + exp(-x))"""

    def loops(x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            out[i] = _ONE / (_ONE + exp32(-x[i]))

    return Loops(loops, ["f4[1]", "f4[1]"], fastmath=["contract"])


def relu_grad(kind: str) -> Loops:
    """dy where x is positive; multiplied, not chosen: an infinite gradient of a clipped feature is NaN."""

    def loops(dy: Array, x: Array, out: Array) -> None:
        one, zero = out.dtype.type(1), out.dtype.type(0)
        for i in range(out.shape[0]):
            out[i] = dy[i] * (one if x[i] > zero else zero)

    return Loops(loops, [f"{kind}[1]"] * 3)


def sigmoid_grad(kind: str) -> Loops:
    """dy * y * (1 - y) for y = sigmoid(x)"""

    def loops(y: Array, dy: Array, out: Array) -> None:
        one = out.dtype.type(1)
        for i in range(out.shape[0]):
            out[i] = dy[i] * y[i] * (one - y[i])

    return Loops(loops, [f"{kind}[1]"] * 3)


def tanh_grad(kind: str) -> Loops:
    """dy * (1 - y * y) for y = tanh(x)"""

    def loops(y: Array, dy: Array, out: Array) -> None:
        one = out.dtype.type(1)
        for i in range(out.shape[0]):
            out[i] = dy[i] * (one - y[i] * y[i])

    return Loops(loops, [f"{kind}[1]"] * 3)
