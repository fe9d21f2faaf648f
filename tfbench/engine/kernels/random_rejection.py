"""Gamma and Poisson numbers, bit for bit those of TensorFlow's CPU kernels.

Every number has 256 counters of the stream to itself, since nobody knows how many it will need. Uniform and
normal numbers come two to a counter and are used last one first; the second is kept for the next time.
All numbers that are not accepted yet take their next step together. Computed in float64, whatever the type.
NumPy only: these ops have no GPU kernel.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine.compiled.random_constants import RESERVED
from tfbench.engine.kernels.philox import BLOCK, Lanes, PhiloxStream
from tfbench.engine.kernels.random_fill import normal_float64, unit_float64
from tfbench.engine.kernels.random_math import Scratch, libm, power

_MANY = BLOCK  # numbers worked on together


class _Sources:
    """Where each of a block of numbers is in its own part of the stream."""

    def __init__(self, start: PhiloxStream, first: int, size: int) -> None:
        self._counter = start.counter + first * RESERVED
        self._span = size * RESERVED
        self._base = np.arange(0, self._span, RESERVED, dtype=np.uint64)
        self._lanes = Lanes(np, start.key, size)
        self._scratch = Scratch(np, 1)
        self._spare = np.empty((2, size))
        self._has_spare = np.zeros((2, size), np.bool_)

    def uniforms(self, rows: Any) -> Any:
        """The next uniform number of each of these rows."""
        return self._take(0, rows)

    def normals(self, rows: Any) -> Any:
        """The next normal number of each of these rows."""
        return self._take(1, rows)

    def _take(self, kind: int, rows: Any) -> Any:
        spare, has = self._spare[kind], self._has_spare[kind]
        made = spare[rows]
        kept = has[rows]
        has[rows] = False
        empty = np.flatnonzero(~kept)
        if empty.size:
            fresh = rows[empty]
            even, odd = self._lanes.words(self._counter, self._base[fresh], self._span)
            self._base[fresh] += np.uint64(1)
            pair = np.empty((empty.size, 2))
            if kind:
                normal_float64(np, even, odd, pair, self._scratch)
            else:
                pair.T[...] = unit_float64(np, even, odd)
            spare[fresh] = pair[:, 0]
            has[fresh] = True
            made[empty] = pair[:, 1]
        return made


def gamma(stream: PhiloxStream, shape: tuple[int, ...], alpha: Any) -> Any:
    """`shape` numbers of each of the gamma distributions `alpha` (scale 1), as an array of shape + alpha.shape."""
    return _each(stream, shape, alpha, alpha.dtype, _gamma)


def poisson(stream: PhiloxStream, shape: tuple[int, ...], rate: Any, dtype: Any) -> Any:
    """`shape` numbers of each of the Poisson distributions `rate`, as an array of shape + rate.shape.

    ValueError for an infinite or undefined rate (TensorFlow does not come back from one).
    """
    if not np.isfinite(rate).all():
        raise ValueError("The rate of a Poisson distribution must be finite.")
    return _each(stream, shape, rate, np.dtype(dtype), _poisson)


def _each(stream: PhiloxStream, shape: tuple[int, ...], parameters: Any, dtype: Any, draw: Any) -> Any:
    """Numbers are counted parameter by parameter, but stored sample by sample."""
    samples = math.prod(shape)
    flat = parameters.reshape(-1).astype(np.float64)
    size = samples * flat.size
    start = stream.reserve(size * RESERVED)
    made = np.empty(size)
    for first in range(0, size, _MANY):
        last = min(first + _MANY, size)
        made[first:last] = draw(_Sources(start, first, last - first), flat[np.arange(first, last) // samples], dtype)
    typed = _rounded(made, dtype)
    return np.ascontiguousarray(typed.reshape(flat.size, samples).T).reshape(shape + parameters.shape)


def _rounded(numbers: Any, dtype: Any) -> Any:
    """float64 in another type as TensorFlow's kernels round it: 16 bits by way of 32, no denormal float32."""
    if dtype == np.float64 or dtype.kind == "i":
        return numbers.astype(dtype)
    with np.errstate(over="ignore", under="ignore"):
        single = _flushed(numbers.astype(np.float32))
        return single.astype(dtype, copy=False)


def _flushed(numbers: Any) -> Any:
    """Zero for what is too small for a normal number: TensorFlow runs its kernels with denormals switched off."""
    numbers[np.abs(numbers) < np.finfo(numbers.dtype).tiny] = 0.0
    return numbers


