"""A (fetches, feeds) signature compiled once, then run many times.

A plan has a program (`program.py`, made by `assemble.py`): steps over numbered slots. It can be run in two ways that
share everything but the loop: step by step (the first run, and whenever somebody observes; `interpret.py`), or as one
generated Python function (from the second run on; `generate.py`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tfbench import errors
from tfbench.engine import deadlines, deferring, generate
from tfbench.engine.assemble import assemble
from tfbench.engine.devices import DeviceSet
from tfbench.engine.frames import arrange
from tfbench.engine.generate import Generated
from tfbench.engine.graph import Operation
from tfbench.engine.hooks import StepObserver
from tfbench.engine.interpret import Interpreter
from tfbench.engine.parallel import Chooser, Parallel, split
from tfbench.engine.placement import Placement
from tfbench.engine.program import Program, is_number
from tfbench.engine.prune import needed_operations
from tfbench.engine.resources import ResourceStore, VariableBuffer
from tfbench.engine.run_errors import explain, keeps_cause
from tfbench.engine.steps import all_steps, depth
from tfbench.engine.tensor import Tensor
from tfbench.engine.transfers import copied

if TYPE_CHECKING:
    from tfbench.engine.captures import Captured

#: plans longer than this stay interpreted: compiling them would cost more than it saves
_LONGEST_FUNCTION = 20_000


class Plan:
    """The compiled form of one signature for one session.

    Raises (when made):
      InvalidArgumentError: if an op has no kernel on its device, or a loop is not one.
      ValueError: if the graph has a cycle.
    """

    def __init__(
        self,
        fetches: Sequence[Tensor],
        targets: Sequence[Operation],
        feeds: Sequence[Tensor],
        placement: Placement,
        devices: DeviceSet,
        resources: ResourceStore,
    ) -> None:
        fed = set(feeds)
        units = arrange(needed_operations(fetches, targets, fed), fed)
        self.program = assemble(units, fetches, feeds, placement, devices, resources)
        self.fetches = self.program.fetches
        self.feeds = self.program.feeds
        self._feed_slots = self.program.slots_of(self.feeds)
        self._fetch_slots = self.program.fetch_slots
        self._wrap_feeds = [tensor._dtype._is_ref_dtype for tensor in feeds]
        #: feeds that go to another device's memory than the program's own
        self._sent_feeds = [_is_simulated_elsewhere(placement, tensor) for tensor in feeds]
        #: for each fetch that is fed, which feed
        self._fetch_kept = [self.feeds.index(tensor) if tensor in fed else None for tensor in fetches]
        self._scalar_feeds = [is_number(tensor) and not tensor._dtype._is_ref_dtype for tensor in feeds]
        self._wraps, self._sends = any(self._wrap_feeds), any(self._sent_feeds)
        self._has_scalars = any(self._scalar_feeds)
        self._fetch_fresh = [tensor.op.op_def.fresh for tensor in fetches]
        self._generated: Generated | None = None
        #: the same, where there is nothing to decide before it is called
        self._plain: Generated | None = None
        #: the program in partitions, where it is on several devices and can be cut
        self._parallel: Parallel | None = None
        self._chooser = Chooser(devices.slow)
        self._gpus = devices.gpus
        #: the program as a CUDA graph, where that is asked for and can be
        self._captured: Captured | None = None
        self._runs = 0
        #: an op may wait for a later one: steps are put off
        self._defers = deferring.needed(self.program)

    @property
    def order(self) -> list[Operation]:
        """Every op that takes part, in run order; an op in a loop once."""
        return self.program.operations

    def run(self, feeds: Sequence[Any], observer: StepObserver | None = None) -> list[Any]:
        """The fetched values, in the order of the fetches: arrays and scalars that later runs never change."""
        if observer is None and self._plain is not None:
            given = feeds
            if self._has_scalars:
                feeds = [f[()] if scalar else f for f, scalar in zip(feeds, self._scalar_feeds, strict=True)]
            return self._finish(self._run_whole(self._plain, feeds), given)
        if self._wraps:
            feeds = [self.stored(position, value) for position, value in enumerate(feeds)]
        given = feeds
        if self._sends:
            feeds = [copied(value) if sent else value for value, sent in zip(feeds, self._sent_feeds, strict=True)]
        generated = self._generated
        if self._defers:
            return self._finish(self._run_deferring(feeds, observer), given)
        if generated is None or observer is not None:
            if observer is None and self._runs and self._compiles():
                generated = self._generated = generate.whole(self.program)
                # A real GPU works on while the host goes on to what is next: it needs no thread of its own.
                if len(self.program.placement.devices) > 1 and not self._gpus:
                    self._parallel = split(self.program)
                if self._gpus and not self._wraps and os.environ.get("TFBENCH_CUDA_GRAPHS", "").strip() == "1":
                    self._captured = _capture(self.program, self._gpus)
            else:
                interpreted = self._interpret(feeds, observer)
                # Only now: the function's operators do not check what the kernels of a first run have checked.
                self._runs += 1
                return self._finish(interpreted, given)
        elif not (self._wraps or self._sends or self._captured or self._parallel):
            self._plain = generated
        if self._has_scalars:
            feeds = [f[()] if scalar else f for f, scalar in zip(feeds, self._scalar_feeds, strict=True)]
        if self._captured is not None and not deadlines.limited():
            raw = self._captured.run(feeds)
            if raw is not None:
                return self._finish(raw, given)
        if self._parallel is not None and not deadlines.limited():
            return self._finish(self._run_partitions(self._parallel, generated, feeds), given)
        return self._finish(self._run_whole(generated, feeds), given)

    def _run_deferring(self, feeds: Sequence[Any], observer: StepObserver | None) -> list[Any]:
        values = self.program.begin()
        for slot, value in zip(self._feed_slots, feeds, strict=True):
            values[slot] = value
        deferring.run(self.program, values, feeds, observer)
        return [values[slot] for slot in self._fetch_slots]

    def _run_partitions(self, parallel: Parallel, generated: Generated, feeds: Sequence[Any]) -> Sequence[Any]:
        in_threads = self._chooser.in_threads()
        began = time.perf_counter()
        if in_threads:
            raw: Sequence[Any] = parallel.run(feeds, count_threads())
        else:
            raw = self._run_whole(generated, feeds)
        self._chooser.took(in_threads, time.perf_counter() - began)
        return raw

    def _run_whole(self, generated: Generated, feeds: Sequence[Any]) -> Sequence[Any]:
        try:
            return generated.function(*feeds)
        except Exception as error:
            failed, iterations = generated.failure(error)
            raise explain(error, failed, feeds, iterations, self.program.placement) from (
                error if keeps_cause(error) else None
            )

    def stored(self, position: int, value: Any) -> Any:
        """What a feed's slot holds for `value`: where a reference is fed, a buffer of its own."""
        if not self._wrap_feeds[position]:
            return value
        tensor = self.feeds[position]
        buffer = VariableBuffer(tensor.op.name, tensor._dtype.base_dtype)
        buffer.array = np.array(value)
        device = self.program.placement.device_of(tensor.op)
        if not device.on_host:
            buffer.settle(device)
        return buffer

    def _compiles(self) -> bool:
        steps = self.program.steps
        if len(steps) > _LONGEST_FUNCTION:
            return False
        return sum(1 for _ in all_steps(steps)) <= _LONGEST_FUNCTION and depth(steps) <= generate.DEEPEST

    def _interpret(self, feeds: Sequence[Any], observer: StepObserver | None) -> list[Any]:
        if observer is not None:
            parallel = self._parallel if observer.in_threads and not deadlines.limited() else None
            if parallel is not None and self._chooser.in_threads():
                return parallel.run(feeds, count_threads(), observer)
            observer.begin_thread()
        values = self.program.begin()
        for slot, value in zip(self._feed_slots, feeds, strict=True):
            values[slot] = value
        Interpreter(self.program, values, observer, feeds).run(self.program.steps)
        return [values[slot] for slot in self._fetch_slots]

    def _finish(self, raw: Sequence[Any], feeds: Sequence[Any]) -> list[Any]:
        results: list[Any] = []
        for value, kept, fresh in zip(raw, self._fetch_kept, self._fetch_fresh, strict=True):
            if kept is None and isinstance(value, np.generic):
                results.append(value)
            elif kept is not None:
                fed = feeds[kept]
                results.append(fed.host() if isinstance(fed, VariableBuffer) else fed)
            elif value is None:
                self._refuse_dead(raw)
            else:
                results.append(fetched(value, fresh))
        return results

    def _refuse_dead(self, raw: Sequence[Any]) -> None:
        """Raises for the first fetch from a branch that was not taken."""
        position = next(index for index, value in enumerate(raw) if value is None)
        tensor = self.fetches[position]
        raise errors.InvalidArgumentError(
            tensor.op.node_def,
            tensor.op,
            f"Retval[{position}] does not have value: '{tensor.name}' is in a branch that was not taken.",
        )


def _capture(program: Program, gpus: Sequence[Any]) -> Captured | None:
    from tfbench.engine.captures import captured  # only what asks for CUDA graphs loads it

    return captured(program, gpus)


def _is_simulated_elsewhere(placement: Placement, tensor: Tensor) -> bool:
    """Whether a feed is for a simulated memory; what goes to a real one is copied there by a step."""
    number = placement.index_of(tensor.op)
    return number > 0 and placement.devices[number].on_host


def count_threads() -> int:
    """How many threads the kernels of a run may use."""
    from tfbench.engine.kernels.threads import count  # only what uses threads loads it

    return count()


def fetched(value: Any, fresh: bool) -> Any:
    """A value as `Session.run` returns it: NumPy scalars for rank 0, arrays that nobody else writes to."""
    if isinstance(value, VariableBuffer):
        value, fresh = value.read(), False
    if isinstance(value, np.ndarray):
        if value.ndim == 0:
            return value[()]
        return value if fresh else value.copy()
    return value
