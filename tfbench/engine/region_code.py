"""Asks for the machine code of a region for some shapes, and calls it (`region_run`).

One run of a region's steps has shown which shapes everything in it has. From that it is described for `compiled.fused`.
Only a region of elementwise ops of one shape is compiled for large arrays, with its work shared out; otherwise what is
inside would be kept in memory several times over.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled import tier
from tfbench.engine.compiled.fused import Lowered, Refused
from tfbench.engine.compiled.fused_types import KINDS
from tfbench.engine.kernels import blocks
from tfbench.engine.program import Program
from tfbench.engine.steps import MoveStep, Step

#: numbers in the largest array of a region that is not one loop; and from which on one is shared out
_LARGEST, _SHARED = 1 << 17, 1 << 17
#: numbers in a value that shapes decide, at most
MOST_KNOWN = 4_096
#: what a step costs besides its numbers, as bytes that NumPy might move in that time
_OVERHEAD = 16 << 10

#: types of arrays in memory
_TYPES = {kind: np.dtype(name) for name, kind in KINDS.items()}


class Member:
    """A step of a region; `known` says that shapes and constants decide what it makes."""

    __slots__ = ("known", "step")

    def __init__(self, step: Step | MoveStep, known: bool) -> None:
        self.step = step
        self.known = known


class Compiled:
    """A region for some shapes: its kernel, and how it is called."""

    __slots__ = ("_fixed", "_made", "_places", "_scratch", "_shares", "_taken", "kernel", "work")

    def __init__(
        self,
        kernel: tier.Kernel,
        work: int,
        taken: list[int] | None,
        fixed: list[Any],
        made: list[tuple[tuple[int, ...], Any]],
        places: list[int | None],
        scratch: int,
        shares: bool,
    ) -> None:
        self.kernel = kernel
        self.work = work
        #: which of the values the code takes, -1 for the next that is known before; None for all
        self._taken = taken
        self._fixed = fixed
        #: shapes and types of the arrays that it fills
        self._made = made
        #: for each result which array it is; None for what is known before
        self._places = places
        self._scratch = scratch
        self._shares = shares

    def run(self, run: Callable[..., None], values: Sequence[Any]) -> list[Any] | None:
        """The results; None if the code will not have these values."""
        empty = blocks.aligned if self._shares else np.empty
        made = [empty(shape, dtype) for shape, dtype in self._made]
        given = values if self._taken is None else self._choose(self._taken, values)
        scratch = np.empty(self._scratch, np.int8)
        try:
            self._call(run, given, made, scratch)
        except TypeError:  # an array that does not lie in order, or a class that there is not
            given = [np.ascontiguousarray(value) if np.ndim(value) else value for value in given]
            try:
                self._call(run, given, made, scratch)
            except TypeError:
                return None
        return [
            None if which is None else made[which][()] if self._made[which][0] == () else made[which]
            for which in self._places
        ]

    def _choose(self, taken: list[int], values: Sequence[Any]) -> list[Any]:
        fixed = iter(self._fixed)
        return [values[number] if number >= 0 else next(fixed) for number in taken]

    def _call(self, run: Callable[..., None], given: Sequence[Any], made: Sequence[Any], scratch: Any) -> None:
        if not self._shares:
            run(*given, *made, scratch, 0, 1)
            return
        parts = max(1, made[0].nbytes // blocks.COMPILED_BYTES)
        blocks.run(np, parts, lambda part: run(*given, *made, scratch, part, parts))


class Description:
    """A region for the shapes that one run of its steps has found."""

    def __init__(
        self,
        program: Program,
        members: Sequence[Member],
        takes: Sequence[int],
        constants: set[int],
        found: dict[int, Any],
    ) -> None:
        self._template = program.template
        self._takes = takes
        self._found = found
        self._constants = constants
        self._inputs: list[Any] = []
        self._input_slots: dict[int, int] = {}
        #: slot -> (member, number of its output) of the description
        self._made: dict[int, tuple[int, int]] = {}
        self._known: set[int] = set()
        self._described: list[Any] = []
        self._largest = 0
        self._work = 0
        for member in members:
            self._add(member)

    def ask(self, gives: Sequence[int | None]) -> Compiled:
        """The kernel and how it is called; Refused if there can be none."""
        outputs = [slot for slot in dict.fromkeys(gives) if slot is not None]
        if not outputs or not self._inputs:
            raise Refused("Nothing is computed.")
        text = json.dumps(
            {
                "inputs": self._inputs,
                "members": self._described,
                "outputs": [self._made[slot] for slot in outputs],
            },
            separators=(",", ":"),
        )
        lowered = Lowered(text)
        if self._largest > _LARGEST and not lowered.parts:
            raise Refused("Large arrays are computed op by op.")
        positions = [self._takes.index(slot) if slot in self._takes else -1 for slot in self._input_slots]
        fixed = [np.ascontiguousarray(self._value(slot)) for slot in self._input_slots if slot not in self._takes]
        return Compiled(
            tier.kernel("fused", "region", text),
            self._work,
            None if positions == list(range(len(self._takes))) else positions,
            fixed,
            [(np.shape(self._found[slot]), _TYPES[_kind(self._found[slot])]) for slot in outputs],
            [None if slot is None else outputs.index(slot) for slot in gives],
            lowered.scratch,
            lowered.parts and self._largest >= _SHARED,
        )

    def _value(self, slot: int) -> Any:
        return self._found[slot] if slot in self._found else self._template[slot]

    def _is_known(self, slot: int) -> bool:
        return slot in self._known or slot in self._constants

    def _add(self, member: Member) -> None:
        step = member.step
        results = [self._found[slot] for slot in step.outputs]
        if member.known:
            if any(np.size(value) > MOST_KNOWN for value in results):
                raise Refused("What is known before is large.")
            self._known.update(step.outputs)
            return
        for value in results:
            if np.size(value) == 0:
                raise Refused("An array is empty.")
            self._largest = max(self._largest, np.size(value))
            self._work += 2 * value.nbytes + _OVERHEAD
        type, attrs, data = _describe(step, [self._value(slot) for slot, _ in step.inputs])
        operands = [self._operand(step.inputs[position][0]) for position in data]
        for number, slot in enumerate(step.outputs):
            self._made[slot] = (len(self._described), number)
        self._described.append([type, attrs, operands, [[_kind(value), np.shape(value)] for value in results]])

    def _operand(self, slot: int) -> Any:
        if slot in self._made:
            return ["t", *self._made[slot]]
        value = self._value(slot)
        kind = _kind(value)
        if np.ndim(value) == 0 and self._is_known(slot):
            return ["c", kind, value.item()]
        if slot not in self._input_slots:
            if np.ndim(value) == 0 and kind == "b1":
                raise Refused("A truth value comes from outside.")
            if np.size(value) == 0:
                raise Refused("An array is empty.")
            self._input_slots[slot] = len(self._inputs)
            self._inputs.append([kind, np.shape(value)])
            self._largest = max(self._largest, np.size(value))
        return ["x", self._input_slots[slot]]


def _kind(value: Any) -> str:
    kind = KINDS.get(value.dtype.name)
    if kind is None:
        raise Refused(f"Numbers of type {value.dtype}.")
    return kind


def _describe(step: Step | MoveStep, values: Sequence[Any]) -> tuple[str, dict[str, Any], Sequence[int]]:
    """A step's type, what is to be known of it, and which inputs it computes with."""
    op = step.op
    type = op.type
    every = range(len(values))
    if type in ("Max", "Mean", "Min", "Sum"):
        rank = np.ndim(values[0])
        axes = sorted({int(axis) % rank for axis in np.ravel(values[1])}) if rank else []
        return type, {"axes": axes}, [0]
    if type == "BiasAddGrad":
        return type, {"axes": list(range(np.ndim(values[0]) - 1))}, [0]
    if type == "L2Loss":
        return type, {"axes": list(range(np.ndim(values[0])))}, [0]
    if type in ("PreventGradient", "Snapshot", "StopGradient", "Identity"):
        return "Identity", {}, [0]
    if type in ("BroadcastTo", "ExpandDims", "Reshape", "Squeeze"):
        return type, {}, [0]
    if type == "Fill":
        return type, {}, [1]
    if type == "Tile":
        if any(times != 1 and length != 1 for times, length in zip(values[1], np.shape(values[0]), strict=True)):
            raise Refused("Rows are repeated.")
        return type, {}, [0]
    if type == "Pow":
        return type, {"exponent": float(values[1])}, [0]
    if type == "LeakyRelu":
        return type, {"alpha": float(op.attrs["alpha"])}, every
    if type == "Select" and np.shape(values[0]) not in ((), np.shape(values[1])):
        raise Refused("Rows are chosen.")
    if type in ("SoftmaxCrossEntropyWithLogits",) and np.shape(values[0]) != np.shape(values[1]):
        raise Refused("Labels are broadcast.")
    return type, {}, every
