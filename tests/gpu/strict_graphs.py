"""CUDA graphs for the stand-in for CuPy: a stream that captures records calls, and a graph makes them again.

What is called while a stream captures is computed, to have arrays of the right shapes, and undone when the capture
ends: arrays that were there before have the values that they had, and those made meanwhile hold rubbish. A launch calls
everything again, with the same arrays, and puts results where the recorded ones are. As on a GPU, waiting for a value,
taking pinned memory that the allocator refuses, cuBLAS, and capturing the default stream are errors; so is launching a
graph whose memory is gone.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from tests.gpu import strict_cuda as cuda
from tests.gpu import strict_cudnn
from tests.gpu import strict_cupy as cupy
from tfbench.engine.kernels import updates_device

_LIBRARIES = frozenset({"dot", "einsum", "inner", "matmul", "tensordot", "vdot"})

#: launches, and captures that were begun
launched: list[Graph] = []
begun: list[Any] = []
#: the memory that there is: arrays that own it
_memory: WeakValueDictionary[int, Any] = WeakValueDictionary()


class Graph:
    """Recorded calls."""

    def __init__(self) -> None:
        self.calls: list[Callable[[], None]] = []
        #: what calls by pointers work on
        self.memory: list[Any] = []
        #: set by a test: what a launch raises
        self.broken: Exception | None = None

    def launch(self, stream: Any = None) -> None:
        if self.broken is not None:
            raise self.broken
        launched.append(self)
        with np.errstate(all="ignore"):
            for call in self.calls:
                call()


class _Capture:
    def __init__(self) -> None:
        self.graph = Graph()
        self.kept = [(array, array.copy()) for array in list(_memory.values())]
        self.broken = False

    def undo(self) -> None:
        before = {id(array) for array, _ in self.kept}
        for array in list(_memory.values()):
            if id(array) not in before and array.flags.writeable and array.size:
                array.reshape(-1).view(np.uint8)[...] = 0x5A
        for array, values in self.kept:
            np.copyto(array, values)


def _current() -> _Capture | None:
    return getattr(cuda.get_current_stream(), "capture", None)


def _refuse(error: Exception) -> None:
    capture = _current()
    if capture is not None:
        capture.broken = True
        raise error


def _store(results: Any, values: Any) -> None:
    if isinstance(results, (list, tuple)):
        for result, value in zip(results, values, strict=True):
            _store(result, value)
    elif isinstance(results, cupy.ndarray):
        np.copyto(results._held, values._held)


def _recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, recorded where a stream captures."""

    def call(*args: Any, **keywords: Any) -> Any:
        capture = _current()
        if capture is None:
            return function(*args, **keywords)
        result = function(*args, **keywords)
        # A view of what it was given is already there.
        capture.graph.calls.append(lambda: _store(result, _elsewhere(lambda: function(*args, **keywords))))
        return result

    return call


def _elsewhere(call: Callable[[], Any]) -> Any:
    with cuda.using_allocator(cuda.MemoryPool().malloc):
        return call()


class _Waits(type(cupy.waits)):  # type: ignore[misc]
    """What makes the host wait is not permitted while a stream captures."""

    def __setitem__(self, name: str, count: int) -> None:
        _refuse(cuda.CUDARuntimeError(900, "cudaErrorStreamCaptureUnsupported: operation not permitted"))
        super().__setitem__(name, count)


class _Hidden(type(cupy.hidden_copies)):  # type: ignore[misc]
    def __setitem__(self, name: str, count: int) -> None:
        cuda.pinned(8)  # type: ignore[attr-defined]
        super().__setitem__(name, count)


