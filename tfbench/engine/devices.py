"""The devices a session computes on: this machine's CPU and GPUs, and simulated ones where somebody asks for them.

GPUs are found through CuPy (`cuda`), which is loaded when the first session asks. A simulated device is a memory of its
own: arrays on it are never another device's arrays, what crosses is copied, and the copies are counted. It computes
with the CPU's kernels, on the CPU. Simulation is a switch (`simulate_devices`); while it is off, no device is there
that this machine has not, and while it is on, no GPU is there but simulated ones. Whatever shows a simulated device
says that it is one.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench import errors
from tfbench.engine.device_names import Parts

if TYPE_CHECKING:
    from tfbench.engine.graph import Operation
    from tfbench.engine.resources import ResourceStore

_PREFIX = "/job:localhost/replica:0/task:0"

#: what TensorFlow says that a CPU has
_MEMORY_LIMIT = 256 << 20


class Device:
    """One device: its full name, its kind ("CPU", "GPU"), its array module, and whose kernels it runs."""

    __slots__ = ("index", "kernels", "kind", "memory_limit", "name", "parts", "simulated", "xp")

    #: whether its arrays are NumPy's, in the host's memory
    on_host = True

    def __init__(self, kind: str, index: int, xp: ModuleType, simulated: bool = False) -> None:
        self.kind = kind
        self.index = index
        self.name = f"{_PREFIX}/device:{kind}:{index}"
        self.parts: Parts = ("localhost", 0, 0, kind, index)
        self.xp = xp
        self.simulated = simulated
        #: the kind of kernel that is bound: a simulated device has the CPU's
        self.kernels = "CPU" if simulated else kind
        self.memory_limit = _MEMORY_LIMIT

    @property
    def short_name(self) -> str:
        """`/device:GPU:0`"""
        return f"/device:{self.kind}:{self.index}"

    @property
    def device_type(self) -> str:
        return self.kind

    @property
    def description(self) -> str:
        """What it is, for people."""
        return "simulated" if self.simulated else ""

    @property
    def memory_limit_bytes(self) -> int:
        return self.memory_limit

    @property
    def incarnation(self) -> int:
        """A number that tells one device from another; TensorFlow's changes from process to process."""
        return zlib.crc32(self.name.encode()) + 1

    def __repr__(self) -> str:
        mark = ", simulated" if self.simulated else ""
        return f"_DeviceAttributes({self.name}, {self.kind}, {self.memory_limit}, {self.incarnation}{mark})"


class Simulation:
    """What is simulated: how many devices, and how slow it is to copy between them.

    `bandwidth` is in bytes per second, `latency` in seconds a transfer; None costs what the copy costs.
    """

    __slots__ = ("bandwidth", "cpu", "gpu", "latency")

    def __init__(self, cpu: int, gpu: int, bandwidth: float | None, latency: float | None) -> None:
        self.cpu = _count("cpu", cpu, 1)
        self.gpu = _count("gpu", gpu, 0)
        self.bandwidth = _amount("bandwidth", bandwidth, "bytes per second")
        self.latency = _amount("latency", latency, "seconds")
        if self.bandwidth == 0:
            raise ValueError("bandwidth must be above 0 bytes per second: nothing could ever be copied.")

    def __repr__(self) -> str:
        return f"Simulation(cpu={self.cpu}, gpu={self.gpu}, bandwidth={self.bandwidth}, latency={self.latency})"


_simulation: Simulation | None = None
#: called after simulation was switched on, off or over
switched: list[Callable[[], None]] = []


def simulation() -> Simulation | None:
    """What is simulated now, or None."""
    return _simulation


def _switch(new: Simulation | None) -> None:
    global _simulation
    _simulation = new
    for function in list(switched):
        function()


