"""Which arrays compiled loops take."""

from __future__ import annotations

from typing import Any

_KINDS = {"f": "f4", "d": "f8"}


def native(x: Any) -> str | None:
    """ "f4" or "f8", as compiled loops call a contiguous array of floats; None for all other arrays."""
    if x.flags.c_contiguous and x.dtype.isnative:
        return _KINDS.get(x.dtype.char)
    return None
