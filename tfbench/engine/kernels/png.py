"""PNG files, read and written with zlib and NumPy alone: all colour types, bit depths, interlacing, transparency.

Files are written as libpng would write them with its default settings: the same filters, window and chunks.
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.png_filters import choose, restore

Array = Any
SIGNATURE = b"\x89PNG\r\n\x1a\n"
GRAY, RGB, PALETTE, GRAY_ALPHA, RGB_ALPHA = 0, 2, 3, 4, 6
_CHANNELS = {GRAY: 1, RGB: 3, PALETTE: 1, GRAY_ALPHA: 2, RGB_ALPHA: 4}
_DEPTHS = {GRAY: (1, 2, 4, 8, 16), RGB: (8, 16), PALETTE: (1, 2, 4, 8), GRAY_ALPHA: (8, 16), RGB_ALPHA: (8, 16)}
#: interlaced images are seven small ones: (first column, first row, columns apart, rows apart)
_PASSES = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
#: libpng's fixed-point shares of red and green in grey
_RED, _GREEN = 29900 * 32768 // 100000, 58700 * 32768 // 100000


class _Header:
    def __init__(self, body: bytes, size: int) -> None:
        if len(body) != 13:
            raise _broken(size, f"its header has {len(body)} bytes, not 13")
        self.width, self.height, self.depth, self.kind, packing, filters, self.interlaced = struct.unpack(
            ">IIBBBBB", body
        )
        if not 0 < self.width < 1 << 27 or not 0 < self.height < 1 << 27:
            raise _broken(size, f"it is {self.width} x {self.height} pixels")
        if self.depth not in _DEPTHS.get(self.kind, ()) or packing or filters or self.interlaced > 1:
            raise _broken(size, f"colour type {self.kind} with {self.depth} bits, or a packing that there is not")
        self.channels = _CHANNELS[self.kind]


def _broken(size: int, why: str) -> Exception:
    return invalid(f"Invalid PNG data, size {size}: {why}")


def decode_png(data: bytes, channels: int, bits: int) -> Array:
    """(height, width, channels) of uint8 or uint16 (`bits` 8 or 16); the channels of the file if 0 are asked for.

    InvalidArgumentError for a damaged file, saying what is wrong with it.
    """
    header, palette, transparent, packed = _chunks(data)
    pixels = _pixels(header, _inflated(packed, header, len(data)), len(data))
    alpha: Array | None = None
    top = (1 << (16 if header.depth == 16 else 8)) - 1
    if header.kind == PALETTE:
        pixels, alpha = _coloured(pixels, palette, transparent, len(data))
        channels = channels or (3 if alpha is None else 4)
    else:
        if transparent is not None and header.kind in (GRAY, RGB):
            key = np.frombuffer(transparent[: 2 * header.channels], ">u2")
            if len(key) == header.channels:
                alpha = np.where((pixels == key).all(axis=2, keepdims=True), 0, top).astype(pixels.dtype)
        if header.kind == GRAY and header.depth < 8:
            pixels = pixels * np.uint8(255 // ((1 << header.depth) - 1))
        if header.kind in (GRAY_ALPHA, RGB_ALPHA):
            pixels, alpha = pixels[..., :-1], pixels[..., -1:]
        channels = channels or header.channels
    # What is added is opaque in the depth of the file, which for less than 8 bits is hardly visible: as in TensorFlow.
    opaque = (1 << header.depth) - 1
    return _of_bits(_with_channels(pixels, alpha, channels, opaque), header.depth, bits)


def _with_channels(pixels: Array, alpha: Array | None, channels: int, opaque: int) -> Array:
    colours = pixels.shape[2]
    if channels <= 2 and colours == 3:
        wide = pixels.astype(np.int64)
        shares = (_RED, _GREEN, 32768 - _RED - _GREEN)
        half = 16384 if opaque > 255 else 0
        grey = (sum(wide[..., i] * share for i, share in enumerate(shares)) + half) >> 15
        same = (wide[..., 0] == wide[..., 1]) & (wide[..., 1] == wide[..., 2])
        pixels = np.where(same, wide[..., 0], grey).astype(pixels.dtype)[..., None]
    elif channels >= 3 and colours == 1:
        pixels = np.repeat(pixels, 3, axis=2)
    if channels in (2, 4):
        if alpha is None:
            alpha = np.full((*pixels.shape[:2], 1), opaque, pixels.dtype)
        pixels = np.concatenate([pixels, alpha], axis=2)
    return pixels


def _of_bits(pixels: Array, depth: int, bits: int) -> Array:
    if bits == 8:
        return (pixels >> 8).astype(np.uint8) if depth == 16 else np.ascontiguousarray(pixels, np.uint8)
    return pixels.astype(np.uint16) * np.uint16(1 if depth == 16 else 257)


# -- reading ----------------------------------------------------------------------------------------------------------


def _chunks(data: bytes) -> tuple[_Header, bytes | None, bytes | None, bytes]:
    """(header, palette, transparency, packed pixels)"""
    size, at = len(data), len(SIGNATURE)
    found: dict[bytes, bytes] = {}
    packed: list[bytes] = []
    ended = False
    while at < size and not ended:
        if at + 12 > size:
            raise _broken(size, f"a chunk is cut off at byte {at}")
        length, kind = struct.unpack_from(">I4s", data, at)
        if at + 12 + length > size:
            raise _broken(size, f"chunk {kind!r} is cut off at byte {at}")
        body = data[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack_from(">I", data, at + 8 + length)
        if kind[:1].isupper() and zlib.crc32(body, zlib.crc32(kind)) != checksum:
            raise _broken(size, f"chunk {kind!r} at byte {at} does not have its checksum")
        if kind == b"IDAT":
            packed.append(body)
        else:
            found.setdefault(kind, body)
        ended = kind == b"IEND"
        at += 12 + length
    if not ended:
        raise _broken(size, "it does not end")
    if b"IHDR" not in found or not packed:
        raise _broken(size, "it has no header or no pixels")
    return _Header(found[b"IHDR"], size), found.get(b"PLTE"), found.get(b"tRNS"), b"".join(packed)


def _row_bytes(header: _Header, width: int) -> int:
    return (width * header.channels * header.depth + 7) // 8


def _sections(header: _Header) -> list[tuple[slice, slice, int, int]]:
    """(rows, columns, height, width) of each pass."""
    if not header.interlaced:
        return [(slice(None), slice(None), header.height, header.width)]
    sections = []
    for left, top, right, down in _PASSES:
        height = max(0, -(-(header.height - top) // down))
        width = max(0, -(-(header.width - left) // right))
        if height and width:
            sections.append((slice(top, None, down), slice(left, None, right), height, width))
    return sections


def _inflated(packed: bytes, header: _Header, size: int) -> bytes:
    wanted = sum(height * (1 + _row_bytes(header, width)) for _, _, height, width in _sections(header))
    try:
        pixels = zlib.decompressobj().decompress(packed, wanted)
    except zlib.error as error:
        raise _broken(size, f"its pixels cannot be unpacked ({error})") from None
    if len(pixels) < wanted:
        raise _broken(size, f"it has {len(pixels)} of {wanted} bytes of pixels")
    return pixels


def _pixels(header: _Header, data: bytes, size: int) -> Array:
    """(height, width, channels), as they are in the file."""
    kind = np.uint16 if header.depth == 16 else np.uint8
    whole = np.empty((header.height, header.width, header.channels), kind)
    step = max(1, header.channels * header.depth // 8)
    at = 0
    for rows, columns, height, width in _sections(header):
        wide = 1 + _row_bytes(header, width)
        lines = np.frombuffer(data, np.uint8, height * wide, at).reshape(height, wide)
        at += height * wide
        if lines[:, 0].max() > 4:
            raise _broken(size, f"a row has filter {lines[:, 0].max()}")
        restored = restore(lines[:, 0], lines[:, 1:], step)
        if header.depth == 16:
            samples = restored.view(">u2")
        elif header.depth == 8:
            samples = restored
        else:
            bits = np.unpackbits(restored, axis=1).reshape(height, -1, header.depth)
            samples = (bits @ (1 << np.arange(header.depth)[::-1])).astype(np.uint8)[:, : width * header.channels]
        whole[rows, columns] = samples.reshape(height, width, header.channels)
    return whole


def _coloured(pixels: Array, palette: bytes | None, transparent: bytes | None, size: int) -> tuple[Array, Array | None]:
    """(RGB, alpha or None) of a palette's indices."""
    if not palette or len(palette) % 3:
        raise _broken(size, "its palette is missing or cut off")
    table = np.zeros((256, 3), np.uint8)
    colours = np.frombuffer(palette[: 3 * 256], np.uint8).reshape(-1, 3)
    table[: len(colours)] = colours
    index = pixels[..., 0]
    if transparent is None:
        return table[index], None
    alphas = np.full(256, 255, np.uint8)
    alphas[: len(transparent)] = np.frombuffer(transparent[:256], np.uint8)
    return table[index], alphas[index][..., None]


