"""A graph's way back: marks of how it was, what was cut off its end, and putting that back.

Nodes are only ever added at the end, and changes to nodes that exist already are logged, so a mark is a few
numbers and copies of what is small (collections, scopes, what higher layers keep for the graph).
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tfbench.engine.graph import Graph, Operation


class Mark:
    """How a graph was at one moment."""

    __slots__ = ("bumps", "changes", "collections", "extensions", "names", "ops", "scope", "seed", "values")

    def __init__(self, graph: Graph) -> None:
        self.ops = len(graph._nodes)
        # Names are only ever added, at the end, and their counts logged: two numbers say how they were.
        self.names = len(graph._names_in_use)
        self.bumps = len(graph._name_bumps)
        self.collections = graph.collections_store.copy()
        self.changes = len(graph._changes)
        self.scope = graph.scope_state.copy()
        self.seed = graph.seed
        self.values = (graph._finalized, graph._seeded_ops, dict(graph._unfeedable), dict(graph._unfetchable))
        self.extensions = {key: value.snapshot() for key, value in graph._extensions.items()}


class Cut:
    """What `cut` removed from the end of a graph: enough for `put_back`."""

    __slots__ = ("bumps", "changes", "end", "extensions", "mark", "names", "operations", "redo")

    def __init__(self, graph: Graph, mark: Mark) -> None:
        self.mark = mark
        self.end = Mark(graph)
        self.operations = graph._nodes[mark.ops :]
        # An old list (or a layer's old state) becomes the live one, and is added to, while the cut lasts: the log
        # keeps a copy.
        self.changes = [(target, attribute, _copied(old)) for target, attribute, old in graph._changes[mark.changes :]]
        self.redo = [(target, attribute, getattr(target, attribute)) for target, attribute, _ in self.changes]
        self.names = dict(graph._names_in_use)
        self.bumps = graph._name_bumps[mark.bumps :]
        self.extensions = dict(graph._extensions)


def _copied(old: Any) -> Any:
    if type(old) is list:
        return list(old)
    if type(old) is dict:
        return {name: list(value) if type(value) is list else value for name, value in old.items()}
    return old


def roll_back(graph: Graph, mark: Mark) -> list[Operation]:
    """See `Graph.roll_back`."""
    removed = graph._nodes[mark.ops :]
    for target, attribute, old in reversed(graph._changes[mark.changes :]):
        object.__setattr__(target, attribute, old)
    del graph._changes[mark.changes :]
    graph.changes_version += 1
    graph.forget_consumers()
    for op in removed:
        del graph._by_name[op.name]
    del graph._nodes[mark.ops :]
    used = graph._names_in_use
    for name in graph._name_bumps[mark.bumps :]:
        used[name] -= 1
    del graph._name_bumps[mark.bumps :]
    for name in list(islice(reversed(used), len(used) - mark.names)):
        del used[name]
    _take_over(graph, mark)
    return removed


def _take_over(graph: Graph, mark: Mark) -> None:
    """Sets all that a mark keeps whole: collections, scopes, seed, flags, extensions."""
    graph.collections_store = mark.collections.copy()
    graph._local.state = mark.scope.copy()
    graph.seed = mark.seed
    graph._finalized, graph._seeded_ops, unfeedable, unfetchable = mark.values
    graph._unfeedable, graph._unfetchable = dict(unfeedable), dict(unfetchable)
    for key in list(graph._extensions):
        if key in mark.extensions:
            graph._extensions[key].restore(mark.extensions[key])
        else:
            dropped = getattr(graph._extensions.pop(key), "dropped", None)
            if dropped is not None:
                dropped()


def cut(graph: Graph, mark: Mark) -> Cut:
    """See `Graph.cut`."""
    removed = Cut(graph, mark)
    roll_back(graph, mark)
    return removed


def put_back(graph: Graph, removed: Cut) -> list[Operation]:
    """See `Graph.put_back`."""
    added_since = roll_back(graph, removed.mark)
    graph._nodes.extend(removed.operations)
    graph._by_name.update((op.name, op) for op in removed.operations)
    for target, attribute, value in removed.redo:
        object.__setattr__(target, attribute, value)
    graph._changes.extend(removed.changes)
    graph._names_in_use = dict(removed.names)
    graph._name_bumps.extend(removed.bumps)
    graph._extensions = dict(removed.extensions)
    _take_over(graph, removed.end)
    return added_since
