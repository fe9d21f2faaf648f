"""What passes that make one step of several have in common (`fusion` on GPUs, `regions` on the CPU)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfbench.engine.assemble import READERS
from tfbench.engine.program import Program
from tfbench.engine.steps import AnyStep, LoopStep, Step, all_steps

#: what becomes of a list: steps, and the slots that are released after each
Arranged = list[tuple[AnyStep, Sequence[int]]]

#: ops with a state that is no variable's, or that take a variable and leave it as it is
_WRITE_NOTHING = READERS | {
    *("RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal"),
    *("ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp", "VariableShape"),
}


def count_readers(program: Program) -> dict[int, int]:
    """How many steps read each slot, in whatever list; what is fetched is read by the host, too."""
    readers = dict.fromkeys(program.fetch_slots, 2)
    for step in all_steps(program.steps):
        slots = set(step.reads())
        if isinstance(step, LoopStep):
            slots.update(step.staying, step.leaving, step.skipped)
            if step.condition is not None:
                slots.add(step.condition)
        for slot in slots:
            readers[slot] = readers.get(slot, 0) + 1
    return readers


def writes(step: AnyStep) -> bool:
    """Whether a step may write to a variable: what reads one must stay on its side of it."""
    if isinstance(step, LoopStep):
        return True
    if type(step) is not Step:
        return False
    definition = step.op.op_def
    return (definition.takes_references or definition.stateful) and step.op.type not in _WRITE_NOTHING


def with_releases(arranged: Sequence[AnyStep], steps: Iterable[AnyStep]) -> Arranged:
    """Steps that stand for `steps`, each with what is released after it: by who is the last to have to do with it."""
    released = {slot for step in steps for slot in step.release}
    result: Arranged = []
    for step in reversed(arranged):
        mine = [slot for slot in dict.fromkeys([*step.outputs, *step.reads()]) if slot in released]
        released.difference_update(mine)
        result.append((step, mine))
    result.reverse()
    return result
