"""What a run of a cell did, as frozen plain data with one line that says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfbench.explain.text import count, shorten

#: longer lists of names are cut, so that the line stays one
_MOST_NAMES = 3
_LONGEST_LIST = 44


class CellResult(NamedTuple):
    """What `Bench.run_cell` did. Operations and variables are names, cells are labels.

    `str()` is one line that is the same from run to run; `to_dict()` leaves out `value`.
    """

    #: the graph's name
    graph: str
    #: the cell's label; '' where no cell was run itself (replay, dropped cells)
    cell: str = ""
    #: operations that the cell added
    added: tuple[str, ...] = ()
    #: variables that it created
    created: tuple[str, ...] = ()
    #: variables that its `get_variable` calls returned although they existed
    reused: tuple[str, ...] = ()
    #: later cells that were run again from their stored source
    replayed: tuple[str, ...] = ()
    #: cells that are left out of the graph now
    stale: tuple[str, ...] = ()
    #: cells that are gone (deleted in the notebook, or before `--fresh`)
    dropped: tuple[str, ...] = ()
    #: the scopes its variables are in, and the outermost scopes of its other operations
    scopes: tuple[str, ...] = ()
    #: the devices its operations ask for
    devices: tuple[str, ...] = ()
    #: what the user should know: why cells are left out, what plain cells have to make again
    warnings: tuple[str, ...] = ()
    #: label of the cell's earlier run that this one replaced, or None
    replaced: str | None = None
    #: value of the cell's last expression
    value: Any = None

    def __str__(self) -> str:
        parts = []
        if self.cell:
            parts.append(f"{count(len(self.added), 'operation')} added")
            if self.created:
                parts.append(f"{count(len(self.created), 'variable')} created{_named(self.created)}")
            if self.reused:
                what = "" if self.created else " variable" if len(self.reused) == 1 else " variables"
                parts.append(f"{len(self.reused)}{what} reused{_named(self.reused)}")
            if self.scopes:
                parts.append(f"scope{'s' if len(self.scopes) > 1 else ''} {_factored(self.scopes)}")
            if self.devices:
                parts.append(f"asks for {_some(self.devices)}")
        if self.dropped:
            parts.append(f"{count(len(self.dropped), 'cell')} dropped ({_some(self.dropped)})")
        if self.replayed:
            parts.append(f"{count(len(self.replayed), 'cell')} replayed")
        if self.stale:
            parts.append(f"{count(len(self.stale), 'cell')} left out (stale)")
        return f"{shorten(self.graph, 40)}: {', '.join(parts) or 'nothing changed'}"

    def to_dict(self) -> dict[str, Any]:
        """All fields but `value`, as JSON-ready data."""
        data = self._asdict()
        del data["value"]
        return {key: list(value) if isinstance(value, tuple) else value for key, value in data.items()}


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(shorten(name, 40) for name in names[:_MOST_NAMES])
    return f"{shown}, …" if len(names) > _MOST_NAMES else shown


def _named(names: Sequence[str]) -> str:
    """' (w, b)' where that is short; '' where the scopes, which the line ends with, say enough."""
    if sum(map(len, names)) + 2 * len(names) <= _LONGEST_LIST:
        return f" ({', '.join(shorten(name, 40) for name in names)})"
    return "" if all("/" in name for name in names) else f" ({_some(names)})"


def _factored(scopes: Sequence[str]) -> str:
    """'filters/{conv1, conv2}': what all scopes begin with is said once."""
    if len(scopes) == 1:
        return shorten(scopes[0], 60)
    outer = scopes[0]
    while outer and not all(scope.startswith(f"{outer}/") for scope in scopes):
        outer = outer.rpartition("/")[0]
    if not outer:
        return _some(scopes)
    return f"{shorten(outer, 60)}/{{{_some([scope[len(outer) + 1 :] for scope in scopes])}}}"
