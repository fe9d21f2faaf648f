"""How a run ends that may take so long and no longer, though what it does never waits: an endless loop, a long plan.

A kernel that waits knows when to stop (`waiting`). Everything else is stopped from outside, so that a run without a
deadline pays nothing for this: a thread sleeps until the time is over and then has the interpreter raise TimeUp in the
thread that runs, as an interrupt from the keyboard would be raised, between two operations.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tfbench.engine import waiting

#: seconds that kernels that wait get to say themselves that the time is over
_GRACE = 0.02


class TimeUp(BaseException):
    """The time of the run is over. No `except Exception` may take it; `within` says it as TensorFlow does."""


def limited() -> bool:
    """Whether the run that is going on has a deadline."""
    return waiting.deadline() is not None


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """What is run in the block, by this thread, may take so long.

    Raises:
      DeadlineExceededError: if it takes longer.
    """
    watch = _Watch(threading.get_ident(), seconds, _here.watch)
    try:
        with waiting.within(seconds):
            _here.watch = watch
            watch.thread.start()
            try:
                yield
            finally:
                _here.watch = watch.around
                watch.end()
    except TimeUp:
        # It may be that of a run around this one, which a py_func made: that one ends too, whoever was first.
        if not watch.fired or watch.fired_around():
            raise
        raise waiting.timed_out() from None


class _Here(threading.local):
    """The innermost watch over this thread."""

    watch: _Watch | None = None


_here = _Here()


class _Watch:
    """A thread that waits for the end of the time, or of the run."""

    __slots__ = ("_ended", "_lock", "_runner", "_seconds", "around", "fired", "thread")

    def __init__(self, runner: int, seconds: float, around: _Watch | None) -> None:
        #: the watch of the run that this one is made in
        self.around = around
        self._runner = runner
        self._seconds = seconds
        self._ended = threading.Event()
        self._lock = threading.Lock()
        #: TimeUp was raised in the thread that runs, or will be
        self.fired = False
        self.thread = threading.Thread(target=self._wait, name="tfbench-deadline", daemon=True)

    def end(self) -> None:
        """The run is over: nothing is raised any more.

        Raises:
          TimeUp: if a run around this one has to end. Its own may have been spent with this one's.
        """
        with self._lock:
            self._ended.set()
            if self.fired:
                _spend(self._runner)
        if self.fired and self.fired_around():
            raise TimeUp

    def fired_around(self) -> bool:
        """Whether a run around this one has to end; nothing that would end it is then left to be raised."""
        watch, fired = self.around, False
        while watch is not None:
            with watch._lock:
                if watch.fired:
                    fired = True
                    _spend(self._runner)
            watch = watch.around
        return fired

    def _wait(self) -> None:
        if self._ended.wait(self._seconds + _GRACE):
            return
        with self._lock:
            # Once only: what is raised a second time could come after the block.
            if not self._ended.is_set():
                self.fired = True
                _raise_in(self._runner, TimeUp)


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Raises `error` in a thread, where it next comes to Python code."""
    import ctypes  # only who sets a deadline needs it

    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


def _spend(thread: int) -> None:
    """Leaves nothing to be raised in this thread, whether what was asked for has been raised by now or not.

    The interpreter can take a request back, but then goes on to look for it until it has raised another one: with a
    profiler or debugger on, Python 3.11 looks for ever. So one more is asked for, which replaces the first, and caught.
    """
    try:
        _raise_in(thread, TimeUp)
        while True:
            pass
    except TimeUp:
        pass
