"""`explain.devices`: the devices of a session, and which of them are simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfbench.engine.devices import device_set
from tfbench.engine.session import Session
from tfbench.explain.defaults import graph_for, session_for
from tfbench.explain.rows import Rows
from tfbench.explain.text import count


class DeviceRow(NamedTuple):
    """One device. `operations` are those of the session's graph that are placed on it; None without a session."""

    name: str
    kind: str
    simulated: bool
    operations: int | None


class Devices(Rows[DeviceRow]):
    """The devices that operations can be placed on; `no_gpu` is why there is no GPU, where there is none."""

    __slots__ = ("no_gpu",)
    noun = "device"
    header = ("device", "kind", "", "operations")

    no_gpu: str

    def __init__(self, rows: Sequence[DeviceRow], no_gpu: str = "") -> None:
        super().__init__(rows)
        object.__setattr__(self, "no_gpu", no_gpu)

    def cells(self, row: DeviceRow) -> tuple[str, ...]:
        operations = "-" if row.operations is None else str(row.operations)
        return (row.name, row.kind, "simulated" if row.simulated else "this machine's", operations)

    def footer(self) -> str:
        simulated = sum(row.simulated for row in self)
        footer = super().footer() + (f", {simulated} simulated" if simulated else "")
        return f"{footer}\nno GPU: {self.no_gpu}" if self.no_gpu else footer


def devices(session: Any = None) -> Devices:
    """The devices of `session`; default: of the default session or the bench's, else those a new session would have.

    Raises:
      tf.errors.InvalidArgumentError: if the session's graph cannot be placed on them.
    """
    session = session or session_for(graph_for())
    if session is None:
        there = device_set()
        return Devices([DeviceRow(d.short_name, d.kind, d.simulated, None) for d in there.devices], there.no_gpu)
    placed = session.look_at_placement([], [], [])
    counts = [0] * len(placed.devices)
    for op in session.graph.get_operations():
        counts[placed.index_of(op)] += 1
    rows = [DeviceRow(d.short_name, d.kind, d.simulated, n) for d, n in zip(placed.devices, counts, strict=True)]
    return Devices(rows, session.device_set.no_gpu)


def devices_alone(session: Session) -> Devices:
    """The devices of a session, whether or not its graph can be placed on them."""
    rows = [DeviceRow(d.short_name, d.kind, d.simulated, None) for d in session.list_devices()]
    return Devices(rows, session.device_set.no_gpu)


def summary(rows: Devices) -> str:
    """`/device:CPU:0, /device:GPU:0 (simulated)`"""
    names = ", ".join(f"{row.name} (simulated)" if row.simulated else row.name for row in rows)
    return f"{count(len(rows), 'device')}: {names}"
