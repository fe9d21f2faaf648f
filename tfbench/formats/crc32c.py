"""CRC-32C (Castagnoli), the checksum of TensorFlow's files.

Compiled where the package google-crc32c is installed (extra `fast`), else in NumPy (`crc32c_numpy`): the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

_ONES = 0xFFFFFFFF
#: the compiled function (crc, data) -> crc; False where there is none, None until somebody asks
_compiled: Any = None


def _find() -> Any:
    global _compiled
    try:
        import google_crc32c
    except ImportError:
        _compiled = False
    else:
        # It can do without its compiled half, byte by byte.
        _compiled = google_crc32c.extend if google_crc32c.implementation == "c" else False
    return _compiled


def crc32c(data: Any, crc: int = 0) -> int:
    """The checksum of `data` (bytes, or anything contiguous); `crc` is that of what came before it."""
    compiled = _find() if _compiled is None else _compiled
    if compiled:
        if type(data) is not bytes:
            data = np.frombuffer(data, np.uint8)
        return int(compiled(crc, data))
    from tfbench.formats import crc32c_numpy

    return crc32c_numpy.extend(crc, data)


def each(parts: Sequence[bytes]) -> list[int]:
    """The checksum of each of several messages."""
    compiled = _find() if _compiled is None else _compiled
    if compiled:
        return [compiled(0, part) for part in parts]
    from tfbench.formats import crc32c_numpy

    return crc32c_numpy.each(parts)


def mask(crc: int) -> int:
    """How files store a checksum, so that one of data that hold checksums is no special case."""
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & _ONES


def unmask(stored: int) -> int:
    """The checksum that `mask` made `stored` of."""
    rotated = (stored - 0xA282EAD8) & _ONES
    return (rotated >> 17 | rotated << 15) & _ONES
