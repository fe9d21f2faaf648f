"""A graph as frozen plain data: everything a view may see, and the only place where views touch a graph.

`take` walks the operations once, in creation order, and gives each its index; edges, variables and scopes
refer to those indices. Nothing in a Snapshot points back into the engine, so a view can hold it, compare it
with a later one (plain tuple equality says what changed), send it to a page, or print it after the graph is gone.

Attribute values become short text here, because that is all that is ever shown of them; a constant of a
million elements costs as much as one of eight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tfbench.value_stats import ValueStats, value_stats

Shape = tuple[int | None, ...] | None

#: op types that hold a variable's buffer
VARIABLE_TYPES = frozenset({"VariableV2", "Variable", "VarHandleOp", "AutoReloadVariable"})

#: attribute text longer than this is cut
ATTR_LIMIT = 96

#: ops that hand a reference or a handle on without looking at the value
_PASS_THROUGH = frozenset({"Identity", "ReadVariableOp", "RefIdentity", "RefSwitch", "RefMerge", "RefEnter", "Enter"})

#: ops that ask about a variable without touching its value
_NO_ACCESS = frozenset({"IsVariableInitialized", "VarIsInitializedOp", "VariableShape"})

#: names are cut into this many scopes at most; what follows stays part of the op's own name
MAX_DEPTH = 64


class Source(NamedTuple):
    """Where an op came from. `cell` is a notebook cell's label, or None in a plain file."""

    cell: str | None
    file: str | None
    line: int | None

    def __str__(self) -> str:
        if self.cell is not None:
            return f"cell {self.cell}, line {self.line}"
        return f"{self.file}:{self.line}"


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


def take(graph: Any, session: Any = None, *, name: str = "", stats: bool = True) -> Snapshot:
    """The state of `graph`, and with a `session` also what its variables hold."""
    operations = graph.get_operations()
    index = {op: i for i, op in enumerate(operations)}
    ops = _read_ops(operations, index)
    variables = _read_variables(graph, operations, ops, session, stats)
    return Snapshot(name, int(graph.version), ops, variables, scope_tree([op.name for op in ops]))


def stamp(graph: Any) -> tuple[int, int]:
    """Cheap and comparable: differs when the graph may have changed (ops added, removed or altered)."""
    return graph.version, graph.changes_version


def variable_buffer(session: Any, op: Any) -> Any:
    """The session's buffer of a variable op (`.array`, `.updates`), or None where no run has made it yet."""
    attrs = op.attrs
    return session.resources.find(attrs.get("container", ""), attrs.get("shared_name") or op.name)


# -- operations ---------------------------------------------------------------------------------------------


