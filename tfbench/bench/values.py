"""What sessions hold while cells are replaced: kept where the variable stays the same, given back where a cell fails.

When nodes are cut off a graph, the values of their variables are *parked*. A parked value comes back as soon as a
session of the graph runs, or the cell is done, and the graph has a variable of that name, shape and dtype again.
Values of cells that are left out stay parked until those cells run.

To undo what runs inside a cell did, values are copied just before the first of these runs: a cell that only builds
copies nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from tfbench.engine.graph import Graph, Operation
from tfbench.engine.hooks import SessionHook, unhook
from tfbench.engine.resources import VARIABLE_TYPES, VariableBuffer, variable_key

Key = tuple[str, str]
Copies = dict[Key, Any]


class Parked(NamedTuple):
    """A value whose variable is not in the graph now. `owner` is the id of the cell that makes it."""

    item: Any
    signature: tuple[Any, ...]
    owner: str | None


#: per session, what is parked for cells that are left out
ParkedValues = WeakKeyDictionary[Any, dict[Key, Parked]]


def _signature(op: Operation) -> tuple[Any, ...]:
    shape = op.attrs["shape"]
    return op.attrs["dtype"].base_dtype.name, getattr(shape, "_dims", shape)


class _Held(SessionHook):
    """One session during one change of its graph."""

    def __init__(self, session: Any, parked: dict[Key, Parked]) -> None:
        self.session = session
        self.items = dict(session.resources.items())
        self._was_closed = session._closed
        self.parked = dict(parked)
        #: copies made before the first run of each open level, outermost first; None while nothing ran
        self.levels: list[Copies | None] = [None]
        self._settled_at: tuple[int, int] | None = None

    def before_run(self) -> None:
        self.settle()
        if self.levels[-1] is None:
            copies = self.session.resources.snapshot()
            self.levels = [copies if level is None else level for level in self.levels]

    def settle(self) -> None:
        """Gives parked values to variables of the graph that are the same again."""
        graph = self.session.graph
        version = (graph.version, graph.changes_version)
        if not self.parked or version == self._settled_at:
            return
        self._settled_at = version
        nodes = {variable_key(op): op for op in graph._nodes if op.type in VARIABLE_TYPES}
        for key in [key for key in self.parked if key in nodes]:
            held = self.parked[key]
            if _signature(nodes[key]) == held.signature:
                del self.parked[key]
                self.session.resources._items[key] = held.item
                for level in self.levels:
                    if level is not None:
                        level[key] = (held.item, held.item.snapshot())

    def park(self, ops: Iterable[Operation], owner: Callable[[Operation], str | None]) -> None:
        resources = self.session.resources
        removed = {}
        for op in ops:
            if op.type in VARIABLE_TYPES:
                key = variable_key(op)
                item = resources.find(*key)
                if item is not None:
                    self.parked[key] = Parked(item, _signature(op), owner(op))
                removed[key[1]] = op
            removed[op.name] = op
        # Other state of a removed op (a random stream, a queue) starts anew, as it would in a clean run.
        for key, _ in resources.items():
            if key[1] in removed:
                resources.remove(*key)
        self.session.drop_plans()

    def undo(self, level: int) -> None:
        """Makes the session what it was when `level` was opened."""
        copies = self.levels[level]
        if copies is not None:
            self.session.resources.restore(copies)
        del self.levels[level:]
        if level == 0:
            self.session.resources._items = dict(self.items)
            self.session._closed = self._was_closed
        self.session.drop_plans()

    def keep(self) -> None:
        """Ends the innermost level: variables that had a value when it was opened have that value again."""
        copies = self.levels.pop() or {}
        for key, (item, saved) in copies.items():
            if isinstance(item, VariableBuffer) and saved is not None and self.session.resources.find(*key) is item:
                item.restore(saved if item.array is not saved else item.snapshot())


class Values:
    """All sessions of some graphs during one change; `undo` or `commit` ends it."""

    def __init__(self, graphs: Iterable[Graph], parked: ParkedValues) -> None:
        self._parked = parked
        self._held = {
            session: _Held(session, parked.get(session, {})) for graph in graphs for session in list(graph.sessions)
        }
        for session, held in self._held.items():
            session.hooks.append(held)

    def _of(self, graph: Graph) -> list[_Held]:
        return [held for session, held in self._held.items() if session.graph is graph]

    def park(self, graph: Graph, ops: Iterable[Operation], owner: Callable[[Operation], str | None]) -> None:
        """Takes the values of these removed operations out of the sessions."""
        ops = list(ops)
        for held in self._of(graph):
            held.park(ops, owner)

    def forget(self, graph: Graph) -> None:
        """Empties the graph's sessions: it is started over."""
        for held in self._of(graph):
            held.session.resources.clear()
            held.session.drop_plans()
            held.parked.clear()

    def open_level(self) -> None:
        """From here on can be undone alone."""
        for held in self._held.values():
            held.levels.append(None)

    def close_level(self, undo: bool = False, keep: bool = False) -> None:
        """Ends the innermost level: what ran inside stands, or is undone, or (`keep`) known variables are as before."""
        for held in self._held.values():
            if undo:
                held.undo(len(held.levels) - 1)
            elif keep:
                held.keep()
            else:
                held.levels.pop()

    def undo(self) -> None:
        """Every session is as it was, and ends the change."""
        for held in self._held.values():
            held.undo(0)
        self._end()

    def commit(self, left_out: set[str]) -> None:
        """Ends the change; values of the cells in `left_out` stay parked, others that found no variable are gone."""
        for session, held in self._held.items():
            held.settle()
            held.session.drop_plans()
            self._parked[session] = {key: parked for key, parked in held.parked.items() if parked.owner in left_out}
        self._end()

    def _end(self) -> None:
        for session, held in self._held.items():
            unhook((session.hooks, held))
