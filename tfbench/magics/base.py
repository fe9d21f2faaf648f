"""What every magic of tfbench has at hand: the notebook's bench, its names, the current graph and session."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics

from tfbench.bench.bench import Bench
from tfbench.engine.graph import Graph
from tfbench.engine.session import Session
from tfbench.explain.defaults import graph_of_fetches, session_for
from tfbench.magics.notebook import Notebook

SLIDERS_HELP = "With controls, or without. Default: with, in a live notebook, unless channels are chosen by an option."


class BenchMagics(Magics):
    """Base of the magics' classes."""

    def __init__(self, notebook: Notebook) -> None:
        super().__init__(notebook.shell)
        self.notebook = notebook

    @property
    def bench(self) -> Bench:
        return self.notebook.bench

    @property
    def names(self) -> dict[str, Any]:
        """The notebook's names."""
        return self.notebook.bench.namespace

    def with_sliders(self, asked: bool | None, *chosen: str | None) -> bool:
        """Whether a picture gets controls: as asked for; else where a person can move them and has chosen nothing."""
        if asked is not None:
            return asked
        return not any(chosen) and self.notebook.in_kernel and self.notebook.person_is_there

    @property
    def graph_now(self) -> Graph:
        return self.bench.graph()

    def session_of(self, fetches: Any) -> Session:
        """The session for what is fetched: of its own graph, which need not be the current one.

        Raises:
          UsageError: if nothing runs that graph.
        """
        graph = graph_of_fetches(fetches)
        if graph is None or graph is self.graph_now:
            return self.session
        found = session_for(graph)
        if found is None:
            raise UsageError(
                "this belongs to a graph that is not on the bench (%graph lists them): run it in a session of its own"
            )
        return found

    @property
    def session(self) -> Session:
        """The person's own session where one of the current graph is the default, else the bench's."""
        return session_for(self.graph_now) or self.bench.session()