class simulate_devices:  # noqa: N801 - it reads as a function, and is one until it is used in a `with`
    """Switches simulated devices on; as a context manager, for the length of a block.

    Sessions made from then on have `cpu` CPUs and `gpu` GPUs, unless their ConfigProto's `device_count` says otherwise;
    so have the sessions of the bench. `bandwidth` (bytes per second) and `latency` (seconds) make each transfer take as
    long as it would; by default it takes as long as the copy. `simulate_devices.off()` switches it off.
    """

    __slots__ = ("_before", "simulation")

    def __init__(
        self, cpu: int = 1, gpu: int = 0, bandwidth: float | None = None, latency: float | None = None
    ) -> None:
        self.simulation = Simulation(cpu, gpu, bandwidth, latency)
        self._before = _simulation
        _switch(self.simulation)

    @staticmethod
    def off() -> None:
        """No device is simulated any more in sessions made from now on."""
        _switch(None)

    def __enter__(self) -> Simulation:
        if _simulation is not self.simulation:
            self._before = _simulation
            _switch(self.simulation)
        return self.simulation

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _switch(self._before)

    def __repr__(self) -> str:
        return repr(self.simulation)


class DeviceSet:
    """The devices of one session, and what a transfer between them costs."""

    __slots__ = ("bandwidth", "devices", "gpus", "latency", "no_gpu")

    def __init__(
        self,
        devices: list[Device],
        bandwidth: float | None = None,
        latency: float | None = None,
        no_gpu: str = "",
    ) -> None:
        self.devices = devices
        self.bandwidth = bandwidth
        self.latency = latency
        #: those whose memory is not the host's
        self.gpus: list[Any] = [device for device in devices if not device.on_host]
        #: why there is no GPU, where there is none
        self.no_gpu = no_gpu

    def computing(self) -> AbstractContextManager[None]:
        """What a run on these GPUs takes place in. Only where there are any."""
        from tfbench.engine.cuda import computing

        return computing(self.gpus)

    @property
    def slow(self) -> bool:
        """Whether a transfer takes simulated time."""
        return self.bandwidth is not None or bool(self.latency)


#: `cuda.gpus`, once it is loaded: a session needs it, and a graph does not
_find_gpus: Callable[[Any, int | None], tuple[list[Device], str]] | None = None


def _finder() -> Callable[[Any, int | None], tuple[list[Device], str]]:
    global _find_gpus
    from tfbench.engine.cuda import gpus

    _find_gpus = gpus
    return gpus


def device_set(config: Any = None) -> DeviceSet:
    """The devices that a session with this ConfigProto has.

    `device_count={"CPU": 2}` makes two CPU devices, as in TensorFlow, `{"GPU": 1}` leaves the first GPU of several, and
    `{"GPU": 0}` none. While simulation is on, so many are simulated.

    Raises:
      NotFoundError: if it leaves no CPU.
      InvalidArgumentError: for `gpu_options` that cannot be met.
    """
    counts = dict(config.device_count) if config is not None else {}
    simulated = _simulation
    cpus = counts.get("CPU", simulated.cpu if simulated else 1)
    if cpus < 1:
        raise errors.NotFoundError(
            None, None, f"No CPU devices are available in this process: device_count asks for {cpus}. Ask for 1."
        )
    devices = [Device("CPU", index, np, simulated=bool(simulated and index)) for index in range(cpus)]
    if simulated is None:
        real, reason = (_find_gpus or _finder())(config, counts.get("GPU"))
        return DeviceSet([*devices, *real] if real else devices, no_gpu=reason)
    number = counts.get("GPU", simulated.gpu)
    devices.extend(Device("GPU", index, np, simulated=True) for index in range(number))
    reason = "" if number > 0 else "devices are simulated here, and no GPU is among them"
    return DeviceSet(devices, simulated.bandwidth, simulated.latency, reason)


def local_devices(config: Any = None) -> list[Device]:
    """This machine's devices, simulated ones included while simulation is on."""
    return device_set(config).devices


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


def _count(name: str, value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is a number of devices, but got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, but is {value}.")
    return int(value)


def _amount(name: str, value: Any, unit: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, np.number)):
        raise TypeError(f"{name} is a number of {unit} or None, but got {value!r}.")
    if not value >= 0:
        raise ValueError(f"{name} must be at least 0 {unit}, but is {value}.")
    return float(value)
