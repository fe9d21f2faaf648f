"""Where an operation came from: the user's own frames, library frames left out.

Capturing has to cost about a microsecond, so only code objects and instruction offsets are kept; file,
line and cell are worked out when somebody asks. Notebook cells are known by the file name that IPython
compiles them under: whoever runs a cell registers it here (the engine itself never imports IPython).
"""

from __future__ import annotations

import linecache
import os
import sys
from types import CodeType
from typing import Any, NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_MAX_FRAMES = 12

#: ids of code objects that are library code (skipped), that run the user's code (nothing above is the user's),
#: and that are the user's. By id, since hashing a code object walks all of it; `_seen_code` keeps the ids in use.
_own_code: set[int] = set()
_runner_code: set[int] = set()
_user_code: set[int] = set()
_seen_code: list[CodeType] = []

#: compiled file name -> cell label
_cells: dict[str, str] = {}

#: path fragments of the machinery that runs a notebook or a script for the user
_RUNNERS = (
    f"{os.sep}IPython{os.sep}",
    f"{os.sep}ipykernel{os.sep}",
    f"{os.sep}runpy.py",
    "<frozen runpy>",
    f"{os.sep}_pytest{os.sep}",
    f"{os.sep}pluggy{os.sep}",
)


class Source(NamedTuple):
    """One place in the user's code. `cell` is the notebook cell's label, or None in a plain file."""

    cell: str | None
    file: str
    line: int
    function: str

    def __str__(self) -> str:
        if self.cell is not None:
            return f"cell {self.cell}, line {self.line}"
        return f"{self.file}:{self.line}"

    @property
    def text(self) -> str:
        """The source line itself, or '' where it is not available."""
        return linecache.getline(self.file, self.line).strip()


#: code and instruction offset in turns, innermost frame first: one flat tuple, which the garbage collector skips
Trace = tuple[Any, ...]


def _classify(code: CodeType) -> set[int]:
    name = code.co_filename
    if name in _cells:
        kind = _user_code
    elif name.startswith(_PACKAGE) or name.endswith(f"{os.sep}contextlib.py"):
        kind = _own_code
    elif any(fragment in name for fragment in _RUNNERS):
        kind = _runner_code
    else:
        kind = _user_code
    _seen_code.append(code)
    kind.add(id(code))
    return kind


def capture(skip: int = 0) -> Trace:
    """The user's frames, innermost first. `skip` says how many of the nearest frames are the library's for certain."""
    frame = sys._getframe(1 + skip)
    own = _own_code
    trace: list[Any] = []
    while frame is not None:
        code = frame.f_code
        key = id(code)
        if key not in own:
            kind = _user_code if key in _user_code else _runner_code if key in _runner_code else _classify(code)
            if kind is _user_code:
                trace += (code, frame.f_lasti)
                if len(trace) == 2 * _MAX_FRAMES or code.co_name == "<module>":
                    break
            elif kind is _runner_code and trace:
                break
        frame = frame.f_back  # type: ignore[assignment]
    return tuple(trace)


def is_users(depth: int = 0) -> bool:
    """Whether the frame that many callers above the one that asks runs the user's code."""
    code = sys._getframe(depth + 1).f_code
    key = id(code)
    if key in _own_code or key in _runner_code:
        return False
    return key in _user_code or _classify(code) is _user_code


def line_at(code: CodeType, offset: int) -> int:
    """The source line of instruction `offset` of `code`."""
    line = code.co_firstlineno
    for start, end, number in code.co_lines():
        if start <= offset < end:
            return number if number is not None else line
    return line


def sources(trace: Trace) -> list[Source]:
    """The frames of `trace` as places in the user's code, innermost first."""
    return [
        Source(_cells.get(code.co_filename), code.co_filename, line_at(code, offset), code.co_name)
        for code, offset in zip(trace[::2], trace[1::2], strict=True)
    ]


def register_cell(file: str, label: str) -> None:
    """Says that code compiled under the name `file` is the notebook cell `label`."""
    _cells[file] = label
