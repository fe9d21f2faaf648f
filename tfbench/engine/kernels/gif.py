"""GIF files: every frame as RGB. What a frame leaves out or marks as transparent shows the frame before, or black."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid

Array = Any


def _broken(why: str) -> Exception:
    return invalid(f"Invalid GIF data: {why}")


class _Bytes:
    """Reads on in a file; what is cut off is an error."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise _broken(f"it ends at byte {len(self.data)}, in the middle of something")
        self.at += count
        return found

    def number(self, count: int = 1) -> int:
        return int.from_bytes(self.take(count), "little")

    def blocks(self) -> bytes:
        """A chain of blocks with their sizes before them."""
        parts = []
        while size := self.number():
            parts.append(self.take(size))
        return b"".join(parts)

    def palette(self, flags: int) -> Array | None:
        if not flags & 0x80:
            return None
        return np.frombuffer(self.take(3 << ((flags & 7) + 1)), np.uint8).reshape(-1, 3)


class _Frame:
    """A frame as it is in the file, not yet unpacked."""

    def __init__(self, file: _Bytes, common: Array | None, transparent: int) -> None:
        self.left, self.top, self.width, self.height = (file.number(2) for _ in range(4))
        flags = file.number()
        own = file.palette(flags)
        palette = common if own is None else own
        if palette is None:
            raise _broken(f"the frame before byte {file.at} has no colours")
        self.palette, self.transparent, self.interlaced = palette, transparent, flags & 0x40
        self.bits = file.number()
        self.packed = file.blocks()

    def draw(self, picture: Array) -> None:
        height, width = self.height, self.width
        index = _unpacked(self.packed, self.bits, width * height).reshape(height, width)
        if self.interlaced:
            order = np.concatenate([np.arange(a, height, b) for a, b in ((0, 8), (4, 8), (2, 4), (1, 2))])
            straight = np.empty_like(index)
            straight[order] = index
            index = straight
        part = picture[self.top : self.top + height, self.left : self.left + width]
        index = index[: part.shape[0], : part.shape[1]]
        shown = (index != self.transparent) & (index < len(self.palette))
        part[shown] = self.palette[np.minimum(index, len(self.palette) - 1)][shown]


def decode_gif(data: bytes, first_only: bool = False) -> Array:
    """(frames, height, width, 3) of uint8, as large as the largest frame; `first_only`: one frame."""
    found = _frames(data)
    height, width = max(frame.height for frame in found), max(frame.width for frame in found)
    if not height or not width:
        raise _broken(f"it is {width} x {height} pixels")
    frames = np.zeros((1 if first_only else len(found), height, width, 3), np.uint8)
    for i, frame in enumerate(found[: len(frames)]):
        if i:
            frames[i] = frames[i - 1]
        frame.draw(frames[i])
    return frames


def _frames(data: bytes) -> list[_Frame]:
    file = _Bytes(data)
    if file.take(6) not in (b"GIF87a", b"GIF89a"):
        raise _broken("it does not begin with GIF87a or GIF89a")
    file.take(4)
    flags = file.number()
    file.take(2)
    common = file.palette(flags)
    frames: list[_Frame] = []
    transparent = -1
    while True:
        kind = file.take(1)
        if kind == b"!":
            label, body = file.number(), file.blocks()
            if label == 0xF9 and len(body) >= 4:
                transparent = body[3] if body[0] & 1 else -1
        elif kind == b",":
            frames.append(_Frame(file, common, transparent))
            transparent = -1
        elif kind == b";":
            break
        else:
            raise _broken(f"byte {file.at - 1} is {kind!r}, where an image or its end should be")
    if not frames:
        raise _broken("it has no frame")
    return frames


def _unpacked(packed: bytes, bits: int, count: int) -> Array:
    """`count` indices of LZW codes, the first of which have `bits` + 1 bits."""
    if not 0 < bits < 12:
        raise _broken(f"codes of {bits} bits")
    clear, end = 1 << bits, (1 << bits) + 1
    first = [bytes([i]) for i in range(min(clear, 256))] + [b""] * (clear - min(clear, 256) + 2)
    table, width, previous = list(first), bits + 1, b""
    out = bytearray()
    held = have = 0
    for byte in packed:
        held |= byte << have
        have += 8
        while have >= width:
            code = held & ((1 << width) - 1)
            held >>= width
            have -= width
            if code == clear:
                table, width, previous = list(first), bits + 1, b""
                continue
            if code == end or len(out) >= count:
                packed = b""
                break
            if code < len(table):
                entry = table[code]
            elif code == len(table) and previous:
                entry = previous + previous[:1]
            else:
                raise _broken(f"code {code} comes before it is known")
            out += entry
            if previous and len(table) < 4096:
                table.append(previous + entry[:1])
                if len(table) == 1 << width and width < 12:
                    width += 1
            previous = entry
        if not packed:
            break
    if len(out) < count:
        raise _broken(f"a frame has {len(out)} of {count} pixels")
    return np.frombuffer(bytes(out[:count]), np.uint8)
