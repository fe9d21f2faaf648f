"""Sequences of numbers."""

from __future__ import annotations

import math
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.tensor import Tensor

__all__ = ["range"]

_range_op = op(
    "Range",
    "start: Tidx, limit: Tidx, delta: Tidx",
    "output: Tidx",
    "Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = int32",
    fresh=True,
)
_range_op.no_gradient("how many numbers there are depends on the inputs, and counting cannot be differentiated")


def _length(start: Any, limit: Any, delta: Any) -> int:
    """How many numbers there are. ValueError if the step leads nowhere."""
    if delta == 0:
        raise ValueError("Requires delta != 0")
    if delta > 0 and start > limit:
        raise ValueError(f"Requires start <= limit when delta > 0: {_say(start)}/{_say(limit)}")
    if delta < 0 and start < limit:
        raise ValueError(f"Requires start >= limit when delta < 0: {_say(start)}/{_say(limit)}")
    if isinstance(start, int):
        return int((abs(limit - start) + abs(delta) - 1) // abs(delta))
    return math.ceil(float(abs((limit - start) / delta)))


def _say(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


@_range_op.shape
def _range_shape(node: Operation, start: Any, limit: Any, delta: Any) -> Any:
    for shape, name in ((start, "start"), (limit, "limit"), (delta, "delta")):
        if shape:
            raise ValueError(f"Shape must be rank 0 but is rank {len(shape)}\n\t for '{name}'")
    values = [constant_value(tensor) for tensor in node._inputs]
    if any(value is None for value in values):
        return [(None,)]
    return [(_length(*(value.item() for value in values)),)]  # type: ignore[union-attr]


@_range_op.kernel(CPU, GPU)
def _range_kernel(xp: Any, start: Any, limit: Any, delta: Any) -> Any:
    dtype = start.dtype
    try:
        count = _length(start.item(), limit.item(), delta.item())
    except ValueError as error:
        raise invalid(str(error)) from None
    return (xp.arange(count, dtype=dtype) * delta[()] + start[()]).astype(dtype, copy=False)


#: from narrow to wide: numbers of different types become the widest of them
_RANGE_TYPES = (
    dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
)  # fmt: skip


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor:
    """The numbers start, start + delta, … before limit. With one argument, that is the limit and start is 0.

    Raises:
      ValueError: if delta is 0 or leads away from limit.
    """
    if limit is None:
        start, limit = 0, start
    with name_scope(name, "Range", [start, limit, delta]) as scope:
        if dtype is not None:
            dtype = as_dtype(dtype)
        # Tensors of another type than asked for are cast below.
        start, limit, delta = (
            value if isinstance(value, Tensor) else convert_to_tensor(value, dtype=dtype, name=word)
            for word, value in (("start", start), ("limit", limit), ("delta", delta))
        )
        widest = dtype
        if widest is None:
            found = [value._dtype.base_dtype for value in (start, limit, delta)]
            if not all(kind in _RANGE_TYPES for kind in found):
                raise TypeError(
                    f"range takes {[kind.name for kind in _RANGE_TYPES]}, not {[kind.name for kind in found]}."
                )
            widest = max(found, key=_RANGE_TYPES.index)
        start, limit, delta = (cast(value, widest) for value in (start, limit, delta))
        return _range_op(start, limit, delta, name=scope)
