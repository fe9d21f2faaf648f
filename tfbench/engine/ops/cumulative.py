"""Running sums and products along an axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.shape_math import debug_string
from tfbench.engine.tensor import Tensor

__all__ = ["cumprod", "cumsum"]

_ATTRS = "exclusive: bool = false; reverse: bool = false; T: {types}; Tidx: indextype = int32"


def _shape(node: Operation, x: Any, axis: Any) -> Any:
    return [x]


def _scan(type: str, types: str, accumulate: Callable[[Any, Any, int], Any], neutral: float, doc: str) -> OpDef:
    """Declares a scan: `accumulate(xp, x, axis)` runs forwards and includes each element itself."""
    opdef = op(type, "x: T, axis: Tidx", "out: T", _ATTRS.format(types=types), fresh=True, doc=doc)
    opdef.shape(_shape)

    @opdef.kernel(CPU, GPU)
    def kernel(xp: Any, x: Any, axis: Any, *, exclusive: bool, reverse: bool) -> Any:
        if axis.ndim:
            raise invalid(f"ScanOp: axis must be a scalar, not {debug_string(axis.shape)}")
        at, rank = int(axis), x.ndim
        if not -rank <= at < rank:
            raise invalid(f"ScanOp: Expected scan axis in the range [{-rank}, {rank}), but got {at}")
        value = xp.flip(x, at) if reverse else x
        result = accumulate(xp, value, at)
        if exclusive:
            # Everything moves one place on; the first is the sum (or product) of nothing.
            moved = xp.full_like(result, neutral)
            keep: list[Any] = [slice(None)] * rank
            fill: list[Any] = [slice(None)] * rank
            keep[at], fill[at] = slice(None, -1), slice(1, None)
            moved[tuple(fill)] = result[tuple(keep)]
            result = moved
        return xp.ascontiguousarray(xp.flip(result, at)) if reverse else result

    return opdef


def _log_sum_exp(xp: Any, x: Any, axis: int) -> Any:
    if xp is np:
        return np.logaddexp.accumulate(x, axis=axis, dtype=x.dtype)
    # In steps of 1, 2, 4, … places: each adds what stands so far before, so the number of steps is logarithmic.
    total = xp.moveaxis(xp.array(x), axis, 0)
    step = 1
    while step < len(total):
        total = xp.concatenate([total[:step], xp.logaddexp(total[step:], total[:-step])])
        step *= 2
    return xp.moveaxis(total, 0, axis)


_cumsum = _scan("Cumsum", "numbertype", lambda xp, x, axis: xp.cumsum(x, axis=axis, dtype=x.dtype), 0, "running sums")
_cumprod = _scan(
    "Cumprod", "numbertype", lambda xp, x, axis: xp.cumprod(x, axis=axis, dtype=x.dtype), 1, "running products"
)
_cumulative_logsumexp = _scan(
    "CumulativeLogsumexp", "floattype", _log_sum_exp, -np.inf, "running log(sum(exp(x))), without overflow"
)


def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The running sum along `axis`; `exclusive` leaves each element itself out, `reverse` runs backwards."""
    return _running(_cumsum, "Cumsum", x, axis, exclusive, reverse, name)


def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The running product along `axis`; `exclusive` leaves each element itself out, `reverse` runs backwards."""
    return _running(_cumprod, "Cumprod", x, axis, exclusive, reverse, name)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The running log(sum(exp(x))) along `axis`, without overflow."""
    return _running(_cumulative_logsumexp, "CumulativeLogsumexp", x, axis, exclusive, reverse, name)


def _running(opdef: OpDef, default: str, x: Any, axis: Any, exclusive: bool, reverse: bool, name: str | None) -> Tensor:
    with name_scope(name, default, [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return opdef(x, axis, exclusive=exclusive, reverse=reverse, name=scope)
