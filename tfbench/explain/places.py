"""Where something was made: the cell (or file) and line, and from where that line was reached."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from tfbench.engine import source

if TYPE_CHECKING:
    from tfbench.engine.graph import Operation

_LOCAL = "/job:localhost/replica:0/task:0"


class Place(NamedTuple):
    """A line of the user's code. `cell` is the label of a notebook cell, None in a plain file."""

    cell: str | None
    file: str
    line: int
    #: the lines that called the function this line is in, innermost first
    callers: tuple[Place, ...] = ()

    def __str__(self) -> str:
        here = f"cell {self.cell}, line {self.line}" if self.cell else f"{os.path.basename(self.file)}:{self.line}"
        return f"{here} (called at {self.callers[-1]})" if self.callers else here

    @property
    def short(self) -> str:
        """For a table's cell: `In[4]:3`, or `In[4]:3 → In[3]:8` where line 3 called a function that got to line 8."""
        here = f"{self.cell or os.path.basename(self.file)}:{self.line}"
        return f"{self.callers[-1].short} → {here}" if self.callers else here

    def to_dict(self) -> dict[str, Any]:
        return {"cell": self.cell, "file": self.file, "line": self.line}


def place_of(trace: source.Trace) -> Place | None:
    """The innermost place of a trace, with those that called it."""
    places = [Place(found.cell, found.file, found.line) for found in source.sources(trace)]
    return places[0]._replace(callers=tuple(places[1:])) if places else None


def created_at(op: Operation) -> Place | None:
    """Where `op` was made."""
    return place_of(op.trace)


def short_device(name: str) -> str:
    """A device of this machine without the part that all of them share; others in full."""
    return name.removeprefix(_LOCAL)
