"""Real GPUs, through CuPy: the one file that imports it, and only when a session asks which GPUs there are.

A GPU's arrays live in its own memory, in a pool of tfbench's own that all sessions of the process share and that is
bounded as TensorFlow's is (`per_process_gpu_memory_fraction`, else what is free less a reserve). CuPy's own pool, the
current device and the current stream are the caller's: they are set for the length of a run and put back.

Everything that a run does on a GPU is put into one stream, in the order of the plan, so a copy needs to wait for nobody
but what is there before it. Copies to the GPU go through CuPy's pinned buffers and do not wait; copies back wait for
the value, and use pinned memory where it is the host's for a short time only. A copy from one GPU to another is ordered
by events of both.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Any
from weakref import WeakValueDictionary

from tfbench.engine.devices import Device
from tfbench.engine.kernel_errors import invalid, unimplemented

#: what is left to others of a GPU's free memory where no fraction is asked for: a share of it, and at least so much
_RESERVE, _LEAST_RESERVE, _SMALL, _SMALL_RESERVE = 0.05, 300 << 20, 2 << 30, 225 << 20

#: from this size on, what is copied back is received in pinned memory
_PINNED_FROM = 64 << 10

#: how it is installed
_NOT_INSTALLED = "CuPy is not installed: pip install tfbench[cuda12] (or tfbench[cuda13], by the driver's CUDA version)"


class _Found:
    """What was found when somebody first asked: CuPy and how many GPUs it sees, or why there is none."""

    __slots__ = ("count", "cupy", "reason", "tried")

    def __init__(self, cupy: Any = None, count: int = 0, reason: str = "") -> None:
        self.cupy = cupy
        self.count = count
        self.reason = reason
        #: whether something has been computed, to see if that works
        self.tried = False


_lock = threading.Lock()
_found: _Found | None = None
#: tfbench's memory pool, for all GPUs
_pool: Any = None


def look() -> _Found:
    """CuPy and the GPUs of this process; looked for once."""
    global _found
    if _found is None:
        with _lock:
            if _found is None:
                _found = _look()
    return _found


def nothing(reason: str) -> _Found:
    """That there is no GPU."""
    return _Found(reason=reason)


def _look() -> _Found:
    if "cupy" not in sys.modules and find_spec("cupy") is None:
        return _Found(reason=_NOT_INSTALLED)
    try:
        cupy = importlib.import_module("cupy")
    except Exception as error:  # a library of CUDA that is missing shows in many ways
        return _Found(reason=f"CuPy is installed but cannot be loaded: {_first_line(error)}")
    try:
        count = int(cupy.cuda.runtime.getDeviceCount())
    except Exception as error:
        return _Found(reason=f"CUDA finds no GPU: {_first_line(error)}{_hidden()}")
    if not count:
        return _Found(reason=f"CUDA finds no GPU{_hidden()}")
    return _Found(cupy, count)


def _hidden() -> str:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    return "" if visible is None else f" (CUDA_VISIBLE_DEVICES is {visible!r})"


def _first_line(error: BaseException) -> str:
    text = str(error).strip().partition("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def gpus(config: Any = None, most: int | None = None) -> tuple[list[Device], str]:
    """The GPUs that a session with this ConfigProto has, and where there are none, why.

    Args:
      most: how many at most, or None for all.

    Raises:
      InvalidArgumentError: for a `visible_device_list` or a fraction of memory that cannot be.
      UnimplementedError: for virtual devices.
    """
    if most is not None and most <= 0:
        return [], f"device_count asks for {most} GPUs"
    found = look()
    if not found.count:
        return [], found.reason
    options = config.gpu_options if config is not None else None
    chosen = _visible(options.visible_device_list if options is not None else "", found.count)
    if most is not None:
        chosen = chosen[:most]
    fraction = options.per_process_gpu_memory_fraction if options is not None else 0.0
    if not 0 <= fraction <= 1:
        raise invalid(f"per_process_gpu_memory_fraction must be from 0 to 1, but is {fraction}.")
    if options is not None and options.experimental.virtual_devices:
        raise unimplemented(
            "gpu_options.experimental.virtual_devices: a GPU is one device here. tfbench.simulate_devices(gpu=2) makes "
            "two simulated ones, without a GPU."
        )
    devices = [CudaDevice(found.cupy, index, number) for index, number in enumerate(chosen)]
    for device in devices:
        device.bound_memory(fraction)
    if not found.tried and devices:
        found.reason, found.tried = _try(devices[0]), True
    return ([], found.reason) if found.reason else (list(devices), "")


def _try(device: CudaDevice) -> str:
    """Why a GPU that is there does not compute ('' if it does): CuPy loads some of CUDA's libraries only then."""
    cupy = device.cupy
    try:
        with computing([device]):
            (cupy.ones(1, "f") + 1).get()
    except cupy.cuda.memory.OutOfMemoryError:
        return ""  # it is there, and others have all its memory: whoever runs something is told
    except Exception as error:
        return (
            f"CuPy sees a GPU but cannot compute on it: {_first_line(error)}. The extras cuda12 and cuda13 of tfbench "
            "bring the libraries of CUDA that it needs"
        )
    return ""


