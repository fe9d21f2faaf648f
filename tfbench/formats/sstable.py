"""Sorted tables of keys and values: the container of checkpoint indexes and of V1 checkpoints.

    data block … | empty meta block | index block | footer

A block is entries and, at its end, the offsets of those entries ("restarts") whose key is written in full. The others
leave out what their key shares with the key before:

    shared: varint   rest: varint   size: varint   rest of the key   value

After a block come its compression (0: none) and a masked CRC-32C. The index block has an entry per data block: a key
that no key in the block is greater than, and the block's place, two varints. The footer is the places of the meta and
the index block, filled up to 40 bytes, and a magic number.
"""

from __future__ import annotations

import bisect
import struct
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

from tfbench.errors import DataLossError
from tfbench.formats.crc32c import crc32c, mask

MAGIC = 0xDB4775248B80FB57
_FOOTER_SIZE = 48
_TRAILER_SIZE = 5
_BLOCK_SIZE = 256 << 10
_RESTART_INTERVAL = 16

Place = tuple[int, int]

#: the numbers of one byte
_SMALL = [bytes([number]) for number in range(128)]


def varint(number: int) -> bytes:
    """A non-negative number, seven bits a byte, lowest first; the high bit says that another byte follows."""
    if number < 128:
        return _SMALL[number]
    result = bytearray()
    while number > 127:
        result.append(number & 127 | 128)
        number >>= 7
    result.append(number)
    return bytes(result)


def read_varint(data: Any, position: int) -> tuple[int, int]:
    """The number at `position`, and where it ends.

    Raises:
      ValueError: if there is none, or it has more than 64 bits.
    """
    number = shift = 0
    while position < len(data) and shift < 64:
        byte = data[position]
        position += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, position
        shift += 7
    raise ValueError(f"no varint ends before byte {position}")


class TableWriter:
    """Writes a table. Keys are added in increasing order."""

    def __init__(self, write: Callable[[bytes], Any], block_size: int = _BLOCK_SIZE) -> None:
        self._write = write
        self._block_size = block_size
        self._offset = 0
        self._block = _Block(_RESTART_INTERVAL)
        self._index = _Block(1)
        self._last_key: bytes | None = None
        #: a block that is written and not yet in the index: its key depends on the key that comes next
        self._pending: Place | None = None

    def add(self, key: bytes, value: bytes) -> None:
        """Adds an entry.

        Raises:
          ValueError: if `key` is not greater than the one before.
        """
        last = self._last_key
        if last is not None and key <= last:
            raise ValueError(f"the keys of a table increase, but {key!r} follows {last!r}")
        if self._pending is not None and last is not None:
            self._add_to_index(_between(last, key))
        self._block.add(key, value)
        self._last_key = key
        if self._block.size >= self._block_size:
            self._pending, self._block = self._write_block(self._block), _Block(_RESTART_INTERVAL)

    def finish(self) -> None:
        """Writes what is left: the last block, the index and the footer."""
        if self._block.entries:
            self._pending = self._write_block(self._block)
        meta = self._write_block(_Block(1))
        if self._pending is not None:
            self._add_to_index(_after(self._last_key or b""))
        places = b"".join(varint(number) for number in (*meta, *self._write_block(self._index)))
        self._write(places.ljust(_FOOTER_SIZE - 8, b"\0") + struct.pack("<Q", MAGIC))

    def _add_to_index(self, key: bytes) -> None:
        assert self._pending is not None
        self._index.add(key, b"".join(map(varint, self._pending)))
        self._pending = None

    def _write_block(self, block: _Block) -> Place:
        contents = block.finish() + b"\0"  # not compressed
        place = (self._offset, len(contents) - 1)
        self._write(contents + struct.pack("<I", mask(crc32c(contents))))
        self._offset += len(contents) + _TRAILER_SIZE - 1
        return place


class _Block:
    """A block that is being made."""

    def __init__(self, restart_interval: int) -> None:
        self._interval = restart_interval
        self._data = bytearray()
        self._restarts = [0]
        self._since_restart = 0
        self._last = b""
        self.entries = 0

    @property
    def size(self) -> int:
        return len(self._data) + 4 * len(self._restarts) + 4

    def add(self, key: bytes, value: bytes) -> None:
        shared = 0
        if self._since_restart < self._interval:
            shared = _shared(self._last, key)
        else:
            self._restarts.append(len(self._data))
            self._since_restart = 0
        self._data += varint(shared) + varint(len(key) - shared) + varint(len(value)) + key[shared:] + value
        self._last = key
        self._since_restart += 1
        self.entries += 1

    def finish(self) -> bytes:
        return bytes(self._data) + struct.pack(f"<{len(self._restarts) + 1}I", *self._restarts, len(self._restarts))


