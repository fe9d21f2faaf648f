"""The devices a session computes on. So far: this machine's CPU, once or (asked for explicitly) several times."""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench import errors

if TYPE_CHECKING:
    from tfbench.engine.graph import Operation
    from tfbench.engine.resources import ResourceStore

_PREFIX = "/job:localhost/replica:0/task:0"


class Device:
    """One device: its full name, its kind ("CPU", "GPU") and its array module."""

    __slots__ = ("kind", "memory_limit", "name", "simulated", "xp")

    def __init__(self, kind: str, index: int, xp: ModuleType, simulated: bool = False) -> None:
        self.kind = kind
        self.name = f"{_PREFIX}/device:{kind}:{index}"
        self.xp = xp
        self.simulated = simulated
        self.memory_limit = 256 << 20

    @property
    def device_type(self) -> str:
        return self.kind

    @property
    def memory_limit_bytes(self) -> int:
        return self.memory_limit

    def __repr__(self) -> str:
        return f"_DeviceAttributes({self.name}, {self.kind}, {self.memory_limit}, 0)"


def local_devices(cpu_count: int = 1) -> list[Device]:
    """This machine's devices."""
    return [Device("CPU", index, np) for index in range(cpu_count)]


class KernelContext:
    """What a binder may look at when it makes the kernel of one node: the node, its device, the session's state."""

    __slots__ = ("device", "op", "resources", "xp")

    def __init__(self, op: Operation, device: Device, resources: ResourceStore) -> None:
        self.op = op
        self.device = device
        self.resources = resources
        self.xp: Any = device.xp

    @property
    def attrs(self) -> dict[str, Any]:
        return self.op.attrs


class DeviceCheck:
    """Refuses ops that ask for a device which is not there; remembers how far it has looked."""

    def __init__(self, devices: list[Device], soft: bool) -> None:
        self._names = {device.name for device in devices}
        self._soft = soft
        self._fine: set[str] = {""}
        self._looked_at = 0
        self._version = -1

    def check(self, graph: Any) -> None:
        """Raises InvalidArgumentError for the first op of `graph` whose device does not exist."""
        if self._soft:
            return
        nodes = graph._nodes
        if graph.changes_version != self._version:
            self._version, self._looked_at = graph.changes_version, 0
        for op in nodes[self._looked_at :]:
            if op.device not in self._fine:
                self._check_one(op)
                self._fine.add(op.device)
        self._looked_at = len(nodes)

    def _check_one(self, op: Operation) -> None:
        from tfbench.engine.device_names import DeviceSpec

        wanted = DeviceSpec.from_string(op.device)
        for name in self._names:
            have = DeviceSpec.from_string(name)
            if all(
                getattr(wanted, field) is None
                or str(getattr(wanted, field)).lower() == str(getattr(have, field)).lower()
                for field in ("job", "replica", "task", "device_type", "device_index")
            ):
                return
        place = f" (made at {op.source})" if op.source else ""
        raise errors.InvalidArgumentError(
            op.node_def,
            op,
            f"Cannot assign a device for operation {op.name}{place}: Could not satisfy explicit device specification "
            f"'{op.device}' because no supported kernel for such a device is available: {{{{node {op.name}}}}} was "
            f"explicitly assigned to {op.device} but available devices are [ {', '.join(sorted(self._names))} ]. Make "
            "sure the device specification refers to a valid device, or use "
            "tf.ConfigProto(allow_soft_placement=True).",
        )
