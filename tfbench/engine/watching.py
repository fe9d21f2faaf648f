"""Notes what some tensors are while a loop runs, at a bounded cost to the loop.

What a run fetches is at hand when it is over. Anything else is looked at in a run that is observed: its steps are then
run one by one, which takes longer, so after each such run there is a rest that makes it no more than a few percent.
Values are only held here; whoever shows them computes statistics in a thread of its own.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from tfbench.engine.hooks import SessionHook, StepObserver

#: what an observed step costs more than one that is not, in seconds (measured: 0.5 to 1 µs)
_STEP = 1.5e-6
#: rest for so many times what an observed run costs more
_REST = 40.0


class _Place:
    """Where a plan has the watched tensors: among its fetches, or somewhere in its steps."""

    __slots__ = ("fetched", "inside")

    def __init__(self, plan: Any, tensors: Iterable[Any]) -> None:
        self.fetched = [(plan.fetches.index(tensor), tensor) for tensor in tensors if tensor in plan.fetches]
        there = set(plan.order)
        self.inside = any(tensor.op in there and tensor not in plan.fetches for tensor in tensors)


class Tap(StepObserver, SessionHook):
    """A hook of a session. `take(tensor, value)` is called by the thread that runs, and must be quick.

    `over`: called when the session is closed. `every`: seconds between two looks into a run.
    """

    def __init__(
        self,
        tensors: Iterable[Any],
        take: Callable[[Any, Any], None],
        over: Callable[[], None],
        every: float = 0.1,
        clock: Any = time.monotonic,
    ) -> None:
        self._tensors = list(tensors)
        self._ops = {tensor.op for tensor in self._tensors}
        self._take = take
        self._over = over
        self._every = every
        self._clock = clock
        self._places: WeakKeyDictionary[Any, _Place] = WeakKeyDictionary()
        self._last: tuple[Any, _Place | None] = (None, None)
        self._next = 0.0
        self._steps = 0
        #: runs so far
        self.runs = 0

    def _place(self, plan: Any) -> _Place:
        last, place = self._last
        if last is plan and place is not None:
            return place
        place = self._places.get(plan)
        if place is None:
            place = self._places[plan] = _Place(plan, self._tensors)
        self._last = (plan, place)
        return place

    def gate(self, plan: Any) -> Tap | None:
        """Observes the run if something is to be seen in it, and it is time."""
        if not self._place(plan).inside or self._clock() < self._next:
            return None
        self._steps = 0
        return self

    def __call__(self, step: Any, inputs: Sequence[Any], results: Sequence[Any] | None, iterations: Any) -> None:
        """A step of an observed run."""
        self._steps += 1
        if results is None or step.op not in self._ops or getattr(step, "transfer", None) is not None:
            return
        for tensor, value in zip(step.op.outputs_list, results):
            if tensor in self._tensors:
                self._take(tensor, value)

    def ran(self, plan: Any, fed: Sequence[Any], results: Sequence[Any]) -> None:
        """A run is over."""
        self.runs += 1
        place = self._place(plan)
        for position, tensor in place.fetched:
            self._take(tensor, results[position])
        if self._steps:
            self._next = self._clock() + max(self._every, _REST * _STEP * self._steps)
            self._steps = 0

    def closed(self) -> None:
        self._over()