def _shared(a: bytes, b: bytes) -> int:
    """How many bytes two keys have in common at the front."""
    count = 0
    for one, other in zip(a, b):
        if one != other:
            break
        count += 1
    return count


def _between(first: bytes, second: bytes) -> bytes:
    """A short key that is at least `first` and less than `second`."""
    shared = _shared(first, second)
    if shared < min(len(first), len(second)) and first[shared] < 255 and first[shared] + 1 < second[shared]:
        return first[:shared] + bytes([first[shared] + 1])
    return first


def _after(key: bytes) -> bytes:
    """A short key that is at least `key`."""
    for position, byte in enumerate(key):
        if byte != 255:
            return key[:position] + bytes([byte + 1])
    return key


class Table:
    """Reads a table. Blocks are read, and their checksums compared, when they are needed.

    Raises:
      DataLossError: if the file is no table or a block is damaged; it says which file and where in it.
    """

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._size = file.seek(0, 2)
        if self._size < _FOOTER_SIZE:
            raise self._damaged("file is too short to be an sstable", self._size)
        start = self._size - _FOOTER_SIZE
        footer = self._read(start, _FOOTER_SIZE)
        if struct.unpack_from("<Q", footer, _FOOTER_SIZE - 8)[0] != MAGIC:
            raise self._damaged("not an sstable (bad magic number)", self._size - 8)
        try:
            _, position = read_varint(footer, 0)
            _, position = read_varint(footer, position)
            offset, position = read_varint(footer, position)
            size, _ = read_varint(footer, position)
        except ValueError:
            raise self._damaged("bad block handle in the footer", start) from None
        self._blocks = [(key, self._place(value, offset)) for key, value in self._entries((offset, size))]
        self._keys = [key for key, _ in self._blocks]

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        for _, place in self._blocks:
            yield from self._entries(place)

    def get(self, key: bytes) -> bytes | None:
        """The value of `key`, or None."""
        position = bisect.bisect_left(self._keys, key)
        if position == len(self._blocks):
            return None
        return next((value for found, value in self._entries(self._blocks[position][1]) if found == key), None)

    def _place(self, value: bytes, index: int) -> Place:
        try:
            offset, position = read_varint(value, 0)
            return offset, read_varint(value, position)[0]
        except ValueError:
            raise self._damaged("bad block handle in the index block", index) from None

    def _entries(self, place: Place) -> Iterator[tuple[bytes, bytes]]:
        data = self._block(place)
        count = struct.unpack_from("<I", data, len(data) - 4)[0]
        end = len(data) - 4 - 4 * count
        position, key = 0, b""
        if end < 0:
            raise self._damaged("bad restarts in a block", place[0])
        while position < end:
            shared, rest, size = data[position : position + 3]  # as nearly always: each of one byte
            after = position + 3
            if shared > 127 or rest > 127 or size > 127:
                try:
                    shared, after = read_varint(data, position)
                    rest, after = read_varint(data, after)
                    size, after = read_varint(data, after)
                except ValueError:
                    raise self._damaged("bad entry in block", place[0] + position) from None
            if shared > len(key) or after + rest + size > end:
                raise self._damaged("bad entry in block", place[0] + position)
            key = key[:shared] + data[after : after + rest]
            position = after + rest + size
            yield key, data[after + rest : position]

    def _block(self, place: Place) -> bytes:
        offset, size = place
        if size < 4 or offset + size + _TRAILER_SIZE > self._size:
            raise self._damaged("truncated block read", offset)
        data = self._read(offset, size + _TRAILER_SIZE)
        if struct.unpack_from("<I", data, size + 1)[0] != mask(crc32c(data[: size + 1])):
            raise self._damaged("block checksum mismatch", offset)
        if data[size]:
            raise self._damaged(f"bad block type {data[size]} (compressed blocks are not read)", offset + size)
        return data[:size]

    def _read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        data = self._file.read(size)
        if len(data) != size:
            raise self._damaged("truncated block read", offset)
        return data

    def _damaged(self, what: str, offset: int) -> DataLossError:
        return DataLossError(
            None,
            None,
            f"Unable to read file ({self._name}). Perhaps the file is corrupt or was produced by a newer version of "
            f"TensorFlow with format changes: {what} (at byte {offset} of {self._size})",
        )
