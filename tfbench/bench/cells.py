"""What the bench remembers of a graph and of a cell that it has run."""

from __future__ import annotations

from typing import NamedTuple

from tfbench.bench.code import Code
from tfbench.bench.names import Bindings
from tfbench.bench.options import CellOptions
from tfbench.engine.devices import device_set
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.history import Mark
from tfbench.engine.session import Session


class Cell(NamedTuple):
    """One run of one `%%graph` cell. `id` says which cell it is, `label` is what messages call it."""

    id: str
    label: str
    #: name of its graph
    graph: str
    code: Code
    options: CellOptions
    #: how the graph was before it; None while the cell is left out
    mark: Mark | None = None
    #: its operations are those from `start` up to `end`
    start: int = 0
    end: int = 0
    bound: Bindings = Bindings()
    #: why it is left out, or None
    stale: str | None = None

    def owns(self, op: Operation) -> bool:
        return self.stale is None and self.start <= op._id < self.end


class GraphEntry:
    """A graph of the bench: its name, and the session that goes with it (made when first needed)."""

    __slots__ = ("_session", "graph", "name")

    def __init__(self, name: str, graph: Graph) -> None:
        self.name = name
        self.graph = graph
        self._session: Session | None = None

    @property
    def session(self) -> Session:
        if self._session is None or self._session._closed:
            self._session = Session(graph=self.graph)
        return self._session

    def adopt_devices(self) -> None:
        """Gives the session, if there is one, the devices that there are now."""
        if self._session is not None and not self._session._closed:
            self._session.use_devices(device_set())

    def end(self) -> None:
        """Closes the session: the graph leaves the bench."""
        if self._session is not None:
            self._session.close()
