"""What a slot of a run holds, for people: the array behind it, and a few words about it."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.resources import VariableBuffer
from tfbench.value_stats import value_stats

#: vectors of no more elements are written out
_FEW = 6


def array_of(value: Any) -> Any:
    """The array or number behind what a slot holds; None where there is none (handles, dead values)."""
    if isinstance(value, VariableBuffer):
        value = value.array
    if hasattr(value, "__cuda_array_interface__"):
        value = value.get()
    return value if isinstance(value, (np.ndarray, np.generic)) else None


def broken(value: Any) -> bool:
    """Whether a value has a NaN or an infinity in it."""
    array = array_of(value)
    if array is None or array.dtype.kind not in "fcV":
        return False
    try:
        return not np.isfinite(array).all()
    except TypeError:
        return False


def value_text(value: Any) -> str:
    """One value in a few words: a number as it is, an array by its statistics; the same for the same value."""
    array = array_of(value)
    if array is None:
        return "nothing" if value is None else f"a {type(value).__name__}"
    kind = "string" if array.dtype == object else array.dtype.name
    if array.ndim == 0:
        item = array[()]
        return _cut(repr(item)) if array.dtype == object else f"{item!s}"
    shape = "×".join(map(str, array.shape))
    if array.size <= _FEW and array.ndim == 1:
        return f"{kind} {_few(array)}"
    stats = None if array.dtype == object else value_stats(array)
    if stats is None or not stats.size:
        return f"{kind} {shape}"
    bad = "".join(f", {n} {word}" for n, word in ((stats.nans, "NaN"), (stats.infs, "infinite")) if n)
    if stats.mean is None:
        return f"{kind} {shape}{bad}"
    return (
        f"{kind} {shape}: mean {stats.mean:.4g}, spread {stats.std:.4g}, from {stats.low:.4g} to {stats.high:.4g}{bad}"
    )


def _few(array: Any) -> str:
    if array.dtype == object:
        return f"[{', '.join(_cut(repr(item)) for item in array)}]"
    return f"[{', '.join(f'{item:.4g}' if array.dtype.kind == 'f' else str(item) for item in array.tolist())}]"


def _cut(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:26]}…{text[-13:]}"
