"""Windows: what frames of a signal are multiplied with before they are transformed."""

from __future__ import annotations

import math
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.tensor import Tensor


def hann_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A Hann window: half a cosine's turn up and down, from 0.

    Args:
      periodic: leave the last 0 out, for transforms; without it the window is symmetric.

    Raises:
      ValueError: if `dtype` is not floating or `window_length` no scalar.
    """
    return _raised_cosine(name, "hann_window", window_length, periodic, dtype, 0.5, 0.5)


def hamming_window(
    window_length: Any, periodic: Any = True, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """A Hamming window: as `hann_window`, but it begins at 0.08."""
    return _raised_cosine(name, "hamming_window", window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(
    name: str | None, default: str, window_length: Any, periodic: Any, dtype: Any, a: float, b: float
) -> Tensor:
    if not dtypes.as_dtype(dtype).is_floating:
        raise ValueError(f"dtype must be a floating point type. Found {dtype}")
    with name_scope(name, default, [window_length, periodic]):
        length = convert_to_tensor(window_length, dtype=dtypes.int32, name="window_length")
        length.shape.assert_has_rank(0)
        known = constant_value(length) if length.op.type == "Const" else None
        if known is not None and int(known) == 1:
            return ops.ones([1], dtype=dtype)
        wraps = ops.cast(convert_to_tensor(periodic, dtype=dtypes.bool, name="periodic"), dtypes.int32)
        even: Any = 1 - ops.mod(length, 2, name="mod")
        last = ops.cast(length + wraps * even - 1, dtype)
        places = ops.cast(ops.range(length), dtype)
        angle = ops.constant(2 * math.pi, dtype=dtype) * places / last

        def window() -> Tensor:
            found: Tensor = ops.cast(a - b * ops.cos(angle), dtype)
            return found

        if known is not None:
            return window()
        chosen: Tensor = cond(ops.equal(length, 1), lambda: ops.ones([length], dtype=dtype), window)
        return chosen
