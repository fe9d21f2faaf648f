"""What a run did and how long it took: an observer that notes each step.

A step's time begins where the one before it ended, so the observer's own work counts for nobody. Where partitions run
in threads, each has an observer of its own, and the record is put together from all of them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.hooks import StepObserver

_SWITCHES = frozenset({"Switch", "RefSwitch"})


class Executed:
    """One execution of an operation (in a loop there are several), or of a transfer."""

    __slots__ = ("device", "end", "iterations", "op", "outputs", "start", "thread", "transfer")

    def __init__(
        self,
        op: Any,
        device: int,
        start: int,
        end: int,
        outputs: list[tuple[str, tuple[int, ...], int]],
        iterations: tuple[int, ...],
        transfer: Any,
        thread: int,
    ) -> None:
        self.op = op
        #: number of the device (of a transfer: of the one it goes to)
        self.device = device
        #: nanoseconds since the run began
        self.start = start
        self.end = end
        #: type, shape and bytes of each output
        self.outputs = outputs
        self.iterations = iterations
        #: what crossed (`partition.Transfer`), or None
        self.transfer = transfer
        self.thread = thread

    @property
    def bytes(self) -> int:
        return sum(size for _, _, size in self.outputs)


class Together(StepObserver):
    """Several observers of one run, whose steps are then run by one thread. What they do counts for no step."""

    __slots__ = ("_observers",)

    def __init__(self, observers: Sequence[StepObserver]) -> None:
        self._observers = tuple(observers)

    def begin_thread(self) -> None:
        for observer in self._observers:
            observer.begin_thread()

    def before(self, step: Any, taken: bool, iterations: tuple[int, ...]) -> None:
        for observer in self._observers:
            observer.before(step, taken, iterations)
        self.begin_thread()

    def __call__(
        self, step: Any, inputs: Sequence[Any], results: Sequence[Any] | None, iterations: tuple[int, ...]
    ) -> None:
        for observer in self._observers:
            observer(step, inputs, results, iterations)
        self.begin_thread()

    def end(self) -> None:
        for observer in self._observers:
            observer.end()


class Recorder(StepObserver):
    """Notes the steps of one run: it is called after each, by whoever runs them."""

    in_threads = True

    def __init__(self, placement: Any) -> None:
        self._index_of = placement.index_of
        self.devices: Sequence[Any] = placement.devices
        self.executed: list[Executed] = []
        #: when the run began: wall-clock time in microseconds
        self.wall = time.time_ns() // 1000
        self._began = time.perf_counter_ns()
        self._last = threading.local()
        #: by the device's number: what waits until it has done what it was asked to do, where it works by itself
        self._settled = {i: device.synchronize for i, device in enumerate(self.devices) if not device.on_host}

    def __call__(self, step: Any, inputs: Sequence[Any], results: Sequence[Any] | None, iterations: Any) -> None:
        """Called after each step."""
        transfer = getattr(step, "transfer", None)
        device = self._index_of(step.op) if transfer is None else transfer.destination
        if self._settled:
            self._wait_for(device, transfer)
        end = time.perf_counter_ns()
        start = getattr(self._last, "ended", self._began)
        if results is not None:
            # A Switch has one value, whichever of its outputs is alive.
            made = results[:1] if step.op.type in _SWITCHES and transfer is None else results
            outputs = [_described(value) for value in made]
            thread = threading.get_ident()
            self.executed.append(
                Executed(
                    step.op,
                    device,
                    start - self._began,
                    end - self._began,
                    outputs,
                    tuple(iterations),
                    transfer,
                    thread,
                )
            )
        self._last.ended = time.perf_counter_ns()

    def _wait_for(self, device: int, transfer: Any) -> None:
        """A GPU goes on computing when its step is over: a step has taken what it takes until that is done, too."""
        for number in {device} if transfer is None else {transfer.source, device}:
            wait = self._settled.get(number)
            if wait is not None:
                wait()

    def begin_thread(self) -> None:
        self._last.ended = time.perf_counter_ns()

    def add_presets(self, program: Any) -> None:
        """Adds what needs no step, constants and variables: they are there when the run begins."""
        seen = {executed.op for executed in self.executed if executed.transfer is None}
        found = []
        for op in program.operations:
            slots = [program.slots.get(tensor) for tensor in op.outputs_list]
            values = [program.template[slot] for slot in slots if slot is not None]
            if op not in seen and len(values) == 1 and values[0] is not None:
                outputs = [_described(values[0])]
                found.append(Executed(op, self._index_of(op), 0, 0, outputs, (), None, threading.get_ident()))
        self.executed[:0] = found


def _described(value: Any) -> tuple[str, tuple[int, ...], int]:
    value = getattr(value, "array", value) if not isinstance(value, (np.ndarray, np.generic)) else value
    if not isinstance(value, (np.ndarray, np.generic)):
        if hasattr(value, "__cuda_array_interface__"):
            return value.dtype.name, value.shape, int(value.nbytes)
        return "", (), len(value) if isinstance(value, bytes) else 0
    if value.dtype == object:
        items = value.ravel() if isinstance(value, np.ndarray) else [value]
        return "string", value.shape, sum(len(item) for item in items if isinstance(item, (bytes, str)))
    return value.dtype.name, value.shape, int(value.nbytes)
