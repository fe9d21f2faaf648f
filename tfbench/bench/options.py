"""What can be said about a `%%graph` cell besides its code, and the scopes that this opens around it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, NamedTuple

from tfbench.engine.default_graph import default_graph_stack, default_session_stack, get_default_session
from tfbench.engine.graph import Graph
from tfbench.variable_scope import AUTO_REUSE, get_variable_scope, variable_scope
from tfbench.variable_scope.stack import scope_stack


class CellOptions(NamedTuple):
    """The options of one cell; kept with it, so that a replay runs under the same ones."""

    scope: str | None = None
    #: True, or "auto" for AUTO_REUSE
    reuse: Any = None
    name_scope: str | None = None
    device: Any = None
    #: an initializer, or the text of an expression that gives one
    initializer: Any = None
    seed: int | None = None
    fresh: bool = False

    def enter(self, stack: ExitStack, graph: Graph, session: Any, namespace: dict[str, Any]) -> None:
        """Enters the scopes that these options ask for, outermost first."""
        stack.enter_context(graph.as_default())
        current = get_default_session()
        if current is None or current.graph is not graph:
            # Where the person has opened a session of this graph, it stays the default in the cell, too.
            stack.enter_context(session.as_default())
        if self.seed is not None:
            stack.callback(setattr, graph, "seed", graph.seed)
            graph.seed = self.seed
        if self.device is not None:
            with _named("device", self.device):
                stack.enter_context(graph.device(self.device))
        initializer = self.initializer
        if isinstance(initializer, str):
            with _named("initializer", initializer):
                initializer = eval(compile(initializer, "<initializer>", "eval", dont_inherit=True), namespace)
        reuse = AUTO_REUSE if self.reuse == "auto" else self.reuse or None
        if self.scope is not None or reuse is not None or initializer is not None:
            scope = get_variable_scope() if self.scope is None else self.scope
            with _named("scope", self.scope):
                stack.enter_context(variable_scope(scope, reuse=reuse, initializer=initializer))
        if self.name_scope is not None:
            with _named("name_scope", self.name_scope):
                stack.enter_context(graph.name_scope(self.name_scope))


@contextmanager
def _named(option: str, value: Any) -> Iterator[None]:
    """An option that cannot be entered says which it is."""
    try:
        yield
    except Exception as error:
        error.add_note(f"This is about the cell's option {option}={value!r}.")
        raise


class Surroundings:
    """The scopes and defaults of this thread, as they are now: what a cell enters and does not leave is undone."""

    __slots__ = ("_default_graphs", "_default_sessions", "_graph", "_scope", "_variable_scope")

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._default_graphs = list(default_graph_stack.items)
        self._default_sessions = list(default_session_stack.items)
        self._scope = graph.scope_state.copy()
        self._variable_scope = scope_stack(graph).current

    def restore(self) -> None:
        """Puts everything back; the objects that open blocks hold stay the same, so that they can be left."""
        default_graph_stack.items[:] = self._default_graphs
        default_session_stack.items[:] = self._default_sessions
        state = self._graph.scope_state
        for slot in state.__slots__:
            setattr(state, slot, getattr(self._scope, slot))
        scope_stack(self._graph).current = self._variable_scope

    def renew(self) -> None:
        """`restore`, into a new state: a block that the cell left open and that ends later changes nothing any more."""
        self.restore()
        self._graph._local.state = self._graph.scope_state.copy()
