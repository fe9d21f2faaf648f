"""Protocol messages as bytes, field by field: what ops write and read without loading protobuf.

A message is a run of fields, each a key (`number << 3 | kind`) and a value: kind 0 is a varint, 1 is eight bytes, 2 is
bytes with their length before them, 5 is four bytes. As protobuf does for proto3, what is zero or empty is left out,
unless it is one of a `oneof` (`always`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5


class BadMessage(ValueError):
    """Bytes that are no message."""


def varint(value: int) -> bytes:
    """A number, seven bits a byte, the lowest first; negative ones as 64 bits."""
    value &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def integer(number: int, value: int, always: bool = False) -> bytes:
    """A field of kind int32, int64, bool or enum."""
    return varint(number << 3 | _VARINT) + varint(value) if value or always else b""


def chunk(number: int, value: bytes, always: bool = False) -> bytes:
    """A field of kind string, bytes or message."""
    return varint(number << 3 | _BYTES) + varint(len(value)) + value if value or always else b""


def single(number: int, value: float, always: bool = False) -> bytes:
    """A field of kind float."""
    data = np.array(value, "<f4").tobytes()  # what is too large becomes infinite, as in C
    return varint(number << 3 | _FOUR) + data if any(data) or always else b""


def double(number: int, value: float) -> bytes:
    """A field of kind double."""
    data = struct.pack("<d", value)
    return varint(number << 3 | _EIGHT) + data if any(data) else b""


def doubles(number: int, values: Any) -> bytes:
    """A field of kind repeated double."""
    return chunk(number, np.ascontiguousarray(values, "<f8").tobytes())


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint at an offset, and where it ends.

    Raises:
      BadMessage: if it does not end, or is longer than ten bytes.
    """
    value = shift = 0
    for position in range(at, min(at + 10, len(data))):
        byte = data[position]
        value |= (byte & 127) << shift
        if byte < 128:
            return value & 0xFFFFFFFFFFFFFFFF, position + 1
        shift += 7
    raise BadMessage(f"A number at byte {at} does not end.")


def fields(data: bytes) -> Iterator[tuple[int, int, Any]]:
    """The fields of a message: number, kind, and the value: an int for kind 0, else its bytes.

    Raises:
      BadMessage: if the bytes are no message.
    """
    at, end = 0, len(data)
    while at < end:
        key = data[at]
        if key < 128:
            at += 1
        else:
            key, at = read_varint(data, at)
        number, kind = key >> 3, key & 7
        if not number:
            raise BadMessage(f"Field number 0 at byte {at}.")
        if kind == _VARINT:
            value, at = read_varint(data, at)
            yield number, kind, value
            continue
        if kind == _BYTES:
            size, at = read_varint(data, at)
        elif kind == _EIGHT:
            size = 8
        elif kind == _FOUR:
            size = 4
        else:
            raise BadMessage(f"Field {number} at byte {at} is of kind {kind}, which does not exist.")
        if size > end - at:
            raise BadMessage(f"Field {number} at byte {at} goes beyond the end.")
        yield number, kind, data[at : at + size]
        at += size


def signed(value: int) -> int:
    """A varint as the signed number that it stands for."""
    return value - (1 << 64) if value >> 63 else value


def tensor(array: Any, dtype: int) -> bytes:
    """A TensorProto: the numbers as they lie in memory, strings one by one. `dtype` is the type's number."""
    array = np.asarray(array)
    shape = b"".join(chunk(2, integer(1, size), always=True) for size in array.shape)
    head = integer(1, dtype) + chunk(2, shape, always=True)
    if array.dtype == object:
        return head + b"".join(chunk(8, bytes(item), always=True) for item in array.ravel().tolist())
    return head + chunk(4, np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
