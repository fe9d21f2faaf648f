"""Runs of small steps on the CPU, each as one call of machine code (extra `fast`).

A step that computes little costs mostly Python's and NumPy's own time. `Regions.arrange` takes a list of steps, as it
stands in a program or a loop, and gives the list that a generated function has in its place: neighbours that only
compute (elementwise ops, sums over axes, softmax and its losses, changes of shape) become one step, a *region*, where
its last op was. Steps between them that have nothing to do with them are moved before it (so, where two steps fail, the
error may be the other's). No region spans a step that
may write to a variable, a loop, or a change of guard.

What depends on shapes alone (`Shape`, sums and products of sizes) is not computed again: it is the same whenever the
region's inputs have the same shapes. So is what is computed from constants. A region gives what it knows as the same
objects each time, so that regions after it know what follows from them.

A region is compiled for the shapes that it meets (`region_run`); until then, and for shapes that it cannot be compiled
for, its steps are run one after another as they were. A run that is observed goes step by step and sees every op.

`TFBENCH_FUSE=0` in the environment leaves all steps as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.compiled import fused_types
from tfbench.engine.graph import Operation
from tfbench.engine.grouping import Arranged, count_readers, with_releases, writes
from tfbench.engine.program import Program
from tfbench.engine.region_code import Member
from tfbench.engine.region_run import Region
from tfbench.engine.steps import AnyStep, LoopStep, MoveStep, Step
from tfbench.engine.tensor import Tensor

#: ops in a region, arrays that it reads, and foreign steps that are moved before it, at most
_MOST_OPS, _MOST_INPUTS, _NEAR = 64, 24, 16

#: ops whose result depends on the shapes of their inputs alone
_FROM_SHAPES = {"BroadcastGradientArgs", "Rank", "Shape", "ShapeN", "Size"}

#: ops that compute something which make a region worth while
_LEAST = 2

#: ops that hand a value on, looked at with another shape; the value is their first input
_VIEWS = {"ExpandDims", "Identity", "PreventGradient", "Reshape", "Snapshot", "Squeeze", "StopGradient"}

#: those of them that are no kernel calls
_MOVES = ("Identity", "StopGradient")

#: ops that only wait
_NOTHING = ("ControlTrigger", "NoOp")

#: op type -> its inputs that have to be known before
_STATIC = {
    "BroadcastTo": (1,),
    "ExpandDims": (1,),
    "Fill": (0,),
    "Max": (1,),
    "Mean": (1,),
    "Min": (1,),
    "Pow": (1,),
    "Reshape": (1,),
    "Sum": (1,),
    "Tile": (1,),
}


class _Open:
    """A region while steps are added to it."""

    def __init__(self, step: Step | MoveStep) -> None:
        self.guard = step.guard
        self.members: list[Member] = []
        #: slots that members make, and those of them that shapes and constants decide
        self.made: set[int] = set()
        self.known: set[int] = set()
        self.taken: set[int] = set()
        self.ops: set[Operation] = set()
        self.foreign = 0


class Regions:
    """The regions of one program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._placement = program.placement
        self._readers = count_readers(program)
        #: slots that hold the very same objects as long as shapes are the same: regions before have made them
        self._same: set[int] = set()
        self._constants = {
            slot
            for tensor, slot in program.slots.items()
            if tensor.op.type == "Const" and program.template[slot] is not None
        }

    def arrange(self, steps: Sequence[AnyStep]) -> Arranged:
        """The same steps, regions as one step each, and what is released after each."""
        arranged: list[AnyStep] = []
        region: _Open | None = None
        found = False
        for step in steps:
            plain = step if isinstance(step, (MoveStep, Step)) else None
            if region is not None and plain is not None and self._joins(region, plain):
                self._add(region, plain)
                continue
            if region is not None and (self._must_wait(region, step) or (plain is not None and self._begins(plain))):
                found |= self._close(region, arranged)
                region = None
            if region is None and plain is not None and self._begins(plain):
                region = _Open(plain)
                self._add(region, plain)
                continue
            if region is not None:
                region.foreign += 1
                if not region.ops.isdisjoint(step.waits_for()):
                    region.ops.update(step.operations())  # who waits for it waits for the region
            arranged.append(step)
        if region is not None:
            found |= self._close(region, arranged)
        return with_releases(arranged, steps) if found else [(step, step.release) for step in steps]

    def _must_wait(self, region: _Open, step: AnyStep) -> bool:
        """Whether a step that is not part of a region may not be moved before it."""
        return (
            region.foreign >= _NEAR
            or writes(step)
            or isinstance(step, LoopStep)
            or not region.made.isdisjoint(step.reads())
            or (step.op.type not in _NOTHING and not region.ops.isdisjoint(step.waits_for()))
        )

    # -- members -----------------------------------------------------------------------------------------------------

    def _begins(self, step: Step | MoveStep) -> bool:
        return self._joins(_Open(step), step)

    def _joins(self, region: _Open, step: Step | MoveStep) -> bool:
        if step.guard != region.guard or len(region.members) >= _MOST_OPS or any(read for _, read in step.inputs):
            return False
        op = step.op
        if (
            not op.outputs_list
            or not self._placement.device_of(op).on_host
            or (region.members and self._placement.index_of(op) != self._placement.index_of(region.members[0].step.op))
        ):
            return False
        if any(tensor._dtype._is_ref_dtype for tensor in (*op._inputs, *op.outputs_list)):
            return False
        new = {slot for slot, _ in step.inputs} - region.made - self._constants
        if len(region.taken | new) > _MOST_INPUTS:
            return False
        return self._is_known(region, step) or self._computes(region, step)

    def _add(self, region: _Open, step: Step | MoveStep) -> None:
        known = self._is_known(region, step)
        region.members.append(Member(step, known))
        region.taken.update(slot for slot, _ in step.inputs if slot not in region.made and slot not in self._constants)
        region.made.update(step.outputs)
        region.ops.add(step.op)
        if known:
            region.known.update(step.outputs)

    def _is_known(self, region: _Open, step: Step | MoveStep) -> bool:
        """Whether shapes and constants decide what a step makes."""
        if not isinstance(step, Step):
            return False
        op = step.op
        if op.type in _FROM_SHAPES:
            return all(tensor._dtype.name in fused_types.KINDS for tensor in op._inputs)
        return (
            bool(step.inputs)
            and op.type not in fused_types.ELEMENTWISE_OF_MANY
            and not op.op_def.stateful
            and all(self._is_decided(region, slot) for slot, _ in step.inputs)
            and all(_is_small(tensor) for tensor in op.outputs_list)
        )

    def _is_decided(self, region: _Open, slot: int) -> bool:
        """Whether shapes and constants decide what is in a slot."""
        return slot in self._constants or slot in region.known or slot in self._same

    def _computes(self, region: _Open, step: Step | MoveStep) -> bool:
        """Whether a step is one that machine code is written for."""
        op = step.op
        if isinstance(step, MoveStep) and (step.only is not None or step.number is not None or op.type not in _MOVES):
            return False
        if not all(tensor._dtype.name in fused_types.KINDS for tensor in op.outputs_list):
            return False
        kinds = [fused_types.KINDS.get(tensor._dtype.name, "") for tensor in op._inputs]
        static = _STATIC.get(op.type, ())
        for position in static:
            slot = step.inputs[position][0]
            if not self._is_decided(region, slot):
                return False
        if op.type in _VIEWS:
            # Of what comes from outside it is a view, which costs nothing.
            return step.inputs[0][0] in region.made - region.known and kinds[0] != ""
        kind = fused_types.KINDS[op.outputs_list[0]._dtype.name]
        data = [kind for position, kind in enumerate(kinds) if position not in static]
        return fused_types.computes(op.type, op.attrs, data, kind) and self._is_plain(op)

    def _is_plain(self, op: Operation) -> bool:
        """Whether the code does all that the op does: for some, that depends on constants."""
        if op.type == "Pow":
            exponent = _constant(op._inputs[1])
            return exponent is not None and exponent.ndim == 0 and float(exponent) in fused_types.POWERS
        return True

    # -- one step ----------------------------------------------------------------------------------------------------

    def _close(self, region: _Open, arranged: list[AnyStep]) -> bool:
        """Puts a region, or its members if it is too small to be one, into the list; whether it is one."""
        members = region.members
        computing = sum(not member.known and self._is_work(member.step) for member in members)
        # What is known is worth a region for the sake of those that come after and know more for it.
        known = sum(1 if member.step.op.type in _FROM_SHAPES else 2 for member in members if member.known)
        if computing + known < _LEAST:
            arranged.extend(member.step for member in members)
            return False
        inside: dict[int, int] = {}
        for member in members:
            for slot in set(member.step.reads()):
                inside[slot] = inside.get(slot, 0) + 1
        outputs = [
            slot
            for member in members
            for slot in member.step.outputs
            if self._readers.get(slot, 0) > inside.get(slot, 0)
        ]
        takes = sorted(region.taken)
        function = Region(self._program, members, takes, outputs, self._constants, set(self._same))
        self._same.update(region.known.difference(self._program.fetch_slots))
        step = Step(members[-1].step.op, function, [(slot, False) for slot in takes], outputs, region.guard)
        step.returns_tuple = len(outputs) != 1
        arranged.append(step)
        return True

    def _is_work(self, step: Step | MoveStep) -> bool:
        return step.op.type not in _VIEWS and any(tensor._shape != () for tensor in step.op.outputs_list)


def _is_small(tensor: Tensor) -> bool:
    """Whether a value may be kept for each combination of shapes: sizes and axes are, and numbers."""
    if tensor._dtype.name in ("int32", "int64"):
        return True
    shape = tensor._shape
    return (
        tensor._dtype.name in fused_types.KINDS
        and shape is not None
        and not any(size is None or size > 8 for size in shape)
        and len(shape) < 3
    )


def _constant(tensor: Tensor) -> Any:
    return np.asarray(tensor.op.attrs["value"]) if tensor.op.type == "Const" else None
