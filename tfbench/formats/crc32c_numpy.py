"""CRC-32C (Castagnoli) in NumPy alone, at up to two gigabytes per second.

A CRC is linear: what a message does to the register is the XOR of what each of its words does. So the message is laid
out as a matrix with rows of `n` words, and one row is folded into the next:

    row[i+1] ^= F(row[i])        F(word) = the register after this word and the n - 1 words that follow it

`F` of a 64-bit word is the XOR of four table entries, one per 16 bits. In the end one row is left that has the checksum
of the whole message. It, and messages of few rows, are looked up in pieces of 2048 bytes, each byte by value and place;
the last few dozen one after the other. Many short messages are looked up together.

Every index is in its table, so the mode of `take` changes nothing but the time: "wrap" is the fast one.
"""

from __future__ import annotations

from collections.abc import Sequence
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
#: bytes that are looked up by value and place; so few are looked up one by one; pieces that are looked up in one go
_PLACES, _FEW, _PIECES = 2048, 40, 16
_places: Any = None
#: so many bytes of short messages are looked up together: more are slower, as they do not stay in the processor's cache
_TOGETHER = 40_000
#: the tables of `_tables`, made when first needed
_word_tables: dict[int, Any] = {}


def extend(crc: int, data: Any) -> int:
    """The checksum of what has the checksum `crc`, followed by `data` (anything contiguous)."""
    buffer = np.frombuffer(data, np.uint8)
    register = ~crc & _ONES
    rows = buffer.size // (8 * _WIDTH)
    if rows > 2:
        # The register before the message acts as if it were part of the first word.
        row = buffer[: 8 * _WIDTH].copy().view("<u8")
        row[0] ^= np.uint64(register)
        folded = _fold(row, buffer[8 * _WIDTH : 8 * _WIDTH * rows].view("<u8").reshape(-1, _WIDTH))
        buffer, register = np.concatenate([folded.view(np.uint8), buffer[8 * _WIDTH * rows :]]), 0
    pieces = buffer.size // _PLACES
    if pieces > 1:
        register = _by_pieces(register, buffer[: pieces * _PLACES].reshape(pieces, _PLACES))
        buffer = buffer[pieces * _PLACES :]
    if buffer.size >= _PLACES:
        register, buffer = _by_places(register, buffer[:_PLACES]), buffer[_PLACES:]
    register = _by_places(register, buffer) if buffer.size > _FEW else _by_bytes(register, buffer.tobytes())
    return register ^ _ONES


def each(parts: Sequence[bytes]) -> list[int]:
    """The checksum of each of several messages."""
    found = [0] * len(parts)
    short: list[int] = []
    waiting = 0
    for number, part in enumerate(parts):
        if len(part) > _PLACES:
            found[number] = extend(0, part)
        elif part:
            short.append(number)
            waiting += len(part)
        if short and (waiting > _TOGETHER or number == len(parts) - 1):
            for one, register in zip(short, _registers([parts[one] for one in short])):
                found[one] = register ^ _ONES
            short, waiting = [], 0
    return found


def _registers(parts: list[bytes]) -> list[int]:
    """The registers after messages of at most `_PLACES` bytes, none of them empty."""
    table, _, _, ones = _place_tables()
    lengths = np.array([len(part) for part in parts])
    ends = np.cumsum(lengths)
    # A byte is looked up by its value and by how far from the end of its message it stands.
    index = np.arange(_PLACES, _PLACES + ends[-1])
    index -= np.repeat(ends, lengths)
    index <<= 8
    index += np.frombuffer(b"".join(parts), np.uint8)
    registers = np.bitwise_xor.reduceat(table.take(index, mode="wrap"), ends - lengths) ^ ones.take(lengths)
    found: list[int] = registers.tolist()
    return found


def _fold(row: Any, others: Any) -> Any:
    """`row` (changed) after all `others` have been folded in."""
    width = row.size
    tables = _tables(width)
    parts = row.view("<u2").reshape(width, 4).T
    indices = np.empty((4, width), np.intp)
    total, term = np.empty(width, np.uint32), np.empty(width, np.uint32)
    for other in others:
        np.copyto(indices, parts)
        np.take(tables[0], indices[0], out=total, mode="wrap")
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
    table, starts, _, _ = _place_tables()
    data = buffer.copy()
    data[:4] ^= np.frombuffer(register.to_bytes(4, "little"), np.uint8)
    return int(np.bitwise_xor.reduce(table.take(starts[-data.size :] + data, mode="wrap")))


def _by_pieces(register: int, pieces: Any) -> int:
    """The register after pieces of `_PLACES` bytes, of which it enters each as if it were part of the first four."""
    table, starts, (first, second, third, fourth), _ = _place_tables()
    for at in range(0, len(pieces), _PIECES):
        alone = np.bitwise_xor.reduce(table.take(pieces[at : at + _PIECES] + starts, mode="wrap"), axis=1)
        for piece in alone.tolist():
            register = (
                first[register & 255]
                ^ second[register >> 8 & 255]
                ^ third[register >> 16 & 255]
                ^ fourth[register >> 24]
                ^ piece
            )
    return register


def _place_tables() -> Any:
    """What bytes make of a register: the table, where each place begins in it, the first four places as lists, and what
    a register of ones is after so many zeros.
    """
    global _places
    if _places is None:
        # All registers that one byte leads to, moved on by one byte of zeros after another.
        row, rows, table = np.array(_BYTES, np.uint32), [], np.array(_BYTES, np.uint32)
        ones = [_ONES]
        for _ in range(_PLACES):
            rows.append(row)
            row = table[row & 255] ^ row >> 8
            ones.append(_BYTES[ones[-1] & 255] ^ ones[-1] >> 8)
        rows.reverse()
        firsts = [first.tolist() for first in rows[:4]]
        _places = np.concatenate(rows), np.arange(0, 256 * _PLACES, 256), firsts, np.array(ones, np.uint32)
    return _places


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
