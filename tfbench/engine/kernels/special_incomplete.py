"""The incomplete gamma and beta functions, elementwise, in float64: power series where they converge fast, continued
fractions (Lentz's method) elsewhere. Elements leave the iteration when they have converged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.kernels.special_gamma import lgamma, stirling_rest

Array = np.ndarray[Any, Any]

EPSILON = 2.0**-53
TINY = 1e-300
_LIMIT = 20_000


def igamma(a: Array, x: Array) -> Array:
    """The lower incomplete gamma function, divided by gamma(a). NaN unless a > 0 and x >= 0 (a = 0: 1 for x > 0)."""
    return _incomplete(a, x, upper=False)


def igammac(a: Array, x: Array) -> Array:
    """1 - igamma(a, x), exact where that is small."""
    return _incomplete(a, x, upper=True)


def _incomplete(a: Array, x: Array, upper: bool) -> Array:
    a, x = np.broadcast_arrays(a, x)
    result = np.full(a.shape, np.nan)
    with np.errstate(all="ignore"):
        inside = (a > 0) & (x > 0) & (a < np.inf) & (x < np.inf)
        series = inside & ((x <= 1) | (x <= a))
        fraction = inside & ~series
        value = _gamma_series(a[series], x[series])
        result[series] = 1 - value if upper else value
        value = _gamma_fraction(a[fraction], x[fraction])
        result[fraction] = value if upper else 1 - value
        result[(x == 0) & (a > 0)] = 1.0 if upper else 0.0
        if not upper:
            result[(x == 0) & (a == 0)] = 0.0
        result[(x == np.inf) & (a > 0) & (a < np.inf)] = 0.0 if upper else 1.0
        result[(a == np.inf) & (x >= 0) & (x < np.inf)] = 1.0 if upper else 0.0
    return result


def gamma_factor(a: Array, x: Array) -> Array:
    """x^a exp(-x) / gamma(a)."""
    direct = np.exp(a * np.log(x) - x - lgamma(a))
    # For large a the terms are large and cancel: measure x from a instead.
    large = a >= 20
    distance = np.where(large, (x - a) / a, 0.0)
    size = np.where(large, a, 20.0)
    near = np.sqrt(size / (2 * np.pi)) * np.exp(size * (np.log1p(distance) - distance) - stirling_rest(size))
    factor: Array = np.where(large, near, direct)
    return factor


def iterate(state: list[Array], step: Callable[[int, list[Array]], Array]) -> Array:
    """Runs `step(k, state)`, which changes the state and says who has not converged, until all have; the first array
    of the state is the answer. Those that have are left out when they are a quarter: sooner, copying costs more."""
    answer = state[0].copy()
    alive = np.arange(answer.size)
    for k in range(1, _LIMIT):
        if not alive.size:
            break
        going = step(k, state)
        left = np.count_nonzero(going)
        if left <= 0.75 * going.size:
            answer[alive] = state[0]
            alive = alive[going]
            state[:] = [array[going] for array in state]
    answer[alive] = state[0]
    return answer


def _gamma_series(a: Array, x: Array) -> Array:
    def step(k: int, state: list[Array]) -> Array:
        total, term, a, x = state
        term = term * x / (a + k)
        state[0], state[1] = total + term, term
        going: Array = term > total * EPSILON
        return going

    total = iterate([np.ones_like(x), np.ones_like(x), a, x], step)
    return total * gamma_factor(a, x) / a


def _gamma_fraction(a: Array, x: Array) -> Array:
    def step(k: int, state: list[Array]) -> Array:
        h, c, d, b, a = state
        numerator = -k * (k - a)
        b = b + 2
        d = numerator * d + b
        d = 1 / np.where(np.abs(d) < TINY, TINY, d)
        c = b + numerator / c
        c = np.where(np.abs(c) < TINY, TINY, c)
        state[0], state[1], state[2], state[3] = h * (d * c), c, d, b
        going: Array = np.abs(d * c - 1) > 2 * EPSILON
        return going

    b = x + 1 - a
    d = 1 / np.where(b == 0, TINY, b)
    h = iterate([d, np.full_like(x, 1 / TINY), d, b, a], step)
    return h * gamma_factor(a, x)


def betainc(a: Array, b: Array, x: Array) -> Array:
    """The regularised incomplete beta function; NaN unless a > 0, b > 0 and 0 <= x <= 1."""
    a, b, x = np.broadcast_arrays(a, b, x)
    result = np.full(a.shape, np.nan)
    with np.errstate(all="ignore"):
        legal = (a > 0) & (b > 0) & (a < np.inf) & (b < np.inf)
        result[legal & (x == 0)] = 0.0
        result[legal & (x == 1)] = 1.0
        inside = legal & (x > 0) & (x < 1)
        a, b, x = a[inside], b[inside], x[inside]
        # The fraction converges fast on one side of the mean; the other side is its mirror image.
        swap = x > (a + 1) / (a + b + 2)
        first, second, value = np.where(swap, b, a), np.where(swap, a, b), np.where(swap, 1 - x, x)
        logarithm = np.log1p(-x), np.log(x)
        factor = np.exp(a * logarithm[1] + b * logarithm[0] + lgamma(a + b) - lgamma(a) - lgamma(b))
        part = factor * _beta_fraction(first, second, value) / first
        result[inside] = np.where(swap, 1 - part, part)
    return result


def safe(value: Array) -> Array:
    """`value`, kept away from zero: continued fractions divide by it."""
    return np.where(np.abs(value) < TINY, TINY, value)


def _beta_fraction(a: Array, b: Array, x: Array) -> Array:
    def step(k: int, state: list[Array]) -> Array:
        h, c, d, a, b, x = state
        factors = (
            k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)),
            -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1)),
        )
        change = h
        for factor in factors:
            d = 1 / safe(1 + factor * d)
            c = safe(1 + factor / c)
            change = d * c
            h = h * change
        state[0], state[1], state[2] = h, c, d
        going: Array = np.abs(change - 1) > 2 * EPSILON
        return going

    d = 1 / safe(1 - (a + b) * x / (a + 1))
    return iterate([d, np.ones_like(x), d, a, b, x], step)
