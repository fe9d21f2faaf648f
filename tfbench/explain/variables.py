"""`explain.variables`: which variables there are, what they are, and who made and shares them."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.engine.graph import GraphKeys, Operation
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.explain.defaults import graph_for, session_for
from tfbench.explain.known_variables import known_variables, variable_buffer
from tfbench.explain.patterns import matches
from tfbench.explain.places import Place, created_at, place_of, short_device
from tfbench.explain.rows import Rows


class VariableRow(NamedTuple):
    """One variable. `device` is the one asked for; `initialized` is None where no session is meant."""

    name: str
    #: None where the rank is unknown; a size is None where it is
    shape: tuple[int | None, ...] | None
    dtype: str
    device: str
    trainable: bool
    collections: tuple[str, ...]
    initialized: bool | None
    created_at: Place | None
    #: the later `get_variable` calls that returned it
    shared_with: tuple[Place, ...]


class Variables(Rows[VariableRow]):
    """The variables of a graph, in the order in which they were made."""

    __slots__ = ()
    noun = "variable"
    header = ("name", "shape", "dtype", "initialized", "created", "shared with", "trainable", "collections", "device")

    def cells(self, row: VariableRow) -> tuple[str, ...]:
        others = [name for name in row.collections if name != GraphKeys.TRAINABLE_VARIABLES]
        return (
            row.name,
            shape_text(row.shape),
            row.dtype,
            {True: "yes", False: "no", None: "-"}[row.initialized],
            row.created_at.short if row.created_at else "-",
            ", ".join(place.short for place in row.shared_with) or "-",
            "yes" if row.trainable else "no",
            ", ".join(others) or "-",
            row.device or "-",
        )

    def footer(self) -> str:
        waiting = sum(row.initialized is False for row in self)
        return super().footer() + (f", {waiting} not initialized" if waiting else "")


def variables(graph: Any = None, pattern: str | None = None, session: Any = None) -> Variables:
    """The variables of `graph` (a Graph or a name of the bench; default: the default graph).

    Args:
      pattern: a glob over names (`conv*/weights`); without wildcards: a name, or a scope with all in it.
      session: whose values `.initialized` speaks of; default: the default session or the bench's, if there is one.
    """
    wanted = graph_for(graph, session)
    session = session_for(wanted) if session is None else session
    objects, collections = known_variables(wanted)
    rows = [
        _row(op, objects.get(op), collections.get(op, {}), session)
        for op in wanted.get_operations()
        if op.type in VARIABLE_TYPES and matches(op.name, pattern)
    ]
    return Variables(rows)


def shape_text(shape: tuple[int | None, ...] | None) -> str:
    """`(3, ?)`, or `?` for an unknown rank."""
    if shape is None:
        return "?"
    return f"({', '.join('?' if size is None else str(size) for size in shape)}{',' if len(shape) == 1 else ''})"


def _row(op: Operation, variable: Any, collections: dict[str, None], session: Any) -> VariableRow:
    shape = op.attrs["shape"]._dims
    buffer = None if session is None else variable_buffer(session, op)
    shared = [place for trace in getattr(variable, "shared_at", ()) if (place := place_of(trace)) is not None]
    return VariableRow(
        name=op.name,
        shape=None if shape is None else tuple(shape),
        dtype=op.attrs["dtype"].base_dtype.name,
        device=short_device(op.device),
        trainable=GraphKeys.TRAINABLE_VARIABLES in collections,
        collections=tuple(collections),
        initialized=None if session is None else buffer is not None and buffer.array is not None,
        created_at=created_at(op),
        shared_with=tuple(shared),
    )
