"""Local response normalisation as machine code, once it is there (`compiled.tier`, `compiled.loops_lrn`).

Each function takes `(rows, channels)` and returns None where NumPy has to do it: for other types, powers and reaches.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels.blocks import COMPILED_BYTES, pieces, run

Array = Any

_TILE = 2_048  # values: three such arrays stay in a core's first cache
_FURTHEST = 16  # how far a window may reach: it is unrolled
_FOURTHS = {0.5: 2, 0.75: 3, 1.0: 4}


def _kernel(maker: str, xp: Any, radius: int, beta: float, *arrays: Array) -> Any:
    x = arrays[0]
    kind = native(x) if xp is np else None
    if kind is None or beta not in _FOURTHS or radius > _FURTHEST or not x.size:
        return None
    if any(native(array) != kind for array in arrays):
        return None
    return tier.kernel("loops_lrn", maker, kind, radius, _FOURTHS[beta]).ready(10 * len(arrays) * x.nbytes)


def _scratch(count: int, x: Array, radius: int) -> Array:
    """Zeros for a tile of rows, in `count` arrays."""
    pitch = x.shape[1] + 2 * radius
    return np.zeros((count, pitch * max(1, min(len(x), _TILE // pitch))), x.dtype)


def lrn(xp: Any, x: Array, radius: int, bias: float, alpha: float, beta: float) -> Array | None:
    """`LRN`"""
    loops = _kernel("lrn", xp, radius, beta, x)
    if loops is None:
        return None
    out = np.empty_like(x)
    parts = pieces(np, len(x), x[:1].nbytes, COMPILED_BYTES)

    def task(number: int) -> None:
        part = parts[number]
        loops(x[part], bias, alpha, *_scratch(2, x[part], radius), out[part])

    run(np, len(parts), task)
    return out


def lrn_grad(
    xp: Any, dy: Array, x: Array, y: Array, radius: int, bias: float, alpha: float, beta: float
) -> Array | None:
    """`LRNGrad`"""
    loops = _kernel("lrn_grad", xp, radius, beta, x, dy, y)
    if loops is None:
        return None
    dx = np.empty_like(x)
    parts = pieces(np, len(x), x[:1].nbytes, COMPILED_BYTES)

    def task(number: int) -> None:
        part = parts[number]
        factor = -2 * alpha * beta
        loops(dy[part], x[part], y[part], bias, alpha, factor, *_scratch(3, x[part], radius), dx[part])

    run(np, len(parts), task)
    return dx
