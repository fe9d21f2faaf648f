"""Attribute values and names as one short line: all that is ever shown of them.

A constant of a million elements costs as much as one of eight, and what cannot be printed is written out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.explain.text import shorten

#: attribute text longer than this is cut
ATTR_LIMIT = 96


def attr_text(value: Any, limit: int = ATTR_LIMIT) -> str:
    """An attribute's value as one line of at most `limit` characters."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bytes):
        text = value.decode("utf-8", "backslashreplace")
    elif isinstance(value, bool | int | float):
        text = str(value)
    elif isinstance(value, np.ndarray | np.generic):
        text = _array_text(np.asarray(value))
    elif isinstance(value, list | tuple):
        shown = ", ".join(attr_text(item, limit) for item in value[:16])
        text = f"[{shown}{', …' if len(value) > 16 else ''}]"
    elif (name := getattr(value, "name", None)) is not None and hasattr(type(value), "as_numpy_dtype"):
        text = str(name)
    elif callable(value):
        text = f"<{getattr(value, '__name__', type(value).__name__)}>"
    else:
        text = str(value)
        if " object at 0x" in text:  # Python's own text: another one in every run
            text = f"<{type(value).__name__}>"
    return shorten(text, limit)


def _array_text(array: np.ndarray[Any, Any]) -> str:
    head = array.reshape(-1)[:9].tolist()
    shown = [_number_text(item) for item in head[:8]]
    if array.ndim == 0:
        return shown[0]
    text = f"[{', '.join(shown)}{', …' if array.size > 8 else ''}]"
    if array.ndim == 1 and array.size <= 8:
        return text
    return f"{'×'.join(map(str, array.shape))}: {text}"


def _number_text(item: Any) -> str:
    if isinstance(item, float):
        return f"{item:.6g}"
    if isinstance(item, bytes):
        return repr(shorten(item[:200].decode("utf-8", "backslashreplace"), 32))
    return str(item)
