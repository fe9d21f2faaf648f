"""Readers: they take the names of files from a queue and give what is in them, record by record.

A reader is at one file at a time. Several runs may read from it; each waits for its turn, and whose turn it is may have
to wait for the next name.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

from tfbench import errors
from tfbench.engine.kernel_errors import invalid, unimplemented
from tfbench.engine.kernels import wire
from tfbench.engine.resources import Resource
from tfbench.engine.waiting import Turns

#: a record: its key and its value
Record = tuple[bytes, bytes]


class ReaderState(Resource):
    """One reader in one session: the file that it is at, and how much it has read.

    A kind of reader says how a file is begun (`_begin`), and what its next record is (`_next`: None at its end).
    """

    #: whether a record is all there is in a file: with it, the file is done
    whole = False
    #: whether the state can be taken out and put in again
    serializes = False

    def __init__(self, name: str) -> None:
        self.name = name
        self._turns = Turns()
        self._work: bytes | None = None
        self._started = 0
        self._finished = 0
        self._produced = 0

    # -- what kernels call ----------------------------------------------------------------------------------------

    def read(self, queue: Any) -> Record:
        """The next record; the next file's name is taken from `queue`, and waited for, where one is at its end.

        Raises:
          OutOfRangeError: if the queue is closed and empty.
          NotFoundError, …: if a file cannot be read. It is left out then.
        """
        with self._turns:
            while True:
                self._go_on(queue)
                record = self._step()
                if record is not None:
                    return record

    def read_up_to(self, queue: Any, most: int) -> list[Record]:
        """The next records of one file, at least one and at most so many."""
        with self._turns:
            while True:
                self._go_on(queue)
                found: list[Record] = []
                while len(found) < most and self._work is not None:
                    record = self._step()
                    if record is None:
                        break
                    found.append(record)
                if found:
                    return found

    def counts(self) -> tuple[int, int]:
        """How many records were read, and how many files are done."""
        return self._produced, self._finished

    def reset(self) -> None:
        """Forgets everything: the next record is from the next file."""
        with self._turns:
            self._end()
            self._work = None
            self._started = self._finished = self._produced = 0

    def serialize(self) -> bytes:
        """The state as a message. UnimplementedError for readers that cannot be put back to where they were."""
        if not self.serializes:
            raise unimplemented("Reader SerializeState")
        with self._turns:
            numbers = (self._started, self._finished, self._produced)
            fields = [wire.integer(field, number) for field, number in enumerate(numbers, 1)]
            return b"".join([*fields, wire.chunk(4, self._last)])

    def deserialize(self, state: bytes) -> None:
        """Goes back to where `serialize` was called."""
        if not self.serializes:
            raise unimplemented("Reader RestoreState")
        try:
            found = {number: value for number, _, value in wire.fields(state)}
            numbers = [int(found.get(field, 0)) for field in (1, 2, 3)]
            last = bytes(found.get(4, b""))
        except (wire.BadMessage, TypeError, ValueError):
            text = state.decode(errors="replace")
            raise invalid(f"Could not parse state for {type(self).kind} '{self.name}': {text}") from None
        with self._turns:
            self._started, self._finished, self._produced = numbers
            self._last = last
            self._work = last if self._started > self._finished else None

    # Who waits does it in the queue, which wakes them when the session is closed; then the others have their turns, and
    # fail, too.

    def snapshot(self) -> Any:
        """Where the reader is; an open file is not rewound."""
        return self._work, self._started, self._finished, self._produced

    def restore(self, saved: Any) -> None:
        self._work, self._started, self._finished, self._produced = saved

    # -- inside ------------------------------------------------------------------------------------------------------

    kind = "Reader"
    #: the last name that was taken from the queue
    _last = b""

    def _go_on(self, queue: Any) -> None:
        """Sees that there is a file to read from."""
        if self._work is not None:
            return
        dtypes = [dtype.name for dtype in queue.dtypes]
        if dtypes != ["string"]:
            raise invalid(f"A reader takes names from a queue of one string, but this one has {', '.join(dtypes)}")
        (name,) = queue.dequeue(1)[0]
        if name.ndim:
            raise invalid(f"A reader takes one name after another, but the queue had {name.size} in one element")
        self._last = name[()]
        self._begin(self._last)
        self._work = self._last
        self._started += 1

    def _step(self) -> Record | None:
        assert self._work is not None
        record = self._next(self._work)
        if record is None or self.whole:
            self._end()
            self._work = None
            self._finished += 1
        if record is not None:
            self._produced += 1
        return record

    def _begin(self, name: bytes) -> None:
        """Opens a file."""

    def _next(self, name: bytes) -> Record | None:
        raise NotImplementedError

    def _end(self) -> None:
        """Closes it."""


class IdentityState(ReaderState):
    """Gives the names as they are."""

    kind = "IdentityReader"
    whole = True
    serializes = True

    def _next(self, name: bytes) -> Record:
        return name, name


class WholeFileState(ReaderState):
    """Gives all of each file."""

    kind = "WholeFileReader"
    whole = True
    serializes = True

    def _next(self, name: bytes) -> Record:
        with _open(name) as file:
            return name, file.read()


class _FileState(ReaderState):
    """A reader that keeps a file open."""

    _file: Any = None
    #: how many records of the file were read
    _count = 0

    def _begin(self, name: bytes) -> None:
        self._end()
        self._file = _open(name)
        self._count = 0

    def _end(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __del__(self) -> None:
        self._end()


class TextLineState(_FileState):
    """Gives the lines of a file, without their ends, and their numbers from 1 on."""

    kind = "TextLineReader"

    def __init__(self, name: str, skip: int) -> None:
        super().__init__(name)
        self._skip = skip

    def _begin(self, name: bytes) -> None:
        super()._begin(name)
        for _ in range(self._skip):
            self._file.readline()
        self._count = self._skip

    def _next(self, name: bytes) -> Record | None:
        line = self._file.readline()
        if not line:
            return None
        self._count += 1
        return b"%s:%d" % (name, self._count), line.removesuffix(b"\n").removesuffix(b"\r")


class FixedLengthState(_FileState):
    """Gives pieces of one length, from behind a header on; what is left before the footer is left out."""

    kind = "FixedLengthRecordReader"

    def __init__(self, name: str, record: int, header: int, footer: int, hop: int, encoding: str) -> None:
        super().__init__(name)
        self._size = record
        self._header = header
        self._footer = footer
        self._hop = hop or record
        self._packed = encoding == "ZLIB"
        self._limit = 0

    def _begin(self, name: bytes) -> None:
        super()._begin(name)
        if self._packed:
            self._unpack(name)
        size = self._file.seek(0, os.SEEK_END)
        if size < self._header:
            raise errors.OutOfRangeError(
                None,
                None,
                f"{os.fsdecode(name)}; reached end of file: of a header of {self._header} bytes {size} are there",
            )
        self._limit = size - self._footer

    def _unpack(self, name: bytes) -> None:
        from io import BytesIO

        try:
            unpacked = zlib.decompress(self._file.read())
        except zlib.error as error:
            self._end()
            raise errors.DataLossError(None, None, f"{os.fsdecode(name)} cannot be unpacked: {error}") from None
        self._end()
        self._file = BytesIO(unpacked)

    def _next(self, name: bytes) -> Record | None:
        start = self._header + self._count * self._hop
        if start + self._size > self._limit:
            return None
        self._file.seek(start)
        data = self._file.read(self._size)
        if len(data) < self._size:  # the file was cut off meanwhile
            return None
        self._count += 1
        return b"%s:%d" % (name, self._count - 1), data


class TFRecordState(_FileState):
    """Gives the records of TFRecord files, and where they begin."""

    kind = "TFRecordReader"

    def __init__(self, name: str, compression: str, make: Any) -> None:
        super().__init__(name)
        self._compression = compression
        self._make = make

    def _begin(self, name: bytes) -> None:
        self._end()
        self._file = self._make(os.fsdecode(name), self._compression)

    def _next(self, name: bytes) -> Record | None:
        start = self._file.offset
        data = self._file.read()
        return None if data is None else (b"%s:%d" % (name, start), data)


def _open(name: bytes) -> Any:
    from tfbench.engine.ops.files import file_error

    try:
        return open(name, "rb")
    except (OSError, ValueError) as error:
        if not isinstance(error, OSError):
            raise invalid(f"{name!r} is no name of a file: {error}") from None
        raise file_error(name, error) from None
