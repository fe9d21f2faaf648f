"""What a run gives when its events happen in a certain order, without computing anything.

Values are *terms*: what was computed from what, each with a number, equal for equal terms. Two orders give the same
result exactly if they give the same terms - but for coincidences of numbers, which nobody should rely on. Updates
that commute are collected, so that their order does not show.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.frames import MERGES, SWITCHES
from tfbench.engine.graph import Operation
from tfbench.explain.effects import CHANGE, SET, SHAPES, TESTS, Key, handed_on, passes, use_of
from tfbench.explain.events import Event, Run

#: what `Outcomes.of` gives for a run that fails
FAILS = "fails"

#: the term of a variable that has no value
_UNSET = 0
_TRUE, _FALSE = 1, 2


class _Fails(Exception):
    """A variable is read that has no value."""


class Outcomes:
    """The outcomes of orders of one run.

    Args:
      unset: the variables that have no value before the run.
    """

    def __init__(self, run: Run, unset: set[Key]) -> None:
        self._run = run
        self._unset = unset
        self._terms: dict[Any, int] = {"unset": _UNSET, True: _TRUE, False: _FALSE}
        self._kinds: dict[Operation, Any] = {}

    def of(self, order: Sequence[int], holds: dict[Any, bool], otherwise: bool) -> Any:
        """What is left after the events of `order`: a value that is equal for equal outcomes.

        Args:
          holds: which predicates hold, where that does not follow; `otherwise` is for those that are not in it.
        """
        try:
            return _Simulation(self, self._run, self._unset, holds, otherwise).run(order)
        except _Fails:
            return FAILS

    def term(self, key: Any) -> int:
        """The number of a term."""
        return self._terms.setdefault(key, len(self._terms))

    def kind(self, op: Operation) -> Any:
        """What a term of `op` is made by: equal for ops that compute the same."""
        found = self._kinds.get(op)
        if found is None:
            if op.type == "Const":
                value = np.asarray(op.attrs["value"])
                data: Any = id(op) if value.dtype.hasobject or value.nbytes > 4096 else value.tobytes()
                found = ("Const", str(value.dtype), value.shape, data)
            elif op.op_def.stateful or not op._inputs:
                found = (op.type, op.name)
            else:
                found = (op.type, repr(sorted((k, v) for k, v in op.attrs.items() if not k.startswith("_"))))
            self._kinds[op] = found
        return found


class _Simulation:
    """One order being gone through."""

    def __init__(self, outcomes: Outcomes, run: Run, unset: set[Key], holds: dict[Any, bool], otherwise: bool) -> None:
        self._term = outcomes.term
        self._kind = outcomes.kind
        self._run = run
        self._unset = unset
        self._holds = holds
        self._otherwise = otherwise
        #: what variables hold: a term, or what commuting updates have made of one: (kind, term, updates)
        self._state: dict[Key, Any] = {}
        #: terms by event and output; an alias is the variable's key
        self._values: dict[int, list[Any] | None] = {}
        self._checked: list[Any] = []

    def run(self, order: Sequence[int]) -> Any:
        events = self._run.events
        for index in order:
            event = events[index]
            self._values[index] = self._step(event) if self._alive(event) else None
        fetched = []
        for tensor, (index, output) in self._run.fetched:
            values = self._values[index]
            value = None if values is None else values[output]
            fetched.append(self._look(value, tensor._dtype._is_ref_dtype) if isinstance(value, tuple) else value)
        left = {key: self._state_term(key) for key in self._state if key in self._run.variables}
        return tuple(fetched), tuple(sorted(left.items())), tuple(sorted(self._checked))

    # -- branches ----------------------------------------------------------------------------------------------

    def _alive(self, event: Event) -> bool:
        if event.op.type in MERGES and not event.sends:
            return any(self._value(value) is not None or value is None for value in event.inputs)
        if any(value is not None and self._value(value) is None for value in event.inputs):
            return False
        return event.op.type == "ControlTrigger" or all(
            self._values[index] is not None for index in event.waits if index in self._values
        )

    def _predicate(self, root: Any) -> bool:
        known = self._run.known(root)
        if known is not None:
            return known
        term = self._predicate_term(root)
        if term in (_TRUE, _FALSE):
            return term == _TRUE
        return self._holds.get(root, self._otherwise)

    def _predicate_term(self, root: Any) -> int:
        if not isinstance(root, tuple):
            return self._term(("fed", root))
        value = self._value(root)
        if isinstance(value, tuple):
            return self._look(value, False)
        return self._term(("dead", root)) if value is None else int(value)

    def _under(self, event: Event, terms: Iterable[Any]) -> tuple[Any, ...]:
        """`terms`, and the predicates that decide whether `event` runs."""
        unknown = {self._predicate_term(root) for root, _ in event.guard if self._run.known(root) is None}
        return (*terms, *sorted(unknown - {_TRUE, _FALSE}))

    # -- values ------------------------------------------------------------------------------------------------

    def _value(self, value: Any) -> Any:
        """The term, or the variable's key, that an event has made; None if it is dead."""
        if value is None:
            return None
        values = self._values.get(value[0])
        return None if values is None else values[value[1]]

    def _state_term(self, key: Key) -> int:
        state = self._state.get(key)
        if state is None:
            return _UNSET if key in self._unset else self._term(("start", key))
        if isinstance(state, int):
            return state
        kind, base, updates = state
        return self._term((kind, base, tuple(sorted(updates))))

    def _look(self, key: Key, checks: bool) -> int:
        term = self._state_term(key)
        if checks and term == _UNSET:
            raise _Fails
        return term

    def _step(self, event: Event) -> list[Any]:
        op = event.op
        if event.sends:
            (value,) = event.inputs
            key = self._value(value)
            return [self._look(key, op.outputs_list[value[1] if value else 0]._dtype._is_ref_dtype)]
        aliases = [self._run.aliases.get((event.index, output)) for output in range(len(op.outputs_list))]
        if any(value in self._run.aliases for value in event.inputs if value is not None):
            return self._computed(event, aliases)
        if event.inputs and passes(op):
            return self._passed(event)
        made = [next(iter(keys)) if keys else None for keys in aliases]
        return made if any(made) else self._computed(event, aliases)

    def _passed(self, event: Event) -> list[Any]:
        """The outputs of an op that hands on what it is given."""
        op = event.op
        found: list[Any] = []
        for output in range(len(op.outputs_list)):
            sources = handed_on(op, output)
            if op.type in MERGES and output == 0:
                alive = (self._input(event, i) for i, value in enumerate(event.inputs) if self._there(value))
                value = next(alive, None)
                found.append(value if isinstance(value, tuple) else self._chosen(event, value))
            elif len(sources):
                side = op.type not in SWITCHES or self._goes(event, output)
                found.append(self._input(event, sources[0]) if side else None)
            else:
                found.append(self._term(("index", *self._under_inputs(event))))
        return found

    def _chosen(self, event: Event, term: Any) -> int:
        """A merged value, together with the predicates that chose it."""
        unknown = self._under_inputs(event)
        return self._term(("merge", term, *unknown)) if unknown else int(term)

    def _under_inputs(self, event: Event) -> tuple[int, ...]:
        guards = {condition for value in event.inputs for condition in self._run._guard_of(value)} - event.guard
        unknown = {self._predicate_term(root) for root, _ in guards if self._run.known(root) is None}
        return tuple(sorted(unknown - {_TRUE, _FALSE}))

    def _there(self, value: Any) -> bool:
        return value is None or self._value(value) is not None

    def _goes(self, event: Event, output: int) -> bool:
        root = self._run.predicate_of(event)
        return root is None or self._predicate(root) is bool(output)

    def _input(self, event: Event, position: int) -> Any:
        value = event.inputs[position]
        if value is None:
            return self._term(("fed", event.op._inputs[position].name))
        return self._value(value)

    def _computed(self, event: Event, aliases: list[Any]) -> list[Any]:
        op = event.op
        flags = self._run._references.get(op)
        terms: list[Any] = []
        writes: list[tuple[Key, str]] = []
        for position in range(len(event.inputs)):
            value = self._input(event, position)
            if isinstance(value, tuple):
                tensor = op._inputs[position]
                use = use_of(op, tensor, flags[position] if flags else False)
                if use is None:
                    continue
                looked = self._look(value, use.checks) if use.looks or use.checks or use.tests else _UNSET
                if use.tests:
                    terms.append(_FALSE if looked == _UNSET else _TRUE)
                elif use.looks:
                    terms.append(looked)
                if use.changes:
                    writes.append((value, use.changes))
            else:
                terms.append(value)
        if op.type in TESTS or op.type == "ReadVariableOp":
            return terms
        if op.type in SHAPES:
            return [self._term((self._kind(op), i)) for i in range(len(op.outputs_list))]
        if passes(op) and not writes:
            return self._passed(event)
        if op.type == "Assert":
            self._checked.append(self._term(("assert", *self._under(event, terms))))
        kind = self._kind(op)
        key = (kind, event.iterations if op.op_def.stateful or not op._inputs else (), *terms)
        for number, (variable, how) in enumerate(writes):
            self._write(event, variable, how, number, key, terms)
        return [writes[0][0] if keys and writes else self._term((*key, output)) for output, keys in enumerate(aliases)]

    def _write(self, event: Event, variable: Key, how: str, number: int, key: Any, terms: list[Any]) -> None:
        before = self._state_term(variable)
        if how == SET:
            new = terms[0] if len(terms) == 1 else self._term(("set", *terms))
            under = self._under(event, ())
            if new != before:  # else it is as it was, updates on their way included
                self._state[variable] = self._term(("if", new, before, *under)) if under else new
            return
        under = self._under(event, ())
        if how == CHANGE:
            self._state[variable] = self._term(("changed", number, before, *under, *key))
            return
        update = self._term(("update", *under, event.op.type, *terms))
        state = self._state.get(variable)
        if isinstance(state, tuple) and state[0] == how:
            self._state[variable] = (how, state[1], [*state[2], update])
        else:
            self._state[variable] = (how, before, [update])
