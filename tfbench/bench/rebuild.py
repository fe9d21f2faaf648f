"""Changing the middle of what the cells built: all of it, or nothing.

The cells of all graphs are one list, in the order in which they first ran. A change starts at one place in it:
the names that cells bound from there on are taken back, last first; the affected graphs are cut there; then the
list is walked again. A cell of an affected graph runs again from its source, a cell of another graph gets its names
back without running. That is the order of a clean run, so names and graphs end as a clean run leaves them.

Whatever fails before the end - the cell that is run, an interrupt - puts graphs, sessions, names and defaults back. A
later cell that fails in its replay is left out, with those of its graph after it, and the change stands.
"""

from __future__ import annotations

import traceback
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple

from tfbench.bench import names, notes
from tfbench.bench.cells import Cell
from tfbench.bench.interrupts import Interrupts
from tfbench.bench.options import Surroundings
from tfbench.bench.values import Values
from tfbench.engine.default_graph import default_graph_stack, default_session_stack
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.history import Cut, Mark
from tfbench.engine.tensor import Tensor
from tfbench.variables.base import Variable

if TYPE_CHECKING:
    from tfbench.bench.bench import Bench

#: any graph can be rolled back to this: nothing in it
EMPTY: Mark = Graph().mark()


class Replayed(NamedTuple):
    """How the cells after the place of the change fared."""

    replayed: tuple[str, ...]
    stale: tuple[str, ...]
    warnings: tuple[str, ...]


