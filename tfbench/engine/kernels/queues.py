"""Queues: elements that some runs put in and others take out, each waiting for the other where it must.

Who wants something of a queue makes an *attempt*. Attempts to put in stand in one line, attempts to take out in
another; each line is served strictly in turn, as far as the queue's elements and places go. So an attempt to take ten
elements out of a queue with five places works: it gathers them as they come. A thread whose attempt is not done at
once waits for it outside of the queue's lock.
"""

from __future__ import annotations

import heapq
import threading
from collections import deque
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernels.philox import PhiloxStream
from tfbench.engine.resources import Resource
from tfbench.engine.waiting import Waiter, WouldWait, only_tried, timed_out

Array = Any
#: one array for each component
Element = Sequence[Array]

_NOTHING, _SOME, _DONE = range(3)


class Attempt:
    """What one kernel wants of a queue, and how far it has got."""

    __slots__ = ("closes", "done", "elements", "error", "small", "waiter", "wanted")

    def __init__(self, elements: list[Element], wanted: int = 0, small: bool = False, closes: bool = False) -> None:
        #: what is still to be put in, the next one last; or what has been taken out
        self.elements = elements
        #: how many more are to be taken out
        self.wanted = wanted
        #: fewer will do if the queue is closed
        self.small = small
        self.closes = closes
        self.done = False
        self.error: errors.OpError | None = None
        self.waiter: Waiter | None = None

    def finish(self, error: errors.OpError | None = None) -> None:
        """Called under the queue's lock, once."""
        self.done, self.error = True, error
        if self.waiter is not None:
            self.waiter.wake()

    def answer(self) -> list[Element]:
        """The elements that were taken out. Raises what went wrong."""
        if self.error is not None:
            raise self.error
        return self.elements


