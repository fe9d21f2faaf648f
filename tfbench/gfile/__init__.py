"""`tf.gfile`: files and folders of this machine, under TensorFlow's names and with its errors."""

from __future__ import annotations

from collections.abc import Iterator as _Iterator
from typing import Any

from tfbench.gfile import functions as _functions
from tfbench.gfile.file import FastGFile, GFile

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "GFile", "Glob", "IsDirectory", "ListDirectory", "MakeDirs",
    "MkDir", "Open", "Remove", "Rename", "Stat", "Walk",
]  # fmt: skip

Open = GFile


def Exists(filename: Any) -> bool:
    """Whether there is a file or folder of that name."""
    return _functions.exists(filename)


def IsDirectory(dirname: Any) -> bool:
    """Whether there is a folder of that name."""
    return _functions.isdir(dirname)


def Glob(filename: Any) -> list[str]:
    """The names that match a pattern, or one of several."""
    return _functions.glob(filename)


def ListDirectory(dirname: Any) -> list[str]:
    """The names in a folder, in order; NotFoundError if there is no such folder."""
    return _functions.listdir(dirname)


def MkDir(dirname: Any) -> None:
    """Makes a folder; nothing if it is there. NotFoundError if the folder above it is not there."""
    _functions.mkdir(dirname)


def MakeDirs(dirname: Any) -> None:
    """Makes a folder and those above it; nothing if it is there."""
    _functions.makedirs(dirname)


def Remove(filename: Any) -> None:
    """Removes a file; NotFoundError if there is none."""
    _functions.remove(filename)


def DeleteRecursively(dirname: Any) -> None:
    """Removes a folder with all that is in it, or a file; NotFoundError if there is none."""
    _functions.rmtree(dirname)


def Copy(oldpath: Any, newpath: Any, overwrite: bool = False) -> None:
    """Copies a file's contents; AlreadyExistsError if there is one, unless `overwrite`."""
    _functions.copy(oldpath, newpath, overwrite)


def Rename(oldname: Any, newname: Any, overwrite: bool = False) -> None:
    """Gives a file or folder another name; AlreadyExistsError if there is one, unless `overwrite`."""
    _functions.rename(oldname, newname, overwrite)


def Stat(filename: Any) -> _functions.FileStatistics:
    """The length of a file, when it was changed, and whether it is a folder; NotFoundError if there is none."""
    return _functions.stat(filename)


def Walk(top: Any, in_order: bool = True) -> _Iterator[tuple[str, list[str], list[str]]]:
    """Each folder below `top`, itself first (or last): its name, the folders and the files in it."""
    return _functions.walk(top, in_order)
