"""What data sets have in common: the forms that they come in, and how files are fetched."""

from __future__ import annotations

import os
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, NamedTuple

from tfbench import errors

__all__ = ["Dataset", "Datasets", "maybe_download"]


class Dataset(NamedTuple):
    """Examples and what is to be predicted for each."""

    data: Any
    target: Any


class Datasets(NamedTuple):
    """The parts of a data set."""

    train: Any
    validation: Any
    test: Any


def maybe_download(filename: str, work_directory: str, source_url: str) -> str:
    """The path of `filename` in `work_directory`, which is made; fetched from `source_url` unless it is there.

    Raises:
      UnavailableError: if it is not there and cannot be fetched.
    """
    os.makedirs(work_directory, exist_ok=True)
    path = os.path.join(work_directory, filename)
    if os.path.exists(path):
        return path
    # Under another name until it is whole: what is cut off must not be taken for the file the next time.
    handle, partial = tempfile.mkstemp(prefix=f".{filename}.", dir=work_directory)
    os.close(handle)
    try:
        urllib.request.urlretrieve(source_url, partial)
        os.replace(partial, path)
    except (urllib.error.URLError, OSError, ValueError) as error:
        raise errors.UnavailableError(
            None,
            None,
            f"{source_url} could not be fetched: {error}. Put the file {filename} into {work_directory} yourself.",
        ) from None
    finally:
        if os.path.exists(partial):
            os.remove(partial)
    print("Successfully downloaded", filename, os.path.getsize(path), "bytes.")
    return path
