"""Data sets of what files hold: records, lines, pieces of one length. A file is opened when its turn comes."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.datasets.base import Context, Dataset, Element, Steps
from tfbench.engine.ops.files import file_error
from tfbench.engine.tensor import OPERATORS
from tfbench.errors import DataLossError

_WINDOWS = {b"ZLIB": 15, b"GZIP": 31}
_BLOCK = 1 << 18


def string(value: bytes) -> Any:
    """A string as an array of rank 0."""
    array: Any = np.empty((), object)
    array[()] = value
    return array


class Files(Dataset):
    """What is in some files, one file after the other; `open_file` gives an iterator over one of them."""

    __slots__ = ("_names",)

    def __init__(self, names: Sequence[bytes]) -> None:
        self._names = names

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Files(self)

    def open_file(self, name: bytes) -> Iterator[bytes]:
        raise NotImplementedError

    def element(self, item: bytes) -> Element:
        """The element for what the iterator over a file gave."""
        return (string(item),)


class _Files(Steps):
    __slots__ = ("_current", "_files", "_number")

    def __init__(self, files: Files) -> None:
        self._files = files
        self._number = 0
        self._current: Iterator[bytes] | None = None

    def __next__(self) -> Element:
        names = self._files._names
        while self._number < len(names):
            try:
                if self._current is None:
                    self._current = self._files.open_file(names[self._number])
                item = self._current.__next__()
            except StopIteration:
                self._next_file()
                continue
            except DataLossError:
                self._next_file()  # the next call goes on there
                raise
            except Exception:
                self._current = None
                raise
            return self._files.element(item)
        raise StopIteration

    def _next_file(self) -> None:
        self._current = None
        self._number += 1


class Records(Files):
    """The records of TFRecord files."""

    __slots__ = ("_compression",)

    def __init__(self, names: Sequence[bytes], compression: bytes) -> None:
        super().__init__(names)
        self._compression = compression.decode() if compression in _WINDOWS else ""

    def open_file(self, name: bytes) -> Iterator[bytes]:
        reader = OPERATORS["record_reader"](name.decode(), self._compression)
        try:
            while (record := reader.read()) is not None:
                yield record
        finally:
            reader.close()


class Lines(Files):
    """Lines, without what ends them, and without carriage returns anywhere, as TensorFlow reads them."""

    __slots__ = ("_compression",)

    def __init__(self, names: Sequence[bytes], compression: bytes) -> None:
        super().__init__(names)
        self._compression = compression

    def open_file(self, name: bytes) -> Iterator[bytes]:
        rest = b""
        for block in read_blocks(name, self._compression):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                yield line.replace(b"\r", b"")
        if rest:
            yield rest.replace(b"\r", b"")


class Pieces(Files):
    """Records of one length, between a header and a footer."""

    __slots__ = ("_compression", "_footer", "_header", "_size")

    def __init__(self, names: Sequence[bytes], header: int, size: int, footer: int, compression: bytes) -> None:
        super().__init__(names)
        for what, number, least in (
            ("header_bytes", header, 0),
            ("record_bytes", size, 1),
            ("footer_bytes", footer, 0),
        ):
            if number < least:
                raise invalid(f"{what} must be {'> 0' if least else '>= 0'}, but it is {number}.")
        self._header, self._size, self._footer = header, size, footer
        self._compression = compression

    def open_file(self, name: bytes) -> Iterator[bytes]:
        if self._compression not in _WINDOWS:
            self._check_length(name)
        blocks = read_blocks(name, self._compression)
        buffer = b""
        while len(buffer) < self._header:
            block = next(blocks, b"")
            if not block:
                raise self._wrong_length(name, len(buffer))
            buffer += block
        total, buffer = len(buffer), buffer[self._header :]
        size = self._size
        for block in blocks:
            total += len(block)
            buffer += block
            # What may be the footer stays.
            count = (len(buffer) - self._footer) // size
            for start in range(0, count * size, size):
                yield buffer[start : start + size]
            buffer = buffer[max(count, 0) * size :]
        count, left = divmod(len(buffer) - self._footer, size)
        if left or count < 0:
            raise self._wrong_length(name, total)
        for start in range(0, count * size, size):
            yield buffer[start : start + size]

    def _check_length(self, name: bytes) -> None:
        try:
            total = os.path.getsize(name)
        except OSError as error:
            raise file_error(name, error) from None
        body = total - self._header - self._footer
        if body < 0 or body % self._size:
            raise self._wrong_length(name, total)

    def _wrong_length(self, name: bytes, total: int) -> Exception:
        return invalid(
            f"Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), input file "
            f'"{name.decode(errors="replace")}" has body length {total - self._header - self._footer} bytes, which is '
            f"not an exact multiple of the record length ({self._size} bytes)."
        )


def read_blocks(name: bytes, compression: bytes = b"") -> Iterator[bytes]:
    """A file's contents, unpacked, a block at a time.

    Raises:
      NotFoundError and its kin: if it cannot be read.
      DataLossError: if it cannot be unpacked.
    """
    try:
        with open(name, "rb") as file:
            if compression not in _WINDOWS:
                while block := file.read(_BLOCK):
                    yield block
                return
            yield from _unpacked(file, name, compression)
    except OSError as error:
        raise file_error(name, error) from None


def _unpacked(file: Any, name: bytes, compression: bytes) -> Iterator[bytes]:
    unpacker = zlib.decompressobj(_WINDOWS[compression])
    while block := file.read(_BLOCK):
        while block:
            if unpacker.eof:  # members one after the other
                unpacker = zlib.decompressobj(_WINDOWS[compression])
            try:
                yield unpacker.decompress(block)
            except zlib.error as error:
                raise DataLossError(
                    None, None, f"{name.decode(errors='replace')} cannot be unpacked as {compression.decode()}: {error}"
                ) from None
            block = unpacker.unused_data
