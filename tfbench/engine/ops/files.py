"""Files read and written by a run: `read_file`, `write_file`, `matching_files`."""

from __future__ import annotations

import errno
import os
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.string_common import as_strings
from tfbench.engine.shape_math import with_rank, with_rank_at_most
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["matching_files", "read_file", "write_file"]

_read = op("ReadFile", "filename: string", "contents: string", fresh=True)
_write = op("WriteFile", "filename: string, contents: string", "", stateful=True)
_matching = op("MatchingFiles", "pattern: string", "filenames: string", fresh=True)
for _declared in (_read, _write, _matching):
    _declared.no_gradient("strings have no gradient")


def _scalar(value: Any, what: str) -> bytes:
    array: Any = np.asarray(value)
    if array.ndim:
        raise invalid(f"{what} tensor must be scalar, but had shape: {brackets(array.shape)}")
    return array[()]


def file_error(path: str | bytes, error: OSError) -> errors.OpError:
    """An operating system's error as TensorFlow's: the type says what kind it is."""
    kinds: list[tuple[type[OSError], Any]] = [
        (FileNotFoundError, errors.NotFoundError),
        (PermissionError, errors.PermissionDeniedError),
        (IsADirectoryError, errors.FailedPreconditionError),
        (NotADirectoryError, errors.FailedPreconditionError),
        (FileExistsError, errors.AlreadyExistsError),
    ]
    kind = next((ours for theirs, ours in kinds if isinstance(error, theirs)), errors.UnknownError)
    if error.errno in (errno.ENOSPC, errno.EFBIG, errno.EMFILE, getattr(errno, "EDQUOT", None)):
        kind = errors.ResourceExhaustedError
    found: errors.OpError = kind(None, None, f"{os.fsdecode(path)}; {error.strerror}")
    return found


@_read.shape
def _read_shape(node: Operation, filename: Shape) -> list[Shape]:
    with_rank(filename, 0)
    return [()]


@_read.bind(CPU)
def _read_bind(context: Any) -> Any:
    # Bound, and not a plain kernel, so that building a graph reads no files to know a value.
    def read(filename: Any) -> Any:
        path = _scalar(filename, "Input filename")
        try:
            with open(path, "rb") as file:
                return as_strings([file.read()], ())
        except OSError as error:
            raise file_error(path, error) from None

    return read


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """The contents of a file, when this is run."""
    return _read(filename, name=name)


@_write.shape
def _write_shape(node: Operation, filename: Shape, contents: Shape) -> list[Shape]:
    with_rank(filename, 0)
    with_rank(contents, 0)
    return []


@_write.kernel(CPU)
def _write_kernel(xp: Any, filename: Any, contents: Any) -> None:
    path = _scalar(filename, "Input filename")
    data = _scalar(contents, "Contents")
    try:
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
    except OSError as error:
        raise file_error(path, error) from None


def write_file(filename: Any, contents: Any, name: str | None = None) -> Operation:
    """An operation that writes `contents` to a file, over what is there; missing folders are made."""
    return _write(filename, contents, name=name)


@_matching.shape
def _matching_shape(node: Operation, pattern: Shape) -> list[Shape]:
    with_rank_at_most(pattern, 1)
    return [(None,)]


@_matching.bind(CPU)
def _matching_bind(context: Any) -> Any:
    from glob import glob

    def find(pattern: Any) -> Any:
        found: set[bytes] = set()
        for one in np.asarray(pattern).ravel().tolist():
            # As in a shell, but hidden files are like others.
            found.update(path for path in glob(one, include_hidden=True))
        return as_strings(sorted(found), (len(found),))

    return find


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that match a shell pattern (or one of several), sorted, when this is run."""
    return _matching(pattern, name=name)
