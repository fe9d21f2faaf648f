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
from tfbench.engine.steps import AnyStep
from tfbench.engine.tensor import Tensor


class Program:
    """The steps for some units (ops and loops, in run order) with these feeds and fetches."""

    __slots__ = ("feeds", "fetch_slots", "fetches", "operations", "placement", "slots", "steps", "template", "units")

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

    def begin(self) -> list[Any]:
        """New values for one run, without feeds."""
        return list(self.template)

    def slots_of(self, tensors: Sequence[Tensor]) -> list[int]:
        """Where the values of `tensors` are."""
        return [self.slots[tensor] for tensor in tensors]


def is_number(tensor: Tensor) -> bool:
    """Whether a tensor is a scalar that NumPy's own scalars can stand for (a string is not)."""
    return tensor._shape == () and tensor._dtype.base_dtype.is_numpy_compatible and tensor._dtype.name[:6] != "string"