class QueueState(Resource):
    """A first-in, first-out queue in one session.

    `capacity` below 0 is no limit. `shapes` are those of the components, or empty if they are not known. `store` is
    the session's resources, which know whether it was closed.
    """

    kind = "FIFOQueue"

    def __init__(
        self, name: str, capacity: int, dtypes: Sequence[Any], shapes: Sequence[tuple[int, ...]], store: Any
    ) -> None:
        self.name = name
        self.capacity = capacity
        self.dtypes = list(dtypes)
        self.shapes = list(shapes)
        self.closed = False
        self._store = store
        self._most = capacity if capacity >= 0 else float("inf")
        self._lock = threading.Lock()
        self._putting: deque[Attempt] = deque()
        self._taking: deque[Attempt] = deque()
        self._elements: Any = deque()

    # -- what kernels call ----------------------------------------------------------------------------------------

    def enqueue(self, elements: Sequence[Element]) -> None:
        """Puts elements in, one after another; waits for places.

        Raises:
          CancelledError: if the queue or the session is closed. DeadlineExceededError.
        """
        self._attempt(self._putting, Attempt(list(reversed(elements))))

    def dequeue(self, wanted: int, small: bool = False) -> list[Element]:
        """Takes so many elements out; waits for them. With `small`, what is left is enough once the queue is closed.

        Raises:
          OutOfRangeError: if there are not enough and the queue is closed.
          CancelledError: if the session is closed. DeadlineExceededError.
        """
        return self._attempt(self._taking, Attempt([], wanted, small)) if wanted else []

    def close(self, cancel_pending: bool) -> None:
        """Lets nothing in any more. Attempts to put something in that were there before are cancelled, or awaited."""
        if not cancel_pending:
            self._attempt(self._putting, Attempt([], closes=True))
            return
        with self._lock:
            self.closed = True
            self._cancel_all(self._putting, "Enqueue operation was cancelled")
            self._serve()

    def size(self) -> int:
        """How many elements are in it."""
        return len(self._elements)

    def cancel_waiting(self) -> None:
        """The session is closed: nobody waits any more."""
        with self._lock:
            self._cancel_all(self._putting, "Enqueue operation was cancelled")
            self._cancel_all(self._taking, "Dequeue operation was cancelled")

    def snapshot(self) -> Any:
        """What `restore` takes."""
        with self._lock:
            return self.closed, self._elements.copy()

    def restore(self, saved: Any) -> None:
        with self._lock:
            self.closed, elements = saved
            self._elements = elements.copy()

    # -- what is different in other queues (called under the lock) ----------------------------------------------------

    def _push(self, element: Element) -> None:
        self._elements.append(element)

    def _pop(self) -> Element:
        return self._elements.popleft()

    def _put_back(self, elements: list[Element]) -> None:
        self._elements.extendleft(reversed(elements))

    #: so many elements stay inside while the queue is open
    least = 0

    # -- attempts --------------------------------------------------------------------------------------------------

    def _attempt(self, line: deque[Attempt], attempt: Attempt) -> list[Element]:
        with self._lock:
            if self._store.cancelled:
                raise self._cancelled(f"{'Dequeue' if line is self._taking else 'Enqueue'} operation was cancelled")
            if line is self._putting and only_tried() and not self._fits(attempt):
                raise WouldWait  # all or nothing: what is tried again must not be put in twice
            line.append(attempt)
            self._serve()
            if attempt.done:
                return attempt.answer()
            waiter = attempt.waiter = Waiter()
        try:
            woken = waiter.wait()
        except BaseException:
            self._withdraw(line, attempt)
            raise
        if not woken and self._withdraw(line, attempt):
            raise timed_out()
        return attempt.answer()

    def _fits(self, attempt: Attempt) -> bool:
        """Whether an attempt to put in is done at once."""
        room = len(self._elements) + len(attempt.elements) <= self._most
        return self.closed or (not self._putting and room)

    def _withdraw(self, line: deque[Attempt], attempt: Attempt) -> bool:
        """Gives an attempt up, and back what it has gathered; False if it has been done meanwhile."""
        with self._lock:
            if attempt.done:
                return False
            line.remove(attempt)
            if line is self._taking:
                self._put_back(attempt.elements)
            self._serve()
            return True

    def _cancel_all(self, line: deque[Attempt], reason: str) -> None:
        while line:
            attempt = line.popleft()
            if line is self._taking:
                self._put_back(attempt.elements)
            attempt.finish(self._cancelled(reason))

    def _serve(self) -> None:
        """Goes on with the attempts as far as they get."""
        changed = True
        while changed:
            changed = False
            for line, proceed in ((self._putting, self._proceed_putting), (self._taking, self._proceed_taking)):
                while line:
                    progress = proceed(line[0])
                    changed |= progress != _NOTHING
                    if progress != _DONE:
                        break
                    line.popleft()

    def _proceed_putting(self, attempt: Attempt) -> int:
        if self.closed:
            what = f"Queue '{self.name}' is already closed." if attempt.closes else f"{self._called} is closed."
            attempt.finish(self._cancelled(what))
            return _DONE
        if attempt.closes:
            self.closed = True
        progress = _NOTHING
        elements = attempt.elements
        while elements and len(self._elements) < self._most:
            self._push(elements.pop())
            progress = _SOME
        if elements:
            return progress
        attempt.finish()
        return _DONE

    def _proceed_taking(self, attempt: Attempt) -> int:
        if self.closed and len(self._elements) < attempt.wanted:
            if attempt.elements:
                self._put_back(attempt.elements)
                attempt.wanted += len(attempt.elements)
                attempt.elements = []
            left = len(self._elements)
            if left < attempt.wanted:
                if not attempt.small or not left:
                    if attempt.small and self._putting:
                        return _NOTHING
                    attempt.finish(self._exhausted(attempt.wanted))
                    return _DONE
                attempt.wanted = left
        progress = _NOTHING
        least = 0 if self.closed else self.least
        while attempt.wanted and len(self._elements) > least:
            attempt.elements.append(self._pop())
            attempt.wanted -= 1
            progress = _SOME
        if attempt.wanted:
            return progress
        attempt.finish()
        return _DONE

    # -- errors ------------------------------------------------------------------------------------------------------

    @property
    def _called(self) -> str:
        return f"{self.kind} '{self.name}'"

    def _cancelled(self, message: str) -> errors.CancelledError:
        return errors.CancelledError(None, None, message)

    def _exhausted(self, wanted: int) -> errors.OutOfRangeError:
        return errors.OutOfRangeError(
            None,
            None,
            f"{self._called} is closed and has insufficient elements (requested {wanted}, current size "
            f"{len(self._elements)})",
        )