# -- writing ----------------------------------------------------------------------------------------------------------

#: bytes of packed pixels in a chunk
_CHUNK = 8192


def encode_png(pixels: Array, level: int) -> bytes:
    """The file for (height, width, 1 to 4 channels) of uint8 or uint16; `level` is zlib's, -1 its default."""
    height, width, channels = pixels.shape
    depth = 8 * pixels.dtype.itemsize
    rows = np.ascontiguousarray(pixels if depth == 8 else pixels.astype(">u2")).view(np.uint8).reshape(height, -1)
    kinds, filtered = choose(rows, channels * depth // 8)
    data = np.concatenate([kinds[:, None], filtered], axis=1).tobytes()
    bits = 15
    if len(data) <= 16384:  # a small image needs no large window
        while bits > 8 and len(data) + 262 <= 1 << (bits - 1):
            bits -= 1
    packer = zlib.compressobj(level, zlib.DEFLATED, max(bits, 9), 8, zlib.Z_FILTERED)
    packed = _with_least_window(packer.compress(data) + packer.flush(), len(data))
    kind = {1: GRAY, 2: GRAY_ALPHA, 3: RGB, 4: RGB_ALPHA}[channels]
    parts = [SIGNATURE, _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0))]
    parts += [_chunk(b"IDAT", packed[at : at + _CHUNK]) for at in range(0, len(packed), _CHUNK)]
    return b"".join([*parts, _chunk(b"IEND", b"")])


def _with_least_window(packed: bytes, size: int) -> bytes:
    """The header of a zlib stream that names no larger window than `size` bytes need."""
    first, second = packed[0], packed[1]
    bits = (first >> 4) + 8
    if size > 16384 or bits <= 8:
        return packed
    while bits > 8 and size <= 1 << (bits - 1):
        bits -= 1
    first = (bits - 8) << 4 | first & 15
    second &= 0xE0
    second += 31 - ((first << 8) + second) % 31
    return bytes([first, second]) + packed[2:]


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(body, zlib.crc32(kind)))
