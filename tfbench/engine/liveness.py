"""Which slots nobody needs any more, step by step: what makes a run's memory no larger than it has to be.

One walk backwards over the steps. In a loop, what comes from outside is needed until the loop ends, a loop variable
until the last step of an iteration that reads it, and everything else no longer than its own iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfbench.engine.steps import AnyStep, LoopStep


def find_releases(steps: Sequence[AnyStep], keep: Iterable[int]) -> None:
    """Fills in what each step releases; slots in `keep` are never released."""
    _Walk(set(keep)).back(steps, set(keep))


def reads_and_writes(steps: Iterable[AnyStep]) -> tuple[set[int], set[int]]:
    """The slots that steps read and those that they write, loops included."""
    reads: set[int] = set()
    writes: set[int] = set()
    for step in steps:
        reads.update(step.reads())
        writes.update(step.outputs)
        if isinstance(step, LoopStep):
            for inner in step.lists():
                found = reads_and_writes(inner)
                reads |= found[0]
                writes |= found[1]
    return reads, writes


class _Walk:
    def __init__(self, keep: set[int]) -> None:
        self._keep = keep

    def back(self, steps: Sequence[AnyStep], live: set[int]) -> set[int]:
        """What is needed before `steps`, given what is needed after them (this set is changed)."""
        keep = self._keep
        for step in reversed(steps):
            if isinstance(step, LoopStep):
                live = self._loop(step, live)
                continue
            release = step.release
            for slot in step.outputs:
                if slot not in live:
                    release.append(slot)
                elif slot not in keep:
                    live.remove(slot)
            for slot in step.reads():
                if slot not in live:
                    live.add(slot)
                    release.append(slot)
        return live

    def _loop(self, step: LoopStep, after: set[int]) -> set[int]:
        ends = self.back(step.tail, set(after))
        if step.condition is None:
            live = self.back(step.test, ends)
        else:
            reads, writes = reads_and_writes([*step.test, *step.body, *step.carry])
            variables = {slot for carry in step.carry for slot in carry.outputs}
            # What must be there whenever an iteration begins.
            begins = (ends - (writes - self._keep)) | (reads - writes) | (variables & (reads | ends))
            goes_on = self.back(step.body, self.back(step.carry, set(begins)))
            step.staying = sorted(ends - goes_on)
            step.leaving = sorted(goes_on - ends)
            # The condition is looked at when the test is over, whoever else has read it before.
            self.back(step.test, ends | goes_on | {step.condition})
            live = begins
        live = self.back(step.head, self.back(step.first, live))
        step.skipped = sorted(live - after)
        live |= after - set(step.outputs)
        if step.guard is not None:
            live.add(step.guard)
        return live
