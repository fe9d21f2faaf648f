"""`tf.gfile.GFile`: a file that is opened when it is first used, and whose errors are `tf.errors`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import IO, Any

from tfbench import errors
from tfbench.engine.ops.files import file_error

__all__ = ["FastGFile", "GFile"]

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """A file, read and written as text (UTF-8) or, with 'b' in its mode, as bytes.

    It is opened by the first read or write; after `close`, reading begins anew. Positions count bytes.

    Raises:
      InvalidArgumentError: for a mode that does not exist.
      NotFoundError, PermissionDeniedError, FailedPreconditionError, ResourceExhaustedError: from reads and writes.
    """

    def __init__(self, name: Any, mode: str = "r") -> None:
        self._name = name
        self._path = os.fspath(name)
        self._mode = mode
        self._binary = "b" in mode
        plain = mode.replace("b", "")
        if plain not in _MODES:
            raise errors.InvalidArgumentError(
                None, None, f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+' (perhaps with 'b'): {mode!r}"
            )
        self._reads = plain[0] == "r" or "+" in plain
        self._writes = plain != "r"
        self._plain = plain
        self._file: IO[bytes] | None = None

    @property
    def name(self) -> Any:
        """The path, as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode, as it was given."""
        return self._mode

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            try:
                self._file = open(self._path, f"{self._plain[0]}b{self._plain[1:]}")  # noqa: SIM115 - see `close`
            except OSError as error:
                raise file_error(self._path, error) from None
        return self._file

    def _reading(self) -> IO[bytes]:
        if not self._reads:
            raise errors.PermissionDeniedError(None, None, f"File isn't open for reading: {self._path!r}")
        return self._opened()

    def _call(self, function: Any, *arguments: Any) -> Any:
        try:
            return function(*arguments)
        except OSError as error:
            raise file_error(self._path, error) from None

    def _text(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    # -- reading ------------------------------------------------------------------------------------------------------

    def read(self, n: int = -1) -> Any:
        """The next `n` bytes, or all that are left. Of text, a last character is not cut in two."""
        file = self._reading()
        data: bytes = self._call(file.read, n)
        if not self._binary and n > 0:
            for _ in range(3):
                try:
                    data.decode()
                    break
                except UnicodeDecodeError as error:
                    if error.end < len(data) or error.reason != "unexpected end of data":
                        raise
                    data += self._call(file.read, 1)
        return self._text(data)

    def readline(self) -> Any:
        """The next line with what ends it; empty at the end."""
        return self._text(self._call(self._reading().readline))

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, file_content: Any) -> None:
        """Adds text or bytes.

        Raises:
          TypeError: for anything else.
        """
        if not self._writes:
            raise errors.PermissionDeniedError(None, None, f"File isn't open for writing: {self._path!r}")
        if isinstance(file_content, str):
            file_content = file_content.encode()
        elif not isinstance(file_content, (bytes, bytearray, memoryview)):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        self._call(self._opened().write, file_content)

    def flush(self) -> None:
        """Hands what was written to the operating system."""
        if self._file is not None:
            self._call(self._file.flush)

    def close(self) -> None:
        """Closes the file."""
        file, self._file = self._file, None
        if file is not None:
            self._call(file.close)

    # -- where --------------------------------------------------------------------------------------------------------

    def size(self) -> int:
        """The number of bytes of the file."""
        self.flush()
        return int(self._call(os.stat, self._path).st_size)

    def tell(self) -> int:
        """The position, in bytes."""
        return int(self._call(self._opened().tell))

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves to a position from the beginning (`whence` 0), from here (1), or from the end (2)."""
        if offset is None:
            if position is None:
                raise TypeError("seek(): offset argument required")
            offset = position
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(
                None, None, f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        file = self._reading()
        start = (0, self.tell(), self.size())[whence]
        if start + offset < 0:
            raise errors.InvalidArgumentError(None, None, f"Seeking to a negative position: {start + offset}")
        self._call(file.seek, start + offset)

    def seekable(self) -> bool:
        """True."""
        return True

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        # `GFile(path).read()` without `close` is how it is mostly used.
        if getattr(self, "_file", None) is not None:
            with contextlib.suppress(Exception):
                self.close()

    def __repr__(self) -> str:
        return f"<GFile {self._path!r} mode={self._mode!r}>"


class FastGFile(GFile):
    """The older name of `GFile`."""
