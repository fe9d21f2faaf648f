"""How the lower incomplete gamma function P(a, x) changes with a, elementwise, in float64.

The series and the continued fraction of `special_incomplete`, each with its derivative carried along: a term that is a
product f of factors (a + k)^-1 has the derivative -f times the sum of the (a + k)^-1, and so on. Differences, which
would lose half of the digits, are not taken.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernels.special_gamma import digamma
from tfbench.engine.kernels.special_incomplete import EPSILON, TINY, gamma_factor, iterate, safe

Array = np.ndarray[Any, Any]


def igamma_slope(a: Array, x: Array) -> Array:
    """dP(a, x) / da. NaN unless a > 0 and x >= 0; 0 at x = 0 and at infinity."""
    return _slopes(a, x, relative=False)


def gamma_sample_slope(a: Array, x: Array) -> Array:
    """dx / da where P(a, x) stays as it is: how a sample of the gamma distribution moves with a (0 and inf do not)."""
    return _slopes(a, x, relative=True)


def _slopes(a: Array, x: Array, relative: bool) -> Array:
    """The slope of P, or `relative` to its slope in x, with the sign turned (whose common factor is then left out)."""
    a, x = np.broadcast_arrays(a, x)
    result = np.full(a.shape, np.nan)
    with np.errstate(all="ignore"):
        inside = (a > 0) & (x > 0) & (a < np.inf) & (x < np.inf)
        for part, compute in (((x <= 1) | (x <= a), _series), ((x > 1) & (x > a), _fraction)):
            chosen = inside & part
            some_a, some_x = a[chosen], x[chosen]
            slope = compute(some_a, some_x)
            # P = factor * …, dP/dx = factor / x
            result[chosen] = -some_x * slope if relative else gamma_factor(some_a, some_x) * slope
        result[(x == 0) & (a > 0)] = 0.0
        result[(x == np.inf) & (a > 0) & (a < np.inf)] = 0.0
        result[(a == np.inf) & (x >= 0) & (x < np.inf)] = 0.0
    return result


def _series(a: Array, x: Array) -> Array:
    """P = factor / a * S, S the sum of x^k / ((a + 1) … (a + k)): the derivative, divided by the factor."""

    def step(k: int, state: list[Array]) -> Array:
        _, total, slope, term, harmonic, a, x, outer = state
        term = term * x / (a + k)
        harmonic = harmonic + 1 / (a + k)
        change = term * harmonic
        state[1], state[2], state[3], state[4] = total + term, slope - change, term, harmonic
        state[0] = outer * state[1] + state[2]
        going: Array = (term > total * EPSILON) | (change > -slope * EPSILON)
        return going

    outer = np.log(x) - digamma(a + 1)
    one, nothing = np.ones_like(x), np.zeros_like(x)
    return iterate([outer, one, nothing, one, nothing, a, x, outer], step) / a


def _fraction(a: Array, x: Array) -> Array:
    """1 - P = factor * h, h the continued fraction: the derivative of P, divided by the factor."""

    def step(k: int, state: list[Array]) -> Array:
        _, h, c, dc, d, dd, b, a, slope, outer = state
        numerator = -k * (k - a)
        b = b + 2
        # numerator' = k, b' = -1
        below, dbelow = safe(numerator * d + b), k * d + numerator * dd - 1
        c, dc = safe(b + numerator / c), -1 + (k - numerator * dc / c) / c
        d = 1 / below
        dd = -dbelow * d * d
        # slope is that of log h: where h hardly changes, neither does it
        change = dd / d + dc / c
        h, slope = h * (d * c), slope + change
        state[1:7], state[8] = [h, c, dc, d, dd, b], slope
        state[0] = -h * (outer + slope)
        going: Array = (np.abs(d * c - 1) > 2 * EPSILON) | (np.abs(change) > EPSILON * np.abs(outer + slope))
        return going

    b = x + 1 - a
    d = 1 / safe(b)
    outer = np.log(x) - digamma(a)
    start = [-d * outer, d, np.full_like(x, 1 / TINY), np.zeros_like(x), d, d * d, b, a, d, outer]
    return iterate(start, step)
