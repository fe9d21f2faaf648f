"""What the kernel says to the page: graphs as columns, values as binary buffers.

A message is a small JSON header and some buffers. Operations travel as rows of an int32 matrix whose cells point
into tables of the distinct strings, so a graph of 10,000 operations is a few hundred kB; a `delta` has only the
rows that changed. Python tuples compare by value, so "what changed" is one comparison per operation.

The page checks `v` and `seq`; `frontend/src/protocol.ts` is the other half of this file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from tfbench.explain.follower import HISTORY
from tfbench.snapshot import OpInfo, Shape, Snapshot, Source, VariableInfo
from tfbench.value_stats import BINS, ValueStats

VERSION = 1
#: a change of more than this share of the operations is sent as a whole
_DELTA_SHARE = 0.5

T = TypeVar("T")


class Packet(NamedTuple):
    """One message without its number: the JSON part and the buffers."""

    content: dict[str, Any]
    buffers: list[bytes]


def graph_packet(new: Snapshot, old: Snapshot | None, session: bool) -> Packet | None:
    """A `snapshot` (no `old`, or too much changed), a `delta`, or None where a page that has `old` has it all."""
    rows: list[int] = []
    if old is not None:
        rows = [i for i, info in enumerate(new.ops) if i >= len(old.ops) or info != old.ops[i]]
        if len(rows) > _DELTA_SHARE * max(len(old.ops), 1):
            old = None
    if old is None:
        header, buffers = _rows(new.ops, range(len(new.ops)))
    else:
        header, buffers = _rows(new.ops, rows)
    graph = {"name": text(new.name), "version": new.version, "session": session}
    content: dict[str, Any] = {"graph": graph, "total": len(new.ops), "rows": header}
    content["kind"] = "snapshot" if old is None else "delta"
    variables = [_variable(info) for info in new.variables]
    if old is None or variables != [_variable(info) for info in old.variables]:
        content["variables"] = variables
    elif not rows and len(new.ops) == len(old.ops) and new.name == old.name:
        return None
    return Packet(content, buffers)


def stats_packet(
    values: Mapping[int, ValueStats | None],
    runs: int,
    history: Mapping[int, Sequence[float]] | None = None,
) -> Packet:
    """Live values by variable index; None is an uninitialized variable. `history` holds earlier means."""
    count = len(values)
    numbers = np.full((count, 6), np.nan)
    flags = np.zeros(count, np.uint8)
    bars = np.zeros((count, BINS), np.uint32)
    for row, stats in enumerate(values.values()):
        if stats is None:
            continue
        flags[row] = 1 | (2 if stats.sampled else 0) | (4 if stats.size else 0)
        numbers[row, 4:] = stats.nans, stats.infs
        if stats.mean is not None:
            numbers[row, :4] = stats.mean, stats.std, stats.low, stats.high
            bars[row, : len(stats.histogram)] = stats.histogram
    buffers = [
        np.fromiter(values, np.int32, count).tobytes(),
        numbers.tobytes(),
        flags.tobytes(),
        bars.tobytes(),
    ]
    length = 0
    if history:
        length = min(HISTORY, max((len(past) for past in history.values()), default=0))
        means = np.full((count, length), np.nan)
        for row, index in enumerate(values):
            past = list(history.get(index, ()))[-length:] if length else []
            means[row, : len(past)] = past
        buffers.append(means.tobytes())
    content = {"kind": "stats", "runs": runs, "count": count, "bins": BINS, "history": length}
    return Packet(content, buffers)


def status_packet(state: str, runs: int, words: str = "") -> Packet:
    """`state` is "idle", "live" or "closed"; `words` is one line for the status bar."""
    return Packet({"kind": "status", "state": state, "runs": runs, "text": text(words)}, [])


def text(value: str) -> str:
    """`value`, fit for UTF-8: a lone surrogate would stop the whole message."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return value.encode("utf-8", "backslashreplace").decode()
    return value


class Table(dict[Any, int]):
    """Distinct values in order of first use; looking one up adds it."""

    def __missing__(self, key: Any) -> int:
        index = self[key] = len(self)
        return index


def _rows(ops: Sequence[OpInfo], indices: Iterable[int]) -> tuple[dict[str, Any], list[bytes]]:
    types, devices, attrs, outputs, sources = Table(), Table(), Table(), Table(), Table()
    names: list[str] = []
    columns: list[int] = []
    edges: list[int] = []
    for i in indices:
        info = ops[i]
        names.append(info.name)
        place = info.source
        caller = None if place is None else place.caller
        columns += (
            i,
            types[info.type],
            devices[info.device],
            attrs[info.attrs],
            outputs[info.outputs],
            -1 if place is None else sources[place.cell, place.file],
            -1 if place is None or place.line is None else place.line,
            -1 if caller is None else sources[caller.cell, caller.file],
            -1 if caller is None or caller.line is None else caller.line,
            len(info.inputs),
            len(info.control),
        )
        for edge in info.inputs:
            edges += edge
        edges += info.control
    if names and not _encodable(names):
        names = [text(name) for name in names]
    header = {
        "count": len(names),
        "names": names,
        "types": [text(name) for name in types],
        "devices": [text(name) for name in devices],
        "attrs": [[[text(key), text(value)] for key, value in pairs] for pairs in attrs],
        "outputs": [[[dtype, _shape(shape)] for dtype, shape in pairs] for pairs in outputs],
        "sources": [[_maybe(cell), _maybe(file)] for cell, file in sources],
    }
    return header, [np.array(columns, np.int32).tobytes(), np.array(edges, np.int32).tobytes()]


def _encodable(names: list[str]) -> bool:
    try:
        "".join(names).encode()
    except UnicodeEncodeError:
        return False
    return True


def _maybe(value: str | None) -> str | None:
    return None if value is None else text(value)


def _shape(shape: Shape) -> list[int] | None:
    return None if shape is None else [-1 if size is None else size for size in shape]


def _source(source: Source | None) -> dict[str, Any] | None:
    if source is None:
        return None
    place = {"cell": _maybe(source.cell), "file": _maybe(source.file), "line": source.line}
    return {**place, "caller": _source(source.caller)}


def _variable(info: VariableInfo) -> dict[str, Any]:
    return {
        "name": text(info.name),
        "op": info.op,
        "shape": _shape(info.shape),
        "dtype": info.dtype,
        "device": text(info.device),
        "trainable": info.trainable,
        "collections": [text(name) for name in info.collections],
        "initialized": info.initialized,
        "bytes": info.bytes,
        "created_at": _source(info.created_at),
        "shared_with": [_source(source) for source in info.shared_with],
        "read_by": [text(name) for name in info.read_by],
        "written_by": [text(name) for name in info.written_by],
    }
