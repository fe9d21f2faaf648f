"""Initialising variables in a session, without adding to the graph."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.explain.known_variables import known_variables
from tfbench.explain.text import count, shorten
from tfbench.explain.variables import variables


class Initialized(NamedTuple):
    """What was initialised (names), and what was left alone."""

    initialized: tuple[str, ...]
    already: tuple[str, ...]
    #: variables that no operation initialises
    without_initializer: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.initialized and not self.without_initializer:
            return f"nothing to initialize: {_all_have_one(len(self.already))}"
        names = ", ".join(shorten(name, 40) for name in self.initialized[:6])
        more = ", …" if len(self.initialized) > 6 else ""
        text = f"initialized {count(len(self.initialized), 'variable')}" + (f": {names}{more}" if names else "")
        if self.already:
            text += f"; {len(self.already)} had a value already"
        if self.without_initializer:
            text += f"; no initializer for {', '.join(shorten(name, 40) for name in self.without_initializer)}"
        return text

    def to_dict(self) -> dict[str, Any]:
        return {key: list(value) for key, value in self._asdict().items()}


def _all_have_one(number: int) -> str:
    if not number:
        return "the graph has no variables"
    return f"{'the variable has' if number == 1 else f'all {number} variables have'} a value (--all starts over)"


def initialize(session: Any, pattern: str | None = None, again: bool = False) -> Initialized:
    """Runs the initializers of the variables that have no value in `session`; with `again`, of all.

    All run in one step, so a variable may start from another one's initial value.
    """
    graph = session.graph
    rows = variables(graph, pattern, session)
    objects = {op.name: variable for op, variable in known_variables(graph)[0].items()}
    wanted = [row.name for row in rows if again or not row.initialized]
    operations: dict[str, Any] = {}
    for name in wanted:
        variable = objects.get(name)
        operations[name] = graph._by_name.get(f"{name}/Assign") if variable is None else variable.initializer
    found = {name: op for name, op in operations.items() if op is not None}
    if found:
        session.run(list(found.values()))
    return Initialized(
        tuple(found),
        tuple(row.name for row in rows if row.name not in operations),
        tuple(name for name in wanted if name not in found),
    )
