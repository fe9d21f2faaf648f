"""`tf.train.summary_iterator`: the events of a file, one after the other."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tfbench import errors
from tfbench.formats.records import read_records

__all__ = ["summary_iterator"]


def summary_iterator(path: Any) -> Iterator[Any]:
    """The Event messages in an event file, in order; those before a damaged place are given before the error.

    Raises:
      NotFoundError: if there is no such file.
      DataLossError: if the file is damaged or cut off: where.
    """
    from google.protobuf.message import DecodeError

    from tfbench.formats.protos import Event

    path = os.fsdecode(path)
    for number, record in enumerate(read_records(path)):
        try:
            yield Event.FromString(record)
        except DecodeError:
            raise errors.DataLossError(
                None, None, f"Record {number} of {path} is no Event message: is it an event file?"
            ) from None
