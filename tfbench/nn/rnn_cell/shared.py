"""The stacks of cells of a graph in which one cell object stands more than once, as in `[cell] * 2`.

Such layers share their weights - or, where their inputs have different sizes, cannot be built. Both are rarely meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from tfbench.engine import source
from tfbench.engine.default_graph import get_default_graph


class SharedCell(NamedTuple):
    """One of them: the cell's name, how many layers it is, and where the stack was made."""

    name: str
    layers: int
    trace: source.Trace


class SharedCells:
    """Those of one graph, in order."""

    def __init__(self) -> None:
        self.found: list[SharedCell] = []

    def snapshot(self) -> tuple[SharedCell, ...]:
        return tuple(self.found)

    def restore(self, state: tuple[SharedCell, ...]) -> None:
        self.found = list(state)


def note_shared(cells: Iterable[Any]) -> None:
    """Remembers cells that stand more than once in `cells`."""
    counts: dict[int, list[Any]] = {}
    for cell in cells:
        counts.setdefault(id(cell), []).append(cell)
    for same in counts.values():
        if len(same) > 1:
            name = str(getattr(same[0], "name", None) or type(same[0]).__name__)
            found = get_default_graph().extension("shared_cells", SharedCells).found
            found.append(SharedCell(name, len(same), source.capture(1)))
