"""Records, TensorFlow's framing of files (TFRecord, event files): written and read one after the other.

A record is its length (8 bytes), the length's checksum (4), the data, and the data's checksum (4), all little-endian;
the checksums are masked CRC-32C. The file may be compressed as a whole.

A file that is written is correct up to the last complete record at any time: what a write that failed left behind is
cut off before the next.

Checksums of many records together cost less than one by one (`crc32c.each`), so a writer takes them of what waits to be
written, and a reader of all records that are whole in what it has read.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from tfbench import errors
from tfbench.engine.ops.files import file_error
from tfbench.formats.crc32c import crc32c, each, mask

#: how much is read at a time
_BLOCK = 1 << 18
#: zlib's window by compression, with the bits that ask for the format's headers
_WINDOWS = {"ZLIB": 15, "GZIP": 31}


_LENGTH, _CHECKSUM = struct.Struct("<Q"), struct.Struct("<I")


def frame(data: bytes) -> bytes:
    """A record as it stands in a file."""
    return _frames([data])


def _frames(records: Sequence[bytes]) -> bytes:
    """Records as they stand in a file, one after the other."""
    parts: list[bytes] = []
    pack = _CHECKSUM.pack
    for data, crc in zip(records, each(records)):
        parts += _head(len(data)), data, pack(mask(crc))
    return b"".join(parts)


@lru_cache(4096)
def _head(size: int) -> bytes:
    """What stands before a record of this length. Lengths come again and again."""
    length = _LENGTH.pack(size)
    return length + _CHECKSUM.pack(mask(crc32c(length)))


# -- writing --------------------------------------------------------------------------------------------------------


class RecordFile:
    """A file that records are added to, without compression. `new` refuses to write over a file that is there.

    Raises:
      OpError: for what the operating system refuses: NotFoundError, PermissionDeniedError, ResourceExhaustedError.
      FileExistsError: with `new`, if the file exists.
    """

    def __init__(self, path: str, new: bool = False) -> None:
        self.path = path
        flags = os.O_WRONLY | os.O_CREAT | (os.O_EXCL if new else os.O_TRUNC) | getattr(os, "O_BINARY", 0)
        try:
            self._file = os.open(path, flags, 0o666)
        except FileExistsError:
            raise
        except OSError as error:
            raise file_error(path, error) from None
        self.closed = False
        #: how far the file is good; whether something that is not may follow
        self.size = 0
        self._dirty = False

    def write(self, data: bytes) -> None:
        """Adds bytes: all of them, or none (then an error says why, and the same may be tried again)."""
        try:
            if self._dirty:
                os.ftruncate(self._file, self.size)
                os.lseek(self._file, self.size, os.SEEK_SET)
            self._dirty = True
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError as error:
            raise file_error(self.path, error) from None
        self._dirty = False
        self.size += len(data)

    def close(self) -> None:
        if self.closed:
            return
        self.closed = True
        try:
            if self._dirty:
                os.ftruncate(self._file, self.size)
            os.close(self._file)
        except OSError as error:
            raise file_error(self.path, error) from None


class RecordWriter:
    """What `tf.python_io.TFRecordWriter` writes with. Records are collected and written in blocks."""

    def __init__(self, path: str, compression: str = "", **options: Any) -> None:
        self._file = RecordFile(path)
        self._packer: Any = None
        if compression:
            level = options.get("compression_level", -1)
            memory, strategy = options.get("mem_level", 8), options.get("compression_strategy", 0)
            window = options.get("window_bits") or _WINDOWS[compression]
            if compression == "GZIP" and window < 16:
                window += 16
            self._packer = zlib.compressobj(level, zlib.DEFLATED, window, memory, strategy)
        #: records, and their size in the file; then what is ready to be written
        self._waiting: list[bytes] = []
        self._size = 0
        self._ready: list[bytes] = []

    @property
    def closed(self) -> bool:
        return self._file.closed

    def write(self, data: bytes) -> None:
        self._waiting.append(data)
        self._size += len(data) + 16
        if self._size > _BLOCK:
            self._write_out()

    def _write_out(self) -> None:
        """Hands on what waits; it keeps waiting if that fails."""
        if self._waiting:
            block = _frames(self._waiting)
            self._waiting, self._size = [], 0
            self._ready.append(block if self._packer is None else self._packer.compress(block))
        self._write_ready()

    def _write_ready(self) -> None:
        block = b"".join(self._ready)
        self._ready = [block]
        if block:
            self._file.write(block)
        self._ready = []

    def flush(self) -> None:
        """Hands everything to the operating system."""
        self._write_out()
        if self._packer is not None:
            self._ready.append(self._packer.flush(zlib.Z_FULL_FLUSH))
            self._write_ready()

    def close(self) -> None:
        if self.closed:
            return
        try:
            self._write_out()
            if self._packer is not None:
                self._ready.append(self._packer.flush())
                self._packer = None
                self._write_ready()
        finally:
            self._file.close()


# -- reading --------------------------------------------------------------------------------------------------------


def read_records(path: str, compression: str = "") -> Iterator[bytes]:
    """The records of a file, in order. Those before a damaged place are given before the error is raised.

    Raises:
      NotFoundError, PermissionDeniedError, FailedPreconditionError: if the file cannot be read.
      DataLossError: if a record is damaged or cut off: which file, and at which byte the record begins.
    """
    source = _Source(path, compression)
    try:
        while True:
            record = source.record()
            if record is None:
                return
            yield record
    finally:
        source.close()


class RecordReader:
    """Records of a file one by one, with the offset at which the next one begins: for readers that are resumed."""

    def __init__(self, path: str, compression: str = "") -> None:
        self._source = _Source(path, compression)

    @property
    def offset(self) -> int:
        return self._source.offset

    def read(self) -> bytes | None:
        """The next record, or None at the end of the file."""
        return self._source.record()

    def close(self) -> None:
        self._source.close()


class _Source:
    """A file as a stream of bytes after decompression, and the records in it."""

    def __init__(self, path: str, compression: str) -> None:
        self.path = path
        try:
            self._file = open(path, "rb")  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise file_error(path, error) from None
        self._window = _WINDOWS[compression] if compression else None
        self._unpacker = zlib.decompressobj(self._window) if self._window else None
        self._buffer = b""
        self._at = 0
        #: records of the buffer that were found to be good and not given yet
        self._good: deque[bytes] = deque()
        #: the offset of the next record in the (unpacked) stream
        self.offset = 0
        self._ended = False

    def record(self) -> bytes | None:
        if not self._good:
            self._look_ahead()
        if self._good:
            data = self._good.popleft()
            self.offset += len(data) + 16
            return data
        start = self.offset
        head = self._take(12)
        if not head:
            return None
        if len(head) < 12:
            raise self._truncated(start, 12, len(head))
        (size,) = _LENGTH.unpack_from(head)
        if head != _head(size):
            hint = "" if start else " (Is this even a TFRecord file?)"
            raise self._damaged(start, f"the length of a record does not agree with its checksum{hint}")
        data, stored = self._take(size), self._take(4)
        if len(stored) < 4:
            raise self._truncated(start, size + 16, len(head) + len(data) + len(stored))
        if mask(crc32c(data)) != _CHECKSUM.unpack(stored)[0]:
            raise self._damaged(start + 12, f"the {size} bytes of a record do not agree with their checksum")
        self.offset = start + size + 16
        return data

    def _look_ahead(self) -> None:
        """Takes the records that are whole in the buffer. What is damaged or not whole stays there for `record`."""
        buffer, at, end = self._buffer, self._at, len(self._buffer)
        found: list[bytes] = []
        stored: list[int] = []
        while at + 16 <= end:
            (size,) = _LENGTH.unpack_from(buffer, at)
            stop = at + 12 + size
            if stop + 4 > end or not buffer.startswith(_head(size), at):
                break
            found.append(buffer[at + 12 : stop])
            stored += _CHECKSUM.unpack_from(buffer, stop)
            at = stop + 4
        for data, crc, masked in zip(found, each(found), stored):
            if mask(crc) != masked:
                break
            self._good.append(data)
            self._at += len(data) + 16

    def _damaged(self, at: int, what: str) -> errors.DataLossError:
        return errors.DataLossError(None, None, f"corrupted record at {at} in {self.path}: {what}")

    def _truncated(self, start: int, wanted: int, found: int) -> errors.DataLossError:
        return errors.DataLossError(
            None,
            None,
            f"truncated record at {start} in {self.path}: it has {wanted} bytes, of which {found} are there",
        )

    def _take(self, size: int) -> bytes:
        """The next `size` bytes, or fewer at the end. A length that is nonsense asks for no memory."""
        end = self._at + size
        if end <= len(self._buffer):
            part, self._at = self._buffer[self._at : end], end
            return part
        parts = [self._buffer[self._at :]]
        missing = size - len(parts[0])
        self._buffer, self._at = b"", 0
        while missing > 0:
            block = self._more()
            if not block:
                break
            parts.append(block[:missing])
            self._buffer, self._at = block, min(missing, len(block))
            missing -= len(parts[-1])
        return b"".join(parts)

    def _more(self) -> bytes:
        """Some more of the stream; b'' at its end."""
        while True:
            try:
                block = self._file.read(_BLOCK)
            except OSError as error:
                raise file_error(self.path, error) from None
            if self._unpacker is None:
                return block
            unpacked = self._unpack(block)
            if unpacked or not block:
                return unpacked

    def _unpack(self, block: bytes) -> bytes:
        assert self._unpacker is not None
        assert self._window is not None
        out = []
        try:
            while block:
                if self._unpacker.eof:  # members one after the other
                    self._unpacker = zlib.decompressobj(self._window)
                out.append(self._unpacker.decompress(block))
                block = self._unpacker.unused_data
        except zlib.error as error:
            kind = "GZIP" if self._window > 15 else "ZLIB"
            raise errors.DataLossError(
                None,
                None,
                f"{self.path} cannot be unpacked as {kind} behind byte {self.offset} of its contents: {error}",
            ) from None
        return b"".join(out)

    def close(self) -> None:
        self._file.close()
