"""Which variable scope is open, per graph and thread, and how often each was opened."""

from __future__ import annotations

import threading
from bisect import bisect_left, insort
from typing import Any

from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.graph import Graph
from tfbench.variable_scope.modes import resource_variables_enabled
from tfbench.variable_scope.scope import VariableScope
from tfbench.variables.base import Variable
from tfbench.variables.reference import RefVariable
from tfbench.variables.resource import ResourceVariable


class ScopeStack(threading.local):
    """The current scope of one graph in this thread, and how often each scope was opened (for default names)."""

    def __init__(self) -> None:
        self.current = VariableScope(False)
        self.counts: dict[str, int] = {}
        #: the keys of `counts`, sorted: those below a scope stand together, and closing it touches no others
        self._names: list[str] = []

    def opened(self, name: str) -> None:
        times = self.counts.get(name, 0)
        if not times:
            insort(self._names, name)
        self.counts[name] = times + 1

    def close_below(self, name: str) -> None:
        names = self._names
        # "0" is the character after "/"
        first, end = (bisect_left(names, f"{name}/"), bisect_left(names, f"{name}0")) if name else (0, len(names))
        for below in names[first:end]:
            del self.counts[below]
        del names[first:end]

    def opened_so_far(self) -> Any:
        """What was opened, to be given to `reopen`."""
        return dict(self.counts), list(self._names)

    def reopen(self, opened: Any) -> None:
        counts, names = opened
        self.counts, self._names = dict(counts), list(names)

    def unique_name(self, prefix: str) -> str:
        """`prefix`, or `prefix_1`, …: the first that was not opened in the current scope."""
        base = f"{self.current.name}/{prefix}" if self.current.name else prefix
        if not self.counts.get(base):
            return prefix
        index = 1
        while self.counts.get(f"{base}_{index}"):
            index += 1
        return f"{prefix}_{index}"

    def snapshot(self) -> Any:
        return self.current, dict(vars(self.current)), self.opened_so_far()

    def restore(self, state: Any) -> None:
        self.current, settings, opened = state
        vars(self.current).update(settings)
        self.reopen(opened)


def scope_stack(graph: Graph | None = None) -> ScopeStack:
    graph = get_default_graph() if graph is None else graph
    return graph.extension("variable_scopes", ScopeStack)


def get_variable_scope() -> VariableScope:
    """The current variable scope of the default graph."""
    return scope_stack().current


def _choose(use_resource: bool | None) -> type:
    if use_resource is None:
        use_resource = get_variable_scope().use_resource
    if use_resource is None:
        use_resource = resource_variables_enabled()
    return ResourceVariable if use_resource else RefVariable


Variable.choose = staticmethod(_choose)
