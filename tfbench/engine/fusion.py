"""Chains of elementwise ops on a real GPU, each as one step that launches one kernel.

`Fusion.arrange` takes a list of steps, as it stands in a program or a loop, and gives the list that a generated
function has in its place. Two steps become one where the first makes an array that the second alone reads, of the
second's static shape, on the same GPU and under the same guard; what is broadcast comes from outside. The whole group
is computed where its last op was, so what it reads must not have been written to meanwhile: no group spans a step that
may write to a variable, nor a loop. What a group reads is kept until then, so it is of steps that are near each other.

A run that is observed goes step by step and sees every op. If a group's kernel fails for its operands, or for want of
memory, its ops are computed one by one: the error names the one that cannot be.

`TFBENCH_FUSE=0` in the environment leaves all steps as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine.gpu_kernels import in_host_memory
from tfbench.engine.graph import Operation
from tfbench.engine.grouping import Arranged, count_readers, with_releases, writes
from tfbench.engine.kernels import fused_device
from tfbench.engine.program import Program
from tfbench.engine.run_errors import FAILED_STEP
from tfbench.engine.steps import AnyStep, Input, MoveStep, Step
from tfbench.engine.tensor import Tensor

#: ops in a group, inputs of a group (a kernel's parameters have 4 KiB), and foreign steps among its steps at most
_MOST_OPS, _MOST_INPUTS, _NEAR = 48, 16, 8


def fusing(program: Program) -> Callable[[Sequence[AnyStep]], Arranged] | None:
    """What arranges the lists of a program; None where it has no real GPU, or nothing is to be fused."""
    gpus = [device for device in program.placement.devices if not device.on_host]
    if not gpus or not hasattr(gpus[0].xp, "ElementwiseKernel"):  # the tests' stand-in may have no compiler
        return None
    return Fusion(program).arrange


class _Group:
    """Steps that become one, by their positions in the list; the last makes what others read."""

    __slots__ = ("guard", "members", "op", "shape")

    def __init__(self, position: int, step: Step | MoveStep) -> None:
        self.members = [position]
        self.op = step.op
        self.guard = step.guard
        self.shape = step.op.outputs_list[0]._shape


class Fusion:
    """The groups of one program."""

    def __init__(self, program: Program) -> None:
        self._placement = program.placement
        self._template = program.template
        self._several = sum(not device.on_host for device in program.placement.devices) > 1
        self._readers = count_readers(program)

    def arrange(self, steps: Sequence[AnyStep]) -> Arranged:
        """The same steps, groups as one step each where their last step was, and what is released after each."""
        groups = self._groups(steps)
        if not groups:
            return [(step, step.release) for step in steps]
        inner = {position for group in groups.values() for position in group.members}
        arranged: list[AnyStep] = []
        for position, step in enumerate(steps):
            if position in groups:
                arranged.append(self._one([_plain(steps[member]) for member in groups[position].members]))
            elif position not in inner:
                arranged.append(step)
        return with_releases(arranged, steps)

    # -- which steps ---------------------------------------------------------------------------------------------

    def _groups(self, steps: Sequence[AnyStep]) -> dict[int, _Group]:
        """The groups that compute more than one op, by the position of their last step."""
        groups: dict[int, _Group] = {}
        #: slot -> the group that makes it, and the position of its last step; since something was last written to
        made: dict[int, tuple[int, _Group]] = {}
        for position, step in enumerate(steps):
            if writes(step):
                made.clear()
            elif self.takes(step):
                group = groups[position] = _Group(position, _plain(step))
                for slot, _ in step.inputs:
                    root, other = made.get(slot, (0, None))
                    if other is not None and self._joins(other, group, slot, steps):
                        group.members = sorted(other.members + group.members)
                        del groups[root], made[slot]
                made[step.outputs[0]] = position, group
        return {
            position: group
            for position, group in groups.items()
            if sum(isinstance(steps[member], Step) for member in group.members) > 1
        }

    def takes(self, step: AnyStep) -> bool:
        """Whether a step can be part of a group."""
        if isinstance(step, MoveStep):
            # A variable that is read is no array that anybody makes.
            if step.op.type not in ("Identity", "StopGradient") or step.inputs[0][1]:
                return False
        elif type(step) is not Step:
            return False
        op = step.op
        if op.type not in fused_device.EXPRESSIONS or self._placement.device_of(op).on_host:
            return False
        result = op.outputs_list[0]
        return (
            result._shape is not None
            and result._dtype.name in fused_device.RESULTS
            and all(_kind(tensor) in fused_device.OPERANDS and tensor._shape is not None for tensor in op._inputs)
            and not any(map(any, in_host_memory(op)))
            and _is_plain(op)
        )

    def _joins(self, group: _Group, last: _Group, slot: int, steps: Sequence[AnyStep]) -> bool:
        """Whether a group whose result is in `slot` can be computed with another that reads it."""
        members = {*group.members, *last.members}
        return (
            self._readers.get(slot) == 1
            and group.shape == last.shape
            and group.guard == last.guard
            and self._placement.index_of(group.op) == self._placement.index_of(last.op)
            and len(members) <= _MOST_OPS
            and max(members) - min(members) + 1 - len(members) <= _NEAR
            and len(self._inputs([_plain(steps[member]) for member in members])) <= _MOST_INPUTS
        )

    def _inputs(self, members: Sequence[Step | MoveStep]) -> set[Input]:
        """The arrays that steps read and none of them makes."""
        made = {step.outputs[0] for step in members}
        return {
            item
            for step in members
            for item, tensor in zip(step.inputs, step.op._inputs, strict=True)
            if item[0] not in made and self._literal(item, tensor) is None
        }

    def _literal(self, item: Input, tensor: Tensor) -> str | None:
        """What stands for a constant number in a kernel; None for what is no constant, or what C has no words for."""
        if tensor.op.type != "Const" or tensor._shape != () or self._template[item[0]] is None:
            return None
        return fused_device.literal(tensor.op.attrs["value"])

    # -- one step ------------------------------------------------------------------------------------------------

    def _one(self, members: Sequence[Step | MoveStep]) -> Step:
        """The step that does what `members` do."""
        # The result has its shape from what is read: something has to be.
        literals = bool(self._inputs(members))
        types: dict[Input, str] = {}
        names: dict[Input, str] = {}
        lines: list[tuple[str, list[str], str]] = []
        for index, step in enumerate(members):
            operands: list[str] = []
            for item, tensor in zip(step.inputs, step.op._inputs, strict=True):
                literal = self._literal(item, tensor) if literals else None
                if literal is None and item not in names:
                    names[item] = f"x{len(types)}"
                    types[item] = _kind(tensor)
                operands.append(literal or names[item])
            lines.append((step.op.type, operands, step.op.outputs_list[0]._dtype.name))
            names[step.outputs[0], False] = f"t{index}"
        last = members[-1]
        device = self._placement.device_of(last.op)
        kernel = fused_device.kernel(device.xp, list(types.values()), lines[-1][2], fused_device.statements(lines))
        launch = device.within(kernel) if self._several else kernel
        one_by_one = _OneByOne(members, list(types), self._template)

        def function(*arrays: Any) -> Any:
            try:
                return launch(*arrays)
            except (ValueError, MemoryError):
                return one_by_one(arrays)

        return Step(last.op, function, list(types), last.outputs, last.guard)


class _OneByOne:
    """The ops of a group as they are without it."""

    __slots__ = ("_inputs", "_members", "_template")

    def __init__(self, members: Sequence[Step | MoveStep], inputs: Sequence[Input], template: Sequence[Any]) -> None:
        self._members = members
        self._inputs = inputs
        #: where constants are, which kernels have as numbers
        self._template = template

    def __call__(self, arrays: Sequence[Any]) -> Any:
        values = dict(zip(self._inputs, arrays, strict=True))
        result: Any = None
        for step in self._members:
            given = [values[item] if item in values else self._template[item[0]] for item in step.inputs]
            try:
                result = step.function(*given) if isinstance(step, Step) else given[0]
            except Exception as error:
                setattr(error, FAILED_STEP, step)
                raise
            values[step.outputs[0], False] = result
        return result


def _plain(step: AnyStep) -> Step | MoveStep:
    assert isinstance(step, (Step, MoveStep))
    return step


def _kind(tensor: Tensor) -> str:
    return tensor._dtype.base_dtype.name


def _is_plain(op: Operation) -> bool:
    """Whether an op's expression is all that it does: for some, that depends on its attributes and shapes."""
    shapes: list[Any] = [tensor._shape for tensor in op._inputs]
    if op.type == "Cast":
        return not op.attrs["Truncate"]
    if op.type in ("BiasAdd", "BiasAddV1"):
        value, bias = shapes
        # A bias of one number would be broadcast, where it is an error.
        return (
            op.attrs.get("data_format", "NHWC") == "NHWC"
            and len(value) > 1
            and len(bias) == 1
            and value[-1] == bias[0]
            and bias[0] is not None
        )
    if op.type in ("Equal", "NotEqual"):
        return bool(op.attrs["incompatible_shape_error"])
    if op.type == "Select":
        # No broadcasting here, but a vector that chooses rows.
        return not any(None in shape for shape in shapes) and shapes[0] in ((), shapes[1])
    return True
