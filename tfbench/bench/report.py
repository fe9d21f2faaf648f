"""Looking at what a cell did: names for the summary, and a traceback that begins in the cell."""

from __future__ import annotations

from typing import Any

from tfbench.bench.cells import Cell
from tfbench.engine.graph import Graph
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.variable_scope.store import variable_store


def shared(graph: Graph) -> dict[str, int]:
    """How often each variable of the graph has been shared so far."""
    return {variable.op.name: len(variable.shared_at) for variable in variable_store(graph).variables.values()}


def what_was_added(graph: Graph, cell: Cell, shared_before: dict[str, int]) -> dict[str, Any]:
    """The fields of a CellResult that say what `cell`, just run, added."""
    ops = graph._nodes[cell.start : cell.end]
    created = [op.name for op in ops if op.type in VARIABLE_TYPES]
    reused = [name for name, times in shared(graph).items() if times > shared_before.get(name, 0)]
    return {
        "added": tuple(op.name for op in ops),
        "created": tuple(created),
        "reused": tuple(reused),
        "scopes": _scopes([op.name for op in ops], [*created, *reused]),
        "devices": tuple(dict.fromkeys(op.device for op in ops if op.device)),
    }


def _scopes(ops: list[str], variables: list[str]) -> tuple[str, ...]:
    """The scopes that hold the variables, and the outermost scopes of operations that have none of these above them.

    An operation with parts below its own name (`mul`, `mul/y`) is not a scope that anybody opened.
    """
    of_variables = dict.fromkeys(name.rpartition("/")[0] for name in variables if "/" in name)
    roots = {scope.partition("/")[0] for scope in of_variables}
    operations = {*ops, *variables}
    found = dict.fromkeys(name.partition("/")[0] for name in ops if "/" in name)
    return (*of_variables, *(scope for scope in found if scope not in roots and scope not in operations))


def explain_failure(error: BaseException, file: str) -> None:
    """Takes the bench's own frames off the traceback: it begins in the cell, if it gets there."""
    if isinstance(error, AssertionError) and "reset_default_graph" in str(error):
        error.add_note("A %%graph cell builds in a graph of the bench: `%%graph --fresh` starts that over.")
    traceback = error.__traceback__
    while traceback is not None and traceback.tb_frame.f_code.co_filename != file:
        traceback = traceback.tb_next
    if traceback is not None:
        error.__traceback__ = traceback
