"""`explain.checkpoint`: a checkpoint against a graph - what is in both, in one alone, or in both and different."""

from __future__ import annotations

import difflib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

from tfbench.engine.collections import GraphKeys
from tfbench.explain.defaults import graph_for
from tfbench.explain.rows import Rows
from tfbench.explain.text import count, shorten
from tfbench.explain.variables import shape_text
from tfbench.train.checkpoint_reader import checkpoint_path, load_checkpoint

Shape = tuple[int | None, ...] | None

MATCHING, MISMATCHED = "matching", "mismatched"
ONLY_IN_CHECKPOINT, ONLY_IN_GRAPH = "only in checkpoint", "only in graph"

#: with more names than this, only those with the same end are compared
_MOST_COMPARED = 300


class TensorRow(NamedTuple):
    """One tensor of a checkpoint. `bytes` is None for strings."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int | None


class Tensors(Rows[TensorRow]):
    """The tensors of a checkpoint, by name."""

    __slots__ = ()
    noun = "tensor"
    header = ("name", "shape", "dtype", "bytes")

    def cells(self, row: TensorRow) -> tuple[str, ...]:
        return (row.name, shape_text(row.shape), row.dtype, "-" if row.bytes is None else f"{row.bytes:,}")

    def footer(self) -> str:
        return f"{super().footer()}, {sum(row.bytes or 0 for row in self):,} bytes"


def tensors(path: str) -> Tensors:
    """The tensors of a checkpoint, or of the last one of a folder. Their values are not read."""
    reader = load_checkpoint(path)
    types = reader.get_variable_to_dtype_map()
    rows = []
    for name, sizes in sorted(reader.get_variable_to_shape_map().items()):
        elements = 1
        for size in sizes:
            elements *= size
        kind = types[name]
        rows.append(TensorRow(name, tuple(sizes), kind.name, None if kind.name == "string" else elements * kind.size))
    return Tensors(rows)


class ComparedRow(NamedTuple):
    """One name. Shape and type are None on the side that does not have it (and a shape where it is not known)."""

    name: str
    #: 'matching', 'mismatched', 'only in checkpoint' or 'only in graph'
    state: str
    checkpoint_shape: Shape
    checkpoint_dtype: str | None
    graph_shape: Shape
    graph_dtype: str | None
    #: names that only the other side has, and that may be meant: those of the same shape and type first
    near: tuple[str, ...]


class Comparison(Rows[ComparedRow]):
    """What a checkpoint and a graph have in common, and where they differ."""

    __slots__ = ()
    noun = "name"
    header = ("name", "", "in the checkpoint", "in the graph", "near")

    def cells(self, row: ComparedRow) -> tuple[str, ...]:
        return (
            row.name,
            row.state,
            "-" if row.checkpoint_dtype is None else f"{row.checkpoint_dtype} {shape_text(row.checkpoint_shape)}",
            "-" if row.graph_dtype is None else f"{row.graph_dtype} {shape_text(row.graph_shape)}",
            ", ".join(row.near) or "-",
        )

    def _those(self, state: str) -> Comparison:
        return Comparison([row for row in self if row.state == state])

    @property
    def matching(self) -> Comparison:
        """In both, with the same type and a shape that fits."""
        return self._those(MATCHING)

    @property
    def mismatched(self) -> Comparison:
        """In both, with another type or shape."""
        return self._those(MISMATCHED)

    @property
    def only_in_checkpoint(self) -> Comparison:
        return self._those(ONLY_IN_CHECKPOINT)

    @property
    def only_in_graph(self) -> Comparison:
        return self._those(ONLY_IN_GRAPH)

    @property
    def restorable(self) -> bool:
        """Whether a Saver of all the graph's variables can restore the checkpoint."""
        return not self.mismatched and not self.only_in_graph

    @property
    def moved(self) -> dict[str, str]:
        """Scopes of the checkpoint whose tensors the graph has in another scope: what `init_from_checkpoint` takes."""
        pairs: dict[tuple[str, str], int] = defaultdict(int)
        wanted = self.only_in_graph
        other = {row.name: row for row in self.only_in_checkpoint}
        for row in wanted:
            for near in row.near:
                if near in other and _alike(other[near], row):
                    pairs[_scopes(near, row.name)] += 1
                    break
        found = {old: new for (old, new), number in pairs.items() if number > 1 or len(wanted) == 1}
        return found if sum(pairs.values()) == len(wanted) and len(found) == len(pairs) else {}

    def to_dict(self) -> dict[str, Any]:
        return {**super().to_dict(), "restorable": self.restorable, "moved": self.moved}

    def footer(self) -> str:
        parts = [
            f"{len(rows)} {state}"
            for state in (MATCHING, MISMATCHED, ONLY_IN_CHECKPOINT, ONLY_IN_GRAPH)
            if (rows := self._those(state))
        ]
        text = f"{count(len(self), self.noun)}: {', '.join(parts)}" if parts else super().footer()
        if moved := self.moved:
            scopes = ", ".join(f"{shorten(old, 40)!r}: {shorten(new, 40)!r}" for old, new in moved.items())
            text += f"\nthe same tensors in another scope: tf.train.init_from_checkpoint(path, {{{scopes}}})"
        return text


