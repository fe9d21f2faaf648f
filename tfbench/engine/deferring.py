"""Runs in which an operation may wait for what a later one of the same run does: taking out, then putting in.

TensorFlow runs both at once. Here the first is tried without waiting; where it would have to wait, it and what depends
on it is left for later, and the others go on. Only when nothing else is left to do does the run really wait. Plans
without such a pair of operations know nothing of this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.frames import Loop
from tfbench.engine.graph import Operation
from tfbench.engine.hooks import StepObserver
from tfbench.engine.interpret import Interpreter
from tfbench.engine.parallel import _waits_for as waits_for
from tfbench.engine.program import Program
from tfbench.engine.steps import AnyStep
from tfbench.engine.waiting import WouldWait, trying

_TAKES = frozenset(
    [
        "QueueDequeueV2",
        "QueueDequeueManyV2",
        "QueueDequeueUpToV2",
        "ReaderReadV2",
        "ReaderReadUpToV2",
        "ResourceAccumulatorTakeGradient",
        "AccumulatorTakeGradient",
        "SparseAccumulatorTakeGradient",
    ]
)
_PUTS = frozenset(["QueueEnqueueV2", "QueueEnqueueManyV2"])
#: what lets those that take go on, without ever waiting
_FREES = frozenset(
    ["QueueCloseV2", "ResourceAccumulatorApplyGradient", "AccumulatorApplyGradient", "SparseAccumulatorApplyGradient"]
)


def needed(program: Program) -> bool:
    """Whether an operation may wait for a later one that does not depend on it."""
    operations = [unit for unit in program.units if not isinstance(unit, Loop)]
    for position, op in enumerate(operations):
        if op.type in _TAKES:
            others = _PUTS | _FREES
        elif op.type in _PUTS:
            others = _TAKES
        else:
            continue
        depending = {op}
        for later in operations[position + 1 :]:
            if any(tensor.op in depending for tensor in later._inputs) or not depending.isdisjoint(
                later._control_inputs
            ):
                depending.add(later)
            elif later.type in others:
                return True
    return False


def run(program: Program, values: list[Any], feeds: Any, observer: StepObserver | None = None) -> None:
    """Runs all steps of `program` on the slots `values`."""
    interpreter = Interpreter(program, values, observer, feeds)
    computed = {op for step in program.steps for op in step.operations()}
    steps: Sequence[AnyStep] = program.steps
    may_wait = False
    while steps:
        late = _one_pass(interpreter, steps, computed, may_wait)
        # Nothing was done: now the first of them waits.
        may_wait = len(late) == len(steps)
        steps = late


def _one_pass(
    interpreter: Interpreter, steps: Sequence[AnyStep], computed: set[Operation], may_wait: bool
) -> list[AnyStep]:
    """Runs what need not wait (the first step may, if asked for); returns what is left, in order."""
    values = interpreter.values
    late: list[AnyStep] = []
    slots: set[int] = set()
    operations: set[Operation] = set()
    reads: set[int] = set()
    for number, step in enumerate(steps):
        ready = slots.isdisjoint(step.reads()) and operations.isdisjoint(waits_for(step, computed))
        if ready:
            held = {slot: values[slot] for slot in step.release if slot in reads}
            try:
                if may_wait and not number:
                    interpreter.run([step])
                else:
                    with trying():
                        interpreter.run([step])
            except WouldWait:
                ready = False
            else:
                for slot, value in held.items():
                    values[slot] = value
        if not ready:
            late.append(step)
            slots.update(step.outputs)
            operations.update(step.operations())
            reads.update(step.reads())
    return late
