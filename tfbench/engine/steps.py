"""The steps that plans are made of. A step can be run on a list of slots, and can say its own line of source.

Values that an untaken branch does not produce are called dead. Whether they are is known per *guard*, a
boolean in a slot of its own: a step in a branch carries its guard and does nothing where it is false. So an
untaken branch costs a flag, and no value is ever looked at to see if it is dead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation

#: (slot, whether it holds a variable that is to be read)
Input = tuple[int, bool]


def load(values: list[Any], inputs: Sequence[Input]) -> list[Any]:
    """The values of `inputs`, variables read."""
    return [values[slot].read() if read else values[slot] for slot, read in inputs]


def name_of(item: Input) -> str:
    """`item` in the source of a plan."""
    return f"t{item[0]}.read()" if item[1] else f"t{item[0]}"


class Step:
    """One kernel call. `release` are slots that nobody needs after it."""

    __slots__ = ("function", "guard", "inputs", "op", "operator", "outputs", "reads_number", "release", "returns_tuple")

    def __init__(
        self, op: Operation, function: Callable[..., Any], inputs: list[Input], outputs: list[int], guard: int | None
    ) -> None:
        self.op = op
        self.function = function
        self.inputs = inputs
        self.outputs = outputs
        self.guard = guard
        self.returns_tuple = op.op_def.returns_tuple
        #: a Python operator that does the same on scalars
        self.operator: str | None = None
        #: this is the alias of a scalar variable that no step writes to: its number will do
        self.reads_number = False
        self.release: list[int] = []

    def reads(self) -> list[int]:
        """The slots that this step looks at."""
        slots = [slot for slot, _ in self.inputs]
        return slots if self.guard is None else [*slots, self.guard]

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
        arguments = [name_of(item) for item in self.inputs]
        if self.reads_number:
            call = f"{arguments[0]}[()]"
        elif self.operator is not None:
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


class MergeStep:
    """Takes the first input that is alive, and its index."""

    __slots__ = ("guard", "guards", "inputs", "op", "outputs", "release")

    def __init__(
        self, op: Operation, inputs: list[Input], guards: list[int | None], outputs: list[int], guard: int | None
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.guards = guards
        self.outputs = outputs
        self.guard = guard
        self.release: list[int] = []

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
        text = "(None, None)"
        for position in reversed(range(len(self.inputs))):
            names[f"i{position}"] = np.int32(position)
            taken = f"({name_of(self.inputs[position])}, i{position})"
            guard = self.guards[position]
            text = taken if guard is None else f"{taken} if t{guard} else {text}"
        return f"t{self.outputs[0]}, t{self.outputs[1]} = {text}"


AnyStep = Step | GuardStep | MergeStep
