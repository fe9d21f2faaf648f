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


def normalised(op: str, xp: Any, rows: Array) -> Array | None:
    """`softmax` or `log_softmax` (`op`) of each row."""
    loops = _kernel(xp, rows, op)
    if loops is None:
        return None
    out = np.empty_like(rows)
    parts = pieces(np, len(rows), rows[:1].nbytes, COMPILED_BYTES // 2)
    run(np, len(parts), lambda number: loops(rows[parts[number]], out[parts[number]]))
    return out


def cross_entropy(xp: Any, logits: Array, labels: Array) -> tuple[Array, Array] | None:
    """Loss of each row and its gradient; `labels` are distributions, shaped as `logits`, or class numbers in range."""
    if labels.ndim == 2:
        loops = _kernel(xp, logits, "cross_entropy") if xp is np and native(labels) == "f4" else None
    elif labels.dtype.char in "il" and labels.dtype.isnative and labels.flags.c_contiguous:
        loops = _kernel(xp, logits, "sparse_cross_entropy", f"i{labels.dtype.itemsize}")
    else:
        loops = None
    if loops is None:
        return None
    loss, gradient = np.empty(len(logits), logits.dtype), np.empty_like(logits)
    parts = pieces(np, len(logits), logits[:1].nbytes, COMPILED_BYTES // 2)

    def task(number: int) -> None:
        part = parts[number]
        loops(logits[part], labels[part], loss[part], gradient[part])

    run(np, len(parts), task)
    return loss, gradient
