"""The variables of a graph: what the registry knows of each, who reads and who writes it, and what it holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine import source
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.explain.known_variables import known_variables, variable_buffer
from tfbench.snapshot.data import OpInfo, Shape, Source, VariableInfo
from tfbench.value_stats import value_stats

#: ops that hand a reference or a handle on without looking at the value
_PASS_THROUGH = frozenset({"Identity", "ReadVariableOp", "RefIdentity", "RefSwitch", "RefMerge", "RefEnter", "Enter"})

#: ops that ask about a variable without touching its value
_NO_ACCESS = frozenset({"DisableCopyOnRead", "IsVariableInitialized", "VarIsInitializedOp", "VariableShape"})


def read_variables(
    graph: Any, operations: Sequence[Any], ops: tuple[OpInfo, ...], session: Any, stats: bool
) -> tuple[VariableInfo, ...]:
    """The variables among `operations`, whose rows `ops` are; with a `session`, what they hold, too."""
    places = [i for i, info in enumerate(ops) if info.type in VARIABLE_TYPES]
    if not places:
        return ()
    objects, collections = known_variables(graph)
    readers, writers = access(ops, places)
    found = []
    for i in places:
        info = ops[i]
        variable = objects.get(operations[i])
        shape, dtype = _shape_and_dtype(operations[i], info)
        names = collections.get(operations[i], ())
        row = VariableInfo(
            name=info.name,
            op=i,
            shape=shape,
            dtype=dtype,
            device=info.device,
            trainable="trainable_variables" in names,
            collections=tuple(names),
            initialized=None,
            bytes=byte_count(shape, dtype),
            created_at=info.source,
            shared_with=_sharers(variable),
            read_by=tuple(ops[j].name for j in readers[i]),
            written_by=tuple(ops[j].name for j in writers[i]),
            stats=None,
        )
        found.append(row if session is None else _with_value(row, operations[i], session, stats))
    return tuple(found)


def _with_value(info: VariableInfo, op: Any, session: Any, stats: bool) -> VariableInfo:
    buffer = variable_buffer(session, op)
    value = None if buffer is None else buffer.host()
    return info._replace(
        initialized=value is not None, stats=value_stats(value) if stats and value is not None else None
    )


def _shape_and_dtype(op: Any, info: OpInfo) -> tuple[Shape, str]:
    if info.type == "VarHandleOp":
        shape = op.attrs["shape"]
        return (None if shape.rank is None else tuple(shape.as_list())), op.attrs["dtype"].name
    output = info.outputs[0]
    return output.shape, output.dtype.removesuffix("_ref")


def byte_count(shape: Shape, dtype: str) -> int | None:
    """Bytes of a value; None where that is not known."""
    if shape is None or None in shape:
        return None
    try:
        size = np.dtype(_STORAGE.get(dtype, dtype)).itemsize
    except TypeError:
        return None
    count = 1
    for dim in shape:
        count *= dim or 0
    return count * size


#: dtypes that NumPy does not know by name, with one of the same size
_STORAGE = {"bfloat16": "uint16", "qint8": "int8", "quint8": "uint8", "qint32": "int32", "string": "no size"}


def _sharers(variable: Any) -> tuple[Source, ...]:
    """Where later `get_variable` calls returned the variable."""
    places = [read_place(trace) for trace in getattr(variable, "shared_at", ())]
    return tuple(place for place in places if place is not None)


def read_place(trace: source.Trace) -> Source | None:
    """The innermost line of a trace, with the outermost as its caller."""
    if not trace:
        return None
    (inner,) = source.sources(trace[:2])
    caller = None
    if len(trace) > 2:
        (outer,) = source.sources(trace[-2:])
        caller = Source(outer.cell, outer.file, outer.line)
    return Source(inner.cell, inner.file, inner.line, caller)


def is_writer(type: str) -> bool:
    """Whether ops of this type change the variable that their first input refers to."""
    return type.startswith(_WRITERS) or type in _OTHER_WRITERS


_WRITERS = ("Assign", "Scatter", "Apply", "SparseApply", "ResourceApply", "ResourceSparseApply", "ResourceScatter")
_OTHER_WRITERS = frozenset({"CountUpTo", "ResourceCountUpTo", "ResourceStridedSliceAssign", "StridedSliceAssign"})


def access(ops: tuple[OpInfo, ...], places: list[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """For each variable op, the ops that read its value and those that write it, in creation order.

    A reference handed on (`v/read`, a Switch) is the same buffer: whoever computes with it is the reader.
    """
    readers: dict[int, list[int]] = {i: [] for i in places}
    writers: dict[int, list[int]] = {i: [] for i in places}
    consumers: dict[int, list[tuple[int, int]]] = {}
    for j, info in enumerate(ops):
        for slot, edge in enumerate(info.inputs):
            consumers.setdefault(edge.op, []).append((j, slot))
    for i in places:
        pending, seen = [i], {i}
        while pending:
            for j, slot in consumers.get(pending.pop(), ()):
                info = ops[j]
                if j in seen:
                    continue
                seen.add(j)
                if is_writer(info.type):
                    # A write to another variable that takes this one as its value reads it.
                    (writers if slot == 0 else readers)[i].append(j)
                elif info.type in _PASS_THROUGH and (j in consumers or info.name.startswith(f"{ops[i].name}/")):
                    pending.append(j)
                elif info.type not in _NO_ACCESS:
                    readers[i].append(j)
        readers[i].sort()
        writers[i].sort()
    return readers, writers
