"""What a region of steps does when its turn comes (`regions`): machine code for the shapes it gets, or step by step.

The first time that it meets shapes, its steps are run one by one; what comes out says which shapes everything in it
has, and which values shapes alone decide. From that code for these shapes is asked for (`region_code`), and once there
is some, it is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled.fused import Refused
from tfbench.engine.program import Program
from tfbench.engine.region_code import MOST_KNOWN, Compiled, Description, Member
from tfbench.engine.run_errors import FAILED_STEP
from tfbench.engine.steps import Step

#: combinations of shapes that a region is compiled for
_MOST_SHAPES = 16


class Region:
    """The function of a region: of the values in the slots `takes`, to those in the slots `gives`.

    `same` says which of the values are the very same objects as long as shapes are the same: what another region
    knows. What this one knows is given as the same objects, too, if it is not fetched.
    """

    def __init__(
        self,
        program: Program,
        members: Sequence[Member],
        takes: Sequence[int],
        gives: Sequence[int],
        constants: set[int],
        same: set[int],
    ) -> None:
        self._program = program
        self._members = members
        self._takes = takes
        self._gives = gives
        self._constants = constants
        self._one = len(gives) == 1
        #: for each value whether it counts by itself, not by its shape; None if none does
        self._same = [slot in same for slot in takes] if same.intersection(takes) else None
        self._known = {slot for member in members if member.known for slot in member.step.outputs}
        self._fetched = set(program.fetch_slots)
        self._cases: dict[tuple[Any, ...], _Case] = {}
        #: whether what is known is small enough to be kept
        self._learns = True
        #: the steps as a function (`generate.Generated`), once they are one, and what it gets besides the values
        self._steps: Any = None
        self._guard = [] if members[0].step.guard is None else [True]

    def __call__(self, *values: Any) -> Any:
        if self._same is None:
            key = tuple([value.shape for value in values])
        else:
            key = tuple([id(v) if same else v.shape for v, same in zip(values, self._same, strict=True)])
        case = self._cases.get(key)
        if case is None:
            learns = self._learns and len(self._cases) < _MOST_SHAPES
            return self._result(self._first(key, values) if learns else self._one_by_one(values))
        compiled = case.compiled
        results: Any = None
        if compiled is not None:
            run = compiled.kernel.ready(compiled.work)
            if run is not None:
                results = compiled.run(run, values)
        elif case.is_all:
            results = [None] * len(case.known)
        if results is None:
            results = list(self._one_by_one(values))
        for position, value, copies in case.known:
            results[position] = value.copy() if copies else value
        return self._result(results)

    def _result(self, results: Sequence[Any]) -> Any:
        return results[0] if self._one else results

    def _one_by_one(self, values: Sequence[Any]) -> Sequence[Any]:
        """The steps as a function of their own."""
        if self._steps is None:
            from tfbench.engine import generate

            steps = [member.step for member in self._members]
            guard = [] if steps[0].guard is None else [steps[0].guard]
            self._steps = generate.plain(self._program, steps, [*self._takes, *guard], self._gives)
        try:
            results: Sequence[Any] = self._steps.function(*values, *self._guard)
        except Exception as error:
            failed, _ = self._steps.failure(error)
            if failed is not None:
                setattr(error, FAILED_STEP, failed)
            raise
        return results

    def _first(self, key: tuple[Any, ...], values: Sequence[Any]) -> list[Any]:
        """Runs the steps one by one, and asks for code for these shapes."""
        found = dict(zip(self._takes, values, strict=True))
        template = self._program.template
        for member in self._members:
            step = member.step
            given = [found[slot] if slot in found else template[slot] for slot, _ in step.inputs]
            try:
                result = step.function(*given) if isinstance(step, Step) else given[0]
            except Exception as error:
                setattr(error, FAILED_STEP, step)
                raise
            results = result if isinstance(step, Step) and step.returns_tuple else [result]
            found.update(zip(step.outputs, results, strict=False))
        same = [slot for slot, same in zip(self._takes, self._same or (), strict=False) if same]
        try:
            described = Description(self._program, self._members, self._takes, {*self._constants, *same}, found)
            compiled = described.ask([None if slot in self._known else slot for slot in self._gives])
        except Refused:
            compiled = None
        results = [_as_scalar(found[slot]) for slot in self._gives]
        known = [
            (position, results[position], slot in self._fetched and isinstance(results[position], np.ndarray))
            for position, slot in enumerate(self._gives)
            if slot in self._known
        ]
        held = [found[slot] for slot in same]
        if any(np.size(value) > MOST_KNOWN for value in [*held, *(value for _, value, _ in known)]):
            self._learns = False
            return results
        for _, value, _ in known:
            if isinstance(value, np.ndarray):
                value.flags.writeable = False  # it is given to every run
        self._cases[key] = _Case(compiled, known, len(known) == len(self._gives), held)
        for position, value, copies in known:
            results[position] = value.copy() if copies else value
        return results


class _Case:
    """A region for some shapes: code for them, and what is known of its results."""

    __slots__ = ("_held", "compiled", "is_all", "known")

    def __init__(
        self, compiled: Compiled | None, known: list[tuple[int, Any, bool]], is_all: bool, held: list[Any]
    ) -> None:
        self.compiled = compiled
        #: (which result, its value, whether who asks gets a copy)
        self.known = known
        #: whether these are all results
        self.is_all = is_all
        #: objects whose identity is part of the key: they must live as long as it
        self._held = held


def _as_scalar(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