class Rebuild:
    """One change of the bench from the cell at `start` on. Ended by `commit` or `undo`."""

    def __init__(self, bench: Bench, start: int, graphs: list[str], interrupts: Interrupts, cause: str) -> None:
        self.bench = bench
        self.namespace = namespace = bench.namespace
        self.graphs = graphs
        #: 'cell 3 was run again': the first half of what removed tensors say
        self.cause = cause
        #: id of the cell that the person ran, if it is one
        self.run_id: str | None = None
        #: ids of cells that are not in the notebook any more
        self.deleted: set[str] = set()
        self._interrupts = interrupts
        self._names_before = names.copy(namespace)
        self._stacks_before = (list(default_graph_stack.items), list(default_session_stack.items))
        self._old = bench.cells[start:]
        self._values = Values([entry.graph for entry in bench.entries.values()], bench.parked)
        self._cuts: dict[str, Cut] = {}
        self._notes: dict[str, dict[str | None, tuple[notes.Note, list[Operation]]]] = {}
        self._marks = {name: entry.graph.mark() for name, entry in bench.entries.items() if name not in graphs}
        #: what the names of each cell meant before they were taken back
        self._taken: dict[str, names.Taken] = {}
        #: the list of cells as it will be
        self.cells = list(bench.cells[:start])

    # -- back ---------------------------------------------------------------------------------------------------

    def take_back_names(self) -> None:
        """Takes back what the cells from the place of the change on bound, and what left-out cells before it did.

        A name that only a left-out cell binds would not be there in a clean run: no cell may use it.
        """
        for cell in reversed(self._old):
            self._taken[cell.id] = names.take_back(self.namespace, cell.bound)
        for cell in self.cells:
            if cell.stale is not None:
                self._taken[cell.id] = names.take_back(self.namespace, cell.bound)

    def cut(self, name: str, from_start: bool = False) -> None:
        """Cuts graph `name` at the place of the change; with `from_start`, empties it and its sessions."""
        entry = self.bench.entries[name]
        active = [cell for cell in self.bench.cells if cell.graph == name and cell.stale is None]
        later = {cell.id for cell in self._old}
        first = next((cell for cell in active if cell.id in later), None)
        mark = EMPTY if from_start else first.mark if first is not None else entry.graph.mark()
        assert mark is not None
        cut = self._cuts[name] = entry.graph.cut(mark)
        owners: dict[str | None, list[Operation]] = {}
        owner_of: dict[Operation, str | None] = {}
        position = 0
        for op in cut.operations:
            while position < len(active) and op._id >= active[position].end:
                position += 1
            cell = active[position] if position < len(active) and active[position].owns(op) else None
            owner_of[op] = cell.id if cell else None
            owners.setdefault(owner_of[op], []).append(op)
        labels = {cell.id: cell.label for cell in active}
        self._notes[name] = {}
        for owner, ops in owners.items():
            text = notes.run_again(labels[owner], labels[owner]) if owner else notes.plain(ops, self.cause)
            note = notes.Note(text)
            notes.attach(ops, note)
            self._notes[name][owner] = (note, ops)
        if from_start:
            self._values.forget(entry.graph)
        else:
            self._values.park(entry.graph, cut.operations, owner_of.__getitem__)

    # -- forth --------------------------------------------------------------------------------------------------

    def execute(self, cell: Cell) -> tuple[Cell, Any]:
        """Runs a cell at the end of its graph; gives it with what it did, and its value."""
        entry = self.bench.entries[cell.graph]
        graph = entry.graph
        before = names.copy(self.namespace)
        mark = graph.mark()
        with ExitStack() as stack:
            stack.callback(Surroundings(graph).renew)
            cell.options.enter(stack, graph, entry.session, self.namespace)
            inside = Surroundings(graph)
            try:
                with self._interrupts.allowed():
                    value = cell.code.run(self.namespace)
            finally:
                inside.restore()
        bound = names.bound_since(self.namespace, before)
        return cell._replace(mark=mark, start=mark.ops, end=graph.version, bound=bound, stale=None), value

    def replay(self, skip: set[str], left_out_because: str | None = None) -> Replayed:
        """Walks the cells after the place of the change again.

        Args:
          skip: ids of cells that are not part of the list any more, or that have been run.
          left_out_because: the reason, where later cells shall not run (`--no-replay`).
        """
        replayed, stale, warnings = [], [], []
        broken = {name: left_out_because for name in self.graphs if left_out_because}
        self._values.open_level()
        with self.bench.quiet():
            for cell in self._old:
                if cell.id in skip:
                    continue
                if cell.graph not in self.graphs:
                    if cell.stale is None:
                        cell = cell._replace(bound=names.bind_again(self.namespace, self._taken[cell.id]))
                    self.cells.append(cell)
                    continue
                reason = broken.get(cell.graph)
                if reason is None:
                    reason = self._try(cell)
                    if reason is None:
                        replayed.append(cell.label)
                        continue
                    broken[cell.graph] = f"cell {cell.label} before it failed"
                    warnings.append(f"cell {cell.label} is left out: {reason}")
                self.cells.append(cell._replace(mark=None, start=0, end=0, stale=reason))
                stale.append(cell.label)
        self._values.close_level(keep=True)
        self._bind_stale_names()
        return Replayed(tuple(replayed), tuple(stale), tuple(warnings))

    def _try(self, cell: Cell) -> str | None:
        """Replays one cell; where it fails, undoes what it did and returns the reason."""
        graph = self.bench.entries[cell.graph].graph
        mark, before = graph.mark(), names.copy(self.namespace)
        self._values.open_level()
        try:
            new, _ = self.execute(cell)
        except Exception as error:
            graph.roll_back(mark)
            names.restore(self.namespace, before)
            self._values.close_level(undo=True)
            return _reason(error, cell)
        self._values.close_level()
        self.cells.append(new)
        return None

    def _bind_stale_names(self) -> None:
        """Names that only a left-out cell binds keep their dead tensors: those say which cell to run."""
        for position, cell in enumerate(self.cells):
            if cell.stale is not None and cell.id in self._taken:
                bound = names.bind_missing(self.namespace, self._taken[cell.id])
                self.cells[position] = cell._replace(bound=bound)

    def explain_missing_name(self, error: BaseException) -> None:
        """Says of a name that is not there which left-out cell had bound it."""
        if isinstance(error, NameError):
            for cell in self.bench.cells:
                if cell.stale is not None and error.name in self._taken.get(cell.id, names.NOTHING).names:
                    error.add_note(
                        f"cell {cell.label} had bound {error.name}, but is left out ({cell.stale}): run it again."
                    )
                    return

    # -- the end ------------------------------------------------------------------------------------------------

    def undo(self) -> None:
        """Puts everything back."""
        for name, cut in self._cuts.items():
            self.bench.entries[name].graph.put_back(cut)
            notes.detach(cut.operations)
        for name, mark in self._marks.items():
            graph = self.bench.entries[name].graph
            if graph.version != mark.ops or len(graph._changes) != mark.changes:
                graph.roll_back(mark)
        self._values.undo()
        names.restore(self.namespace, self._names_before)
        self._restore_stacks()

    def commit(self) -> list[str]:
        """Makes the change final; returns warnings about what plain cells had added."""
        warnings = []
        now = {cell.id: cell for cell in self.cells}
        before = {cell.id: cell for cell in self.bench.cells}
        still_named = self._names_of_removed()
        if still_named:
            warnings.append(notes.still_named(still_named))
        for groups in self._notes.values():
            for owner, (note, ops) in groups.items():
                if owner is None:
                    warnings.append(notes.lost(ops))
                    continue
                old, new = before[owner], now.get(owner)
                if new is None:
                    note.text = notes.dropped(old.label, self.cause, owner in self.deleted)
                elif new.stale is not None:
                    note.text = notes.left_out(old.label, self.cause, new.stale)
                elif owner == self.run_id:
                    note.text = notes.run_again(old.label, new.label)
                else:
                    note.text = notes.replayed(old.label, self.cause)
        self._values.commit({cell.id for cell in self.cells if cell.stale is not None})
        self._restore_stacks()
        self.bench.cells = self.cells
        return warnings

    def _names_of_removed(self) -> list[str]:
        """Names bound by no `%%graph` cell that mean a node which such a cell has replaced."""
        removed = {op for groups in self._notes.values() for owner, (_, ops) in groups.items() if owner for op in ops}
        bound = {name for cell in (*self.bench.cells, *self.cells) for name in cell.bound.names}
        return [
            name
            for name, value in self.namespace.items()
            if name not in bound
            and not name.startswith("_")
            and any(_op_of(item) in removed for item in (value if isinstance(value, (list, tuple)) else (value,)))
        ]

    def _restore_stacks(self) -> None:
        default_graph_stack.items[:], default_session_stack.items[:] = self._stacks_before


def _op_of(value: Any) -> Operation | None:
    op = value if isinstance(value, Operation) else getattr(value, "op", None) if _is_node(value) else None
    return op if isinstance(op, Operation) else None


def _is_node(value: Any) -> bool:
    return isinstance(value, (Tensor, Variable))


def _reason(error: Exception, cell: Cell) -> str:
    """'ValueError: … (line 3)': one line about why a replayed cell failed."""
    line = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == cell.code.file:
            line = number
    if isinstance(error, SyntaxError) and error.filename == cell.code.file:
        line = error.lineno
    text = str(error).strip().splitlines()
    first = f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
    return first + (f" (line {line})" if line is not None else "")
