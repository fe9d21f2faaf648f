"""Functions of single numbers as machine code, once it is there (`compiled.tier`, `compiled.loops_math`).

Only those that NumPy goes over its operands several times for, or computes slowly. NumPy does it (None is returned) for
other types, for small arrays, and until there is machine code. Threads are loaded when that is there: most programs
never need them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.layouts import native

Array = Any

#: below this many numbers NumPy's calls cost less than to look for something better
_FEWEST = 4_096
_PASSES = 5
#: up to so many numbers there is nothing to share out
_ONE_PIECE = 1 << 18


def compiled(maker: str, xp: Any, *operands: Array, single: bool = False) -> Array | None:
    """`maker` of arrays of one shape and type; `single` says that there is a form for float32 alone."""
    x = operands[0]
    if x.size < _FEWEST or xp is not np:
        return None
    kind = native(x)
    if kind is None or (single and kind != "f4"):
        return None
    if any(other.shape != x.shape or native(other) != kind for other in operands[1:]):
        return None
    parameters = () if single else (kind,)
    loops = tier.kernel("loops_math", maker, *parameters).ready(_PASSES * x.nbytes)
    if loops is None:
        return None
    flat = [operand.reshape(-1) for operand in operands]
    if x.size <= _ONE_PIECE:
        out = np.empty(x.shape, x.dtype)
        loops(*flat, out.reshape(-1))
        return out
    from tfbench.engine.kernels.blocks import COMPILED_BYTES, aligned, pieces, run

    out = aligned(x.shape, x.dtype)
    target = out.reshape(-1)
    parts = pieces(np, x.size, x.itemsize, COMPILED_BYTES)
    run(np, len(parts), lambda number: loops(*[operand[parts[number]] for operand in flat], target[parts[number]]))
    return out
