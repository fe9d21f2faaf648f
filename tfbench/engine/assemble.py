"""The steps of a program, made from its ops and loops: each op bound to its kernel, its tensors to slots.

What is worked out here once, a run need not: which values may be dead (`guards`), which may be a variable's memory (a
kernel that returns views of one has to copy), and what nobody needs any more (`liveness`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from tfbench.engine.attributes import reference_inputs
from tfbench.engine.binding import bind, copying
from tfbench.engine.devices import DeviceSet
from tfbench.engine.frames import ENTERS, EXITS, MERGES, NEXTS, SWITCHES, Loop, Unit
from tfbench.engine.graph import Operation
from tfbench.engine.guards import Condition, Guards
from tfbench.engine.liveness import find_releases, reads_and_writes
from tfbench.engine.loop_checks import check_alive, check_fetches, condition
from tfbench.engine.opdef import Preset
from tfbench.engine.partition import Transfer, crossing
from tfbench.engine.placement import Placement
from tfbench.engine.places import Copy, places_of, root_of
from tfbench.engine.program import Program, is_number
from tfbench.engine.resources import ResourceStore
from tfbench.engine.steps import AnyStep, Input, LoopStep, MergeStep, MoveStep, Step, TransferStep, all_steps
from tfbench.engine.tensor import Tensor
from tfbench.engine.transfers import copier, pace

#: ops that take a reference and leave the variable as it is
READERS = frozenset({"IsVariableInitialized", "RefIdentity", "RefSwitch", "RefMerge", "RefEnter", "RefExit"})

#: ops whose output is their input
_MOVES = ENTERS | EXITS | NEXTS | {"Identity", "StopGradient"}


def assemble(
    units: Sequence[Unit],
    fetches: Sequence[Tensor],
    feeds: Sequence[Tensor],
    placement: Placement,
    devices: DeviceSet,
    resources: ResourceStore,
) -> Program:
    """The program that computes `fetches` from `feeds` by running each of `units` where it is placed.

    Raises:
      InvalidArgumentError: if an op has no kernel on its device.
      InternalError: if a value inside a loop is fetched.
    """
    program = Program(units, fetches, feeds, placement)
    _Assembler(program, devices, resources).assemble()
    return program


class _Assembler:
    """Makes the steps of one program."""

    def __init__(self, program: Program, devices: DeviceSet, resources: ResourceStore) -> None:
        self._program = program
        self._placement = program.placement
        #: how long a value is under way, where that is simulated
        self._pace = pace(devices)
        self._resources = resources
        #: what crosses devices, by tensor, or by the op that others wait for
        self._sent = crossing(program.operations, program.placement, program.feeds)
        #: in which memory each value is, where that is not all one
        self._places = places_of(program.operations, program.placement, program.feeds, program.fetches, self._sent)
        if self._places is not None:
            self._sent = self._places.sent
        #: the slots of what arrived, by tensor and place
        self._copies: dict[tuple[Tensor, int], int] = {}
        #: what is sent when it is first needed, and the slot of its guard
        self._later: dict[tuple[Tensor, int], tuple[Transfer, int | None]] = {}
        self._fed = set(program.feeds)
        self._slots = program.slots
        self._template = program.template
        #: where new steps go
        self._steps = program.steps
        self._guards = Guards(self._spare_slot, lambda step: self._steps.append(step))
        #: tensors that may be a variable's memory
        self._aliased: set[Tensor] = set()

    def assemble(self) -> None:
        program = self._program
        feed_slots = [self._new_slot(tensor) for tensor in program.feeds]
        for tensor in program.feeds:
            self._send_one(tensor, tensor.op)
        self._add_units(program.units)
        check_fetches(program, self._fed)
        program.fetch_slots = [self._host_slot(tensor) for tensor in program.fetches]
        preset = [slot for slot, value in enumerate(self._template) if value is not None]
        find_releases(program.steps, [*preset, *feed_slots, *program.fetch_slots])
        self._read_scalars_once()

    # -- slots -------------------------------------------------------------------------------------------------

    def _new_slot(self, tensor: Tensor) -> int:
        slot = self._slots[tensor] = len(self._template)
        self._template.append(None)
        return slot

    def _spare_slot(self) -> int:
        self._template.append(None)
        return len(self._template) - 1

    def _outputs(self, op: Operation) -> list[int]:
        """Slots for the outputs. A fed output keeps the fed value: what the op makes goes to a slot of its own."""
        return [self._spare_slot() if tensor in self._fed else self._new_slot(tensor) for tensor in op.outputs_list]

    def _inputs(self, op: Operation) -> list[Input]:
        takes_ref = reference_inputs(op.op_def, op.attrs)
        if self._sent:
            places = self._taken(op)
            return [
                self._input(tensor, place, is_ref)
                for tensor, place, is_ref in zip(op._inputs, places, takes_ref, strict=True)
            ]
        return [
            (self._slots[tensor], tensor._dtype._is_ref_dtype and not is_ref)
            for tensor, is_ref in zip(op._inputs, takes_ref, strict=True)
        ]

    def _taken(self, op: Operation) -> list[int]:
        """The places that `op` takes its inputs from."""
        if self._places is not None:
            return self._places.taken(op)
        return [self._placement.index_of(op)] * len(op._inputs)

    def _input(self, tensor: Tensor, place: int, takes_ref: bool) -> Input:
        """Where `tensor` is found: what was sent to a place is an array, whether or not it was a reference."""
        if (tensor, place) in self._later:
            self._send_late(tensor, place)
        copy = self._copies.get((tensor, place))
        if copy is not None:
            return copy, False
        return self._slots[tensor], tensor._dtype._is_ref_dtype and not takes_ref

    def _send_late(self, tensor: Tensor, place: int) -> None:
        transfer, guard = self._later.pop((tensor, place))
        if isinstance(transfer, Copy) and (tensor, transfer.origin) in self._later:
            self._send_late(tensor, transfer.origin)
        # Not into the loop that is being made, if there is one: before it.
        self._transfer(self._program.steps, transfer, guard)

    def _host_slot(self, tensor: Tensor) -> int:
        """Where the host finds a tensor."""
        if self._places is None:
            return self._slots[tensor]
        return self._input(tensor, self._places.read_by_host(tensor), False)[0]

    # -- what crosses devices --------------------------------------------------------------------------------------

    def _send(self, op: Operation) -> None:
        """Sends what `op` has made, and word that it has run, to where somebody needs it."""
        if self._sent:
            for tensor in op.outputs_list:
                if tensor not in self._fed:
                    self._send_one(tensor, op)
            self._send_one(op, op)

    def _send_one(self, what: Tensor | Operation, op: Operation) -> None:
        """A variable's memory is looked at when it is first needed elsewhere, everything else at once."""
        for transfer in self._sent.get(what, ()):
            tensor = transfer.tensor
            guard = self._guards.of_op(op) if tensor is None else self._guards.of_tensor(tensor, self._fed)
            flag = self._guards.slot(op, guard) if guard else None
            alias = tensor is not None and tensor not in self._fed and self._is_variable(tensor)
            if tensor is not None and alias and self._steps is self._program.steps:
                self._later[tensor, transfer.place] = transfer, flag
            else:
                self._transfer(self._steps, transfer, flag)

    def _is_variable(self, tensor: Tensor) -> bool:
        return tensor._dtype._is_ref_dtype or tensor in self._aliased

    def _transfer(self, steps: list[AnyStep], transfer: Transfer, guard: int | None) -> None:
        tensor = transfer.tensor
        inputs: list[Input] = []
        outputs: list[int] = []
        copy = copier(transfer) if self._places is None else self._places.copier(transfer)
        if tensor is not None:
            origin = self._copies.get((tensor, transfer.origin)) if isinstance(transfer, Copy) else None
            inputs.append((self._slots[tensor], tensor._dtype._is_ref_dtype) if origin is None else (origin, False))
            outputs.append(self._spare_slot())
            self._copies[tensor, transfer.place] = outputs[0]
            if self._places is not None and tensor.op.type == "Const" and tensor not in self._fed:
                # Once for all runs.
                self._template[outputs[0]] = self._places.constant(tensor.op, transfer.place)
                return
        steps.append(TransferStep(transfer, inputs, outputs, guard, copy, self._pace))

    # -- ops ---------------------------------------------------------------------------------------------------

    def _add_units(self, units: Sequence[Unit]) -> None:
        for unit in units:
            if isinstance(unit, Loop):
                self._add_loop(unit)
            else:
                self._add(unit)
                if unit.type not in EXITS:
                    self._send(unit)

    def _add(self, op: Operation) -> None:
        guard = self._guards.of_inputs(op, self._fed)
        kind = op.type
        if kind in MERGES:
            self._add_merge(op)
        elif kind in SWITCHES:
            self._add_switch(op, guard)
        elif kind in _MOVES or (kind == "LoopCond" and op._inputs[0]._shape == ()):
            self._add_move(op, guard)
        else:
            self._add_kernel(op, guard)

    def _add_kernel(self, op: Operation, guard: frozenset[Condition]) -> None:
        function = self._bind(op) if op.type != "LoopCond" else condition
        self._guards.set(op, guard)
        if isinstance(function, Preset):
            tensor = op.outputs_list[0]
            if tensor not in self._fed:
                self._template[self._new_slot(tensor)] = function.value
            return
        op_def = op.op_def
        inputs = self._inputs(op)
        if (op_def.aliases or op_def.views) and self._takes_alias(op, inputs):
            if op_def.aliases:
                self._aliased.update(op.outputs_list)
            else:
                function = self._copying(op, function)
        step = Step(op, function, inputs, self._outputs(op), self._guards.slot(op, guard) if guard else None)
        if (
            op_def.operator is not None
            and all(is_number(tensor) and not tensor._dtype._is_ref_dtype for tensor in op._inputs)
            and (self._places is None or self._places.anywhere(op))
        ):
            step.operator = op_def.operator
        self._steps.append(step)

    def _bind(self, op: Operation) -> Any:
        if self._places is not None:
            return self._places.bind(op, self._resources)
        return bind(op, self._placement.device_of(op), self._resources)

    def _copying(self, op: Operation, function: Callable[..., Any]) -> Callable[..., Any]:
        """The kernel of `op`, made to return copies, where what it makes is."""
        if self._places is None:
            return copying(function, op.op_def.returns_tuple)
        xp = self._places.xp(self._places.home(op.outputs_list[0]))
        return self._places.within(op, copying(function, op.op_def.returns_tuple, xp))

    def _takes_alias(self, op: Operation, inputs: list[Input]) -> bool:
        return any(
            read or (tensor in self._aliased and slot == self._slots[tensor])
            for tensor, (slot, read) in zip(op._inputs, inputs, strict=True)
        )

    def _add_move(self, op: Operation, guard: frozenset[Condition]) -> None:
        """An op that hands on its first input."""
        inputs = self._inputs(op)
        if self._takes_alias(op, inputs):
            self._aliased.update(op.outputs_list)
        slot = self._guards.slot(op, guard) if guard else None
        self._guards.set(op, guard)
        self._steps.append(MoveStep(op, inputs, self._outputs(op), slot))

    def _add_switch(self, op: Operation, guard: frozenset[Condition]) -> None:
        predicate = op._inputs[1]
        if predicate._shape == ():
            self._add_move(op, guard)
        else:
            self._add_kernel(op, guard)  # which checks the predicate
        self._guards.split(op, self._host_slot(root_of(predicate, self._fed)), guard)

    def _add_merge(self, op: Operation) -> None:
        inputs = self._inputs(op)
        guards = [self._guards.of_tensor(tensor, self._fed) for tensor in op._inputs]
        if self._takes_alias(op, inputs):
            self._aliased.update(op.outputs_list)
        merged = self._guards.merged(op, guards)
        slots = [self._guards.slot(op, guard) if guard else None for guard in guards]
        whole = self._guards.slot(op, merged) if merged else None
        self._steps.append(MergeStep(op, inputs, slots, self._outputs(op), whole))
        self._guards.set(op, merged)

    # -- loops -------------------------------------------------------------------------------------------------

    def _add_loop(self, loop: Loop) -> None:
        """One step for a frame. It runs where all that its variables begin with has a value."""
        guards = self._guards
        needs = {op: guards.of_inputs(op, self._fed) for op in loop.enters}
        guard: frozenset[Condition] = frozenset()
        guard = guard.union(*(needs[op] for op in loop.enters if not op.attrs["is_constant"]))
        step = LoopStep(loop, guards.slot(loop.enters[0], guard) if guard else None)
        # What a constant Enter needs beyond that is tested before the loop.
        own = {op: guards.known(op, needs[op] - guard) for op in loop.enters}
        around, leave = self._steps, guards.enter(guard)
        self._steps = step.head
        for op in loop.enters:
            self._add_move(op, own[op])
            self._send(op)
        self._find_aliases(loop)
        variables = [(variable, self._outputs(variable.merge)) for variable in loop.variables]
        step.first = [self._variable(variable.merge, variable.first, slots) for variable, slots in variables]
        self._steps = step.test
        for variable, _ in variables:
            self._send(variable.merge)
        self._add_units(loop.test)
        if loop.condition is not None:
            self._require_alive(loop.condition)
            step.condition = self._slots[loop.condition.outputs_list[0]]
        self._add_sides(loop, step)
        self._steps = step.body
        self._add_units(loop.body)
        for variable in loop.variables:
            self._require_alive(variable.later.op)
        step.carry = [self._variable(variable.merge, variable.later, slots) for variable, slots in variables]
        self._steps = step.tail
        self._add_units(loop.tail)
        self._steps = around
        leave()
        reads, writes = reads_and_writes([inner for steps in step.lists() for inner in steps])
        step.captured = sorted(reads - writes)
        for inner in step.tail:
            if isinstance(inner, MoveStep) and inner.op.type in EXITS:
                step.outputs.extend(inner.outputs)
                guards.set(inner.op, guard)
                if inner.guard is not None:
                    if inner.guard in writes and inner.guard not in step.outputs:
                        step.outputs.append(inner.guard)
                    guards.set(inner.op, guard | guards.computed(inner.guard))
        around.append(step)
        for unit in loop.tail:
            if isinstance(unit, Operation) and unit.type in EXITS:
                self._send(unit)

    def _variable(self, merge: Operation, taken: Tensor, slots: list[int]) -> MoveStep:
        """Sets a loop variable; the Merge's second output is which of its inputs it took."""
        position = merge._inputs.index(taken)
        item = self._input(taken, self._taken(merge)[position], merge.type != "Merge")
        return MoveStep(merge, [item], slots, number=np.int32(position))

    def _add_sides(self, loop: Loop, step: LoopStep) -> None:
        """The Switches by the LoopCond: one output in the body, the other in the tail."""
        for op in loop.switches:
            guard = self._guards.of_inputs(op, self._fed)
            inputs = self._inputs(op)
            if self._takes_alias(op, inputs):
                self._aliased.update(op.outputs_list)
            flag = self._guards.slot(op, guard) if guard else None
            self._guards.set(op, guard)
            for only, (steps, slot) in enumerate(zip((step.tail, step.body), self._outputs(op), strict=True)):
                steps.append(MoveStep(op, inputs, [slot], flag, only=only))
                around, self._steps = self._steps, steps
                self._send_one(op.outputs_list[only], op)
                self._steps = around
            self._send_one(op, op)

    def _require_alive(self, op: Operation) -> None:
        """Refuses to go on where `op`, which decides about the next iteration, has no value."""
        guard = self._guards.of_inputs(op, self._fed)
        if guard:
            self._steps.append(Step(op, partial(check_alive, op), [(self._guards.slot(op, guard), False)], [], None))

    def _find_aliases(self, loop: Loop) -> None:
        """Finds the tensors of a loop that may be a variable's memory; what a variable takes later is not known yet."""
        ops = [op for op in loop.operations() if op.op_def.aliases or op.type in MERGES]
        known = -1
        while known != len(self._aliased):
            known = len(self._aliased)
            for op in ops:
                takes_ref = reference_inputs(op.op_def, op.attrs)
                if any(
                    tensor in self._aliased or (tensor._dtype._is_ref_dtype and not is_ref)
                    for tensor, is_ref in zip(op._inputs, takes_ref, strict=True)
                ):
                    self._aliased.update(op.outputs_list)

    # -- afterwards --------------------------------------------------------------------------------------------

    def _read_scalars_once(self) -> None:
        """Where no step writes to a variable, an alias of a scalar variable may as well be its number.

        Numbers are ten times faster to compute with than arrays of rank 0.
        """
        steps = self._program.steps
        if any(op.op_def.takes_references and op.type not in READERS for op in self._program.operations):
            return
        for step in all_steps(steps):
            if isinstance(step, MoveStep) and step.op.type == "Identity" and step.inputs[0][1]:
                step.reads_number = is_number(step.op.outputs_list[0])