def _visible(text: str, count: int) -> list[int]:
    """CUDA's numbers of the GPUs that `visible_device_list` names, in its order; all of them where it is empty."""
    if not text.strip():
        return list(range(count))
    found: list[int] = []
    for word in text.split(","):
        if not re.fullmatch(r"\s*\d+\s*", word):
            raise invalid(
                f"Could not parse entry in 'visible_device_list': '{word}'. visible_device_list = {text}. "
                "Give numbers of GPUs, as in '0,2'."
            )
        number = int(word)
        if number >= count:
            raise invalid(
                f"'visible_device_list' listed an invalid Device id '{number}' but visible device count is {count}"
            )
        if number in found:
            raise invalid(f"visible_device_list contained a duplicate entry: {text}. Name each GPU once.")
        found.append(number)
    return found


class CudaDevice(Device):
    """A GPU. `number` is CUDA's own for it, which `visible_device_list` may have changed into another index."""

    __slots__ = ("_constants", "cupy", "number")

    #: its memory is not the host's
    on_host = False

    def __init__(self, cupy: Any, index: int, number: int) -> None:
        super().__init__("GPU", index, cupy)
        self.cupy = cupy
        self.number = number
        self._constants: WeakValueDictionary[Any, Any] = WeakValueDictionary()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CudaDevice) and other.number == self.number and other.cupy is self.cupy

    def __hash__(self) -> int:
        return hash(self.number)

    def current(self) -> Any:
        """A context in which this is CUDA's current device."""
        return self.cupy.cuda.Device(self.number)

    @property
    def description(self) -> str:
        """What TensorFlow says of a GPU: its number, name, bus and compute capability."""
        properties = self.cupy.cuda.runtime.getDeviceProperties(self.number)
        name = properties["name"]
        device = self.cupy.cuda.Device(self.number)
        capability = device.compute_capability
        return (
            f"device: {self.number}, name: {name.decode() if isinstance(name, bytes) else name}, "
            f"pci bus id: {device.pci_bus_id}, compute capability: {capability[:-1]}.{capability[-1]}"
        )

    def bound_memory(self, fraction: float) -> None:
        """Bounds what tfbench takes of this GPU: a fraction of all, else what is free less a reserve.

        As in TensorFlow, the first session decides for the process; only a fraction that is asked for changes it later.
        """
        pool = pool_of(self.cupy)
        with self.current():
            limit = int(pool.get_limit())
            if fraction or not limit:
                free, total = self.cupy.cuda.runtime.memGetInfo()
                if fraction:
                    limit = int(total * fraction)
                else:
                    reserve = max(_LEAST_RESERVE, int(free * _RESERVE)) if free >= _SMALL else _SMALL_RESERVE
                    # Where less is free than the reserve, something must be possible all the same.
                    limit = free - reserve if free > reserve else free // 2
                pool.set_limit(size=limit)
        self.memory_limit = limit

    # -- copies ------------------------------------------------------------------------------------------------

    def from_host(self, value: Any) -> Any:
        """A copy of a host's array or number in this GPU's memory. It is on its way when this returns."""
        with self.current():
            return self.cupy.array(value, order="C")

    def constant(self, op: Any) -> Any:
        """The value of a Const in this GPU's memory, as long as a plan has it: plans never write to it."""
        found = self._constants.get(op)
        if found is None:
            found = self._constants[op] = self.from_host(op.attrs["value"])
        return found

    def to_host(self, value: Any) -> Any:
        """A copy in the host's memory, for an operation there: in pinned memory if it is large."""
        with self.current():
            if value.nbytes < _PINNED_FROM:
                return value.get()
            pinned = importlib.import_module("cupyx").empty_pinned(value.shape, value.dtype)
            return value.get(out=pinned)

    def fetched(self, value: Any) -> Any:
        """A copy in the host's memory, for the caller to keep."""
        with self.current():
            return value.get()

    def from_peer(self, source: CudaDevice, value: Any) -> Any:
        """A copy of another GPU's array in this one's memory, directly where the hardware can."""
        event = self.cupy.cuda.Event
        with source.current():
            value = self.cupy.ascontiguousarray(value)
            made = event(disable_timing=True)
            made.record()
        with self.current():
            self.cupy.cuda.get_current_stream().wait_event(made)
            result = self.cupy.empty(value.shape, value.dtype)
            result.data.copy_from_device_async(value.data, value.nbytes)
            copied = event(disable_timing=True)
            copied.record()
        with source.current():
            # Whoever gets the memory of `value` next must not write to it before it is copied.
            self.cupy.cuda.get_current_stream().wait_event(copied)
        return result

    def copied(self, value: Any) -> Any:
        """A copy in this GPU's own memory, whoever asks for it."""
        with computing([self]):
            return value.copy()

    def brought(self, value: Any) -> Any:
        """As `from_host`, outside a run."""
        with computing([self]):
            return self.from_host(value)

    def synchronize(self) -> None:
        """Waits until the GPU has done all that it was asked to do."""
        self.cupy.cuda.Device(self.number).synchronize()

    # -- running -----------------------------------------------------------------------------------------------

    def within(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, called while this is CUDA's current device."""
        device, number = self.cupy.cuda.Device, self.number

        def call(*arguments: Any) -> Any:
            with device(number):
                return function(*arguments)

        return call

    def exhausted(self, error: BaseException) -> str | None:
        """For an error of this GPU's allocator: how much was asked for, and what there is; None for other errors."""
        if not isinstance(error, self.cupy.cuda.memory.OutOfMemoryError):
            return None
        pool = pool_of(self.cupy)
        with self.current():
            # What the failed run held is free now, but still the pool's.
            used, held, limit = int(pool.used_bytes()), int(pool.total_bytes()), int(pool.get_limit())
            pool.free_all_blocks()
            free, total = self.cupy.cuda.runtime.memGetInfo()
        asked = re.search(r"allocating ([\d,]+) bytes", str(error))
        return (
            f"{asked.group(1) + ' bytes were' if asked else 'More memory was'} asked for on {self.name}; tfbench's "
            f"pool there holds {held:,} bytes, of which {used:,} are in use, and may hold {limit:,}; the GPU has "
            f"{free:,} of {total:,} bytes free. Use a smaller batch, free what other sessions hold (Session.close), or "
            "allow more: tf.ConfigProto(gpu_options=tf.GPUOptions(per_process_gpu_memory_fraction=0.9))."
        )


def pool_of(cupy: Any) -> Any:
    """The memory pool that everything of tfbench's is in."""
    global _pool
    if _pool is None:
        with _lock:
            if _pool is None:
                _pool = cupy.cuda.MemoryPool()
    return _pool


@contextmanager
def computing(devices: list[Any]) -> Iterator[None]:
    """A run of this thread on these GPUs: memory comes from tfbench's pool, and the first is CUDA's current device.

    Whatever stream is the caller's, all runs share one on each GPU: what one has made, the next may use.
    """
    first = devices[0]
    cuda = first.cupy.cuda
    with ExitStack() as stack:
        stack.enter_context(cuda.using_allocator(pool_of(first.cupy).malloc))
        for device in reversed(devices):
            stack.enter_context(device.current())
            stack.enter_context(cuda.Stream.null)
        yield
