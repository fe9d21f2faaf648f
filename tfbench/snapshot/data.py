"""What a view may see of a graph: named tuples of numbers, strings and each other.

Nothing here points back into the engine, so a view can hold a Snapshot, compare it with a later one (tuple equality
says what changed), send it to a page, or print it after the graph is gone. Operations refer to each other by index.
"""

from __future__ import annotations

from typing import NamedTuple

from tfbench.value_stats import ValueStats

Shape = tuple[int | None, ...] | None


class Source(NamedTuple):
    """Where an op came from. `cell` is a notebook cell's label, or None in a plain file.

    `caller` is the outermost line of the user's code that led there, if that is another one.
    """

    cell: str | None
    file: str | None
    line: int | None
    caller: Source | None = None

    def __str__(self) -> str:
        here = f"cell {self.cell}, line {self.line}" if self.cell is not None else f"{self.file}:{self.line}"
        return f"{here} (called at {self.caller})" if self.caller is not None else here


class Edge(NamedTuple):
    """One data input: output `output` of the op with index `op`."""

    op: int
    output: int


class Output(NamedTuple):
    """One output: dtype name (with `_ref` for a reference) and static shape, None where the rank is unknown."""

    dtype: str
    shape: Shape


class OpInfo(NamedTuple):
    """One operation."""

    name: str
    type: str
    device: str
    attrs: tuple[tuple[str, str], ...]
    inputs: tuple[Edge, ...]
    control: tuple[int, ...]
    outputs: tuple[Output, ...]
    source: Source | None


class VariableInfo(NamedTuple):
    """One variable. `initialized` and `stats` are None when no session was given; `op` is an op index."""

    name: str
    op: int
    shape: Shape
    dtype: str
    device: str
    trainable: bool
    collections: tuple[str, ...]
    initialized: bool | None
    bytes: int | None
    created_at: Source | None
    shared_with: tuple[Source, ...]
    read_by: tuple[str, ...]
    written_by: tuple[str, ...]
    stats: ValueStats | None


class Scope(NamedTuple):
    """One name scope: its full path ('' for the root), the ops directly in it, and all ops below it."""

    path: str
    ops: tuple[int, ...]
    children: tuple[Scope, ...]
    total: int

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


class Snapshot(NamedTuple):
    """A graph at one moment. `version` is the graph's own; `name` is what the notebook calls it."""

    name: str
    version: int
    ops: tuple[OpInfo, ...]
    variables: tuple[VariableInfo, ...]
    scopes: Scope

    def places(self) -> dict[str, int]:
        """Op name -> index."""
        return {op.name: i for i, op in enumerate(self.ops)}


EMPTY = Snapshot("", 0, (), (), Scope("", (), (), 0))
