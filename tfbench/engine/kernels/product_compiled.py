"""Products of matrices as machine code, once it is there (`compiled.tier`, `compiled.product`)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.kernels import threads

#: columns that B has to have a multiple of: the numbers in the widest vector
_COLUMNS = 16
#: rows of A from which on, multiplications up to which this is faster than BLAS
_ROWS, _MOST = 8, 200_000_000
#: multiplications that are worth several threads: below a third of a millisecond, waking the others and waiting for
#: them costs more, and on a busy machine far more
WORTH_THREADS = 16_000_000


def product(a: Any, b: Any) -> Any:
    """a @ b; None if NumPy has to do it. `a` may be a transposed matrix."""
    (m, k), n = a.shape, b.shape[1]
    work = m * n * k
    if n % _COLUMNS or m < _ROWS or work > _MOST or a.dtype != np.float32 or b.dtype != np.float32:
        return None
    transposed = a.strides[0] == 4
    if not (a.T if transposed else a).flags.c_contiguous or not b.flags.c_contiguous:
        return None
    run = tier.kernel("product", "product", m, n, k, int(transposed)).ready(work // 8)
    if run is None:
        return None
    out = np.empty((m, n), np.float32)
    a_at, b_at, out_at = a.ctypes.data, b.ctypes.data, out.ctypes.data
    if work < WORTH_THREADS or threads.count() == 1:
        run(a_at, b_at, out_at, 0, n)
        return out
    columns = _columns(n, m)

    def compute(tasks: Iterator[int]) -> None:
        for task in tasks:
            run(a_at, b_at, out_at, task, task + 1)

    threads.parallel(columns, compute)
    return out


@cache
def _columns(n: int, m: int) -> int:
    from tfbench.engine.compiled.product import units

    return units(n, m)
