"""`explain.ops` and `explain.scopes`: the graph as a list, and as a tree of scopes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.explain.defaults import graph_for
from tfbench.explain.patterns import matches
from tfbench.explain.places import Place, created_at, short_device
from tfbench.explain.rows import Rows
from tfbench.explain.text import count
from tfbench.explain.variables import shape_text


class OutputRow(NamedTuple):
    """One output of an operation: its type and static shape."""

    dtype: str
    shape: tuple[int | None, ...] | None

    def __str__(self) -> str:
        return f"{self.dtype} {shape_text(self.shape)}"


class OpRow(NamedTuple):
    """One operation. `device` is the one asked for, '' if none was."""

    name: str
    type: str
    device: str
    inputs: tuple[str, ...]
    control_inputs: tuple[str, ...]
    outputs: tuple[OutputRow, ...]
    created_at: Place | None


class Ops(Rows[OpRow]):
    """Operations in the order in which they were made."""

    __slots__ = ()
    noun = "operation"
    header = ("name", "type", "inputs", "outputs", "device", "created")

    def cells(self, row: OpRow) -> tuple[str, ...]:
        inputs = [*row.inputs, *(f"^{name}" for name in row.control_inputs)]
        return (
            row.name,
            row.type,
            ", ".join(inputs) or "-",
            ", ".join(map(str, row.outputs)) or "-",
            row.device or "-",
            row.created_at.short if row.created_at else "-",
        )


def ops(graph: Any = None, pattern: str | None = None) -> Ops:
    """The operations of `graph` (default: the default graph) that `pattern` means: a glob, a name or a scope."""
    wanted = graph_for(graph)
    return Ops([_op_row(op) for op in wanted.get_operations() if matches(op.name, pattern)])


def _op_row(op: Operation) -> OpRow:
    return OpRow(
        op.name,
        op.type,
        short_device(op.device),
        tuple(tensor.name for tensor in op.inputs),
        tuple(control.name for control in op.control_inputs),
        tuple(OutputRow(tensor.dtype.name, tensor.static_shape) for tensor in op.outputs_list),
        created_at(op),
    )


class ScopeRow(NamedTuple):
    """One scope with all that is below it. The root is called ''."""

    name: str
    depth: int
    operations: int
    variables: int
    #: elements of those variables; None where a shape is not known
    elements: int | None


class Scopes(Rows[ScopeRow]):
    """The scopes of a graph as a tree, in the order in which they appear; a variable's own nodes are no scope."""

    __slots__ = ()
    noun = "scope"
    header = ("scope", "operations", "variables", "elements")

    def cells(self, row: ScopeRow) -> tuple[str, ...]:
        name = "  " * (row.depth - 1) + row.name.rpartition("/")[2] + "/" if row.depth else "(all)"
        elements = "?" if row.elements is None else f"{row.elements:,}" if row.variables else "-"
        return (name, str(row.operations), str(row.variables) if row.variables else "-", elements)

    def footer(self) -> str:
        return count(len(self) - 1, self.noun)


def scopes(graph: Any = None) -> Scopes:
    """The scope tree of `graph` (default: the default graph): operations and variables in each, counted."""
    wanted = graph_for(graph)
    operations = wanted.get_operations()
    variables = {op.name: _elements(op) for op in operations if op.type in VARIABLE_TYPES}
    found: dict[str, list[int | None]] = {"": [0, 0, 0]}
    for op in operations:
        parts = op.name.split("/")
        path = ""
        for part in ["", *parts[:-1]]:
            path = f"{path}/{part}" if path else part
            if path in variables:
                break
            counts = found.setdefault(path, [0, 0, 0])
            counts[0] = (counts[0] or 0) + 1
            if op.name in variables:
                counts[1] = (counts[1] or 0) + 1
                size = variables[op.name]
                counts[2] = None if counts[2] is None or size is None else counts[2] + size
    rows = [ScopeRow(name, _depth(name), ops or 0, held or 0, size) for name, (ops, held, size) in found.items()]
    return Scopes(_as_tree(rows))


def _depth(name: str) -> int:
    return name.count("/") + 1 if name else 0


def _as_tree(rows: list[ScopeRow]) -> list[ScopeRow]:
    """Each scope under the one it is in; siblings keep their order."""
    children: dict[str, list[ScopeRow]] = {}
    for row in rows[1:]:
        children.setdefault(row.name.rpartition("/")[0], []).append(row)
    ordered, stack = [], [rows[0]]
    while stack:
        row = stack.pop()
        ordered.append(row)
        if row.depth or row is rows[0]:
            stack.extend(reversed(children.get(row.name, [])))
    return ordered


def _elements(op: Operation) -> int | None:
    shape = op.attrs["shape"]._dims
    return None if shape is None or None in shape else int(np.prod(shape, dtype=np.int64))