class PaddingState(QueueState):
    """A FIFO queue whose elements may differ in size: a batch of them is padded to the largest."""

    kind = "PaddingFIFOQueue"


class ShuffleState(QueueState):
    """A queue that gives its elements in random order, and keeps some back to choose from until it is closed."""

    kind = "RandomShuffleQueue"

    def __init__(
        self,
        name: str,
        capacity: int,
        dtypes: Sequence[Any],
        shapes: Sequence[tuple[int, ...]],
        store: Any,
        *,
        least: int,
        seeds: tuple[int, int],
    ) -> None:
        super().__init__(name, capacity, dtypes, shapes, store)
        self.least = least
        self.seeds = seeds
        self._elements = []
        self._stream = PhiloxStream(*seeds)
        #: random numbers of which four are made at once; the next one last
        self._numbers: list[int] = []

    def _pop(self) -> Element:
        if not self._numbers:
            self._numbers = self._stream.reserve(1).words(4).tolist()[::-1]
        elements = self._elements
        index = self._numbers.pop() % len(elements)
        found, elements[index] = elements[index], elements[-1]
        elements.pop()
        return found

    def _put_back(self, elements: list[Element]) -> None:
        self._elements.extend(reversed(elements))

    def snapshot(self) -> Any:
        with self._lock:
            return self.closed, self._elements.copy(), self._stream.snapshot(), self._numbers.copy()

    def restore(self, saved: Any) -> None:
        super().restore(saved[:2])
        self._stream.restore(saved[2])
        self._numbers = saved[3].copy()


class PriorityState(QueueState):
    """A queue that gives the element whose first component is smallest; among equals the one that came first."""

    kind = "PriorityQueue"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._elements = []
        self._numbers = count()
        self._earlier = count(-1, -1)

    def _push(self, element: Element) -> None:
        heapq.heappush(self._elements, (int(element[0]), next(self._numbers), element))

    def _pop(self) -> Element:
        return heapq.heappop(self._elements)[2]

    def _put_back(self, elements: list[Element]) -> None:
        for element in reversed(elements):  # before all others of the same priority, in the order they had
            heapq.heappush(self._elements, (int(element[0]), next(self._earlier), element))


# -- elements and batches ----------------------------------------------------------------------------------------------


def batched(state: QueueState, elements: Sequence[Element]) -> list[Array]:
    """The components of `elements`, each as one array with a row for each element."""
    pads = isinstance(state, PaddingState)
    found = []
    for position, (dtype, shape) in enumerate(zip(state.dtypes, state.shapes, strict=True)):
        rows = [element[position] for element in elements]
        if pads:
            shape = _largest(shape, rows)
        made: Array = np.zeros((len(rows), *shape), dtype.as_numpy_dtype)
        if made.dtype == object:
            made[...] = b""
        for place, row in enumerate(rows):
            if pads:
                made[place, ...][tuple(slice(size) for size in row.shape)] = row
            else:
                made[place] = row[()] if made.dtype == object and not row.ndim else row
        found.append(made)
    return found


def _largest(shape: Any, rows: Sequence[Array]) -> tuple[int, ...]:
    return tuple(
        max((row.shape[axis] for row in rows), default=0) if size is None else size for axis, size in enumerate(shape)
    )
