"""`explain.devices`: the devices of a session, and which of them are simulated."""

from __future__ import annotations

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
    """The devices that operations can be placed on."""

    __slots__ = ()
    noun = "device"
    header = ("device", "kind", "", "operations")

    def cells(self, row: DeviceRow) -> tuple[str, ...]:
        operations = "-" if row.operations is None else str(row.operations)
        return (row.name, row.kind, "simulated" if row.simulated else "this machine's", operations)

    def footer(self) -> str:
        simulated = sum(row.simulated for row in self)
        return super().footer() + (f", {simulated} simulated" if simulated else "")


def devices(session: Any = None) -> Devices:
    """The devices of `session`; default: of the default session or the bench's, else those a new session would have.

    Raises:
      tf.errors.InvalidArgumentError: if the session's graph cannot be placed on them.
    """
    session = session or session_for(graph_for())
    if session is None:
        return Devices([DeviceRow(d.short_name, d.kind, d.simulated, None) for d in device_set().devices])
    placed = session.look_at_placement([], [], [])
    counts = [0] * len(placed.devices)
    for op in session.graph.get_operations():
        counts[placed.index_of(op)] += 1
    return Devices(
        [DeviceRow(d.short_name, d.kind, d.simulated, number) for d, number in zip(placed.devices, counts, strict=True)]
    )


def devices_alone(session: Session) -> Devices:
    """The devices of a session, whether or not its graph can be placed on them."""
    return Devices([DeviceRow(d.short_name, d.kind, d.simulated, None) for d in session.list_devices()])


def summary(rows: Devices) -> str:
    """`/device:CPU:0, /device:GPU:0 (simulated)`"""
    names = ", ".join(f"{row.name} (simulated)" if row.simulated else row.name for row in rows)
    return f"{count(len(rows), 'device')}: {names}"
