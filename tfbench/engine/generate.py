"""A program, or one of its loops, as a Python function.

A slot becomes a local variable, a step a line, a loop a `for`, and arithmetic on scalars is written with Python's
operators, which NumPy's scalars run ten times faster than a ufunc call. Each line remembers its step, and the loops'
counters are in the frame, so an exception still says which op failed in which iteration. Steps that are one kernel are
one line: on a real GPU (`fusion`), and on the CPU with the extra `fast` (`regions`).

A product whose value nobody reads is not made, as TensorFlow does not make it: an optimizer waits for all gradients of
an op, so for that of the first layer's input as well.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from types import CodeType
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.program import Program
from tfbench.engine.steps import AnyStep, LoopStep

#: ops whose kernels do nothing but compute, at some cost, and that fail only for shapes that other ops refuse as well
_ONLY_VALUES = {
    *("BatchMatMul", "BatchMatMulV2", "MatMul"),
    *("Conv2DBackpropFilter", "Conv2DBackpropInput", "Conv3DBackpropFilterV2", "Conv3DBackpropInputV2"),
    *("DepthwiseConv2dNativeBackpropFilter", "DepthwiseConv2dNativeBackpropInput"),
}

#: loops inside each other that a function may have: Python allows 20 blocks
DEEPEST = 18


class Generated:
    """A function, and what its lines stand for."""

    __slots__ = ("_code", "_lines", "function")

    def __init__(
        self, function: Callable[..., Any], lines: list[tuple[AnyStep | None, tuple[tuple[str, str], ...]]]
    ) -> None:
        self.function = function
        self._code: CodeType = function.__code__
        self._lines = lines

    def failure(self, error: BaseException) -> tuple[AnyStep | None, list[tuple[str, int]]]:
        """The step whose line raised `error`, and the iteration in each loop around it."""
        traceback = error.__traceback__
        while traceback is not None:
            if traceback.tb_frame.f_code is self._code:
                step, loops = self._lines[traceback.tb_lineno - 1]
                counters = traceback.tb_frame.f_locals
                return step, [(name, counters[variable]) for name, variable in loops if variable in counters]
            traceback = traceback.tb_next
        return None, []


def whole(program: Program) -> Generated:
    """A function of the feeds that returns the fetches."""
    return part(program, program.steps, program.slots_of(program.feeds), program.fetch_slots)


def part(program: Program, steps: Sequence[AnyStep], takes: Sequence[int], gives: Sequence[int]) -> Generated:
    """A function of the slots `takes` that runs some of the steps and returns the slots `gives`."""
    return _part(_Writer(program), steps, takes, gives)


def plain(program: Program, steps: Sequence[AnyStep], takes: Sequence[int], gives: Sequence[int]) -> Generated:
    """As `part`, for a few steps of a program; each is a line of its own."""
    few = {slot for step in steps for slot in step.reads()}
    return _part(_Writer(program, arranges=False, few=few), steps, takes, gives)


def _part(writer: _Writer, steps: Sequence[AnyStep], takes: Sequence[int], gives: Sequence[int]) -> Generated:
    writer.add(f"def run({', '.join(f't{slot}' for slot in takes)}):")
    writer.indent = 1
    writer.steps(steps)
    writer.add(f"return ({''.join(f't{slot}, ' for slot in gives)})")
    return writer.finish("run")


def loop(program: Program, step: LoopStep) -> Generated:
    """A function of a run's slots and the number of an iteration, whose variables are set: it runs the rest."""
    writer = _Writer(program)
    writer.add("def loop(values, begun):")
    writer.indent = 1
    variables = {slot for carry in step.carry for slot in carry.outputs if slot not in carry.release}
    entered = {slot for enter in step.head for slot in enter.outputs if slot not in enter.release}
    for slot in sorted({*step.captured, *variables, *entered}):
        if program.template[slot] is None:
            writer.add(f"t{slot} = values[{slot}]")
    for slot in sorted({*variables, *step.leaving}):
        writer.add(f"values[{slot}] = None")
    writer.iterations(step, "begun")
    for slot in step.outputs:
        writer.add(f"values[{slot}] = t{slot}")
    return writer.finish("loop")


