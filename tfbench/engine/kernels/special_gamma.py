"""The gamma function's family, elementwise, in float64: its logarithm, digamma, and Hurwitz's zeta function.

Large arguments use asymptotic series, others are moved there (or to a polynomial around 2) by recurrences, negative
ones by reflection.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernels.special_erf import polynomial

Array = np.ndarray[Any, Any]

#: log(gamma(2 + d)) / d in powers of d, for |d| <= 1/2
_LGAMMA = (
    0.42278433509846713, 0.32246703342411326, -0.06735230105319814, 0.020580808427780335, -0.007385551028668096,
    0.002890510331036772, -0.0011927539120033873, 0.0005096695153484373, -0.00022315475069647703,
    9.945767440096764e-05, -4.492635166770342e-05, 2.0505584372896933e-05, -9.438454884054723e-06,
    4.3847319318293745e-06, -2.044935323180052e-06, 9.199898075671394e-07, -4.303234692956732e-07,
    2.7880013392491846e-07, -1.341570273460026e-07,
)  # fmt: skip

#: B(2k) / (2k (2k - 1)): log(gamma) beyond Stirling's formula, in powers of 1/x
_STIRLING = (
    0.08333333333333333, -0.002777777777777778, 0.0007936507936507937, -0.0005952380952380953, 0.0008417508417508417,
    -0.0019175269175269176, 0.00641025641025641, -0.029550653594771242,
)  # fmt: skip

#: B(2), B(4), …
_BERNOULLI = (
    0.16666666666666666, -0.03333333333333333, 0.023809523809523808, -0.03333333333333333, 0.07575757575757576,
    -0.2531135531135531, 1.1666666666666667, -7.092156862745098, 54.971177944862156, -529.1242424242424,
    6192.123188405797, -86580.25311355312,
)  # fmt: skip

_LARGE = 8.0


def lgamma(x: Array) -> Array:
    """The logarithm of |gamma(x)|; inf at 0, -1, -2, …"""
    result = np.full_like(x, np.inf)
    positive = (x > 0) & (x < np.inf)
    result[positive] = _lgamma_positive(x[positive])
    negative = (x < 0) & (x != np.floor(x))
    if negative.any():
        value = x[negative]
        rest = value - np.rint(value)
        result[negative] = np.log(np.pi / np.abs(value * np.sin(np.pi * rest))) - _lgamma_positive(-value)
    result[np.isnan(x)] = np.nan
    return result


def _lgamma_positive(x: Array) -> Array:
    result = np.empty_like(x)
    large = x >= _LARGE
    result[large] = stirling(x[large])
    value = x[~large]
    # Up or down to within 1/2 of 2.
    product = np.ones_like(value)
    up = np.ones_like(value)
    for _ in range(2):
        low = value < 1.5
        up = np.where(low, up * value, up)
        value = np.where(low, value + 1, value)
    for _ in range(int(_LARGE)):
        high = value > 2.5
        if not high.any():
            break
        value = np.where(high, value - 1, value)
        product = np.where(high, product * value, product)
    distance = value - 2
    result[~large] = distance * polynomial(_LGAMMA, distance) + np.log(product) - np.log(up)
    return result


def stirling(x: Array) -> Array:
    """log(gamma(x)) for x >= 8."""
    result: Array = (x - 0.5) * np.log(x) - x + 0.5 * np.log(2 * np.pi) + stirling_rest(x)
    return result


def stirling_rest(x: Array) -> Array:
    """What Stirling's formula leaves of log(gamma(x)), for x >= 8."""
    inverse = 1 / x
    return inverse * polynomial(_STIRLING, inverse * inverse)


