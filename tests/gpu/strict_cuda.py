"""The devices of the stand-in for CuPy: what `cupy.cuda` has, as far as tfbench uses it.

Memory is counted in bytes by pool and device, so that a test sees what is left over, and runs out of memory when it
wants to. Copies between devices are counted by kind. Time does not pass on these devices: a stream has done everything
as soon as it was asked to.
"""

from __future__ import annotations

import ctypes
import threading
import time
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

#: bytes of pinned host memory that were asked for
pinned_bytes: Counter[str] = Counter()
#: bytes that were copied, by source and destination
copies: Counter[tuple[int, int]] = Counter()


class _Machine:
    """How many devices there are, and what is used of them."""

    def __init__(self) -> None:
        self.count = 1
        self.memory = 1 << 30
        self.used: Counter[int] = Counter()
        self.peers = True
        self.local = threading.local()
        #: what getDeviceCount raises, if anything
        self.broken: Exception | None = None


_machine = _Machine()


def reset(devices: int = 1, memory: int = 1 << 30) -> None:
    """As if the process had just begun, on a machine with so many devices of `memory` bytes."""
    global default_pool
    _machine.__init__()  # type: ignore[misc]
    _machine.count, _machine.memory = devices, memory
    pinned_bytes.clear()
    copies.clear()
    default_pool = MemoryPool()


def break_down(error: Exception | None) -> None:
    """Has the driver say that there is nothing, for this reason."""
    _machine.broken = error


def used(device: int = 0) -> int:
    """Bytes in use on a device, by whatever pool."""
    return _machine.used[device]


def current() -> int:
    """The number of this thread's current device."""
    return getattr(_machine.local, "device", 0)


class CUDARuntimeError(RuntimeError):
    """As CuPy's."""

    __module__ = "cupy_backends.cuda.api.runtime"

    def __init__(self, status: int, text: str = "cudaErrorInsufficientDriver: CUDA driver version is insufficient"):
        self.status = status
        super().__init__(text)


class OutOfMemoryError(MemoryError):
    """As CuPy's, words included."""

    def __init__(self, size: int, total: int, limit: int = 0) -> None:
        self._size, self._total, self._limit = size, total, limit
        limited = f", limit set to: {limit:,} bytes" if limit else ""
        super().__init__(f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes{limited}).")


# -- memory ------------------------------------------------------------------------------------------------------------


class Block:
    """Some memory of a device; it goes back when nobody holds it."""

    __slots__ = ("_pool", "_used", "device", "size")

    def __init__(self, pool: MemoryPool, device: int, size: int) -> None:
        self._pool = pool
        #: what is counted; after `reset`, that is another machine's
        self._used = _machine.used
        self.device = device
        self.size = size

    def __del__(self) -> None:
        if hasattr(self, "size"):  # an interrupt may come while it is made
            self._pool._free(self.device, self.size, self._used)


class MemoryPointer:
    """Where an array's memory is."""

    def __init__(self, ptr: int, device_id: int) -> None:
        self.ptr = ptr
        self.device_id = device_id

    def copy_from_device_async(self, src: MemoryPointer, size: int, stream: Any = None) -> None:
        """Between two devices, or within one."""
        copies[src.device_id, self.device_id] += size
        ctypes.memmove(self.ptr, src.ptr, size)


