"""Where operations run, as the placer found it; and for each, why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfbench.engine import dtypes
from tfbench.engine.attributes import reference_inputs
from tfbench.engine.colocation import ALL_KINDS, Groups, bit
from tfbench.engine.cpu_only import REASONS
from tfbench.engine.device_names import ANY, fits, requested
from tfbench.engine.operation import Operation
from tfbench.engine.placement_errors import types_of


class Reason(NamedTuple):
    """Why an operation is where it is: one of a few words, and what they mean in this case."""

    word: str
    detail: str = ""


class Placement:
    """Where each operation is. `groups` is None where there is only one device, so that all are on it."""

    __slots__ = ("_assigned", "_beside", "_kinds", "_members", "_order", "devices", "groups")

    def __init__(
        self,
        devices: Sequence[Any],
        groups: Groups | None = None,
        assigned: list[int] | None = None,
        kinds: list[int] | None = None,
        beside: dict[int, str] | None = None,
        order: list[int] | None = None,
    ) -> None:
        self.devices = devices
        self.groups = groups
        self._assigned = assigned or []
        #: the kinds of device that each operation alone could run on
        self._kinds = kinds or []
        #: operations that went where a neighbour is, and which neighbour
        self._beside = beside or {}
        self._order = order or []
        self._members: dict[int, list[int]] | None = None

    def moves(self, later: Placement) -> bool:
        """Whether an operation is elsewhere in a later placement of the same graph."""
        ops = self.groups.ops if self.groups is not None else []
        return any(later.index_of(op) != self._assigned[i] for i, op in enumerate(ops))

    def decisions(self) -> list[tuple[Operation, Any]]:
        """The operations in the order in which they were placed, each with its device."""
        ops = self.groups.ops if self.groups is not None else []
        return [(ops[i], self.devices[self._assigned[i]]) for i in self._order]

    def index_of(self, op: Operation) -> int:
        """The number of the device that `op` is on; the first where it was left out because its value is fed."""
        if self.groups is None:
            return 0
        number = self.groups.number.get(op)
        return 0 if number is None else self._assigned[number]

    def device_of(self, op: Operation) -> Any:
        """The device that `op` is on."""
        return self.devices[self.index_of(op)]

    def reason(self, op: Operation) -> Reason:
        """Why it is there: "asked", "colocated", "soft: no device", "soft: no kernel" or "default"."""
        device = self.device_of(op)
        if op.device and not fits(requested(op.device), device.parts):
            return self._not_as_asked(op)
        mate = self._tied_to(op)
        if mate:
            return Reason("colocated", f"with {mate}")
        return Reason("asked") if op.device else self._default(op)

    def _not_as_asked(self, op: Operation) -> Reason:
        wanted = [device for device in self.devices if fits(requested(op.device), device.parts)]
        if not wanted:
            return Reason("soft: no device", f"there is no {op.device}")
        if self.groups is not None:
            kinds = self._kinds[self.groups.number[op]]
            if any(kinds & bit(device.kind) for device in wanted):
                return Reason("colocated", f"with {self._tied_to(op) or self._a_mate(op)}")
        return Reason("soft: no kernel", f"{op.type}{types_of(op)} on {wanted[0].kind}{_because(op, wanted[0])}")

    def _default(self, op: Operation) -> Reason:
        if self.groups is None:
            return Reason("default")
        i = self.groups.number[op]
        neighbour = self._beside.get(i)
        if neighbour:
            return Reason("default", f"beside {neighbour}")
        root = self.groups.root(i)
        if self.groups.asked[root] != ANY or self.groups.kinds[root] != self._kinds[i]:
            return Reason("colocated", f"with {self._a_mate(op)}")
        best = self.devices[self._assigned[i]].kind
        if any(device.kind != best for device in self.devices) and self._kinds[i] & ALL_KINDS == bit(best):
            other = next(device for device in self.devices if device.kind != best)
            return Reason("default", f"no {other.kind} kernel for {op.type}{types_of(op)}{_because(op, other)}")
        return Reason("default")

    def _tied_to(self, op: Operation) -> str:
        """The operation that `op` said it must be with, if any: by class, by a reference, by a handle."""
        for name in op.attrs.get("_class") or ():
            text = name.decode() if isinstance(name, bytes) else name
            if text.startswith("loc:@") and text[5:] != op.name:
                return text[5:]
        if self.groups is None:
            return ""
        # Neither asked for what it got, nor free to choose: then it is an edge that decided.
        if not op.device or requested(op.device) != self.groups.asked[self.groups.root(self.groups.number[op])]:
            return _source_of_state(op)
        return ""

    def _a_mate(self, op: Operation) -> str:
        """A member of the group of `op` that asks for something, or can run on fewer kinds of device."""
        assert self.groups is not None
        groups = self.groups
        if self._members is None:
            self._members = {}
            for i in range(len(groups.ops)):
                self._members.setdefault(groups.root(i), []).append(i)
        i = groups.number[op]
        mates = [other for other in self._members[groups.root(i)] if other != i]
        device = self.device_of(op)
        for other in mates:
            mate = groups.ops[other]
            if mate.device and fits(groups.request(other), device.parts):
                return mate.name
        return next((groups.ops[o].name for o in mates if self._kinds[o] != self._kinds[i]), groups.ops[mates[0]].name)


def _because(op: Operation, device: Any) -> str:
    """Why `op` cannot be on a real GPU although TensorFlow has it there, where that is so."""
    reason = REASONS.get(op.type) if device.kind == "GPU" and not device.simulated else None
    return f": {reason}" if reason else ""


def _source_of_state(op: Operation) -> str:
    """The name of the operation that makes the reference or the handle that `op` takes; '' if it takes none."""
    if op.op_def.takes_references:
        for tensor, is_ref in zip(op._inputs, reference_inputs(op.op_def, op.attrs)):
            if is_ref:
                return tensor.op.name
    for tensor in op._inputs:
        if tensor._dtype is dtypes.resource:
            return tensor.op.name
    return ""