def digamma(x: Array) -> Array:
    """The derivative of log(gamma(x)); NaN at 0, -1, -2, …"""
    with np.errstate(all="ignore"):
        negative = x <= 0
        value = np.where(negative, 1 - x, x)
        shift = np.zeros_like(value)
        for _ in range(int(_LARGE) + 2):
            low = value < _LARGE + 2
            if not low.any():
                break
            shift = np.where(low, shift + 1 / value, shift)
            value = np.where(low, value + 1, value)
        inverse = 1 / (value * value)
        series = np.zeros_like(value)
        for k in range(8, 0, -1):
            series = (series + _BERNOULLI[k - 1] / (2 * k)) * inverse
        result = np.log(value) - 0.5 / value - series - shift
        if negative.any():
            rest = x - np.rint(x)
            result = np.where(negative, result - np.pi / np.tan(np.pi * rest), result)
            result = np.where(negative & (x == np.floor(x)), np.nan, result)
            result = np.where(x == -np.inf, np.nan, result)
        return np.where(x == np.inf, np.inf, result)


def zeta(x: Array, q: Array) -> Array:
    """The sum of (q + k)^-x over k = 0, 1, …; inf at x = 1, NaN where it does not converge or is not real."""
    x, q = np.broadcast_arrays(x, q)
    with np.errstate(all="ignore"):
        whole = q == np.floor(q)
        # Poles and what is not finite have their answers below.
        power, start = np.where(np.isfinite(x), x, 2.0), np.where(np.isfinite(q) & ((q > 0) | ~whole), q, 1.0)
        below = start < 0
        terms = np.where(below, np.ceil(-start), 0.0)
        result = _euler_maclaurin(power, start + terms)
        if below.any():
            # The terms of negative numbers, mirrored: however many there are, they are two sums.
            mirrored = np.where(below, 1 - start - terms, 1.0)
            some = _euler_maclaurin(power, mirrored) - _euler_maclaurin(power, mirrored + terms)
            result = np.where(below, result + np.where(np.remainder(power, 2) == 0, some, -some), result)
        result = np.where((q < 0) & (x != np.floor(x)), np.nan, result)
        even = np.remainder(x, 2) == 0
        result = np.where((q <= 0) & whole, np.where(even, np.inf, np.nan), result)
        result = np.where(q == np.inf, 0.0, result)
        result = np.where(x == np.inf, np.where(q > 1, 0.0, np.where(q == 1, 1.0, np.inf)), result)
        result = np.where(x == 1, np.inf, result)
        return np.where((x < 1) | np.isnan(x) | np.isnan(q), np.nan, result)


def _euler_maclaurin(x: Array, q: Array) -> Array:
    """The sum for q > 0."""
    total = np.zeros_like(q)
    value = q.astype(np.float64)
    # The first terms one by one, until the rest is smooth enough.
    low = np.ones(q.shape, np.bool_)
    while True:
        low = low & (value < 12 + x / 2)
        if not low.any():
            break
        term = value**-x
        total = np.where(low, total + term, total)
        value = np.where(low, value + 1, value)
        # With a large x the rest is nothing long before it is smooth.
        low = low & (term > 1e-18 * total)
    power = value**-x
    total += power * value / (x - 1) + 0.5 * power
    factor = x * power / value
    factorial = 2.0
    for k in range(1, 13):
        total += factor * (_BERNOULLI[k - 1] / factorial)
        factor = factor * (x + 2 * k - 1) * (x + 2 * k) / (value * value)
        factorial *= (2 * k + 1) * (2 * k + 2)
    return total


def polygamma(n: Array, x: Array) -> Array:
    """The n-th derivative of digamma at x, for whole n >= 0; NaN for other n."""
    n, x = np.broadcast_arrays(n, x)
    with np.errstate(all="ignore"):
        sign = np.where(np.remainder(n, 2) == 0, -1.0, 1.0)
        result = sign * np.exp(lgamma(n + 1)) * zeta(n + 1, x)
        result = np.where(n == 0, digamma(np.where(n == 0, x, 1.0)), result)
        return np.where((n < 0) | (n != np.floor(n)) | ~np.isfinite(n), np.nan, result)
