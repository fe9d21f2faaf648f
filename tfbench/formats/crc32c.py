"""CRC-32C (Castagnoli), the checksum of TensorFlow's files, at more than a gigabyte per second in NumPy alone.

A CRC is linear: what a message does to the register is the XOR of what each of its words does. So the message is laid
out as a matrix with rows of `n` words, and one row is folded into the next:

    row[i+1] ^= F(row[i])        F(word) = the register after this word and the n - 1 words that follow it

`F` of a 64-bit word is the XOR of four table entries, one per 16 bits. In the end one row is left that has the checksum
of the whole message. It, and messages of few rows, are looked up 2048 bytes at a time, each byte by value and place;
the last few dozen one after the other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_POLYNOMIAL = 0x82F63B78
_ONES = 0xFFFFFFFF
#: words in a row
_WIDTH = 8192


def _make_bytes_table() -> list[int]:
    table = list(range(256))
    for _ in range(8):
        table = [value >> 1 ^ (_POLYNOMIAL if value & 1 else 0) for value in table]
    return table


#: what a register of 0 is after each byte
_BYTES = _make_bytes_table()
#: bytes whose registers are looked up by value and place; so few are looked up one by one
_PLACES, _FEW = 2048, 48
_places: Any = None
#: the tables of `_tables`, made when first needed
_word_tables: dict[int, Any] = {}


def crc32c(data: Any, crc: int = 0) -> int:
    """The checksum of `data` (bytes, or anything contiguous); `crc` is that of what came before it."""
    buffer = np.frombuffer(data, np.uint8)
    register = ~crc & _ONES
    rows = buffer.size // (8 * _WIDTH)
    if rows > 2:
        # The register before the message acts as if it were part of the first word.
        row = buffer[: 8 * _WIDTH].copy().view("<u8")
        row[0] ^= np.uint64(register)
        folded = _fold(row, buffer[8 * _WIDTH : 8 * _WIDTH * rows].view("<u8").reshape(-1, _WIDTH))
        buffer, register = np.concatenate([folded.view(np.uint8), buffer[8 * _WIDTH * rows :]]), 0
    for start in range(0, buffer.size, _PLACES):
        part = buffer[start : start + _PLACES]
        register = _by_places(register, part) if part.size > _FEW else _by_bytes(register, part.tobytes())
    return register ^ _ONES


def mask(crc: int) -> int:
    """How files store a checksum, so that one of data that hold checksums is no special case."""
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & _ONES


def unmask(stored: int) -> int:
    """The checksum that `mask` made `stored` of."""
    rotated = (stored - 0xA282EAD8) & _ONES
    return (rotated >> 17 | rotated << 15) & _ONES


def _fold(row: Any, others: Any) -> Any:
    """`row` (changed) after all `others` have been folded in."""
    width = row.size
    tables = _tables(width)
    parts = row.view("<u2").reshape(width, 4).T
    indices = np.empty((4, width), np.intp)
    total, term = np.empty(width, np.uint32), np.empty(width, np.uint32)
    for other in others:
        np.copyto(indices, parts)
        np.take(tables[0], indices[0], out=total, mode="wrap")  # every index is in the table: the mode is the fast one
        for position in (1, 2, 3):
            np.take(tables[position], indices[position], out=term, mode="wrap")
            np.bitwise_xor(total, term, out=total)
        np.bitwise_xor(other, total, out=row)
    return row


def _tables(width: int) -> Any:
    """F for rows of `width` words: a table for each quarter of a word."""
    tables = _word_tables.get(width)
    if tables is None:
        shift = _power_of_x(64 * (width - 1))
        tables = np.zeros((4, 1 << 16), np.uint32)
        for bit in range(64):
            alone = _times(_by_bytes(0, (1 << bit).to_bytes(8, "little")), shift)
            table, size = tables[bit // 16], 1 << bit % 16
            table[size : 2 * size] = table[:size] ^ np.uint32(alone)
        _word_tables[width] = tables
    return tables


def _by_bytes(register: int, data: bytes) -> int:
    for byte in data:
        register = _BYTES[(register ^ byte) & 255] ^ register >> 8
    return register


def _by_places(register: int, buffer: Any) -> int:
    """The register after a few hundred bytes: the XOR of what each does at its distance from the end."""
    global _places
    if _places is None:
        # All registers that one byte leads to, moved on by one byte of zeros after another.
        row, rows, table = np.array(_BYTES, np.uint32), [], np.array(_BYTES, np.uint32)
        for _ in range(_PLACES):
            rows.append(row)
            row = table[row & 255] ^ row >> 8
        _places = np.concatenate(rows[::-1]), np.arange(0, 256 * len(rows), 256)
    table, starts = _places
    data = buffer.copy()
    data[:4] ^= np.frombuffer(register.to_bytes(4, "little"), np.uint8)
    return int(np.bitwise_xor.reduce(table.take(starts[-data.size :] + data)))


def _times(a: int, b: int) -> int:
    """The product of two polynomials modulo the CRC's; the highest bit is the constant term."""
    product = 0
    while b:
        if b & 0x80000000:
            product ^= a
        b = b << 1 & _ONES
        a = a >> 1 ^ (_POLYNOMIAL if a & 1 else 0)
    return product


def _power_of_x(exponent: int) -> int:
    power, square = 0x80000000, 0x40000000
    while exponent:
        if exponent & 1:
            power = _times(power, square)
        square = _times(square, square)
        exponent >>= 1
    return power
