"""The only place where views touch a graph: one walk over the operations, in creation order."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tfbench.snapshot.data import Edge, OpInfo, Output, Snapshot, Source
from tfbench.snapshot.scopes import scope_tree
from tfbench.snapshot.text import attr_text
from tfbench.snapshot.variables import read_place, read_variables


def take(graph: Any, session: Any = None, *, name: str = "", stats: bool = True) -> Snapshot:
    """The state of `graph`, and with a `session` also what its variables hold."""
    operations = graph.get_operations()
    index = {op: i for i, op in enumerate(operations)}
    with without_gc():
        ops = _read_ops(operations, index)
        variables = read_variables(graph, operations, ops, session, stats)
        return Snapshot(name, int(graph.version), ops, variables, scope_tree([op.name for op in ops]))


@contextmanager
def without_gc() -> Iterator[None]:
    """No search for garbage: a snapshot, and what is made of it, are many small tuples and none of them garbage."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def stamp(graph: Any) -> tuple[int, int]:
    """Cheap and comparable: differs when the graph may have changed (ops added, removed or altered)."""
    return graph.version, graph.changes_version


def _read_ops(operations: Sequence[Any], index: dict[Any, int]) -> tuple[OpInfo, ...]:
    texts: dict[Any, str] = {}
    outputs: dict[Any, Output] = {}
    sources: dict[Any, Source | None] = {}
    return tuple(
        OpInfo(
            op.name,
            op.type,
            op.device or "",
            _read_attrs(op, texts),
            tuple([Edge(index[tensor.op], tensor.value_index) for tensor in op.inputs]),
            tuple([index[control] for control in op.control_inputs]),
            tuple([_read_output(tensor, outputs) for tensor in op.outputs]),
            _read_source(op, sources),
        )
        for op in operations
    )


def _read_output(tensor: Any, seen: dict[Any, Output]) -> Output:
    shape = tensor.shape
    dims = None if shape.rank is None else tuple(shape.as_list())
    key = (tensor.dtype, dims)
    found = seen.get(key)
    if found is None:
        found = seen[key] = Output(tensor.dtype.name, dims)
    return found


def _read_source(op: Any, seen: dict[Any, Source | None]) -> Source | None:
    """Finding the line of an instruction takes longer than all the rest: ops of one place share the answer."""
    trace = op.trace
    if not trace:
        return None
    key = (id(trace[0]), trace[1], id(trace[-2]), trace[-1])
    if key not in seen:
        seen[key] = read_place(trace)
    return seen[key]


def _read_attrs(op: Any, texts: dict[Any, str]) -> tuple[tuple[str, str], ...]:
    return tuple([(key, _attr_text(value, texts)) for key, value in op.attrs.items()])


def _attr_text(value: Any, texts: dict[Any, str]) -> str:
    """Short text of an attribute; equal dtypes, strings and numbers are formatted once per snapshot."""
    kind = type(value)
    if kind is list or kind is np.ndarray:
        return attr_text(value)
    try:
        key = (kind, value)
        found = texts.get(key)
    except TypeError:
        return attr_text(value)
    if found is None:
        found = texts[key] = attr_text(value)
    return found
