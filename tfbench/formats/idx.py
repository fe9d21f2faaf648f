"""IDX files, in which MNIST is published: a magic number, the sizes, then the values, packed with gzip or not.

The magic number's third byte is the type of the values (8: unsigned bytes), its fourth the number of sizes; all numbers
are big-endian. Source of the format: http://yann.lecun.com/exdb/mnist/.
"""

from __future__ import annotations

import gzip
import math
import zlib
from typing import Any, BinaryIO

import numpy as np

from tfbench import errors

#: magic numbers of MNIST's two kinds of file
IMAGES, LABELS = 2051, 2049

_GZIP = b"\x1f\x8b"

Array = np.ndarray[Any, Any]


def read(file: BinaryIO, magic: int, what: str) -> Array:
    """The unsigned bytes of an open file, in the shape that it gives. `what` names the kind of file in errors.

    Raises:
      ValueError: if the magic number is another one.
      DataLossError: if the file ends too early, or cannot be unpacked.
    """
    name = getattr(file, "name", "the file")
    head = file.read(2)
    file.seek(-len(head), 1)
    try:
        content = (gzip.GzipFile(fileobj=file) if head == _GZIP else file).read()
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise errors.DataLossError(None, None, f"{name}: cannot be unpacked: {error}") from None
    found = int.from_bytes(content[:4], "big")
    if found != magic:
        raise ValueError(f"Invalid magic number {found} in MNIST {what} file: {name} (expected {magic})")
    rank = magic & 0xFF
    start = 4 + 4 * rank
    sizes = [int.from_bytes(content[at : at + 4], "big") for at in range(4, start, 4)]
    wanted = math.prod(sizes)
    if len(content) < start + wanted:
        raise errors.DataLossError(
            None,
            None,
            f"{name}: has {len(content)} bytes, but {start + wanted} are needed for {sizes}. It was cut off.",
        )
    return np.frombuffer(content, np.uint8, wanted, start).reshape(sizes)
