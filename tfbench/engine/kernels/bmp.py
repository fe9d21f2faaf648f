"""BMP files without compression: 8 bits (grey, or a palette's indices as they are), 24 or 32 bits a pixel."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid

Array = Any
_HEADER = 32


def decode_bmp(data: bytes, channels: int) -> Array:
    """(height, width, channels) of uint8; as many channels as the file has if 0 are asked for."""
    if len(data) < _HEADER:
        raise invalid(
            f"Incomplete bmp content, requires at least {_HEADER} bytes to find the header size, width, height, "
            f"and bpp, got {len(data)} bytes"
        )
    (start,) = struct.unpack_from("<i", data, 10)
    width, height = struct.unpack_from("<ii", data, 18)
    (bits,) = struct.unpack_from("<H", data, 28)
    if bits not in (8, 24, 32):
        raise invalid(f"Number of channels inherent in the image must be 1, 3 or 4, was {bits // 8}")
    if start < 0:
        raise invalid(f"header size must be >= 0, but is {start}")
    if width <= 0 or height == 0:
        raise invalid(f"image width and height must be positive, but are {width} and {height}")
    own, rows = bits // 8, abs(height)
    line = (own * width + 3) // 4 * 4  # rows are filled up to whole words
    excess = len(data) - start - rows * line
    if excess:
        raise invalid(f"Input size should match (header_size + row_size * abs_height) but they differ by {excess}")
    pixels = np.frombuffer(data, np.uint8, offset=start).reshape(rows, line)[:, : own * width].reshape(rows, width, own)
    if height > 0:
        pixels = pixels[::-1]  # the lowest row comes first
    if own == 1:
        colours = pixels if channels in (0, 1) else np.repeat(pixels, 3, axis=2)
    else:
        colours = pixels[..., 2::-1]
    if (channels or own) < 4:
        return np.ascontiguousarray(colours)
    alpha = pixels[..., 3:] if own == 4 else np.full((rows, width, 1), 255, np.uint8)
    return np.concatenate([colours, alpha], axis=2)
