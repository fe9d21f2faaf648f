"""The default graph and the default session: one stack of each per thread."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Generic, TypeVar

from tfbench.engine.graph import Graph

T = TypeVar("T")


class DefaultStack(threading.local, Generic[T]):
    """A stack that context managers push to and pop from, one per thread."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.items: list[T] = []
        #: leaving out of order is allowed (interactive sessions do)
        self.enforce_nesting = True

    def pushed(self, item: T) -> Pushed[T]:
        """A context manager: `item` is on top for the length of a block."""
        return Pushed(self, item)

    def remove(self, item: T) -> None:
        if not self.items:
            return
        if self.items[-1] is item:
            self.items.pop()
        elif self.enforce_nesting:
            raise AssertionError(
                f"Nesting violated for the default {self.what} stack: leave the blocks in reverse order"
            )
        elif item in self.items:
            self.items.remove(item)


class Pushed(Generic[T]):
    """One `as_default` block. No generator: one that is never left must not run when it is collected."""

    __slots__ = ("item", "stack")

    def __init__(self, stack: DefaultStack[T], item: T) -> None:
        self.stack = stack
        self.item = item

    def __enter__(self) -> T:
        self.stack.items.append(self.item)
        return self.item

    def __exit__(self, *_: object) -> None:
        self.stack.remove(self.item)


class _GraphPushed(Pushed[Graph]):
    """One `Graph.as_default` block; the graph's scopes know that it is open."""

    __slots__ = ()

    def __enter__(self) -> Graph:
        state = self.item.scope_state
        state.entered = [*state.entered, len(state.devices_outside)]
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        state = self.item.scope_state
        state.entered = state.entered[:-1]


class _GraphStack(DefaultStack[Graph]):
    """Never empty: below all `as_default` blocks lies one global graph per thread."""

    _global: Graph | None = None

    def get(self) -> Graph:
        items = self.items
        if items:
            return items[-1]
        if self._global is None:
            self._global = Graph()
        return self._global

    def pushed(self, item: Graph) -> Pushed[Graph]:
        return _GraphPushed(self, item)

    def replace_global(self, graph: Graph | None) -> None:
        self._global = graph


default_graph_stack = _GraphStack("graph")
default_session_stack: DefaultStack[Any] = DefaultStack("session")

#: gives the default session where no block is open, or None: the notebook's bench sets it
session_fallback: list[Callable[[], Any]] = []

get_default_graph = default_graph_stack.get


def reset_default_graph() -> None:
    """Puts a new, empty graph in place of the global one.

    Raises:
      AssertionError: inside a `with graph.as_default()` block.
    """
    if default_graph_stack.items:
        raise AssertionError(
            "Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared graph, "
            "exit the nesting and create a new graph."
        )
    default_graph_stack.replace_global(None)


def get_default_session() -> Any:
    """The innermost session entered with `with session.as_default()`; in a notebook, else the bench's; or None."""
    items = default_session_stack.items
    if items:
        return items[-1]
    return session_fallback[-1]() if session_fallback else None


def default_session_scope(session: Any) -> AbstractContextManager[Any]:
    """Makes `session` the default one for the length of a block."""
    return default_session_stack.pushed(session)


# -- the module-level forms of the graph's scopes ------------------------------------------------------------


def device(device_name_or_function: Any) -> AbstractContextManager[Any]:
    """`Graph.device` of the default graph."""
    return get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs: Any) -> AbstractContextManager[Any]:
    """`Graph.control_dependencies` of the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> AbstractContextManager[Any]:
    """`Graph.colocate_with` of the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> AbstractContextManager[Any]:
    """`Graph.container` of the default graph."""
    return get_default_graph().container(container_name)


def add_to_collection(name: Any, value: Any) -> None:
    """`Graph.add_to_collection` of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names: Any, value: Any) -> None:
    """`Graph.add_to_collections` of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key: Any, scope: str | None = None) -> list[Any]:
    """`Graph.get_collection` of the default graph."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key: Any) -> list[Any]:
    """`Graph.get_collection_ref` of the default graph."""
    return get_default_graph().get_collection_ref(key)
