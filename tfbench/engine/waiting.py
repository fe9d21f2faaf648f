"""How a kernel waits for another run: for a place in a queue, for an element, for its turn.

A kernel that waits holds no lock of its session, so other threads go on running. It stops waiting when what it waits
for happens, when its session is closed (the session's resources tell those who wait), at the end of the time that the
run was given, when another part of the same run has failed, or on KeyboardInterrupt, which wakes a thread that waits
for a lock.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tfbench import errors


class Abandoned(BaseException):
    """Another part of the run failed: this one need not go on. No `except Exception` may take it; nobody sees it."""


class WouldWait(BaseException):
    """A kernel that is only tried (`trying`) would have to wait. Nothing has been changed."""


class Limits:
    """What ends the waiting of a run: a moment (`time.monotonic`), or another part's failure."""

    __slots__ = ("abandoned", "deadline", "tries", "waiters")

    def __init__(self, deadline: float | None, tries: bool = False) -> None:
        #: whoever would wait raises WouldWait
        self.tries = tries
        self.deadline = deadline
        self.abandoned = False
        self.waiters: set[Waiter] = set()

    def abandon(self) -> None:
        """Wakes who waits; that raises Abandoned there, as does waiting from now on."""
        self.abandoned = True
        for waiter in list(self.waiters):
            waiter.wake()


#: of the run that is going on. A thread that runs a part of it runs in a copy of this context.
_limits: ContextVar[Limits | None] = ContextVar("limits", default=None)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is run in the block may take so long."""
    token = _limits.set(Limits(time.monotonic() + seconds))
    try:
        yield
    finally:
        _limits.reset(token)


def deadline() -> float | None:
    """When the run that is going on has to be over (`time.monotonic`); None where it may take any time."""
    limits = _limits.get()
    return limits.deadline if limits is not None else None


@contextmanager
def trying() -> Iterator[None]:
    """What is run in the block never waits: it raises WouldWait."""
    token = _limits.set(Limits(deadline(), tries=True))
    try:
        yield
    finally:
        _limits.reset(token)


def only_tried() -> bool:
    """Whether what is going on is in a block of `trying`."""
    limits = _limits.get()
    return limits is not None and limits.tries


def part_of_a_run() -> Limits:
    """The limits of the run that is going on, for its parts in several threads (see `in_part`)."""
    return Limits(deadline())


def in_part(limits: Limits) -> None:
    """Makes these the limits of the present context."""
    _limits.set(limits)


def timed_out() -> errors.DeadlineExceededError:
    """The error for a run that has waited as long as it may."""
    return errors.DeadlineExceededError(None, None, "Timed out waiting for notification")


class Waiter:
    """One thread that waits to be woken once."""

    __slots__ = ("_lock", "_woken")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lock.acquire()
        self._woken = False

    def wake(self) -> None:
        """Ends the wait."""
        if not self._woken:
            self._woken = True
            self._lock.release()

    def wait(self) -> bool:
        """Waits; False if the time of the run is over first."""
        limits = _limits.get()
        if limits is None:
            return self._lock.acquire()
        if limits.tries:
            raise WouldWait
        limits.waiters.add(self)
        try:
            if limits.abandoned:
                raise Abandoned
            if limits.deadline is None:
                woken = self._lock.acquire()
            else:
                woken = self._lock.acquire(timeout=max(0.0, limits.deadline - time.monotonic()))
            if limits.abandoned:
                raise Abandoned
            return woken
        finally:
            limits.waiters.discard(self)


class Turns:
    """A lock whose holder may itself wait, for a queue: who waits for the turn can give up. Used by `with`.

    Raises (when entered):
      DeadlineExceededError: if the time of the run is over first.
    """

    __slots__ = ("_busy", "_line", "_lock")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._busy = False
        self._line: deque[Waiter] = deque()

    def __enter__(self) -> None:
        with self._lock:
            if not self._busy:
                self._busy = True
                return
            waiter = Waiter()
            self._line.append(waiter)
        try:
            woken = waiter.wait()
        except BaseException:
            self._leave(waiter)
            raise
        if not woken:
            self._leave(waiter)
            raise timed_out()

    def __exit__(self, *error: object) -> None:
        with self._lock:
            if self._line:
                self._line.popleft().wake()
            else:
                self._busy = False

    def _leave(self, waiter: Waiter) -> None:
        with self._lock:
            if waiter in self._line:
                self._line.remove(waiter)
                return
        self.__exit__()  # it was given the turn meanwhile
