"""The error function and its inverses, elementwise, to the last digits of float32 and float64.

Near zero erf is an odd polynomial; further out erfc is exp(-x^2) times a polynomial of a variable that maps
[0, inf) onto [-1, 1). The coefficients are Chebyshev fits made with 50-digit arithmetic. The inverses start from
a simple closed form and take Halley steps on the logarithm of erfc, so that tails are as exact as the middle.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

#: erf(x) / x in powers of x^2, for |x| <= 1
_ERF = (
    1.1283791670955126, -0.3761263890318375, 0.11283791670954882, -0.026866170645077334, 0.005223977624823223,
    -0.0008548326981129666, 0.00012055331122299266, -1.4925595519506043e-05, 1.6461004480962034e-06,
    -1.6350354461959655e-07, 1.4660051998394848e-08, -1.1373902296430911e-09, 5.958930743134941e-11,
)  # fmt: skip

#: (1 + 2x) exp(x^2) erfc(x) in powers of (x - 3.75) / (x + 3.75), for x >= 0
_ERFC = (
    1.2375126308378275, -0.14024059858554702, 0.00358541548546369, 0.08227673849015102, -0.10880393014170746,
    0.09230432116019834, -0.05869339859054762, 0.0283622774215156, -0.009746579547619623, 0.0017556258324217529,
    0.00029371359480570737, -0.00029015397928986765, 5.164940777546399e-05, 2.2383912036550678e-05,
    -1.1445049125831309e-05, -9.72849582211122e-07, 1.7534434251106334e-06, -5.826281078800777e-08,
    -2.6114702359900956e-07, 2.4289762925488707e-08, 4.0971223152703005e-08, -4.389284159986328e-09,
    -6.545560212480267e-09, 5.457157304704688e-10, 9.02214970034059e-10, -3.75315827795962e-11, -7.33950500852954e-11,
)  # fmt: skip


def polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """The sum of coefficients[k] * x^k, in the type of x."""
    result = np.full_like(x, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= x
        result += coefficient
    return result


def _scaled_tail(x: Array) -> Array:
    """exp(x^2) erfc(x) for x >= 0."""
    result: Array = polynomial(_ERFC, (x - 3.75) / (x + 3.75)) / (1 + 2 * x)
    return result


def _tail(x: Array) -> Array:
    """erfc(x) for x >= 0."""
    # x^2 in two parts: rounding it would cost digits where exp is steep.
    high = x.astype(np.float16 if x.dtype == np.float32 else np.float32).astype(x.dtype)
    result: Array = np.exp(-high * high) * np.exp((high - x) * (high + x)) * _scaled_tail(x)
    return result


def erf(x: Array) -> Array:
    """The error function of a float32 or float64 array."""
    size = np.abs(x)
    result = x * polynomial(_ERF, np.minimum(x * x, 1))
    far = size > 1
    if far.any():
        result[far] = np.copysign(1 - _tail(np.minimum(size[far], 10)), x[far])
    return result


def erfc(x: Array) -> Array:
    """1 - erf(x), exact where that is small."""
    size = np.abs(x)
    result = 1 - x * polynomial(_ERF, np.minimum(x * x, 1))
    far = size > 0.5
    if far.any():
        tail = _tail(np.minimum(size[far], 30))
        result[far] = np.where(x[far] < 0, 2 - tail, tail)
    return result


def erfcinv(p: Array) -> Array:
    """The x whose erfc is p, for a float64 array; NaN outside [0, 2]."""
    # By symmetry only the upper tail is solved for.
    upper = np.minimum(p, 2 - p)
    logarithm = np.log(upper * (2 - upper))
    middle = 2 / (np.pi * 0.147) + logarithm / 2
    x = np.sqrt(np.maximum(np.sqrt(middle * middle - logarithm / 0.147) - middle, 0))
    target = np.log(upper)
    for _ in range(3):
        scaled = _scaled_tail(x)
        difference = np.log(scaled) - x * x - target
        slope = -2 / (np.sqrt(np.pi) * scaled)
        step = difference / slope
        x = x - step / (1 - 0.5 * step * (-2 * x - slope))
    x = np.where(upper <= 0, np.where(upper == 0, np.inf, np.nan), x)
    return np.where(p > 1, -x, x)


def erfinv(x: Array) -> Array:
    """The y whose erf is x, for a float64 array; NaN outside [-1, 1]."""
    result = np.copysign(erfcinv(1 - np.abs(x)), x)
    small = np.abs(x) < 0.5
    if small.any():
        # 1 - |x| has lost the last digits of a small x: the first terms of the series, then Newton on erf itself.
        wanted = x[small]
        value = wanted * (np.sqrt(np.pi) / 2) * (1 + np.pi / 12 * wanted * wanted)
        for _ in range(3):
            value = value - (erf(value) - wanted) * np.exp(value * value) * (np.sqrt(np.pi) / 2)
        result[small] = value
    return result


def ndtri(p: Array) -> Array:
    """The quantile of the standard normal distribution, for a float64 array."""
    upper = np.minimum(p, 1 - p)
    return np.where(p == 0.5, 0.0, np.where(p < 0.5, -1, 1) * np.sqrt(2.0) * erfcinv(2 * upper))
