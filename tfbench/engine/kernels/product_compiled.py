"""Products of matrices as machine code, once it is there (`compiled.tier`, `compiled.product`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.kernels import blas, threads

Array = Any

_FLOAT = np.dtype(np.float32)
Multiply = Callable[[Array, Array], Array]

#: rows of A and columns of B from which on this is faster than BLAS, whose product with a vector is good
_NARROW = 2
#: multiplications from which on, and up to which, this is faster than BLAS; and the most for a BLAS that does not know
#: the processor's widest vectors, where it never is
LEAST, _MOST, _MOST_WIDE = 4_000, 200_000_000, 20_000_000_000
#: multiplications in a stack of products from which on
_LEAST_IN_STACK = 400_000
#: multiplications that are worth several threads: below a third of a millisecond, waking the others and waiting for
#: them costs more, and on a busy machine far more
WORTH_THREADS = 16_000_000
#: more columns of tiles than there are
_ALL = 1 << 40


def product(a: Array, b: Array) -> Array | None:
    """a @ b; None if NumPy has to do it. Both may be transposed matrices."""
    turned_a, turned_b = a.strides[0] == a.itemsize, b.strides[0] == b.itemsize
    if turned_a and a.flags.c_contiguous:
        turned_a = False
    if turned_b and b.flags.c_contiguous:
        turned_b = False
    found = _find(a.T if turned_a else a, b.T if turned_b else b, turned_a, turned_b)
    return None if found is None else found[2]


def products(a: Array, b: Array) -> Array | None:
    """a @ b for stacks of as many matrices, each of which may be transposed; None if NumPy has to do it."""
    turned_a, turned_b = (not x.flags.c_contiguous and x.strides[-2] == x.itemsize for x in (a, b))
    lead, (m, k), n = a.shape[:-2], a.shape[-2:], b.shape[-1]
    work = m * n * k
    count = math.prod(lead)
    if work * count < _LEAST_IN_STACK or work > _MOST or m < _NARROW or n < _NARROW:
        return None
    if a.dtype is not _FLOAT or b.dtype is not _FLOAT or b.shape[:-1] != (*lead, k):
        return None
    stored = [x.swapaxes(-1, -2) if turned else x for x, turned in ((a, turned_a), (b, turned_b))]
    if not all(x.flags.c_contiguous for x in stored):
        return None
    run = tier.kernel("product", "products", m, n, k, int(turned_a), int(turned_b)).ready(work * count // 8)
    if run is None or (n % 4 and _width() <= 4):
        return None
    out = np.empty((*lead, m, n), np.float32)
    size = _scratch(m, n, k, turned_b)
    places = [x.ctypes.data for x in (*stored, out)]
    parts = min(count, -(-work * count // (WORTH_THREADS // 4)))

    def compute(tasks: Iterator[int]) -> None:
        scratch = threads.scratch(size).ctypes.data if size else 0
        for task in tasks:
            run(*places, task * count // parts, (task + 1) * count // parts, scratch)

    if parts == 1:
        compute(iter((0,)))
    else:
        threads.parallel(parts, compute)
    return out


def bound(turned_a: bool, turned_b: bool, otherwise: Multiply) -> Multiply:
    """The product of float32 matrices that are given as they are or `turned`; what NumPy has to do, `otherwise` does.

    It remembers the last function and the size of its result. That one sees for itself whether matrices are as the
    last ones were: asking for their shapes here would cost as much as a small product does.
    """
    last: tuple[Any, tuple[int, int]] | None = None

    def multiply(a: Array, b: Array) -> Array:
        nonlocal last
        known = last
        if known is not None:
            out = np.empty(known[1], np.float32)
            if tier.mode() != tier.OFF and not known[0](a, b, out, 0, _ALL, 0):
                return out
            last = None
        elif tier.mode() == tier.OFF:
            return otherwise(a, b)
        if a.ndim != 2 or b.ndim != 2:
            return otherwise(a, b)
        found = _find(a, b, turned_a, turned_b)
        if found is None:
            return otherwise(a, b)
        run, alone, out = found
        if alone:
            last = run.attempt, out.shape
        return out

    return multiply


def _find(a: Array, b: Array, turned_a: bool, turned_b: bool) -> tuple[Any, bool, Array] | None:
    """The function for matrices like these, whether it is called with nothing but them, and their product."""
    m, k = a.shape
    other, n = b.shape
    if turned_a:
        m, k = k, m
    if turned_b:
        other, n = n, other
    work = m * n * k
    if not LEAST <= work <= _MOST_WIDE or m < _NARROW or n < _NARROW or k != other:
        return None
    if a.dtype is not _FLOAT or b.dtype is not _FLOAT or not a.flags.c_contiguous or not b.flags.c_contiguous:
        return None
    if work > _MOST and not blas.is_narrow():
        return None
    run: Any = tier.kernel("product", "product", m, n, k, int(turned_a), int(turned_b)).ready(work // 8)
    if run is None or (n % 4 and _width() <= 4) or (work > _MOST and _width() < 16):
        return None
    several = work >= WORTH_THREADS and threads.count() > 1
    if several and _columns(n, m) < threads.count():
        return None
    out = np.empty((m, n), np.float32)
    size = _scratch(m, n, k, turned_b)
    if not several:
        run(a, b, out, 0, _ALL, threads.scratch(size).ctypes.data if size else 0)
        return run, not size and work < WORTH_THREADS, out

    def compute(tasks: Iterator[int]) -> None:
        place = threads.scratch(size).ctypes.data if size else 0
        for task in tasks:
            run(a, b, out, task, task + 1, place)

    threads.parallel(_columns(n, m), compute)
    return run, False, out


@cache
def _width() -> int:
    """Numbers in the processor's widest vector. Those of more than four can be read in parts."""
    from tfbench.engine.compiled.tiles import host  # LLVM says it, which is there when there is machine code

    return host().width


@cache
def _columns(n: int, m: int) -> int:
    from tfbench.engine.compiled.product import units

    return units(n, m)


@cache
def _scratch(m: int, n: int, k: int, turned_b: bool) -> int:
    from tfbench.engine.compiled.product import scratch

    return scratch(m, n, k, int(turned_b))