def _read_ops(operations: Sequence[Any], index: dict[Any, int]) -> tuple[OpInfo, ...]:
    texts: dict[Any, str] = {}
    outputs: dict[Any, Output] = {}
    return tuple(
        OpInfo(
            op.name,
            op.type,
            op.device or "",
            _read_attrs(op, texts),
            tuple([Edge(index[tensor.op], tensor.value_index) for tensor in op.inputs]),
            tuple([index[control] for control in op.control_inputs]),
            tuple([_read_output(tensor, outputs) for tensor in op.outputs]),
            _read_source(op),
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


def _read_source(op: Any) -> Source | None:
    source = op.source
    return None if source is None else Source(source.cell, source.file, source.line)


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


def attr_text(value: Any, limit: int = ATTR_LIMIT) -> str:
    """An attribute's value as one line of at most `limit` characters."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bytes):
        text = value.decode("utf-8", "backslashreplace")
    elif isinstance(value, bool | int | float):
        text = str(value)
    elif isinstance(value, np.ndarray | np.generic):
        text = _array_text(np.asarray(value))
    elif isinstance(value, list | tuple):
        shown = ", ".join(attr_text(item, limit) for item in value[:16])
        text = f"[{shown}{', …' if len(value) > 16 else ''}]"
    elif (name := getattr(value, "name", None)) is not None and hasattr(value, "as_numpy_dtype"):
        text = str(name)
    else:
        text = str(value)
    return shorten(text, limit)


def _array_text(array: np.ndarray[Any, Any]) -> str:
    head = array.reshape(-1)[:9].tolist()
    shown = [_number_text(item) for item in head[:8]]
    if array.ndim == 0:
        return shown[0]
    text = f"[{', '.join(shown)}{', …' if array.size > 8 else ''}]"
    if array.ndim == 1 and array.size <= 8:
        return text
    return f"{'×'.join(map(str, array.shape))}: {text}"


def _number_text(item: Any) -> str:
    if isinstance(item, float):
        return f"{item:.6g}"
    if isinstance(item, bytes):
        return repr(shorten(item[:200].decode("utf-8", "backslashreplace"), 32))
    return str(item)


def shorten(text: str, limit: int) -> str:
    """`text` on one line (line breaks and control characters written out), its middle cut beyond `limit`."""
    if len(text) > 4 * limit:
        # Escaping works on what will be seen only: a name may be very long.
        text = text[: 2 * limit] + text[-2 * limit :]
    if not text.isprintable():
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    if len(text) <= limit:
        return text
    tail = limit // 3
    return f"{text[: limit - tail - 1]}…{text[len(text) - tail :]}"


# -- variables ----------------------------------------------------------------------------------------------


def _read_variables(
    graph: Any, operations: Sequence[Any], ops: tuple[OpInfo, ...], session: Any, stats: bool
) -> tuple[VariableInfo, ...]:
    places = [i for i, info in enumerate(ops) if info.type in VARIABLE_TYPES]
    if not places:
        return ()
    objects, collections = _collections(graph, {ops[i].name for i in places})
    readers, writers = _access(ops, places)
    found = []
    for i in places:
        info = ops[i]
        variable = objects.get(info.name)
        shape, dtype = _shape_and_dtype(operations[i], info)
        names = collections.get(info.name, ())
        row = VariableInfo(
            name=info.name,
            op=i,
            shape=shape,
            dtype=dtype,
            device=info.device,
            trainable="trainable_variables" in names,
            collections=tuple(names),
            initialized=None,
            bytes=_byte_count(shape, dtype),
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
    value = None if buffer is None else buffer.array
    return info._replace(
        initialized=value is not None, stats=value_stats(value) if stats and value is not None else None
    )


def _shape_and_dtype(op: Any, info: OpInfo) -> tuple[Shape, str]:
    if info.type == "VarHandleOp":
        shape = op.attrs["shape"]
        return (None if shape.rank is None else tuple(shape.as_list())), op.attrs["dtype"].name
    output = info.outputs[0]
    return output.shape, output.dtype.removesuffix("_ref")


def _byte_count(shape: Shape, dtype: str) -> int | None:
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


def _collections(graph: Any, names: set[str]) -> tuple[dict[str, Any], dict[str, list[str]]]:
    """The Variable objects by op name, and the collections that each is in."""
    objects: dict[str, Any] = {}
    member_of: dict[str, list[str]] = {}
    for key in graph.get_all_collection_keys():
        if not isinstance(key, str) or key.startswith("__"):
            continue
        for item in graph.get_collection_ref(key):
            name = getattr(getattr(item, "op", None), "name", None)
            if name in names:
                objects.setdefault(name, item)
                listed = member_of.setdefault(name, [])
                if key not in listed:
                    listed.append(key)
    return objects, member_of


def _sharers(variable: Any) -> tuple[Source, ...]:
    return tuple(Source(s.cell, s.file, s.line) for s in getattr(variable, "shared_with", ()))


def is_writer(type: str) -> bool:
    """Whether ops of this type change the variable that their first input refers to."""
    return type.startswith(_WRITERS) or type in _OTHER_WRITERS


_WRITERS = ("Assign", "Scatter", "Apply", "SparseApply", "ResourceApply", "ResourceSparseApply", "ResourceScatter")
_OTHER_WRITERS = frozenset({"CountUpTo", "ResourceCountUpTo", "ResourceStridedSliceAssign", "StridedSliceAssign"})


def _access(ops: tuple[OpInfo, ...], places: list[int]) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
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


# -- scopes -------------------------------------------------------------------------------------------------


def scope_tree(names: Iterable[str]) -> Scope:
    """The tree of name scopes. Children and ops keep the order in which they first appear."""
    root: _Branch = ({}, [])
    for i, name in enumerate(names):
        node = root
        *scopes, _ = name.split("/", MAX_DEPTH)
        for part in scopes:
            child = node[0].get(part)
            if child is None:
                child = node[0][part] = ({}, [])
            node = child
        node[1].append(i)
    return _freeze("", root)


_Branch = tuple[dict[str, Any], list[int]]


def _freeze(path: str, branch: _Branch) -> Scope:
    children = tuple(_freeze(f"{path}/{part}" if path else part, sub) for part, sub in branch[0].items())
    return Scope(path, tuple(branch[1]), children, len(branch[1]) + sum(child.total for child in children))