def _gamma(sources: _Sources, alpha: Any, dtype: Any) -> Any:
    """Marsaglia and Tsang: the cube of a shifted normal number; below 1, a gamma of alpha + 1 is scaled down."""
    made = np.empty(alpha.size)
    exponential = np.flatnonzero(alpha == 1.0)
    made[exponential] = -libm("log1p", -sources.uniforms(exponential))
    small = alpha < 1.0
    with np.errstate(invalid="ignore", divide="ignore", over="ignore", under="ignore"):
        shift = alpha + np.where(small, 2.0 / 3, -1.0 / 3)
        scale = 1.0 / 3 / np.sqrt(shift)
        rows = np.flatnonzero(alpha != 1.0)
        while rows.size:
            x = sources.normals(rows)
            v = 1 + scale[rows] * x
            usable = ~(v <= 0)
            x, v, tried = x[usable], v[usable], rows[usable]
            v = v * v * v
            u = sources.uniforms(tried)
            d = shift[tried]
            accepted = u < 1 - 0.0331 * (x * x) * (x * x)
            doubtful = np.flatnonzero(~accepted)
            x_, v_, d_ = x[doubtful], v[doubtful], d[doubtful]
            bound = 0.5 * x_ * x_ + d_ * (1 - v_ + libm("log", v_))
            accepted[doubtful] = libm("log", u[doubtful]) < bound
            done = tried[accepted]
            made[done] = d[accepted] * v[accepted]
            scaled = done[small[done]]
            shrunk = _flushed(power(sources.uniforms(scaled), 1 / alpha[scaled]))
            made[scaled] = _flushed(made[scaled] * shrunk)
            unfinished = np.ones(rows.size, np.bool_)
            unfinished[np.flatnonzero(usable)[accepted]] = False
            rows = rows[unfinished]
    return made


def _poisson(sources: _Sources, rate: Any, dtype: Any) -> Any:
    made = np.empty(rate.size)
    highest = float(np.finfo(dtype).max if dtype.kind == "f" else np.iinfo(dtype).max)
    _count_events(sources, rate, np.flatnonzero(rate < 10.0), made)
    _transformed_rejection(sources, rate, np.flatnonzero(rate >= 10.0), made, highest)
    return made


def _count_events(sources: _Sources, rate: Any, rows: Any, made: Any) -> None:
    """Knuth: how many uniform numbers can be multiplied before the product falls to exp(-rate)."""
    made[rows] = 0.0
    product = np.ones(rows.size)
    with np.errstate(over="ignore"):
        limit = libm("exp", -rate[rows])
    while rows.size:
        product *= sources.uniforms(rows)
        more = ~(product <= limit)
        rows, product, limit = rows[more], product[more], limit[more]
        made[rows] += 1.0


def _transformed_rejection(sources: _Sources, rate: Any, rows: Any, made: Any, highest: float) -> None:
    """Hörmann: a candidate from a simple distribution that lies over the Poisson distribution."""
    while rows.size:
        lam = rate[rows]
        b = 0.931 + 2.53 * np.sqrt(lam)
        a = -0.059 + 0.02483 * b
        u = sources.uniforms(rows) - 0.5
        v = sources.uniforms(rows)
        shifted = 0.5 - np.abs(u)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            k = np.floor((2 * a / shifted + b) * u + lam + 0.43)
        fits = ~(k > highest)
        accepted = fits & (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        doubtful = np.flatnonzero(fits & ~accepted & ~((k < 0) | ((shifted < 0.013) & (v > shifted))))
        if doubtful.size:
            k_, lam_, b_, a_ = k[doubtful], lam[doubtful], b[doubtful], a[doubtful]
            near = shifted[doubtful]
            inverse = 1.1239 + 1.1328 / (b_ - 3.4)
            with np.errstate(divide="ignore"):
                s = libm("log", v[doubtful] * inverse / (a_ / (near * near) + b_))
            accepted[doubtful] = s <= -lam_ + k_ * libm("log", lam_) - _log_factorial(k_)
        made[rows[accepted]] = k[accepted]
        rows = rows[~accepted]


_log_factorials: list[Any] = []  # of the numbers up to 256, as one array, made when first needed


def _log_factorial(k: Any) -> Any:
    """ln(k!) of whole numbers: from a table, or by Stirling's series where that is exact to the last bits."""
    if not _log_factorials:
        _log_factorials.append(np.array([math.lgamma(i + 1.0) for i in range(257)]))
    (table,) = _log_factorials
    n = np.maximum(k, float(table.size))
    series = (n + 0.5) * np.log(n) - n + 0.5 * math.log(2 * math.pi) + (1 - 1 / (30 * n * n)) / (12 * n)
    return np.where(k < table.size, table[np.minimum(k, table.size - 1).astype(np.intp)], series)
