"""Which graph and session a question is about where it does not say: those of the bench, else the defaults."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tfbench.engine.default_graph import get_default_graph, get_default_session
from tfbench.engine.graph import Graph
from tfbench.engine.session import BaseSession, Session


def bench() -> Any:
    """The program's bench where it has one; asking does not make one."""
    module = sys.modules.get("tfbench.bench")
    found = getattr(module, "_the_bench", [])
    return found[0] if found else None


def graph_for(graph: Any = None, session: Any = None) -> Graph:
    """The graph that is meant by a Graph, by the name of one of the bench's, or by a session's; else the default graph.

    Raises:
      TypeError: for anything else. KeyError: for a name that the bench does not have.
    """
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, str):
        the_bench = bench()
        if the_bench is None:
            raise KeyError(f"no graph is called {graph!r}: there is no bench yet (tfbench.bench())")
        return the_bench.graph(graph)
    if graph is not None:
        raise TypeError(f"graph must be a tf.Graph or the name of one of the bench's, but is {graph!r}")
    return session.graph if session is not None else get_default_graph()


def session_for(graph: Graph) -> Session | None:
    """The session whose values are meant: the default one if it runs this graph, else the bench's, else None."""
    session = get_default_session()
    if session is not None and session.graph is graph:
        return session
    the_bench = bench()
    entries = the_bench.entries.values() if the_bench is not None else ()
    return next((entry.session for entry in entries if entry.graph is graph), None)


def plain_session(session: Any) -> Any:
    """The session itself: a monitored session is one around it.

    Raises:
      ValueError: if it is closed.
    """
    if session is None or isinstance(session, BaseSession):
        return session
    plain = getattr(session, "_plain", None)
    if plain is None:
        raise ValueError(f"{type(session).__name__} is closed, or no session")
    return plain


def session_that_runs(fetches: Any, session: Any, what: str) -> Any:
    """The session that is to run `fetches`: the one that is given, else the default one or the bench's, if it can.

    Args:
      what: what is to be done, for the error: "time".

    Raises:
      ValueError: if there is none, or the one that is given is closed.
    """
    found = plain_session(session) or session_for(graph_of_fetches(fetches) or graph_for())
    if found is None:
        raise ValueError(f"Cannot {what}: no session runs this graph. Use `with tf.Session():` or pass session=…")
    return found


def graph_of_fetches(fetches: Any) -> Graph | None:
    """The graph of the first object in a nest of fetches; None where all are names."""
    if isinstance(fetches, (list, tuple, Mapping)):
        items = fetches.values() if isinstance(fetches, Mapping) else fetches
        return next((found for item in items if (found := graph_of_fetches(item)) is not None), None)
    graph = getattr(fetches, "graph", None)
    return graph if isinstance(graph, Graph) else None
