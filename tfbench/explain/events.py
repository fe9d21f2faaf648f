"""A run as events: each operation once, in a loop once for each of the first iterations, with all that it waits for.

The legal orders of a run are the orders of its events in which each comes after what it waits for. Where devices are
crossed, sending is an event of its own. Which branch is taken is not known: an event in a branch carries its *guard*,
the predicates that must hold, and two events that no run has both of never meet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.fetches import FetchList
from tfbench.engine.frames import MERGES, SWITCHES, Loop, Unit, arrange
from tfbench.engine.graph import Operation
from tfbench.engine.placement import Placement
from tfbench.engine.prune import is_fed, needed_operations
from tfbench.engine.resources import variable_key
from tfbench.engine.tensor import Tensor
from tfbench.explain.effects import Key, Use, handed_on, is_variable, makes_state, passes, takes_references, use_of

#: iterations of a loop that are looked at: what an iteration has to do with the next one shows in two
ITERATIONS = 2

#: where a value comes from: number of an event and of its output; None for what is fed
Value = tuple[int, int] | None

#: predicates: where each comes from, and what it must be
Guard = frozenset[tuple[Any, bool]]

_HANDS_ON = frozenset({"Identity", "Enter", "LoopCond"})


class Event:
    """One operation, running once."""

    __slots__ = ("guard", "index", "inputs", "iterations", "op", "position", "sends", "uses", "waits")

    def __init__(self, index: int, op: Operation, iterations: tuple[int, ...], inputs: list[Value]) -> None:
        self.index = index
        self.op = op
        self.iterations = iterations
        self.inputs = inputs
        #: the events that must come before
        self.waits: tuple[int, ...] = ()
        self.guard: Guard = frozenset()
        #: what it does with variables
        self.uses: dict[Key, Use] = {}
        #: this is no operation, but the sending of a value of `op` to another device
        self.sends = False
        #: where it stands in the order in which things run here
        self.position = (index, 0)


class Run:
    """The events of `session.run(fetches)`."""

    def __init__(self, nest: FetchList, fed: set[Tensor], placement: Placement | None) -> None:
        self.events: list[Event] = []
        #: the variables that a value is an alias, a reference or a handle of, and under which predicates
        self.aliases: dict[tuple[int, int], dict[Key, Guard]] = {}
        #: those of them that predicates choose, and that may be a value of their own as well
        self.chosen: set[tuple[int, int]] = set()
        #: the nodes that variables are named after
        self.variables: dict[Key, Operation] = {}
        self._fed = fed
        self._placement = placement if placement is not None and len(placement.devices) > 1 else None
        #: the latest event of each operation
        self._latest: dict[Operation, int] = {}
        self._sent: dict[tuple[int, int, int], int] = {}
        self._references: dict[Operation, list[bool]] = {}
        needed = needed_operations(nest.tensors, nest.operations, fed)
        self._add(arrange(needed, fed), ())
        #: what is fetched, as far as it is not fed
        self.fetched: list[tuple[Tensor, tuple[int, int]]] = [
            (tensor, (self._latest[tensor.op], tensor.value_index)) for tensor in nest.tensors if tensor not in fed
        ]

    # -- in which order ----------------------------------------------------------------------------------------

    def _add(self, units: Iterable[Unit], iterations: tuple[int, ...]) -> None:
        for unit in units:
            if isinstance(unit, Loop):
                self._add_loop(unit, iterations)
            else:
                self._event(unit, unit._inputs, iterations)

    def _add_loop(self, loop: Loop, around: tuple[int, ...]) -> None:
        for op in loop.enters:
            self._event(op, op._inputs, around)
        test = _test_and_switches(loop)
        last = ITERATIONS if loop.condition is not None else 0
        for number in range(last + 1):
            iterations = (*around, number)
            for variable in loop.variables:
                self._event(variable.merge, [variable.later if number else variable.first], iterations)
            self._add(test, iterations)
            if number < last:
                self._add(loop.body, iterations)
        self._add(loop.tail, around)

    # -- one event ---------------------------------------------------------------------------------------------

    def _event(self, op: Operation, taken: Sequence[Tensor], iterations: tuple[int, ...]) -> None:
        inputs = [self._value(tensor, op) for tensor in taken]
        event = Event(len(self.events), op, iterations, inputs)
        waits = {value[0]: None for value in inputs if value is not None}
        guards = [self._guard_of(value) for value in inputs]
        for other in op._control_inputs:
            if not is_fed(other, self._fed):
                index = self._latest[other]
                waits[index] = None
                if op.type != "ControlTrigger":
                    guards.append(self.events[index].guard)
        event.waits = tuple(waits)
        if op.type in MERGES:
            # It runs where one of its inputs has a value.
            event.guard = frozenset.intersection(*guards) if guards else frozenset()
        elif any(guards):
            event.guard = frozenset().union(*guards)
        self.events.append(event)
        self._latest[op] = event.index
        self._find_aliases(event, taken)

    def _value(self, tensor: Tensor, op: Operation) -> Value:
        if tensor in self._fed:
            return None
        value = (self._latest[tensor.op], tensor.value_index)
        if self._placement is not None and value in self.aliases:
            destination = self._placement.index_of(op)
            if destination != self._placement.index_of(tensor.op) and tensor._dtype.base_dtype.name != "resource":
                return (self._send(tensor, value, destination), 0)
        return value

    def _send(self, tensor: Tensor, value: tuple[int, int], destination: int) -> int:
        """The event of copying an alias to another device."""
        found = self._sent.get((*value, destination))
        if found is None:
            maker = self.events[value[0]]
            event = Event(len(self.events), maker.op, maker.iterations, [value])
            event.waits, event.guard, event.sends = (maker.index,), maker.guard, True
            event.position = (maker.index, 1)
            checks = tensor._dtype._is_ref_dtype
            event.uses = {
                key: Use(looks=True, checks=checks, guard=guard) for key, guard in self.aliases[value].items()
            }
            self.events.append(event)
            found = self._sent[(*value, destination)] = event.index
        return found

    def _find_aliases(self, event: Event, taken: Sequence[Tensor]) -> None:
        op = event.op
        if is_variable(op):
            key: Key = variable_key(op)
            self.variables.setdefault(key, op)
            self.aliases[event.index, 0] = {key: frozenset()}
            return
        given = [self.aliases.get(value) if value is not None else None for value in event.inputs]
        if any(given):
            flags = self._references.get(op)
            if flags is None:
                flags = self._references[op] = takes_references(op)
            for tensor, keys, as_reference in zip(taken, given, flags, strict=False):
                for key, guard in (keys or {}).items():
                    use = use_of(op, tensor, as_reference)
                    if use is not None:
                        use.guard = guard
                        event.uses[key] = use.beside(event.uses.get(key))
            self._hand_on(event, given, flags)
        elif not op._inputs or not passes(op):
            for output in op.outputs_list:
                if makes_state(output):
                    value = (event.index, output.value_index)
                    self.aliases[value] = {("", value): frozenset()}

    def _hand_on(self, event: Event, given: list[dict[Key, Guard] | None], flags: list[bool]) -> None:
        op = event.op
        if passes(op):
            one = len(given) == 1 and op.type in MERGES
            for output in range(len(op.outputs_list)):
                sources = range(1 if output == 0 else 0) if one else handed_on(op, output)
                keys: dict[Key, Guard] = {}
                for number in sources:
                    for key, guard in ((given[number] if number < len(given) else None) or {}).items():
                        if op.type in MERGES and not one:
                            guard = guard | self._guard_of(event.inputs[number]) - event.guard
                        keys[key] = guard & keys[key] if key in keys else guard
                if keys:
                    self.aliases[event.index, output] = keys
                    if op.type in MERGES or any(value in self.chosen for value in event.inputs):
                        self.chosen.add((event.index, output))
        elif flags[:1] == [True] and given[0] and op.outputs_list and op.outputs_list[0]._dtype._is_ref_dtype:
            # An update hands on the reference that it was given.
            self.aliases[event.index, 0] = given[0]
            if event.inputs[0] in self.chosen:
                self.chosen.add((event.index, 0))

    # -- branches ----------------------------------------------------------------------------------------------

    def _guard_of(self, value: Value) -> Guard:
        """What must hold for a value to be there."""
        if value is None:
            return frozenset()
        event = self.events[value[0]]
        if event.op.type not in SWITCHES or event.sends:
            return event.guard
        root = self.predicate_of(event)
        return event.guard if root is None else event.guard | {(root, bool(value[1]))}

    def predicate_of(self, switch: Event) -> Any:
        """Where the predicate of a branch comes from; None where it is a loop's condition."""
        value = switch.inputs[1]
        if value is None:
            return switch.op._inputs[1].name
        while True:
            event = self.events[value[0]]
            if event.op.type == "LoopCond":
                return None
            if event.op.type not in _HANDS_ON or event.uses:
                return value
            source = event.inputs[0]
            if source is None:
                return event.op._inputs[0].name
            value = source

    def known(self, root: Any) -> bool | None:
        """The value of a predicate that is a constant."""
        if isinstance(root, tuple):
            op = self.events[root[0]].op
            if op.type == "Const":
                return bool(np.asarray(op.attrs["value"]).any())
        return None

    def runs(self, guard: Guard) -> bool:
        """Whether there is a run in which all of `guard` holds."""
        return all((root, not side) not in guard and self.known(root) is not (not side) for root, side in guard)


def _test_and_switches(loop: Loop) -> list[Unit]:
    """What each iteration begins with: the test, and the Switches by it, which some of the test may wait for."""
    left = dict.fromkeys(loop.switches)
    order: list[Unit] = []
    for unit in loop.test:
        for op in unit.enters if isinstance(unit, Loop) else [unit]:
            for other in op._control_inputs:
                if other in left:
                    del left[other]
                    order.append(other)
        order.append(unit)
    return [*order, *left]
