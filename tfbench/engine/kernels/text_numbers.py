"""Numbers from text and text from numbers, by C's rules: what `strtod`, `strtol` and `printf` take and make."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

_FLOAT = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
_HEX = re.compile(rb"[+-]?0[xX][0-9a-fA-F]+(\.[0-9a-fA-F]*)?([pP][+-]?\d+)?\Z")
_WORD = re.compile(rb"[+-]?(inf|infinity|nan)\Z", re.I)
_INTEGER = re.compile(rb"[+-]?\d+\Z")
_SPACES = b" \t\n\v\f\r"


def parse_float(text: bytes, dtype: Any) -> Any:
    """The number that `text` says, rounded to `dtype` once. ValueError if it says none."""
    text = text.strip(_SPACES)
    if _HEX.match(text):
        return dtype(float.fromhex(text.decode()))
    if not (_FLOAT.match(text) or _WORD.match(text)):
        raise ValueError("not a number")
    wide = float(text)
    with np.errstate(over="ignore"):
        near = dtype(wide)
    if dtype is np.float32 and len(text) > 16 and np.isfinite(near):
        return _rounded_once(text, wide, near)
    return near


def _rounded_once(text: bytes, wide: float, near: Any) -> Any:
    """`near`, or its neighbour where rounding to double first has led to a tie that `text` is not."""
    from fractions import Fraction

    # As Python's floats: beside a float32, NumPy would round them first.
    with np.errstate(over="ignore"):
        other = np.nextafter(near, np.float32(np.inf if wide > float(near) else -np.inf))
    if wide == float(near) or not np.isfinite(other) or abs(wide - float(near)) != abs(wide - float(other)):
        return near
    exact = Fraction(text.decode())
    return min((near, other), key=lambda value: abs(exact - Fraction(float(value))))


def parse_int(text: bytes, dtype: Any) -> Any:
    """The integer that `text` says. ValueError if it says none, or one that does not fit."""
    text = text.strip(_SPACES)
    if not _INTEGER.match(text):
        raise ValueError("not an integer")
    value = int(text)
    limits = np.iinfo(dtype)
    if not limits.min <= value <= limits.max or (limits.min == 0 and text.startswith(b"-")):
        raise ValueError("out of range")
    return dtype(value)


class FormatError(ValueError):
    """Options of a format that do not go together."""


def formatter(
    kind: str, type_name: str, precision: int, scientific: bool, shortest: bool, width: int, fill: str
) -> Callable[[Any], bytes]:
    """The function that writes one element.

    Args:
      kind: "i" integer, "u" unsigned, "f" float, "c" complex, "b" boolean, "s" string.
      type_name: for messages.

    Raises:
      FormatError: in TensorFlow's words.
    """
    if kind in "iub":
        if scientific or shortest:
            raise FormatError(f"scientific and shortest format not supported for datatype {type_name}")
        if precision >= 0:
            raise FormatError(f"precision not supported for datatype {type_name}")
    if len(fill) > 1:
        raise FormatError("Fill string must be one or fewer characters")
    if scientific and shortest:
        raise FormatError("Cannot select both scientific and shortest notation")
    if fill and fill not in " +-0#":
        raise FormatError(f'Fill argument not supported: "{fill}"')
    if kind == "b":
        return lambda value: b"true" if value else b"false"
    size = (str(width) if width > -1 else "") + (f".{precision}" if precision > -1 else "")
    if kind == "s":
        text = "%" + fill.strip("0+#") + size.partition(".")[0] + "s"
        return lambda value: text.encode() % value
    if kind == "u":
        fill = fill.strip("+ ")  # there is no sign to write
    letter = "d" if kind in "iu" else "g" if shortest else "e" if scientific else "f"
    form = f"%{fill}{size}{letter}"
    unfilled = f"%{fill.replace('0', '')}{size}{letter}"

    def real(value: float) -> bytes:
        # C fills up only numbers with zeros, not "inf".
        return ((form if np.isfinite(value) else unfilled) % value).encode()

    if kind in "iu":
        return lambda value: (form % value).encode()
    if kind == "f":
        return lambda value: real(float(value))
    return lambda value: b"(" + real(value.real) + b"," + real(value.imag) + b")"
