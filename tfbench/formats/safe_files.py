"""Files that are either complete or not there: written under another name, flushed to the disk, then renamed.

A set of files that belong together (a checkpoint's data and its index) cannot be renamed in one stroke. Where it
replaces an older set of the same names, the new files first get their names with `.new` at the end; the index is last,
and with it the new set is complete: whoever reads from then on takes the `.new` files where there are some, and the
next writer finishes the renaming. So a crash leaves either the old set or the new one, never some of each.

Two writers of one set, threads or processes, do their renaming one after the other: a lock on the folder.
"""

from __future__ import annotations

import contextlib
import errno
import glob
import os
import secrets
import threading
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

from tfbench.engine.ops.files import file_error

_NEW = ".new"

_one_at_a_time = threading.RLock()


class NewFile:
    """A file that is being written beside `path`. `commit` gives it its name; leaving without removes it.

    Raises:
      OpError: for what the operating system refuses: NotFoundError, PermissionDeniedError, ResourceExhaustedError.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.temporary = f"{path}.tempstate{secrets.randbits(64)}"
        try:
            self._file: BinaryIO = open(self.temporary, "wb")  # noqa: SIM115 - closed by `close`
        except OSError as error:
            raise file_error(path, error) from None
        self.size = 0

    def write(self, data: Any) -> None:
        try:
            self._file.write(data)
        except OSError as error:
            raise file_error(self.path, error) from None
        self.size += len(data) if type(data) is bytes else memoryview(data).nbytes

    def close(self) -> None:
        """Waits until everything is on the disk."""
        if self._file.closed:
            return
        try:
            with self._file:
                self._file.flush()
                os.fsync(self._file.fileno())
        except OSError as error:
            raise file_error(self.path, error) from None

    def commit(self) -> None:
        """Gives the file its name, over what is there."""
        self.close()
        rename(self.temporary, self.path)
        flush_folder(self.path)

    def discard(self) -> None:
        """Removes what was written; does nothing after `commit`."""
        with contextlib.suppress(OSError):
            self._file.close()
        with contextlib.suppress(OSError):
            os.remove(self.temporary)

    def __enter__(self) -> NewFile:
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None:
            try:
                self.commit()
            except BaseException:
                self.discard()
                raise
        else:
            self.discard()


def write_file(path: str, data: bytes) -> None:
    """Writes a whole file in one stroke."""
    with NewFile(path) as file:
        file.write(data)


def commit_together(moves: Sequence[tuple[str, str]]) -> None:
    """Renames the files of one set, (from, to); the last one, the index, makes the set complete."""
    *_, (_, last) = moves
    with locked(last):
        for _, path in moves:
            if os.path.isdir(path):
                raise file_error(path, IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)))
        finish_renaming(last)
        if os.path.exists(last):
            for source, path in moves:
                rename(source, path + _NEW)
            flush_folder(last)
            finish_renaming(last)
        else:
            for source, path in moves:
                rename(source, path)
        flush_folder(last)


def finish_renaming(last: str) -> None:
    """Completes what a crash left of `commit_together`: forward if the set was complete, else what there is goes."""
    complete = os.path.exists(last + _NEW)
    for path in glob.glob(f"{glob.escape(os.path.splitext(last)[0])}.data-?????-of-?????{_NEW}"):
        if complete:
            rename(path, path.removesuffix(_NEW))
        else:
            with contextlib.suppress(OSError):
                os.remove(path)
    if complete:
        rename(last + _NEW, last)


def newest(path: str, last: str) -> str:
    """The name to read `path` under; `last` is the file that makes its set complete."""
    return path + _NEW if os.path.exists(last + _NEW) and os.path.exists(path + _NEW) else path


def rename(source: str, path: str) -> None:
    """Renames a file, over one that is there."""
    try:
        os.replace(source, path)
    except OSError as error:
        raise file_error(path, error) from None


def flush_folder(path: str) -> None:
    """Waits until the names in the folder of `path` are on the disk, where the system can."""
    with contextlib.suppress(OSError), _open_folder(path) as folder:
        os.fsync(folder)


@contextlib.contextmanager
def locked(path: str) -> Iterator[None]:
    """Holds the folder of `path`: others that ask wait. The lock ends with the process, and leaves no file behind."""
    with _one_at_a_time:
        try:
            import fcntl
        except ImportError:  # Windows: threads alone
            yield
            return
        try:
            folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        except OSError as error:
            raise file_error(path, error) from None
        try:
            # A file system without locks has none to wait for.
            with contextlib.suppress(OSError):
                fcntl.flock(folder, fcntl.LOCK_EX)
            yield
        finally:
            os.close(folder)


@contextlib.contextmanager
def _open_folder(path: str) -> Iterator[int]:
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        yield folder
    finally:
        os.close(folder)
