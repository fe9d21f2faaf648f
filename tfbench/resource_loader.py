"""`tf.resource_loader`: files that lie beside the program's own."""

from __future__ import annotations

import os as _os
import sys as _sys
from typing import Any

from tfbench.engine.ops.files import file_error as _file_error

__all__ = [
    "get_data_files_path", "get_path_to_datafile", "get_root_dir_with_all_resources", "load_resource",
    "readahead_file_path",
]  # fmt: skip


def _folder(depth: int) -> str:
    """The folder of the file whose code called."""
    return _os.path.dirname(_os.path.abspath(_sys._getframe(depth).f_code.co_filename))


def get_data_files_path() -> str:
    """The folder of the file that calls this."""
    return _folder(2)


def get_path_to_datafile(path: str) -> str:
    """`path` below the folder of the file that calls this."""
    return _os.path.join(_folder(2), path)


def get_root_dir_with_all_resources() -> str:
    """The folder of the file that calls this."""
    return _folder(2)


def load_resource(path: str) -> bytes:
    """The contents of a file below the folder of the file that calls this.

    Raises:
      NotFoundError: if there is none.
    """
    path = _os.path.join(_folder(2), path)
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise _file_error(path, error) from None


def readahead_file_path(path: str, readahead: Any = "128M") -> str:
    """The path, as it is."""
    return path
