"""What an operation does with the variables that it is given: look, check, write, or hand on.

A reference (and what Identity makes of one) is the variable's buffer. Who hands it on does not look at it; who computes
with it does, when it runs.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.attributes import reference_inputs
from tfbench.engine.frames import ENTERS, EXITS, MERGES, NEXTS, SWITCHES
from tfbench.engine.graph import Operation
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.engine.tensor import Tensor

#: sets the whole value, whatever it was
SET = "set"
#: changes it in a way that depends on what it was
CHANGE = "change"

#: updates whose order among each other does not matter: type -> kind
_COMMUTING = {
    **dict.fromkeys(["AssignAdd", "AssignSub", "AssignAddVariableOp", "AssignSubVariableOp"], "add"),
    **dict.fromkeys(["ScatterAdd", "ScatterSub", "ScatterNdAdd", "ScatterNdSub"], "add"),
    **dict.fromkeys(["ResourceScatterAdd", "ResourceScatterSub"], "add"),
    **dict.fromkeys(["ResourceScatterNdAdd", "ResourceScatterNdSub"], "add"),
    **dict.fromkeys(["ApplyGradientDescent", "ResourceApplyGradientDescent"], "add"),
    **dict.fromkeys(["ScatterMul", "ScatterDiv", "ResourceScatterMul", "ResourceScatterDiv"], "multiply"),
    **dict.fromkeys(["ScatterMin", "ResourceScatterMin"], "minimum"),
    **dict.fromkeys(["ScatterMax", "ResourceScatterMax"], "maximum"),
    # What is pushed comes back by the one who pushed it: the order among pushes is not of interest.
    **dict.fromkeys(["StackPush", "StackPushV2", "QueueEnqueueV2", "QueueEnqueueManyV2"], "add"),
}
_SETS = frozenset({"Assign", "AssignVariableOp"})
#: what asks whether a variable has a value
TESTS = frozenset({"IsVariableInitialized", "VarIsInitializedOp"})
_HANDLE_READERS = frozenset({"ReadVariableOp", "ResourceGather", "ResourceGatherNd"})

#: what only depends on shapes and types
SHAPES = frozenset({"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike", "VariableShape"})

#: hands on what it is given, reference or not
_PASSES = SWITCHES | MERGES | ENTERS | EXITS | NEXTS | {"RefIdentity", "LoopCond"}

#: what a variable is known by: container and name; what else has state is known by the event that makes it
Key = tuple[Any, Any]


class Use:
    """What one event does with one variable."""

    __slots__ = ("changes", "checks", "guard", "looks", "tests")

    def __init__(
        self,
        looks: bool = False,
        checks: bool = False,
        changes: str = "",
        tests: bool = False,
        guard: frozenset[tuple[Any, bool]] = frozenset(),
    ) -> None:
        #: its result depends on the value
        self.looks = looks
        #: it fails if there is no value
        self.checks = checks
        #: how it writes: `SET`, `CHANGE` or the kind of an update that commutes with its like; '' if it does not
        self.changes = changes
        #: it asks whether there is a value
        self.tests = tests
        #: the predicates that must hold for it to be this variable
        self.guard = guard

    def beside(self, other: Use | None) -> Use:
        """Both as one."""
        if other is None:
            return self
        return Use(
            self.looks or other.looks,
            self.checks or other.checks,
            self.changes or other.changes,
            self.tests or other.tests,
            self.guard & other.guard,
        )


def passes(op: Operation) -> bool:
    """Whether the outputs of `op` are its inputs, in the same memory."""
    return op.op_def.aliases or op.type in _PASSES


def handed_on(op: Operation, output: int) -> range:
    """Which inputs output number `output` may be, for an op that `passes`."""
    if op.type in MERGES:
        return range(len(op._inputs)) if output == 0 else range(0)
    if op.type == "IdentityN":
        return range(output, output + 1)
    if op.type in SWITCHES:
        return range(1)
    return range(1) if output == 0 else range(0)


def takes_references(op: Operation) -> list[bool]:
    """For each input whether `op` takes it as a reference."""
    return reference_inputs(op.op_def, op.attrs)


def use_of(op: Operation, tensor: Tensor, as_reference: bool) -> Use | None:
    """What `op` does with the variable that its input `tensor` is an alias, a reference or a handle of."""
    kind = op.type
    if kind.startswith("TensorArray"):
        # Its order is a value that goes from one operation to the next.
        return None
    if tensor._dtype.base_dtype.name == "resource" or as_reference:
        if kind in _PASSES or (passes(op) and kind not in _COMMUTING):
            return None
        if kind in TESTS:
            return Use(tests=True)
        if kind in _SETS:
            return Use(changes=SET)
        if kind in _COMMUTING:
            return Use(checks=True, changes=_COMMUTING[kind])
        if kind in SHAPES:
            return Use(checks=True)
        if kind in _HANDLE_READERS:
            return Use(looks=True, checks=True)
        if kind == "DestroyResourceOp":
            return Use(changes=CHANGE)
        return Use(looks=True, checks=True, changes=CHANGE)
    reads = tensor._dtype._is_ref_dtype
    if passes(op):
        return Use(checks=True) if reads else None
    return Use(looks=kind not in SHAPES, checks=reads)


def is_variable(op: Operation) -> bool:
    """Whether the output of `op` is a variable's reference or handle."""
    return op.type in VARIABLE_TYPES


def makes_state(tensor: Tensor) -> bool:
    """Whether `tensor` is a handle of something else that has state: a stack, a queue."""
    return tensor._dtype.base_dtype.name == "resource" or (
        tensor._dtype._is_ref_dtype and tensor._dtype.base_dtype.name == "string"
    )
