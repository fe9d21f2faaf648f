"""The bench as a table: graphs, their cells, and which of these are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.explain.rows import Rows
from tfbench.explain.text import shorten

if TYPE_CHECKING:
    from tfbench.bench.bench import Bench


class CellRow(NamedTuple):
    """One cell: how many operations it added, or why it is left out."""

    label: str
    operations: int
    stale: str | None

    def __str__(self) -> str:
        return f"{shorten(self.label, 24)}{' (stale)' if self.stale else ''}"


class GraphRow(NamedTuple):
    """One graph of the bench."""

    name: str
    current: bool
    operations: int
    variables: int
    cells: tuple[CellRow, ...]


class Graphs(Rows[GraphRow]):
    """The graphs, in the order in which they were made; the current one has a star."""

    __slots__ = ()
    noun = "graph"
    header = ("graph", "operations", "variables", "cells")

    def cells(self, row: GraphRow) -> tuple[str, ...]:
        cells = ", ".join(map(str, row.cells)) or "-"
        return (f"{row.name} *" if row.current else row.name, str(row.operations), str(row.variables), cells)

    def footer(self) -> str:
        stale = [f"{cell.label} is stale: {cell.stale}" for row in self for cell in row.cells if cell.stale]
        return "\n".join([super().footer(), *stale])


def overview(bench: Bench) -> Graphs:
    """The graphs of `bench` with their cells."""
    cells: dict[str, list[CellRow]] = {}
    for cell in bench.cells:
        cells.setdefault(cell.graph, []).append(CellRow(cell.label, cell.end - cell.start, cell.stale))
    return Graphs(
        [
            GraphRow(
                name,
                name == bench.current,
                graph.version,
                sum(op.type in VARIABLE_TYPES for op in graph.get_operations()),
                tuple(cells.get(name, ())),
            )
            for name, graph in bench.graphs.items()
        ]
    )