def install(monkeypatch: Any) -> None:
    """Has the stand-in, which is installed already, capture graphs."""
    launched.clear()
    begun.clear()
    _memory.clear()
    allocator: list[Callable[[int], Any]] = []

    def begin_capture(self: Any, mode: int | None = None) -> None:
        if self.ptr == 0:
            raise RuntimeError("cannot capture on the default (legacy) stream")
        self.capture = _Capture()
        begun.append(self)

    def end_capture(self: Any) -> Graph:
        capture, self.capture = self.capture, None
        capture.undo()
        if capture.broken:
            raise cuda.CUDARuntimeError(901, "cudaErrorStreamCaptureInvalidated: operation failed")
        return capture.graph

    def pinned(size: int) -> Any:
        return allocator[-1](size) if allocator else bytearray(size)

    for name, value in {"begin_capture": begin_capture, "end_capture": end_capture, "capture": None}.items():
        monkeypatch.setattr(cuda.Stream, name, value, raising=False)
    monkeypatch.setattr(cuda, "pinned", pinned, raising=False)
    monkeypatch.setattr(cuda, "set_pinned_memory_allocator", allocator.append, raising=False)
    monkeypatch.setattr(cuda.PinnedMemoryPool, "malloc", staticmethod(bytearray), raising=False)
    monkeypatch.setattr(cupy, "waits", _Waits())
    monkeypatch.setattr(cupy, "hidden_copies", _Hidden())
    _patch_memory(monkeypatch)

    call, find, bring = cupy._Function.__call__, cupy.ndarray.__getattr__, cupy.array

    def function(self: Any, *args: Any, **keywords: Any) -> Any:
        if self.__name__ in _LIBRARIES:
            _refuse(NotImplementedError("calling cuBLAS API during stream capture is currently unsupported"))
        return _recording(call)(self, *args, **keywords)

    def method(self: Any, name: str) -> Any:
        found = find(self, name)
        return _recording(found) if callable(found) and not isinstance(found, cupy.ndarray) else found

    def array(obj: Any, *args: Any, **keywords: Any) -> Any:
        if isinstance(obj, cupy.ndarray):
            return _recording(bring)(obj, *args, **keywords)
        cuda.pinned(np.asarray(obj).nbytes)  # type: ignore[attr-defined]
        return bring(obj, *args, **keywords)

    monkeypatch.setattr(cupy._Function, "__call__", function)
    for owner, name in (
        (cupy._Function, "at"),
        (cupy.ndarray, "__setitem__"),
        (cupy.ndarray, "__getitem__"),
        (cupy._ElementwiseKernel, "__call__"),
        (strict_cudnn.pygraph, "execute"),
    ):
        _patch(monkeypatch, owner, name)
    monkeypatch.setattr(cupy.ndarray, "__getattr__", method)
    monkeypatch.setattr(cupy, "array", array)
    for module in (cupy.cupyx, sys.modules["cupyx.scipy.special"]):
        for name, thing in vars(module).copy().items():
            if callable(thing) and name != "empty_pinned":
                monkeypatch.setattr(module, name, _recording(thing))
    for name in ("real", "imag"):
        part = getattr(cupy.ndarray, name)
        monkeypatch.setattr(cupy.ndarray, name, property(part.fget, _recording(part.fset)))
    # Kernels that were got before are not recorded.
    monkeypatch.setattr(updates_device, "_kernels", {})
    kernel = cupy._RawModule.get_function
    monkeypatch.setattr(cupy._RawModule, "get_function", lambda self, name: _recording(kernel(self, name)))


def _patch(monkeypatch: Any, owner: Any, name: str) -> None:
    function = getattr(owner, name)
    monkeypatch.setattr(owner, name, lambda self, *args, **keywords: _recording(function)(self, *args, **keywords))


def _patch_memory(monkeypatch: Any) -> None:
    new = cupy._new

    def made(held: Any, block: Any = None) -> Any:
        array = new(held, block)
        if block is None:
            root = cupy._root(held)
            _memory[id(root)] = root
            capture = _current()
            if capture is not None:
                capture.graph.memory.append(root)
        return array

    monkeypatch.setattr(sys.modules[cupy.__name__], "_new", made)
    init, malloc = cuda.MemoryPool.__init__, cuda.MemoryPool.malloc

    def begin(self: Any, allocator: Any = None) -> None:
        init(self)
        self.upstream, self.held = allocator, []

    def allocate(self: Any, size: int) -> Any:
        """From another pool: what it has given stays here, and its limit holds."""
        if getattr(self, "upstream", None) is None:
            return malloc(self, size)
        self.held.append(self.upstream(size))
        return self.held[-1]

    monkeypatch.setattr(cuda.MemoryPool, "__init__", begin)
    monkeypatch.setattr(cuda.MemoryPool, "malloc", allocate)
