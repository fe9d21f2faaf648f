"""The bench: named graphs that cells build, and one session per graph. Plain Python; the magics are a face of it."""

from __future__ import annotations

import contextlib
import difflib
import io
import itertools
import linecache
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from types import MappingProxyType
from typing import Any

from tfbench.bench import code as codes
from tfbench.bench import default_graph, interrupts, report
from tfbench.bench.cells import Cell, GraphEntry
from tfbench.bench.code import Code
from tfbench.bench.names import Namespace
from tfbench.bench.options import CellOptions
from tfbench.bench.rebuild import Rebuild
from tfbench.bench.result import CellResult
from tfbench.bench.values import ParkedValues
from tfbench.engine.graph import Graph
from tfbench.engine.session import Session
from tfbench.explain.lint import cell_warnings
from tfbench.explain.text import shorten
from tfbench.variable_scope import AUTO_REUSE

#: numbers what is compiled, where a cell runs more than once
_runs = itertools.count(2)

#: name of the graph that is there from the start
MAIN = "main"


class Bench:
    """Graphs by name, the cells that built them, and a session for each.

    Args:
      namespace: where cells bind their names; default: the names of the program (`__main__`), which in a notebook
        are the notebook's.
    """

    def __init__(self, namespace: Namespace | None = None) -> None:
        self.namespace: Namespace = sys.modules["__main__"].__dict__ if namespace is None else namespace
        self.entries: dict[str, GraphEntry] = {MAIN: GraphEntry(MAIN, default_graph.present())}
        #: every cell that has been run, in the order of their first runs, over all graphs
        self.cells: list[Cell] = []
        #: values of variables whose cells are left out
        self.parked: ParkedValues = ParkedValues()
        #: gives what surrounds replayed cells, so that what they print again is not shown in another cell
        self.quiet: Callable[[], AbstractContextManager[Any]] = _printing_nothing
        self._current = MAIN
        self._busy = False
        self._unnamed = 0

    # -- what there is --------------------------------------------------------------------------------------------

    @property
    def graphs(self) -> Mapping[str, Graph]:
        """The graphs by name, in the order in which they were made."""
        self.look_at_default_graph()
        return MappingProxyType({name: entry.graph for name, entry in self.entries.items()})

    @property
    def current(self) -> str:
        """Name of the graph that cells build and magics ask about where they do not name one."""
        return self._current

    def graph(self, name: str | None = None) -> Graph:
        """The graph called `name` (default: the current one). KeyError, with near names, if there is none."""
        return self._entry(name).graph

    def session(self, name: str | None = None) -> Session:
        """The session of the graph called `name` (default: the current one); a new one if it was closed."""
        return self._entry(name).session

    def adopt_devices(self) -> None:
        """Gives the sessions of all graphs the devices that there are now: simulation was switched on or off."""
        for entry in self.entries.values():
            entry.adopt_devices()

    def _entry(self, name: str | None) -> GraphEntry:
        self.look_at_default_graph()
        name = self._current if name is None else name
        if name not in self.entries:
            near = difflib.get_close_matches(name[:200], self.entries, n=1)
            there = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, self.entries))}"
            raise KeyError(f"no graph is called {shorten(name, 80)!r}: {shorten(there, 200)}")
        return self.entries[name]

    # -- running a cell ---------------------------------------------------------------------------------------------

    def run_cell(
        self,
        source: str,
        graph: str | None = None,
        scope: str | None = None,
        reuse: Any = None,
        name_scope: str | None = None,
        device: Any = None,
        initializer: Any = None,
        seed: int | None = None,
        fresh: bool = False,
        replay: bool = True,
        cell_id: str | None = None,
        label: str | None = None,
        namespace: Namespace | None = None,
        file: str | None = None,
        first_line: int = 1,
    ) -> CellResult:
        """Runs Python source that adds to a graph, as a `%%graph` cell does.

        A cell that is known by its `cell_id` is replaced, and the later cells of its graph are replayed. Variables
        whose name, shape and dtype stay the same keep their values. If the source raises, nothing has happened.

        Args:
          source: Python source; the value of a last expression becomes `.value`.
          graph: the graph's name; made if it is new. Default: where the cell was before, else the current one.
          scope, reuse, initializer: open `tf.variable_scope` around the cell; `reuse` is True or "auto".
          name_scope, device: opened around it.
          seed: the graph-level seed for the operations of this cell.
          fresh: starts the graph over: what earlier cells added, and all values, are gone.
          replay: False leaves later cells out; they are stale until they run again.
          cell_id: which cell this is. Default: one that was never run before.
          label: what messages call it. Default: the id.
          namespace: where names are bound, from now on.
          file, first_line: what the source is compiled as, for tracebacks.

        Raises:
          Whatever the source raises. SyntaxError. RuntimeError inside another cell.
        """
        if reuse not in (None, True, False, "auto", AUTO_REUSE):
            raise ValueError(f"reuse must be True, False, None or 'auto', but is {reuse!r}")
        if graph is not None:
            _check_name(graph)
        options = CellOptions(scope, reuse, name_scope, device, initializer, seed, fresh)
        if namespace is not None:
            self.namespace = namespace
        self._provide_names()
        with self._change() as held:
            known = None if cell_id is None else next((cell for cell in self.cells if cell.id == cell_id), None)
            if cell_id is None:
                self._unnamed += 1
                cell_id, name = f"({self._unnamed})", str(self._unnamed)
            else:
                name = cell_id
            # It stands in messages and tables: one line, whatever somebody calls a cell.
            label = shorten(label or name, 60)
            graph_name = graph or (known.graph if known else self._current)
            code = self._compile(source, label, file, first_line)
            new = Cell(cell_id, label, graph_name, code, options)
            return self._run(new, known, replay, held)

    def _run(self, new: Cell, known: Cell | None, replay: bool, held: interrupts.Interrupts) -> CellResult:
        start = len(self.cells) if known is None else self.cells.index(known)
        entries, current = dict(self.entries), self._current
        if new.graph not in self.entries:
            self.entries[new.graph] = GraphEntry(new.graph, Graph())
        affected = list(dict.fromkeys([new.graph, *([known.graph] if known else [])]))
        cause = f"cell {new.label} was run{' again' if known else ''}"
        if new.options.fresh:
            cause = f"cell {new.label} started graph {shorten(new.graph, 60)} over"
        rebuild = Rebuild(self, start, affected, held, cause)
        rebuild.run_id = new.id
        dropped = []
        codes.register(new.code.file, new.label)
        try:
            rebuild.take_back_names()
            for name in affected:
                rebuild.cut(name, from_start=new.options.fresh and name == new.graph)
            if new.options.fresh:
                dropped = [cell.label for cell in rebuild.cells if cell.graph == new.graph]
                rebuild.cells = [cell for cell in rebuild.cells if cell.graph != new.graph]
            shared = report.shared(self.entries[new.graph].graph)
            cell, value = rebuild.execute(new)
            rebuild.cells.append(cell)
            seen = report.what_was_added(self.entries[new.graph].graph, cell, shared)
            why = None if replay else f"cell {new.label} was run with --no-replay"
            later = rebuild.replay({new.id}, why)
            held.check()
        except BaseException as error:
            rebuild.undo()
            self.entries, self._current = entries, current
            if known is not None:
                codes.register(known.code.file, known.label)
            rebuild.explain_missing_name(error)
            report.explain_failure(error, new.code.file)
            raise
        lost = rebuild.commit()
        self._make_current(new.graph)
        for name in affected:
            self.entries[name].graph.notify()
        return CellResult(
            graph=new.graph,
            cell=new.label,
            replayed=later.replayed,
            stale=later.stale,
            dropped=tuple(dropped),
            warnings=(*later.warnings, *lost, *cell_warnings(self.entries[new.graph].graph, new.label)),
            replaced=known.label if known else None,
            value=value,
            **seen,
        )

    # -- changing what there is -------------------------------------------------------------------------------------

    def use(self, name: str) -> Graph:
        """Makes a graph the current one. KeyError, with near names, if there is none."""
        entry = self._entry(name)
        self._make_current(name)
        return entry.graph

    def replay(self, graph: str | None = None) -> CellResult:
        """Runs all cells of a graph again, from their stored sources and in order, those that were left out too."""
        name = self._entry(graph).name
        return self._rebuild_from(
            lambda cell: cell.graph == name, [name], set(), f"graph {shorten(name, 60)} was replayed"
        )

    def drop_cells(self, ids: Iterable[str]) -> CellResult:
        """Forgets cells (by id) that are no longer in the notebook: what they added goes, later cells are replayed."""
        gone = {cell.id: cell for cell in self.cells if cell.id in set(ids)}
        if not gone:
            return CellResult(self._current)
        graphs = list(dict.fromkeys(cell.graph for cell in gone.values()))
        labels = [cell.label for cell in gone.values()]
        cause = f"cell{'s' if len(labels) > 1 else ''} {', '.join(labels)} deleted"
        return self._rebuild_from(lambda cell: cell.id in gone, graphs, set(gone), cause)

    def reset(self, graph: str | None = None) -> CellResult:
        """Empties a graph and its session, and forgets its cells. Names keep what they hold."""
        entry = self._entry(graph)
        with self._change() as held:
            cause = f"graph {shorten(entry.name, 60)} was reset"
            rebuild = Rebuild(self, 0, [entry.name], held, cause)
            rebuild.cut(entry.name, from_start=True)
            rebuild.cells = [cell for cell in self.cells if cell.graph != entry.name]
            dropped = tuple(cell.label for cell in self.cells if cell.graph == entry.name)
            warnings = rebuild.commit()
            entry.graph.notify()
        return CellResult(entry.name, dropped=dropped, warnings=tuple(warnings))

    def drop(self, name: str) -> None:
        """Removes a graph, its cells and its session; if it was the current one, the first that is left becomes it."""
        entry = self._entry(name)
        with self._change():
            del self.entries[name]
            self.cells = [cell for cell in self.cells if cell.graph != name]
            entry.end()
            if not self.entries:
                self.entries[MAIN] = GraphEntry(MAIN, Graph())
            if self._current == name:
                self._make_current(next(iter(self.entries)))

    def rename(self, old: str, new: str) -> None:
        """Gives a graph another name. ValueError if that name is taken."""
        entry = self._entry(old)
        if new in self.entries:
            raise ValueError(f"a graph called {shorten(new, 80)!r} is there already")
        _check_name(new)
        with self._change():
            self.entries = {new if name == old else name: each for name, each in self.entries.items()}
            entry.name = new
            self.cells = [cell._replace(graph=new) if cell.graph == old else cell for cell in self.cells]
            if self._current == old:
                self._current = new

    def _rebuild_from(self, first: Callable[[Cell], bool], graphs: list[str], gone: set[str], cause: str) -> CellResult:
        with self._change() as held:
            start = next((i for i, cell in enumerate(self.cells) if first(cell)), len(self.cells))
            rebuild = Rebuild(self, start, graphs, held, cause)
            rebuild.deleted = gone
            try:
                rebuild.take_back_names()
                for name in graphs:
                    rebuild.cut(name)
                later = rebuild.replay(gone)
                held.check()
            except BaseException:
                rebuild.undo()
                raise
            dropped = tuple(cell.label for cell in self.cells if cell.id in gone)
            lost = rebuild.commit()
            for name in graphs:
                self.entries[name].graph.notify()
        return CellResult(
            graphs[0], replayed=later.replayed, stale=later.stale, dropped=dropped, warnings=(*later.warnings, *lost)
        )

    # -- the current graph is the default ---------------------------------------------------------------------------

    def look_at_default_graph(self) -> None:
        """Follows `tf.reset_default_graph()`: the current graph is then a new one, and its cells are forgotten."""
        if self._busy:
            return
        graph = default_graph.present()
        entry = self.entries[self._current]
        if graph is not entry.graph:
            entry.end()
            self.entries[self._current] = GraphEntry(self._current, graph)
            self.cells = [cell for cell in self.cells if cell.graph != self._current]

    def default_session(self) -> Session | None:
        """What `tf.get_default_session()` gives outside all blocks: the current graph's, where that is the default."""
        self.look_at_default_graph()
        entry = self.entries[self._current]
        return entry.session if default_graph.innermost() is entry.graph else None

    def _make_current(self, name: str) -> None:
        self._current = name
        default_graph.install(self.entries[name].graph)

    # -- helpers ----------------------------------------------------------------------------------------------------

    @contextmanager
    def _change(self) -> Iterator[interrupts.Interrupts]:
        if self._busy:
            raise RuntimeError(
                "a cell is being run: a %%graph cell cannot run another one, nor change the bench. "
                "Put it into a cell of its own."
            )
        self.look_at_default_graph()
        self._busy = True
        try:
            with interrupts.held() as held:
                yield held
        finally:
            self._busy = False

    def _provide_names(self) -> None:
        for name, module in (("tf", __name__.partition(".")[0]), ("np", "numpy")):
            if name not in self.namespace:
                self.namespace[name] = sys.modules[module]

    @staticmethod
    def _compile(source: str, label: str, file: str | None, first_line: int) -> Code:
        if file is None:
            file = f"<cell {label}>"
            while file in linecache.cache:
                file = f"<cell {label}, run {next(_runs)}>"
            codes.remember_lines(file, "\n" * (first_line - 1) + source)
        return Code(source, file, first_line)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name:
        raise ValueError(f"a graph's name must be a text that is not empty, but is {name!r}")


@contextmanager
def _printing_nothing() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
