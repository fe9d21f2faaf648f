"""Softmax and cross entropies of float32 as machine code, once it is there (`compiled.tier`, `compiled.loops_softmax`).

Each function returns None where NumPy has to do it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native
from tfbench.engine.kernels.blocks import COMPILED_BYTES, pieces, run

Array = Any

_PASSES = 8  # NumPy's over the logits, an exponential included


def _kernel(xp: Any, x: Array, maker: str, *parameters: str) -> Any:
    if xp is not np or native(x) != "f4" or not x.size:
        return None
    return tier.kernel("loops_softmax", maker, *parameters).ready(_PASSES * x.nbytes)


def _over_rows(loops: Any, rows: tuple[Array, ...], *more: Array) -> None:
    """`loops` of arrays that have as many rows, piece by piece, and of what the pieces share."""
    first = rows[0]
    if first.nbytes <= COMPILED_BYTES // 2:
        loops(*rows, *more)
        return
    parts = pieces(np, len(first), first[:1].nbytes, COMPILED_BYTES // 2)
    run(np, len(parts), lambda number: loops(*[array[parts[number]] for array in rows], *more))


def normalised(op: str, xp: Any, rows: Array) -> Array | None:
    """`softmax` or `log_softmax` (`op`) of each row."""
    loops = _kernel(xp, rows, op)
    if loops is None:
        return None
    out = np.empty_like(rows)
    _over_rows(loops, (rows, out))
    return out


def cross_entropy(xp: Any, logits: Array, labels: Array) -> tuple[Array, Array] | None:
    """Loss of each row and its gradient; `labels` are distributions, shaped as `logits`."""
    loops = _kernel(xp, logits, "cross_entropy") if xp is np and native(labels) == "f4" else None
    if loops is None:
        return None
    loss, gradient = np.empty(len(logits), np.float32), np.empty_like(logits)
    _over_rows(loops, (logits, labels, loss, gradient))
    return loss, gradient


def sparse_cross_entropy(xp: Any, logits: Array, labels: Array) -> tuple[Array, Array] | None:
    """The same for labels that are class numbers, one a row; None, too, if one is no class."""
    if labels.dtype.char not in "il" or not labels.dtype.isnative or not labels.flags.c_contiguous:
        return None
    loops = _kernel(xp, logits, "sparse_cross_entropy", f"i{labels.dtype.itemsize}")
    if loops is None:
        return None
    loss, gradient, outside = np.empty(len(logits), np.float32), np.empty_like(logits), np.zeros(1, np.int64)
    _over_rows(loops, (logits, labels, loss, gradient), outside)
    return None if outside[0] else (loss, gradient)