class MemoryPool:
    """A pool that counts: its limit is per device, and freed memory is used again at once."""

    def __init__(self, allocator: Any = None) -> None:
        self._limits: dict[int, int] = {}
        self._used: Counter[int] = Counter()
        self._most: Counter[int] = Counter()
        self._lock = threading.RLock()

    def malloc(self, size: int) -> Block:
        """Memory of the current device.

        Raises:
          OutOfMemoryError: past the limit, or where the device has no more.
        """
        size = -(-size // 512) * 512
        device = current()
        with self._lock:
            limit = self._limits.get(device, 0)
            left = _machine.memory - _machine.used[device]
            if (limit and self._used[device] + size > limit) or size > left:
                raise OutOfMemoryError(size, self._used[device], limit)
            self._used[device] += size
            self._most[device] = max(self._most[device], self._used[device])
            _machine.used[device] += size
        return Block(self, device, size)

    def _free(self, device: int, size: int, used: Counter[int]) -> None:
        with self._lock:
            self._used[device] -= size
            used[device] -= size

    def set_limit(self, size: int | None = None, fraction: float | None = None) -> None:
        """Bounds what the current device gives."""
        if (size is None) == (fraction is None):
            if size is not None:
                raise ValueError("size and fraction cannot be specified at one time")
            size = 0
        if fraction is not None:
            if not 0 <= fraction <= 1:
                raise ValueError(f"memory limit fraction out of range: {fraction}")
            size = int(fraction * _machine.memory)
        self._limits[current()] = int(size or 0)

    def get_limit(self) -> int:
        return self._limits.get(current(), 0)

    def used_bytes(self) -> int:
        return self._used[current()]

    def total_bytes(self) -> int:
        return self._most[current()]

    def free_bytes(self) -> int:
        return self._most[current()] - self._used[current()]

    def free_all_blocks(self, stream: Any = None) -> None:
        self._most[current()] = self._used[current()]


class PinnedMemoryPool:
    """Nothing is kept."""

    def free_all_blocks(self) -> None:
        pass

    def n_free_blocks(self) -> int:
        return 0


default_pool = MemoryPool()


def set_allocator(allocator: Callable[[int], Any] | None = None) -> None:
    """What makes memory from now on, in every thread."""
    _machine.allocator = allocator or default_pool.malloc  # type: ignore[attr-defined]


class using_allocator:  # noqa: N801 - CuPy's name
    """What makes memory in this thread, for the length of a block."""

    def __init__(self, allocator: Callable[[int], Any] | None = None) -> None:
        self._allocator = allocator

    def __enter__(self) -> None:
        self._before = getattr(_machine.local, "allocator", None)
        _machine.local.allocator = self._allocator

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        _machine.local.allocator = self._before


def get_allocator() -> Callable[[int], Any]:
    found = getattr(_machine.local, "allocator", None) or getattr(_machine, "allocator", None)
    return found or default_pool.malloc


def allocate(size: int) -> Any:
    """Memory for an array of the current device."""
    return get_allocator()(size)


# -- devices, streams, events ------------------------------------------------------------------------------------------


class Device:
    """A device; as a context manager, the current one for the length of a block."""

    def __init__(self, device: Any = None) -> None:
        self.id = current() if device is None else int(getattr(device, "id", device))
        self._before: list[int] = []

    def use(self) -> None:
        if not 0 <= self.id < _machine.count:
            raise CUDARuntimeError(101, "cudaErrorInvalidDevice: invalid device ordinal")
        _machine.local.device = self.id

    def __enter__(self) -> Device:
        self._before.append(current())
        self.use()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        _machine.local.device = self._before.pop()

    def synchronize(self) -> None:
        """Everything is done already."""

    @property
    def mem_info(self) -> tuple[int, int]:
        return _machine.memory - _machine.used[self.id], _machine.memory

    @property
    def compute_capability(self) -> str:
        return "90"

    @property
    def pci_bus_id(self) -> str:
        return f"0000:0{self.id}:00.0"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __int__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        return f"<CUDA Device {self.id}>"


class Event:
    """A moment of a stream."""

    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.moment = 0.0
        self.done = True

    def record(self, stream: Any = None) -> None:
        self.moment = time.perf_counter()

    def synchronize(self) -> None:
        """It has happened."""


def get_elapsed_time(start_event: Event, end_event: Event) -> float:
    """Milliseconds between two events."""
    return (end_event.moment - start_event.moment) * 1e3


class Stream:
    """A queue of work of the device that was current when it was made."""

    null: Any = None

    def __init__(self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: Any = None):
        self.device_id = current()
        self.ptr = 0 if null else id(self)
        self.done = True

    def use(self) -> Stream:
        _machine.local.__dict__.setdefault("stream", {})[current()] = self
        return self

    def __enter__(self) -> Stream:
        before = _machine.local.__dict__.setdefault("streams", [])
        before.append((current(), get_current_stream()))
        return self.use()

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        device, before = _machine.local.streams.pop()
        assert device == current(), "a stream is left on another device than the one where it was entered"
        before.use()

    def synchronize(self) -> None:
        """Everything is done already."""

    def record(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        """It has happened."""


Stream.null = Stream(null=True)


def get_current_stream(device_id: int = -1) -> Stream:
    chosen = getattr(_machine.local, "stream", {})
    return chosen.get(current() if device_id < 0 else device_id, Stream.null)


def alloc_pinned_memory(size: int) -> Any:
    """Host memory that does not move."""
    pinned_bytes["allocated"] += size
    return bytearray(size)


def is_available() -> bool:
    return _machine.broken is None and _machine.count > 0


class runtime:  # noqa: N801 - a module in CuPy
    """What CUDA's own interface says."""

    CUDARuntimeError = CUDARuntimeError

    @staticmethod
    def getDeviceCount() -> int:
        if _machine.broken is not None:
            raise _machine.broken
        if not _machine.count:
            raise CUDARuntimeError(100, "cudaErrorNoDevice: no CUDA-capable device is detected")
        return _machine.count

    @staticmethod
    def getDevice() -> int:
        return current()

    @staticmethod
    def setDevice(device: int) -> None:
        Device(device).use()

    @staticmethod
    def getDeviceProperties(device: int) -> dict[str, Any]:
        return {"name": b"Stand-in", "totalGlobalMem": _machine.memory, "major": 9, "minor": 0, "pciBusID": device}

    @staticmethod
    def memGetInfo() -> tuple[int, int]:
        return Device().mem_info

    @staticmethod
    def deviceCanAccessPeer(device: int, peerDevice: int) -> int:
        return int(_machine.peers)

    @staticmethod
    def deviceSynchronize() -> None:
        """Everything is done already."""


class memory:  # noqa: N801 - a module in CuPy
    """Where CuPy has its error."""

    OutOfMemoryError = OutOfMemoryError