def checkpoint(path: str, graph: Any = None) -> Comparison:
    """A checkpoint (or the last one of a folder) against the global variables of a graph: what a Saver would restore.

    Raises:
      NotFoundError: if there is no checkpoint. DataLossError: if it is damaged.
    """
    wanted = variables_by_name(graph_for(graph))
    reader = load_checkpoint(checkpoint_path(path))
    shapes, types = reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()
    stored = {name: (tuple(shapes[name]), types[name].name) for name in sorted(shapes)}
    rows = []
    for name in sorted({*stored, *wanted}):
        found_shape, found_type = stored.get(name, (None, None))
        shape, kind, _ = wanted.get(name, (None, None, None))
        if name in stored and name in wanted:
            state = MATCHING if kind == found_type and _fits(found_shape, shape) else MISMATCHED
        else:
            state = ONLY_IN_CHECKPOINT if name in stored else ONLY_IN_GRAPH
        rows.append(ComparedRow(name, state, found_shape, found_type, shape, kind, ()))
    return Comparison(_with_near(rows))


def variables_by_name(graph: Any) -> dict[str, tuple[Shape, str, list[Any]]]:
    """Shape, type and variables of what a Saver of a graph saves, by name; slices of one variable are one."""
    found: dict[str, tuple[Shape, str, list[Any]]] = {}
    for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
        info = variable._get_save_slice_info() if hasattr(variable, "_get_save_slice_info") else None
        kind = variable.dtype.base_dtype.name
        if info is not None:
            known = found.setdefault(info.full_name, (tuple(info.full_shape), kind, []))
            known[2].append(variable)
            continue
        dims = variable.shape._dims
        found[variable.op.name] = (None if dims is None else tuple(dims), kind, [variable])
    return found


def _fits(shape: Shape, other: Shape) -> bool:
    if shape is None or other is None:
        return True
    return len(shape) == len(other) and all(None in (a, b) or a == b for a, b in zip(shape, other))


def _own(row: ComparedRow) -> tuple[Shape, str | None]:
    """Shape and type on the side that a row is of."""
    if row.state == ONLY_IN_GRAPH:
        return row.graph_shape, row.graph_dtype
    return row.checkpoint_shape, row.checkpoint_dtype


def _alike(a: ComparedRow, b: ComparedRow) -> bool:
    (shape, kind), (other, other_kind) = _own(a), _own(b)
    return kind == other_kind and _fits(shape, other)


def _with_near(rows: Sequence[ComparedRow]) -> list[ComparedRow]:
    stored = [row for row in rows if row.state == ONLY_IN_CHECKPOINT]
    wanted = [row for row in rows if row.state == ONLY_IN_GRAPH]
    sides = {ONLY_IN_CHECKPOINT: _ByEnd(wanted), ONLY_IN_GRAPH: _ByEnd(stored)}
    return [row._replace(near=sides[row.state].near(row)) if row.state in sides else row for row in rows]


class _ByEnd:
    """Rows by the ends of their names, since models are moved from scope to scope more often than renamed."""

    def __init__(self, rows: Sequence[ComparedRow]) -> None:
        self._rows = {row.name: row for row in rows}
        self._by_end: dict[str, list[str]] = defaultdict(list)
        for row in rows:
            for end in _ends(row.name):
                self._by_end[end].append(row.name)

    def near(self, row: ComparedRow) -> tuple[str, ...]:
        found = next((self._by_end[end] for end in _ends(row.name) if end in self._by_end), [])
        candidates = found[:_MOST_COMPARED]
        if len(self._rows) <= _MOST_COMPARED:
            candidates = [*candidates, *difflib.get_close_matches(row.name, self._rows, n=3, cutoff=0.6)]

        def rank(name: str) -> tuple[bool, int, str]:
            return (not _alike(self._rows[name], row), -len(_common_end(name, row.name)), name)

        return tuple(sorted(dict.fromkeys(candidates), key=rank)[:3])


def _ends(name: str) -> list[str]:
    """'a/b/c', 'b/c', 'c'."""
    parts = name.split("/")
    return ["/".join(parts[start:]) for start in range(len(parts))]


def _common_end(a: str, b: str) -> list[str]:
    """The parts that two names have in common at their ends."""
    common = []
    for x, y in zip(reversed(a.split("/")), reversed(b.split("/"))):
        if x != y:
            break
        common.append(x)
    return common[::-1]


def _scopes(old: str, new: str) -> tuple[str, str]:
    """What two names have before their common end, as scopes; a name itself where they have none."""
    end = "/".join(_common_end(old, new))
    if not end:
        return old, new
    return old.removesuffix(end) or "/", new.removesuffix(end) or "/"
