"""`explain.needed_placeholders` and `explain.uninitialized`: what a run lacks."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from typing import Any, overload

from tfbench.engine.fetches import FetchList
from tfbench.engine.prune import needed_operations
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.explain.defaults import bench, graph_for, graph_of_fetches, plain_session, session_for
from tfbench.explain.known_variables import variable_buffer
from tfbench.explain.text import shorten


class Names(Sequence[str]):
    """A frozen list of names."""

    __slots__ = ("_names", "_none", "_what")

    def __init__(self, what: str, names: Sequence[str], none: str) -> None:
        self._what = what
        self._names = tuple(names)
        self._none = none

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return self._names[index]

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (Names, list, tuple)) and self._names == tuple(other)

    def __hash__(self) -> int:
        return hash(self._names)

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes."""
        return {self._what: list(self._names)}

    def __str__(self) -> str:
        return "\n".join(shorten(name, 200) for name in self._names) or self._none

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def needed_placeholders(fetches: Any, feeds: Any = ()) -> Names:
    """The names of the placeholders that `session.run(fetches)` has to be fed, in the order in which they were made.

    Args:
      fetches: as `Session.run` takes them.
      feeds: tensors (or their names) that are fed already: what only they need is not needed.
    """
    graph = graph_of_fetches(fetches) or graph_for()
    nest = FetchList(graph, fetches)
    fed = {graph.as_graph_element(feed, allow_operation=False) for feed in feeds}
    needed = needed_operations(nest.tensors, nest.operations, fed)
    found = [op for op in needed if op.type in ("Placeholder", "PlaceholderV2") and op.outputs_list[0] not in fed]
    names = [op.name for op in sorted(found, key=lambda op: op._id)]
    return Names("placeholders", names, "nothing has to be fed")


def uninitialized(session: Any = None) -> Names:
    """The names of the variables that have no value in `session` (default: the default session or the bench's).

    Raises:
      ValueError: if there is no session to ask about.
    """
    session = plain_session(session) or session_for(graph_for())
    if session is None and bench() is not None:
        session = bench().session()
    if session is None:
        raise ValueError("uninitialized(session) needs a session: no default session is registered")
    names = []
    for op in session.graph.get_operations():
        if op.type in VARIABLE_TYPES:
            buffer = variable_buffer(session, op)
            if buffer is None or buffer.array is None:
                names.append(op.name)
    return Names("variables", names, "every variable has a value")
