"""`tf.compat`: bytes and text, and this API under the name that later TensorFlow gives it (`tf.compat.v1`)."""

from __future__ import annotations

import numbers as _numbers
import sys as _sys
from collections.abc import Iterator
from contextlib import contextmanager as _contextmanager
from typing import Any

import numpy as _np

__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "dimension_at_index",
    "dimension_value", "forward_compatibility_horizon", "forward_compatible", "integral_types", "path_to_str",
    "real_types", "v1",
]  # fmt: skip

#: what programs that were moved to TensorFlow 2 import: this module itself
v1 = _sys.modules[f"{__name__}.v1"] = _sys.modules["tfbench"]

bytes_or_text_types = (bytes, str)
integral_types = (_numbers.Integral, _np.integer)
real_types = (_numbers.Real, _np.integer, _np.floating)
complex_types = (_numbers.Complex, _np.number)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text encoded, bytes as they are.

    Raises:
      TypeError: for anything else.
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(_codec(encoding))
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes decoded, text as it is.

    Raises:
      TypeError: for anything else.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(_codec(encoding))
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def _codec(encoding: str) -> str:
    import codecs

    return codecs.lookup(encoding).name


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes decoded; anything else as `str` writes it."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as text; anything else as it is."""
    return as_str_any(path.__fspath__()) if hasattr(path, "__fspath__") else path


def dimension_value(dimension: Any) -> Any:
    """The size that a Dimension says, or None; anything else as it is."""
    from tfbench.engine.dimension import Dimension

    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: Any, index: int) -> Any:
    """The Dimension at `index` of a shape; one of unknown size where the rank is not known."""
    from tfbench.engine.dimension import Dimension

    return Dimension(None) if shape.rank is None else shape.dims[index]


def forward_compatible(year: int, month: int, day: int) -> bool:
    """True: what TensorFlow 1.x made of old graphs, this makes of them."""
    return True


@_contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """A block in which `forward_compatible` says what it always says."""
    yield
