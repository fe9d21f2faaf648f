"""Tracebacks that end where the person's own code does.

An error of the library says by itself what is wrong and which line made the operation; a dozen frames of ours between
the cell and that message only hide it. They are left out of what the notebook shows, not of the error: `%debug` and
`error.__traceback__` have them, and `%xmode Verbose` followed by `%tb` shows them.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import Any

#: what the names and expressions behind a magic are compiled as; the magic's line, with them in it, is shown anyway
EXPRESSION = "<magic>"

_LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def without_library_frames(traceback: TracebackType | None) -> TracebackType | None:
    """The same traceback without the frames of this package; None where there are no others."""
    kept = []
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file != EXPRESSION and not file.startswith(_LIBRARY):
            kept.append(traceback)
        traceback = traceback.tb_next
    shorter: TracebackType | None = None
    for found in reversed(kept):
        shorter = TracebackType(shorter, found.tb_frame, found.tb_lasti, found.tb_lineno)
    return shorter


class ShortTracebacks:
    """Makes a shell's tracebacks leave out this package, until `take_back`."""

    def __init__(self, shell: Any) -> None:
        self._formatter = formatter = shell.InteractiveTB
        original = getattr(formatter, "get_records", None)
        if original is None:
            return

        def get_records(traceback: TracebackType, *args: Any, **options: Any) -> Any:
            short = traceback if formatter.mode == "Verbose" else without_library_frames(traceback)
            return original(short or traceback, *args, **options)

        formatter.get_records = get_records

    def take_back(self) -> None:
        self._formatter.__dict__.pop("get_records", None)
