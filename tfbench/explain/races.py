"""`explain.races`: which results of a run are left to chance."""

from __future__ import annotations

from typing import Any, NamedTuple

from tfbench.engine.fetches import FetchList
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.session import BaseSession
from tfbench.engine.tensor import Tensor
from tfbench.explain.defaults import graph_for, graph_of_fetches, plain_session, session_for
from tfbench.explain.effects import SET, Key
from tfbench.explain.events import Run
from tfbench.explain.known_variables import known_variables, variable_buffer
from tfbench.explain.places import Place, created_at
from tfbench.explain.race_search import Pair, Search
from tfbench.explain.rows import Rows
from tfbench.explain.text import count


class Race(NamedTuple):
    """Two operations that use one variable in no certain order; `first` and `second` as they run here."""

    variable: str
    #: "write/write" or "write/read"
    kind: str
    first: str
    second: str
    #: the control_dependencies that would order them
    fix: str
    #: whether a run fails where the other one comes first: there is no value yet
    fails: bool
    first_at: Place | None
    second_at: Place | None


class Races(Rows[Race]):
    """The races of a run; empty if every legal order of it gives the same result."""

    __slots__ = ()
    noun = "race"
    header = ("variable", "kind", "first", "second", "fix")
    sentences = ("first", "second", "fix")

    def key(self, row: Race) -> str:
        return row.variable

    def cells(self, row: Race) -> tuple[str, ...]:
        first, second = _at(row.first, row.first_at), _at(row.second, row.second_at)
        return (row.variable, row.kind, first, second, row.fix)

    def footer(self) -> str:
        if not self:
            return "no races: every legal order of this run gives the same result"
        return f"{count(len(self), self.noun)}: here, first runs before second, but nothing says so"

    def __str__(self) -> str:
        if not self:
            return self.footer()
        lines = []
        for row in self._rows[:100]:
            between = f"{_at(row.first, row.first_at)} and {_at(row.second, row.second_at)}"
            fails = ", a failure where there is no value yet" if row.fails else ""
            lines.append(f"{row.variable}: {row.kind} race between {between}{fails}")
            lines.append(f"    fix: {row.fix}")
        more = [f"… {len(self) - 100} more"] if len(self) > 100 else []
        return "\n".join([*lines, *more, self.footer()])

    __repr__ = __str__


def _at(name: str, place: Place | None) -> str:
    return repr(name) if place is None else f"{name!r} ({place})"


def races(fetches: Any, feeds: Any = (), session: Any = None) -> Races:
    """Pairs of a write and a read, or of two writes, of one variable that `session.run(fetches)` does not order.

    There is a pair exactly where two orders that the graph allows give different fetched values, different
    variables afterwards, or a failure in one of them. Additions commute; what is read and goes nowhere does not count.
    A run here has one fixed order, so its result is always the same; TensorFlow's is not. Nothing is run.

    Args:
      fetches: as `Session.run` takes them.
      feeds: tensors (or their names) that will be fed: what only they need does not run.
      session: whose variables and devices count; default: the default session or the bench's, if it runs this graph.
    """
    session = plain_session(session)
    graph = graph_of_fetches(fetches) or graph_for(None, session)
    session = session or session_for(graph)
    nest = FetchList(graph, fetches)
    fed = {graph.as_graph_element(feed, allow_operation=False) for feed in feeds}
    run = Run(nest, fed, _placement(session, graph, nest, fed))
    unset = _unset(run, graph, session)
    return Races(list(dict.fromkeys(_row(run, pair) for pair in Search(run, unset).pairs())))


def _placement(session: Any, graph: Graph, nest: FetchList, fed: set[Tensor]) -> Any:
    session = session or BaseSession(graph=graph)
    if len(session.device_set.devices) == 1:
        return None
    return session.look_at_placement(nest.tensors, nest.operations, list(fed))


def _unset(run: Run, graph: Graph, session: Any) -> set[Key]:
    """The variables that get their first value in this run: their initializer is in it, and they have none yet."""
    setters: dict[Key, set[Operation]] = {}
    for event in run.events:
        for key, use in event.uses.items():
            if use.changes == SET and key in run.variables:
                setters.setdefault(key, set()).add(event.op)
    if not setters:
        return set()
    objects, _ = known_variables(graph)
    found = set()
    for key, ops in setters.items():
        variable = run.variables[key]
        initializer = getattr(objects.get(variable), "initializer", None)
        if initializer is None:
            initializer = graph._by_name.get(f"{variable.name}/Assign")
        buffer = None if session is None else variable_buffer(session, variable)
        if initializer in ops and (buffer is None or buffer.array is None):
            found.add(key)
    return found


def _row(run: Run, pair: Pair) -> Race:
    variable = run.variables[pair.variable].name
    first, second = pair.first, pair.second
    both = all(event.uses[pair.variable].changes for event in (first, second))
    kind = "write/write" if both else "write/read"
    return Race(
        variable,
        kind,
        first.op.name,
        second.op.name,
        _fix(pair),
        pair.fails,
        created_at(first.op),
        created_at(second.op),
    )


def _fix(pair: Pair) -> str:
    first, second = pair.first, pair.second
    a, b = first.op.name, second.op.name
    if first.iterations != second.iterations:
        return (
            f"have each iteration wait for the one before: return what the body makes in a block "
            f"`with tf.control_dependencies([{a}]):`, or give the loop parallel_iterations=1"
        )
    around = f"`with tf.control_dependencies([{a}]):` around {b}"
    if second.sends:
        around = f"`with tf.control_dependencies([{a}]):` around a tf.identity"
        return f"{around} on the variable's own device, and use that on the other one"
    if first.sends:
        return f"make a tf.identity of {a} on the other device, and `with tf.control_dependencies([it]):` around {b}"
    if pair.fails and second.uses[pair.variable].looks and not second.uses[pair.variable].checks:
        return f"{around}, which has to read the variable there too: tf.identity(v), not a read made before"
    return around
