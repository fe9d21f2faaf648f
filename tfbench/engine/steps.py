"""The steps that plans are made of. A step can be run on a list of slots, and can say its own line of source.

Values that an untaken branch does not produce are called dead. Whether they are is known per *guard*, a
boolean in a slot of its own: a step in a branch carries its guard and does nothing where it is false. So an
untaken branch costs a flag, and no value is ever looked at to see if it is dead.

A loop is one step with lists of steps in it (`LoopStep`). They work on the same slots as the steps around them, so a
body is planned once, and what it takes from outside is simply there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.frames import Loop
from tfbench.engine.graph import Operation
from tfbench.engine.partition import Transfer
from tfbench.engine.transfers import waiting

#: ops that are there for their control inputs alone
_NOTHING = ("NoOp", "ControlTrigger")

#: (slot, whether it holds a variable that is to be read)
Input = tuple[int, bool]


def load(values: list[Any], inputs: Sequence[Input]) -> list[Any]:
    """The values of `inputs`, variables read."""
    return [values[slot].read() if read else values[slot] for slot, read in inputs]


def name_of(item: Input) -> str:
    """`item` in the source of a plan."""
    return f"t{item[0]}.read()" if item[1] else f"t{item[0]}"


class _OpStep:
    """What one op does: from its input slots to its output slots, where its guard holds.

    `release` are slots that nobody needs after it.
    """

    __slots__ = ("guard", "inputs", "op", "outputs", "release")

    def __init__(self, op: Operation, inputs: list[Input], outputs: list[int], guard: int | None) -> None:
        self.op = op
        self.inputs = inputs
        self.outputs = outputs
        self.guard = guard
        self.release: list[int] = []

    def reads(self) -> list[int]:
        """The slots that this step looks at."""
        slots = [slot for slot, _ in self.inputs]
        return slots if self.guard is None else [*slots, self.guard]

    def operations(self) -> Sequence[Operation]:
        """The ops that have run when this step has."""
        return (self.op,)

    def waits_for(self) -> Sequence[Operation]:
        """The ops that must have run before, besides those whose values it reads."""
        return self.op._control_inputs


class Step(_OpStep):
    """One kernel call."""

    __slots__ = ("function", "operator", "returns_tuple")

    def __init__(
        self, op: Operation, function: Callable[..., Any], inputs: list[Input], outputs: list[int], guard: int | None
    ) -> None:
        super().__init__(op, inputs, outputs, guard)
        self.function = function
        self.returns_tuple = op.op_def.returns_tuple
        #: a Python operator that does the same on scalars
        self.operator: str | None = None

    def run(self, values: list[Any]) -> list[Any] | None:
        """Computes the outputs and puts them into their slots; None if the branch is not taken."""
        if self.guard is not None and not values[self.guard]:
            return None
        result = self.function(*load(values, self.inputs))
        results = list(result) if self.returns_tuple and result is not None else [result]
        for slot, value in zip(self.outputs, results, strict=False):
            values[slot] = value
        return results

    def source(self, index: int, names: dict[str, Any]) -> str:
        """The statement that does the same; functions it needs go into `names`."""
        if self.op.type in _NOTHING:
            return "pass"
        arguments = [name_of(item) for item in self.inputs]
        if self.operator is not None:
            call = self.operator.join(arguments) if len(arguments) == 2 else self.operator + arguments[0]
        else:
            names[f"f{index}"] = self.function
            call = f"f{index}({', '.join(arguments)})"
        if not self.outputs:
            return call if self.guard is None else f"t{self.guard} and {call}"
        targets = ", ".join(f"t{slot}" for slot in self.outputs)
        dead = "None"
        if self.returns_tuple:
            targets += ","
            dead = f"({'None, ' * len(self.outputs)})"
        return f"{targets} = {call}" if self.guard is None else f"{targets} = {call} if t{self.guard} else {dead}"


class MoveStep(_OpStep):
    """Hands its first input on as it is: Identity, Switch, and the ops at the borders of loops.

    `only` says which output of the op has the one slot, where the others get no value; `number` is a value for the last
    slot.
    """

    __slots__ = ("number", "only", "reads_number")

    def __init__(
        self,
        op: Operation,
        inputs: list[Input],
        outputs: list[int],
        guard: int | None = None,
        *,
        only: int | None = None,
        number: np.int32 | None = None,
    ) -> None:
        super().__init__(op, inputs, outputs, guard)
        self.only = only
        self.number = number
        #: this is the alias of a scalar variable that no step writes to: its number will do
        self.reads_number = False

    def run(self, values: list[Any]) -> list[Any] | None:
        """Puts the value into the output slots; None if the branch is not taken."""
        if self.guard is not None and not values[self.guard]:
            return None
        slot, read = self.inputs[0]
        value = values[slot].read() if read else values[slot]
        results: list[Any] = [value] * len(self.outputs)
        if self.number is not None:
            results[-1] = self.number
        for slot, result in zip(self.outputs, results, strict=True):
            values[slot] = result
        return results if self.only is None else [None] * self.only + results + [None] * (1 - self.only)

    def source(self, index: int, names: dict[str, Any]) -> str:
        """The statement that does the same, but for outputs that nobody takes."""
        statements = []
        slots = self.outputs
        if self.number is not None:
            *slots, last = slots
            if last not in self.release:
                name = f"i{int(self.number)}"
                names[name] = self.number
                statements.append(f"t{last} = {name}")
        targets = "".join(f"t{slot} = " for slot in slots if slot not in self.release)
        value = name_of(self.inputs[0]) + ("[()]" if self.reads_number else "")
        if targets or self.inputs[0][1]:  # reading a variable may fail
            if self.guard is not None:
                value = f"{value} if t{self.guard} else None"
            statements.insert(0, targets + value)
        return "; ".join(statements) or "pass"


class GuardStep:
    """Computes a guard from a predicate or from other guards. It belongs to the op that needed it first."""

    __slots__ = ("inputs", "kind", "op", "outputs", "release")

    def __init__(self, op: Operation, kind: str, inputs: list[Input], output: int) -> None:
        self.op = op
        #: "true" and "false" test a predicate, then the guards after it; "and", "or" combine guards
        self.kind = kind
        self.inputs = inputs
        self.outputs = [output]
        self.release: list[int] = []

    def reads(self) -> list[int]:
        """The slots that this step looks at."""
        return [slot for slot, _ in self.inputs]

    def operations(self) -> Sequence[Operation]:
        """None: it is there for the steps around it."""
        return ()

    def waits_for(self) -> Sequence[Operation]:
        """None: it only reads."""
        return ()

    def run(self, values: list[Any]) -> None:
        """Puts the guard into its slot."""
        slots = [slot for slot, _ in self.inputs]
        if self.kind in ("and", "or"):
            result = (all if self.kind == "and" else any)(values[slot] for slot in slots)
        else:
            # The predicate of a branch that is not taken has no value to look at.
            result = all(values[slot] for slot in slots[1:])
            if result:
                result = bool(load(values, self.inputs[:1])[0]) is (self.kind == "true")
        values[self.outputs[0]] = result

    def source(self, index: int, names: dict[str, Any]) -> str:
        """The statement that does the same."""
        terms = [name_of(item) for item in self.inputs]
        target = f"t{self.outputs[0]}"
        if self.kind in ("and", "or"):
            return f"{target} = {f' {self.kind} '.join(terms)}"
        test = terms[0] if self.kind == "true" else f"not {terms[0]}"
        return f"{target} = {' and '.join([*terms[1:], test])}"


class MergeStep(_OpStep):
    """Takes the first input that is alive, and its index."""

    __slots__ = ("guards",)

    def __init__(
        self, op: Operation, inputs: list[Input], guards: list[int | None], outputs: list[int], guard: int | None
    ) -> None:
        super().__init__(op, inputs, outputs, guard)
        self.guards = guards

    def reads(self) -> list[int]:
        """The slots that this step looks at."""
        return [*(slot for slot, _ in self.inputs), *(guard for guard in self.guards if guard is not None)]

    def run(self, values: list[Any]) -> list[Any] | None:
        """Puts the value that is alive and its index into their slots; None if there is none."""
        for index, (item, guard) in enumerate(zip(self.inputs, self.guards, strict=True)):
            if guard is None or values[guard]:
                results = [load(values, [item])[0], np.int32(index)]
                for slot, value in zip(self.outputs, results, strict=True):
                    values[slot] = value
                return results
        return None

    def source(self, index: int, names: dict[str, Any]) -> str:
        """The statement that does the same."""
        one = self.outputs[1] in self.release  # nobody asks which it was
        text = "None" if one else "(None, None)"
        for position in reversed(range(len(self.inputs))):
            names[f"i{position}"] = np.int32(position)
            taken = name_of(self.inputs[position]) if one else f"({name_of(self.inputs[position])}, i{position})"
            guard = self.guards[position]
            text = taken if guard is None else f"{taken} if t{guard} else {text}"
        return f"t{self.outputs[0]} = {text}" if one else f"t{self.outputs[0]}, t{self.outputs[1]} = {text}"


class TransferStep(_OpStep):
    """Sends one tensor, or (without inputs) word that an operation has run, to one other device.

    An error while reading is about the operation whose value it is.
    """

    __slots__ = ("copy", "function", "pace", "transfer")

    def __init__(
        self,
        transfer: Transfer,
        inputs: list[Input],
        outputs: list[int],
        guard: int | None,
        copy: Callable[..., Any],
        pace: Callable[[Any], float] | None,
    ) -> None:
        super().__init__(transfer.op, inputs, outputs, guard)
        self.transfer = transfer
        self.copy = copy
        #: how long a value is under way, where that is simulated
        self.pace = pace
        self.function = copy if pace is None else waiting(copy, pace)

    def operations(self) -> Sequence[Operation]:
        """None: it is there for the steps around it."""
        return ()

    def waits_for(self) -> Sequence[Operation]:
        """The operation that it says has run."""
        return (self.op,) if self.transfer.tensor is None else ()

    def run(self, values: list[Any]) -> list[Any] | None:
        """Puts the copy into its slot; None if the branch is not taken."""
        if self.guard is not None and not values[self.guard]:
            return None
        value = self.function(*load(values, self.inputs))
        if not self.outputs:
            return []
        values[self.outputs[0]] = value
        return [value]

    def source(self, index: int, names: dict[str, Any]) -> str:
        """The statement that does the same."""
        names[f"c{index}"] = self.function
        call = f"c{index}({', '.join(map(name_of, self.inputs))})"
        if not self.outputs:
            return call if self.guard is None else f"t{self.guard} and {call}"
        target = f"t{self.outputs[0]} = {call}"
        return target if self.guard is None else f"{target} if t{self.guard} else None"


class LoopStep:
    """A frame. `head` enters it; then `first`, in every later iteration `carry`, sets the loop variables.

    `test` runs in each iteration and decides about `condition`; `body` runs where it holds, `tail` when it does not
    hold any more. Without a condition, `test` runs once.
    """

    __slots__ = (
        "body", "captured", "carry", "condition", "first", "function", "guard", "head", "leaving", "loop", "op",
        "outputs", "release", "skipped", "staying", "tail", "test",
    )  # fmt: skip

    #: what an observer is shown are the steps inside
    inputs: Sequence[Input] = ()

    def __init__(self, loop: Loop, guard: int | None) -> None:
        self.loop = loop
        #: whom errors are about that no step inside is to blame for
        self.op = loop.condition or loop.enters[0]
        self.guard = guard
        self.head: list[AnyStep] = []
        self.first: list[AnyStep] = []
        self.test: list[AnyStep] = []
        self.condition: int | None = None
        self.body: list[AnyStep] = []
        self.carry: list[AnyStep] = []
        self.tail: list[AnyStep] = []
        #: what the Exits give
        self.outputs: list[int] = []
        #: slots from outside that steps inside read
        self.captured: list[int] = []
        #: what is not needed any more: after the test where the loop goes on, where it ends; if it does not run at all
        self.staying: list[int] = []
        self.leaving: list[int] = []
        self.skipped: list[int] = []
        self.release: list[int] = []
        #: the loop as a function of the slots (`generate.Generated`), once there is one
        self.function: Any = None

    def lists(self) -> tuple[list[AnyStep], ...]:
        """The lists of steps."""
        return self.head, self.first, self.test, self.body, self.carry, self.tail

    def reads(self) -> list[int]:
        """The slots that must have their values before."""
        return self.captured if self.guard is None else [*self.captured, self.guard]

    def operations(self) -> Sequence[Operation]:
        """The ops that have run when the loop has."""
        return list(self.loop.operations())

    def waits_for(self) -> Sequence[Operation]:
        """The ops that must have run before, besides those whose values it reads."""
        return [other for enter in self.loop.enters for other in enter._control_inputs]


AnyStep = Step | GuardStep | MergeStep | MoveStep | TransferStep | LoopStep


def all_steps(steps: Sequence[AnyStep]) -> Iterator[AnyStep]:
    """`steps` and those inside loops."""
    for step in steps:
        yield step
        if isinstance(step, LoopStep):
            for inner in step.lists():
                yield from all_steps(inner)


def depth(steps: Sequence[AnyStep]) -> int:
    """How many loops are inside each other."""
    found = (1 + max(depth(inner) for inner in step.lists()) for step in steps if isinstance(step, LoopStep))
    return max(found, default=0)
