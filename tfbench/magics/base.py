"""What every magic of tfbench has at hand: the notebook's bench, its names, the current graph and session."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics

from tfbench.bench.bench import Bench
from tfbench.engine.graph import Graph
from tfbench.engine.session import Session
from tfbench.magics.notebook import Notebook


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

    @property
    def graph_now(self) -> Graph:
        return self.bench.graph()

    @property
    def session(self) -> Session:
        return self.bench.session()
