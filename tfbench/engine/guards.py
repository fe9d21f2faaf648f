"""Which values are dead in a run, worked out when a plan is made.

A `Switch` makes two guards from its predicate: one for each output. What depends on an output has its
guard; what depends on several has all of them. A `Merge` is alive if one of its inputs is: for the two
sides of one predicate that is whatever was needed to get there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tfbench.engine.graph import Operation
from tfbench.engine.steps import GuardStep, Input
from tfbench.engine.tensor import Tensor

#: predicates: (slot of the predicate, side). A guard is a set of them that must all hold.
Condition = tuple[int, bool]


class Guards:
    """The guards of one plan: per tensor and op a conjunction, per conjunction a slot that is computed once."""

    def __init__(self, new_slot: Callable[[], int], add: Callable[[GuardStep], None]) -> None:
        self._new_slot = new_slot
        self._add = add
        self._of_tensor: dict[Tensor, frozenset[Condition]] = {}
        self._of_op: dict[Operation, frozenset[Condition]] = {}
        self._slots: dict[frozenset[Condition], int] = {}
        #: predicates that are computed under a guard themselves: condition -> what must hold before it is tested
        self._before: dict[int, frozenset[Condition]] = {}
        #: what holds anyway, since the loop around would not run otherwise
        self._holds: frozenset[Condition] = frozenset()

    def of_inputs(self, op: Operation, fed: set[Tensor]) -> frozenset[Condition]:
        """What must hold for `op` to run: everything that its inputs and control inputs need."""
        if not self._of_op or op.type == "ControlTrigger":
            return frozenset()
        found: set[Condition] = set()
        for tensor in op._inputs:
            if tensor not in fed:
                found |= self._of_tensor.get(tensor, frozenset())
        for other in op._control_inputs:
            found |= self._of_op.get(other, frozenset())
        return frozenset(found - self._holds)

    def of_tensor(self, tensor: Tensor, fed: set[Tensor]) -> frozenset[Condition]:
        """What must hold for `tensor` to have a value."""
        return frozenset() if tensor in fed else self._of_tensor.get(tensor, frozenset()) - self._holds

    def of_op(self, op: Operation) -> frozenset[Condition]:
        """What must hold for `op` to have run."""
        return self._of_op.get(op, frozenset()) - self._holds

    def set(self, op: Operation, guard: frozenset[Condition]) -> None:
        """Records the guard of `op` and its outputs."""
        if guard:
            self._of_op[op] = guard
            for tensor in op.outputs_list:
                self._of_tensor[tensor] = guard

    def split(self, op: Operation, predicate: int, guard: frozenset[Condition]) -> None:
        """A Switch: output 0 lives where the predicate is false, output 1 where it is true."""
        self._before.setdefault(predicate, guard)
        for side, tensor in enumerate(op.outputs_list):
            self._of_tensor[tensor] = guard | {(predicate, bool(side))}
        self._of_op[op] = guard

    def merged(self, op: Operation, guards: Iterable[frozenset[Condition]]) -> frozenset[Condition]:
        """What must hold for one of `guards` to hold."""
        sides = list(guards)
        if not all(sides):
            return frozenset()
        result = sides[0]
        for other in sides[1:]:
            joined = _either(result, other)
            if joined is None:
                # No common form: a boolean of its own stands for "one of them holds".
                slot = self._new_slot()
                self._add(GuardStep(op, "or", [(self.slot(op, result), False), (self.slot(op, other), False)], slot))
                joined = frozenset({(slot, True)})
                self._slots[joined] = slot
            result = joined
        return result

    def enter(self, guard: frozenset[Condition]) -> Callable[[], None]:
        """A loop that runs where `guard` holds. What is computed in it is of no use after it: the result ends it."""
        slots, holds = dict(self._slots), self._holds
        self._holds = holds | guard

        def leave() -> None:
            self._slots, self._holds = slots, holds

        return leave

    def known(self, op: Operation, guard: frozenset[Condition]) -> frozenset[Condition]:
        """`guard` as one condition whose slot is computed by now: it can be taken into a loop."""
        return self.computed(self.slot(op, guard)) if guard else guard

    def computed(self, slot: int) -> frozenset[Condition]:
        """The condition that `slot`, which is computed by now, holds."""
        condition = frozenset({(slot, True)})
        self._slots[condition] = slot
        return condition

    def slot(self, op: Operation, guard: frozenset[Condition]) -> int:
        """The slot in which a run finds whether `guard` holds; computed where it is first needed, by `op`."""
        slot = self._slots.get(guard)
        if slot is not None:
            return slot
        if len(guard) == 1:
            ((predicate, side),) = guard
            before = self._before.get(predicate, frozenset())
            inputs: list[Input] = [(predicate, False)]
            if before:
                inputs.append((self.slot(op, before), False))
            kind = "true" if side else "false"
        else:
            inputs = [(self.slot(op, frozenset({condition})), False) for condition in sorted(guard)]
            kind = "and"
        slot = self._new_slot()
        self._add(GuardStep(op, kind, inputs, slot))
        self._slots[guard] = slot
        return slot


def _either(a: frozenset[Condition], b: frozenset[Condition]) -> frozenset[Condition] | None:
    """The conjunction that holds exactly where a or b does, if there is one."""
    if a <= b:
        return a
    if b <= a:
        return b
    only_a, only_b = a - b, b - a
    if len(only_a) == len(only_b) == 1:
        ((predicate_a, side_a),) = only_a
        ((predicate_b, side_b),) = only_b
        if predicate_a == predicate_b and side_a is not side_b:
            return a & b
    return None