def _arranging(program: Program) -> Callable[[Sequence[AnyStep]], list[tuple[AnyStep, Sequence[int]]]] | None:
    """What puts several steps of a list into one: on real GPUs, and with the extra `fast` on the CPU.

    Nothing is loaded for it where there is neither.
    """
    if os.environ.get("TFBENCH_FUSE", "").strip() == "0":
        return None
    if not all(device.on_host for device in program.placement.devices):
        from tfbench.engine.fusion import fusing

        return fusing(program)
    if tier.mode() == tier.OFF:
        return None
    from tfbench.engine.regions import Regions

    return Regions(program).arrange


class _Writer:
    """The lines of one function."""

    def __init__(self, program: Program, arranges: bool = True, few: Iterable[int] | None = None) -> None:
        self.indent = 0
        self._lines: list[str] = []
        self._meaning: list[tuple[AnyStep | None, tuple[tuple[str, str], ...]]] = []
        #: the loops around the next line: their names and their counters
        self._loops: tuple[tuple[str, str], ...] = ()
        self._names: dict[str, Any] = {"count": count}
        self._arrange = _arranging(program) if arranges else None
        for slot in range(len(program.template)) if few is None else few:
            value = program.template[slot]
            if value is not None:
                # A string stays an array: kernels look at shapes, and bytes have none.
                number = isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype != object
                self._names[f"t{slot}"] = value[()] if number else value
        # Releasing a scalar would cost more than it gives back.
        self._scalars = program.scalars()

    def add(self, text: str, step: AnyStep | None = None) -> None:
        self._lines.append(" " * self.indent + text)
        self._meaning.append((step, self._loops))

    def finish(self, name: str) -> Generated:
        exec(compile("\n".join(self._lines), "<tfbench plan>", "exec"), self._names)
        return Generated(self._names[name], self._meaning)

    def steps(self, steps: Sequence[AnyStep]) -> None:
        for step, released in self._arranged(steps):
            if isinstance(step, LoopStep):
                self._loop(step)
                continue
            unread = step.op.type in _ONLY_VALUES and all(slot in step.release for slot in step.outputs)
            line = "pass" if unread else step.source(len(self._lines), self._names)
            release = self._released(released)
            self.add(f"{line}; {release}" if release else line, step)

    def _arranged(self, steps: Sequence[AnyStep]) -> Iterable[tuple[AnyStep, Sequence[int]]]:
        """Steps, and what is released after each."""
        return ((step, step.release) for step in steps) if self._arrange is None else self._arrange(steps)

    def _released(self, slots: Sequence[int]) -> str:
        targets = [f"t{slot}" for slot in slots if slot not in self._scalars]
        return " = ".join([*targets, "None"]) if targets else ""

    def _release(self, slots: Sequence[int]) -> None:
        line = self._released(slots)
        if line:
            self.add(line)

    def _loop(self, step: LoopStep) -> None:
        if step.guard is not None:
            self.add(" = ".join([*(f"t{slot}" for slot in step.outputs), "None"]))
            self.add(f"if t{step.guard}:", step)
            self.indent += 1
        self.steps(step.head)
        self.steps(step.first)
        if step.condition is None:
            self.steps(step.test)
            self.steps(step.tail)
        else:
            self.iterations(step)
        if step.guard is not None:
            self.indent -= 1
            skipped = self._released(step.skipped)
            if skipped:
                self.add(f"else: {skipped}", step)

    def iterations(self, step: LoopStep, begun: str = "") -> None:
        """The iterations of a loop whose variables are set, and its tail."""
        around = self._loops
        counter = f"k{len(self._lines)}"
        self.add(f"for {counter} in count({begun}):", step)
        self._loops = (*around, (step.loop.name, counter))
        self.indent += 1
        self.steps(step.test)
        self.add(f"if not t{step.condition}: break", step)
        self._release(step.staying)
        self.steps(step.body)
        self.steps(step.carry)
        self.indent -= 1
        self._release(step.leaving)
        self.steps(step.tail)
        self._loops = around
