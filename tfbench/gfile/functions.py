"""What can be done with files and folders by name; errors are `tf.errors`, and say the path."""

from __future__ import annotations

import glob as _glob
import os
import shutil
from collections.abc import Iterator
from typing import Any, NamedTuple

from tfbench import errors
from tfbench.engine.ops.files import file_error


class FileStatistics(NamedTuple):
    """What is known of a file: its bytes, when it was changed, whether it is a folder."""

    length: int
    mtime_nsec: int
    is_directory: bool


def _path(name: Any) -> str:
    return os.fsdecode(os.fspath(name))


def exists(path: Any) -> bool:
    """Whether there is a file or folder of that name."""
    return os.path.exists(_path(path))


def isdir(path: Any) -> bool:
    """Whether there is a folder of that name."""
    return os.path.isdir(_path(path))


def glob(pattern: Any) -> list[str]:
    """The names that match a pattern, or one of several: * and ? stand for anything but a slash, [ab] for a or b."""
    patterns = [pattern] if isinstance(pattern, (str, bytes)) or hasattr(pattern, "__fspath__") else list(pattern)
    found = [sorted(_glob.glob(_path(one), include_hidden=True)) for one in patterns]
    return [name for names in found for name in names]


def listdir(path: Any) -> list[str]:
    """The names in a folder, in order.

    Raises:
      NotFoundError: if there is no such folder.
    """
    path = _path(path)
    if not os.path.isdir(path):
        raise errors.NotFoundError(None, None, f"Could not find directory {path}")
    try:
        return sorted(os.listdir(path))
    except OSError as error:
        raise file_error(path, error) from None


def mkdir(path: Any) -> None:
    """Makes a folder; nothing if it is there.

    Raises:
      NotFoundError: if the folder above it is not there.
    """
    _make(os.mkdir, path)


def makedirs(path: Any) -> None:
    """Makes a folder and those above it; nothing if it is there."""
    _make(os.makedirs, path)


def _make(function: Any, name: Any) -> None:
    path = _path(name)
    try:
        function(path)
    except (FileExistsError, NotADirectoryError):
        if not os.path.isdir(path):
            raise errors.FailedPreconditionError(None, None, f"{_in_the_way(path)} is not a directory") from None
    except OSError as error:
        raise file_error(path, error) from None


def _in_the_way(path: str) -> str:
    """The file that stands where a folder should."""
    while path and not os.path.exists(path):
        path = os.path.dirname(path)
    return path


def remove(path: Any) -> None:
    """Removes a file.

    Raises:
      NotFoundError: if there is none. FailedPreconditionError: if it is a folder.
    """
    path = _path(path)
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            raise IsADirectoryError(21, "Is a directory")
        os.remove(path)
    except OSError as error:
        raise file_error(path, error) from None


def rmtree(path: Any) -> None:
    """Removes a folder with all that is in it, or a file.

    Raises:
      NotFoundError: if there is none.
    """
    path = _path(path)
    if not os.path.lexists(path):
        raise errors.NotFoundError(None, None, f"{path} not found")
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)
    except OSError as error:
        raise file_error(error.filename or path, error) from None


def copy(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Copies a file's contents.

    Raises:
      AlreadyExistsError: if there is a file `dst`, unless `overwrite`.
    """
    source, target = _path(src), _path(dst)
    _may_write(target, overwrite)
    if os.path.isdir(source):
        raise errors.InvalidArgumentError(None, None, f"{source} is a directory; only files can be copied")
    try:
        shutil.copyfile(source, target)
    except shutil.SameFileError:
        pass
    except OSError as error:
        raise file_error(error.filename or source, error) from None


def rename(src: Any, dst: Any, overwrite: bool = False) -> None:
    """Gives a file or folder another name.

    Raises:
      AlreadyExistsError: if there is a file `dst`, unless `overwrite`.
    """
    source, target = _path(src), _path(dst)
    _may_write(target, overwrite)
    try:
        os.replace(source, target)
    except OSError as error:
        raise file_error(source, error) from None


def _may_write(path: str, overwrite: bool) -> None:
    if not overwrite and os.path.exists(path):
        raise errors.AlreadyExistsError(None, None, f"file already exists: {path}")


def stat(path: Any) -> FileStatistics:
    """What is known of a file.

    Raises:
      NotFoundError: if there is none.
    """
    path = _path(path)
    try:
        found = os.stat(path)
    except OSError as error:
        raise file_error(path, error) from None
    return FileStatistics(found.st_size, found.st_mtime_ns, os.path.isdir(path))


def walk(top: Any, topdown: bool = True, onerror: Any = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """Each folder below `top`, itself first (or last): its name, the folders and the files in it."""
    top = _path(top)
    try:
        names = listdir(top)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if os.path.isdir(os.path.join(top, name))]
    here = top, folders, [name for name in names if name not in folders]
    if topdown:
        yield here
    for folder in folders:
        yield from walk(os.path.join(top, folder), topdown, onerror)
    if not topdown:
        yield here


def join(path: Any, *paths: Any) -> Any:
    """Names put together to a path."""
    return os.path.join(path, *paths)


def get_registered_schemes() -> list[str]:
    """Where files can be: on this machine."""
    return ["", "file"]
