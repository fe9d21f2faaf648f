"""A program run step by step: the first time, and whenever somebody watches.

Loops that go on for long are not: after a few iterations a loop becomes a function of its own (`generate`), unless
somebody watches.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from tfbench.engine import generate
from tfbench.engine.hooks import StepObserver
from tfbench.engine.program import Program
from tfbench.engine.run_errors import explain, keeps_cause
from tfbench.engine.steps import AnyStep, GuardStep, LoopStep, depth

#: iterations of a loop that are run step by step before it is compiled
_PATIENCE = 8


class Interpreter:
    """One run of a program: the values in the slots, and where it is."""

    def __init__(
        self, program: Program, values: list[Any], observer: StepObserver | None = None, feeds: Any = ()
    ) -> None:
        self.values = values
        self._program = program
        self._observer = observer
        self._feeds = feeds
        #: the loops that are being run, outermost first, and their iterations
        self._loops: list[LoopStep] = []
        self._iterations: list[int] = []

    def run(self, steps: Sequence[AnyStep]) -> None:
        """Runs `steps` and releases what each was the last to need.

        Raises:
          tf.errors.OpError: if one fails.
        """
        values, observer = self.values, self._observer
        for step in steps:
            if isinstance(step, LoopStep):
                self.loop(step)
                continue
            try:
                if observer is None:
                    step.run(values)
                else:
                    if not isinstance(step, GuardStep):
                        observer.before(step, step.guard is None or bool(values[step.guard]), tuple(self._iterations))
                    results = step.run(values)
            except Exception as error:
                raise self._explained(error, step, ()) from (error if keeps_cause(error) else None)
            if observer is not None and not isinstance(step, GuardStep):
                observer(step, [values[slot] for slot, _ in step.inputs], results, tuple(self._iterations))
                results = None
            for slot in step.release:
                values[slot] = None

    def loop(self, step: LoopStep) -> None:
        """Runs a loop until its condition does not hold."""
        values = self.values
        if step.guard is not None and not values[step.guard]:
            for slot in [*step.skipped, *step.outputs]:
                values[slot] = None
            return
        self.run(step.head)
        self._loops.append(step)
        self._iterations.append(0)
        for number in count():
            self._iterations[-1] = number
            self.run(step.carry if number else step.first)
            if self._observer is None and step.condition is not None and self._compiled(step, number):
                break
            self.run(step.test)
            if step.condition is None or not values[step.condition]:
                self._release(step.leaving)
                self.run(step.tail)
                break
            self._release(step.staying)
            self.run(step.body)
        self._loops.pop()
        self._iterations.pop()

    def _release(self, slots: Sequence[int]) -> None:
        for slot in slots:
            self.values[slot] = None

    def _compiled(self, step: LoopStep, number: int) -> bool:
        """Runs the rest of a loop, from iteration `number` on, as one function, if it has come that far."""
        if step.function is None:
            if number < _PATIENCE or depth([step]) > generate.DEEPEST:
                return False
            step.function = generate.loop(self._program, step)
        generated = step.function
        try:
            generated.function(self.values, number)
        except Exception as error:
            failed, iterations = generated.failure(error)
            raise self._explained(error, failed, iterations) from (error if keeps_cause(error) else None)
        return True

    def _explained(self, error: Exception, step: AnyStep | None, inner: Sequence[tuple[str, int]]) -> Exception:
        """The error to raise; `inner` are the iterations of compiled loops."""
        around = [(loop.loop.name, number) for loop, number in zip(self._loops, self._iterations, strict=True)]
        iterations = [*around[: len(around) - bool(inner)], *inner]
        return explain(error, step, self._feeds, iterations, self._program.placement)
