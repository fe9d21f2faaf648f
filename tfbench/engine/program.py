"""What a plan runs: steps over numbered slots.

A `Program` is plain data, the whole of what is known before a run: which slot each tensor has, what the slots hold to
begin with (constants, variables' buffers), and what is to be done in which order. `assemble` makes one; it can be run
step by step (`interpret`) or turned into a Python function (`generate`). A graph on several devices has one program,
too: its steps are each on one device, and what crosses is a step of its own (`TransferStep`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.frames import Unit, flattened
from tfbench.engine.graph import Operation
from tfbench.engine.placement import Placement
from tfbench.engine.steps import AnyStep, GuardStep, all_steps
from tfbench.engine.tensor import Tensor


class Program:
    """The steps for some units (ops and loops, in run order) with these feeds and fetches."""

    __slots__ = (
        "_scalars", "feeds", "fetch_slots", "fetches", "operations", "placement", "slots", "steps", "template", "units",
    )  # fmt: skip

    def __init__(
        self, units: Sequence[Unit], fetches: Sequence[Tensor], feeds: Sequence[Tensor], placement: Placement
    ) -> None:
        self.units = list(units)
        #: which device each op is on
        self.placement = placement
        #: every op that takes part, in run order
        self.operations: list[Operation] = flattened(self.units)
        self.fetches = list(fetches)
        self.feeds = list(feeds)
        self.steps: list[AnyStep] = []
        #: tensor -> slot
        self.slots: dict[Tensor, int] = {}
        #: where the fetched values are: copies in the host's memory, where they are made elsewhere
        self.fetch_slots: list[int] = []
        #: what each slot holds before a run; None for what the run has to find out
        self.template: list[Any] = []
        self._scalars: frozenset[int] | None = None

    def begin(self) -> list[Any]:
        """New values for one run, without feeds."""
        return list(self.template)

    def slots_of(self, tensors: Sequence[Tensor]) -> list[int]:
        """Where the values of `tensors` are."""
        return [self.slots[tensor] for tensor in tensors]

    def scalars(self) -> frozenset[int]:
        """The slots that hold numbers, guards among them. The steps must be complete."""
        if self._scalars is None:
            numbers = {
                slot for tensor, slot in self.slots.items() if is_number(tensor) and not tensor._dtype._is_ref_dtype
            }
            guards = {slot for step in all_steps(self.steps) if isinstance(step, GuardStep) for slot in step.outputs}
            self._scalars = frozenset(numbers | guards)
        return self._scalars


def is_number(tensor: Tensor) -> bool:
    """Whether a tensor is a scalar that NumPy's own scalars can stand for (a string is not)."""
    return tensor._shape == () and tensor._dtype.base_dtype.is_numpy_compatible and tensor._dtype.name[:6] != "string"
