"""The global default graph and the default session, seen from the bench: its current graph is the one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import default_graph as engine
from tfbench.engine.graph import Graph


def present() -> Graph:
    """The global default graph, below all `as_default()` blocks."""
    stack = engine.default_graph_stack
    if stack._global is None:
        stack.replace_global(Graph())
    graph = stack._global
    assert graph is not None
    return graph


def innermost() -> Graph:
    """The default graph of this thread now."""
    return engine.get_default_graph()


def install(graph: Graph) -> None:
    """Makes `graph` the global default graph."""
    engine.default_graph_stack.replace_global(graph)


def provide_session(source: Callable[[], Any]) -> None:
    """Asks `source` for the default session where no block gives one."""
    engine.session_fallback[:] = [source]


def provide_no_session() -> None:
    """Ends `provide_session`."""
    engine.session_fallback.clear()
