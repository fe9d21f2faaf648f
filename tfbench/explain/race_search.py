"""Which pairs of events on one variable a run leaves unordered in a way that shows.

Any two legal orders can be turned into each other by exchanging neighbours, so a run is free of races if no exchange
of two neighbours in any legal order changes the outcome. Neighbours that matter use the same variable, one of
them writing, and neither waits for the other. Whether their exchange shows is decided in two ways:

* by where values go, which is cheap: what is read gets into a fetched value, or into a variable that nobody sets
  afterwards; two writes that nobody sets over. Nothing of it gets anywhere: it does not show;
* else by trying: orders in which the two are neighbours, early and late, with writes before reads and after, are gone
  through in both forms (`outcomes`). So it is only where a variable is set again in the same run.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.explain.effects import CHANGE, SET, SHAPES, Key, Use, passes
from tfbench.explain.events import Event, Guard, Run
from tfbench.explain.outcomes import FAILS, Outcomes
from tfbench.explain.race_orders import Orders

#: how many steps of tried orders may be spent on one question; on a large graph that is about a second
_BUDGET = 60_000
_BUDGET_SMALL, _SMALL = 600_000, 500

#: more pairs than this are not looked for
_MOST_PAIRS = 2_000

#: updates of the rows that their second input names
_ROWS = frozenset(
    f"{kind}Scatter{how}" for kind in ("", "Resource") for how in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")
)

#: stands for "gets into a fetched value" among the bits of where a value goes
_FETCHED = 1


class Pair(NamedTuple):
    """Two events that race on a variable, in the order in which they happen here."""

    variable: Key
    first: Event
    second: Event
    #: one of them fails if it comes first
    fails: bool


class Search:
    """The races of one run.

    Args:
      unset: the variables that have no value before the run, and get one in it.
    """

    def __init__(self, run: Run, unset: set[Key]) -> None:
        self._run = run
        self._unset = unset
        self._events = run.events
        users: dict[Key, list[Event]] = {}
        for event in run.events:
            for key, use in event.uses.items():
                if run.runs(event.guard | use.guard):
                    users.setdefault(key, []).append(event)
        #: who uses what, where somebody writes it
        self._users = {key: found for key, found in users.items() if any(e.uses[key].changes for e in found)}
        #: the events that set each variable
        self._setters = {key: [e for e in found if e.uses[key].changes == SET] for key, found in self._users.items()}
        self._bits: dict[int, int] = {}
        for found in self._users.values():
            for event in found:
                self._bits.setdefault(event.index, 1 << (len(self._bits) + 1))
        self._users_by_bit = {bit: run.events[index] for index, bit in self._bits.items()}
        self._shown: dict[int, bool | None] = {}
        self._before: list[int] = []
        self._goes: list[int] = []
        self._outcomes = Outcomes(run, unset)
        self._left = _BUDGET_SMALL if len(self._events) < _SMALL else _BUDGET
        self._works: bool | None = None

    def pairs(self) -> list[Pair]:
        """All of them, in the order in which they happen here."""
        wanted = {key: found for key, found in self._users.items() if key in self._run.variables and len(found) > 1}
        if not wanted:
            return []
        self._find_before()
        self._find_where_values_go()
        result: dict[Any, Pair] = {}
        for key, found in wanted.items():
            for first, second in self._candidates(key, found):
                name = (key, first.op, second.op, first.iterations == second.iterations)
                if name in result or (*name[:3], True) in result:
                    continue
                fails = self._races(key, first, second)
                if fails is None:
                    continue
                for one, two in self._named(key, first, second) if fails else [(first, second)]:
                    a, b = sorted((one, two), key=lambda event: event.position)
                    result.setdefault((key, one.op, two.op, one.iterations == two.iterations), Pair(key, a, b, fails))
                if len(result) >= _MOST_PAIRS:
                    break
        return sorted(result.values(), key=lambda pair: (pair.first.position, pair.second.position))

    def _named(self, key: Key, first: Event, second: Event) -> list[tuple[Event, Event]]:
        """The pairs to name where a read fails: of an alias, those who compute with it and do not wait for the write.

        The alias itself is named where there are none, or where it is fetched.
        """
        setter, alias = (first, second) if first.uses[key].changes else (second, first)
        if alias.uses[key].changes or alias.uses[key].looks or not passes(alias.op):
            return [(first, second)]
        bit, fetched = self._bits[setter.index], {value[0] for _, value in self._run.fetched}
        family = {alias.index}
        found = []
        for event in self._events[alias.index + 1 :]:
            if any(value is not None and value[0] in family and value in self._run.aliases for value in event.inputs):
                if passes(event.op):
                    family.add(event.index)
                elif key in event.uses and not self._before[event.index] & bit:
                    found.append((setter, event))
        return found if found and not family & fetched else [*found, (setter, alias)]

    def _candidates(self, key: Key, found: list[Event]) -> Iterator[tuple[Event, Event]]:
        """Pairs that use `key`, one of them writing, that neither wait for each other nor exclude each other."""
        writers = [event for event in found if event.uses[key].changes]
        for writer in writers:
            bit, before = self._bits[writer.index], self._before[writer.index]
            for other in found:
                use = other.uses[key]
                if use.changes and other.index <= writer.index:
                    continue
                if before & self._bits[other.index] or self._before[other.index] & bit:
                    continue
                if not _matter(writer.uses[key], use, key in self._unset) or _apart(writer.op, other.op):
                    continue
                if self._run.runs(_guard(key, writer, other)):
                    yield writer, other

    # -- what comes before, and where values go ----------------------------------------------------------------

    def _find_before(self) -> None:
        """For each event the users of variables that must come before it, as bits."""
        before = self._before
        for event in self._events:
            mask = 0
            for index in event.waits:
                mask |= before[index] | self._bits.get(index, 0)
            before.append(mask)

    def _find_where_values_go(self) -> None:
        """For each event which users of variables its values get into, as bits, and whether they are fetched."""
        goes = [0] * len(self._events)
        aliases = self._run.aliases
        for _, (index, output) in self._run.fetched:
            if (index, output) not in aliases or (index, output) in self._run.chosen:
                goes[index] |= _FETCHED
        states: dict[Key, int] = {}
        for event in reversed(self._events):
            inside = self._inside(event, goes, states)
            for key, use in event.uses.items():
                if key not in self._run.variables and use.changes:
                    states[key] = states.get(key, 0) | inside
            if event.op.type in SHAPES:
                continue
            for value in event.inputs:
                if value is not None and (value not in aliases or value in self._run.chosen):
                    goes[value[0]] |= inside
            guard = event.guard
            if event.op.type == "Merge":
                guard = guard.union(*(self._run._guard_of(value) for value in event.inputs))
            for root, _ in guard:
                if isinstance(root, tuple):
                    goes[root[0]] |= inside
        self._goes = goes

    def _inside(self, event: Event, goes: list[int], states: dict[Key, int]) -> int:
        """Where what `event` computes with gets to."""
        inside = goes[event.index]
        for key, use in event.uses.items():
            if use.changes:
                inside |= self._bits.get(event.index, 0)
                if key not in self._run.variables:
                    inside |= states.get(key, 0)
        return inside | (_FETCHED if event.op.type == "Assert" else 0)

    # -- deciding ----------------------------------------------------------------------------------------------

    def _races(self, key: Key, first: Event, second: Event) -> bool | None:
        """None if it does not show which of two comes first; else whether it shows as a failure."""
        uses = first.uses[key], second.uses[key]
        if key not in self._unset and not self._same_values(key):
            if all(use.changes for use in uses) and not self._set_after(key, first, second):
                return False
            # What is looked at is different only where the other one writes.
            looks = [(first, uses[0].looks and uses[1].changes), (second, uses[1].looks and uses[0].changes)]
            shows = [self._shows(event) for event, matters in looks if matters]
            if True in shows:
                return False
            if all(found is None for found in shows) and (
                not all(use.changes for use in uses) or self._set_over(key, first, second)
            ):
                return None
        if key in self._unset and self._fails_for_certain(key, first, second):
            return True
        return self._try(key, first, second)

    def _fails_for_certain(self, key: Key, first: Event, second: Event) -> bool:
        """Whether one of two is the first that needs a value of `key`, and the other may be the first that sets it."""
        if _guard(key, first, second):
            return False
        setter, reader = (first, second) if first.uses[key].changes == SET else (second, first)
        if setter.uses[key].changes != SET or setter.uses[key].checks or not reader.uses[key].checks:
            return False
        before = self._before[setter.index] | self._before[reader.index]
        if any(before & self._bits[event.index] for event in self._users[key]):
            return False
        if self._works is None:
            self._works = self._outcomes.of(self._orders.setting_first(), {}, True) is not FAILS
        return self._works

    def _shows(self, event: Event) -> bool | None:
        """Whether what `event` reads shows for certain; None if it gets nowhere; False if that is not clear."""
        if event.index not in self._shown:
            self._shown[event.index] = self._find_out(event)
        return self._shown[event.index]

    def _find_out(self, event: Event) -> bool | None:
        goes = self._inside(event, self._goes, {})
        if goes & _FETCHED:
            return True
        hidden = True
        while goes:
            bit = goes & -goes
            goes ^= bit
            writer = self._users_by_bit[bit]
            for key, use in writer.uses.items():
                if use.changes and key in self._run.variables:
                    if not self._set_after(key, writer):
                        return True
                    hidden = hidden and self._set_over(key, writer)
        return None if hidden else False

    def _set_over(self, key: Key, *events: Event) -> bool:
        """Whether what writes leave is set over before anybody looks at it."""
        bits, before = 0, 0
        for event in events:
            bits |= self._bits[event.index]
            before |= self._before[event.index]
        guard = _guard(key, *events)
        places = {(), *(event.iterations for event in events)}
        setters = [
            setter
            for setter in self._setters[key]
            if setter not in events
            and self._before[setter.index] & bits
            and _guard(key, setter) <= guard  # else it may not run
            and setter.iterations in places
        ]
        over = 0
        for setter in setters:
            over |= self._bits[setter.index]
        return bool(setters) and all(
            event in events or before & self._bits[event.index] or self._before[event.index] & over
            for event in self._users[key]
            if event.uses[key].looks
        )

    def _set_after(self, key: Key, *events: Event) -> bool:
        """Whether somebody sets `key` after one of `events`."""
        bits = 0
        for event in events:
            bits |= self._bits[event.index]
        return any(setter not in events and self._before[setter.index] & bits for setter in self._setters[key])

    def _same_values(self, key: Key) -> bool:
        """Whether `key` may be set to what it holds, or twice to the same: then it has to be tried."""
        seen: set[Any] = set()
        for setter in self._setters[key]:
            root = self._root(setter)
            if root is None or root in seen:
                return True
            seen.add(root)
        return False

    def _root(self, setter: Event) -> Any:
        """Where the value that is set comes from; None if it is a variable's own, which may be that of any other."""
        value = setter.inputs[-1]
        while value is not None:
            event = self._events[value[0]]
            if value in self._run.aliases or event.op.type == "ReadVariableOp" or event.sends:
                return None
            if event.op.type == "Const":
                return self._outcomes.kind(event.op)
            if event.op.type != "Identity":
                return value
            value = event.inputs[0]
        return ("fed", setter.op._inputs[-1].name)

    @cached_property
    def _orders(self) -> Orders:
        return Orders(self._events)

    # -- trying ------------------------------------------------------------------------------------------------

    def _try(self, key: Key, first: Event, second: Event) -> bool | None:
        """As `_races`, by going through orders in which the two are neighbours."""
        if self._left <= 0:
            return False  # rather one pair too many than one too few
        holds = dict(_guard(key, first, second))
        for otherwise in (True, False) if self._has_branches() else (True,):
            for order, position in self._orders.around(first, second):
                self._left -= 2 * len(order)
                one = self._outcomes.of(order, holds, otherwise)
                order[position], order[position + 1] = order[position + 1], order[position]
                two = self._outcomes.of(order, holds, otherwise)
                if one != two:
                    return FAILS in (one, two)
                if self._left <= 0:
                    return False
        return None

    def _has_branches(self) -> bool:
        return any(event.guard for event in self._events)


def _guard(key: Key, *events: Event) -> Guard:
    """What must hold for all of `events` to use `key`."""
    return frozenset[tuple[Any, bool]]().union(*(event.guard | event.uses[key].guard for event in events))


def _apart(one: Operation, other: Operation) -> bool:
    """Whether two operations write to rows of a variable that are constant, and not the same."""
    if one.type not in _ROWS or other.type not in _ROWS:
        return False
    rows, others = constant_value(one._inputs[1]), constant_value(other._inputs[1])
    return rows is not None and others is not None and not np.intersect1d(rows, others).size


def _matter(one: Use, other: Use, unset: bool) -> bool:
    """Whether it can matter which of two uses of a variable, the first of them writing, comes first."""
    if other.changes:
        if one.changes == other.changes and one.changes not in (SET, CHANGE):
            return one.looks or other.looks
        return True
    return other.looks or (unset and one.changes == SET and (other.checks or other.tests))
