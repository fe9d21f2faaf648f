"""`tf.train.Coordinator`: threads that stop together, and what one raised raised again where they are joined."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tfbench import errors, logging

__all__ = ["Coordinator", "LooperThread"]


class Coordinator:
    """Lets threads stop together: anyone may ask for it, all look at `should_stop`, and `join` waits for them.

    Exceptions of the types `clean_stop_exception_types` (default: OutOfRangeError, the end of the input) are ways to
    stop, and not raised again.
    """

    def __init__(self, clean_stop_exception_types: Any = None) -> None:
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        #: what `join` raises
        self._error: BaseException | None = None
        self._joined = False
        self._threads: set[threading.Thread] = set()

    def request_stop(self, ex: Any = None) -> None:
        """Asks the threads to stop. `ex`, an exception or what `sys.exc_info()` gives, is raised by `join`.

        Only the first counts. After `join`, it is raised at once.
        """
        with self._lock:
            error = ex[1] if isinstance(ex, tuple) else ex
            if isinstance(error, self._clean):
                error = None
            if self._joined:
                if error is not None:
                    raise error
                return
            if self._stop_event.is_set():
                return
            if error is not None and self._error is None:
                if not isinstance(error, BaseException):
                    error = ValueError(f"request_stop() takes an exception or what sys.exc_info() gives, not {ex!r}.")
                logging.info("Error reported to Coordinator: %s, %s", type(error), error)
                self._error = error
            self._stop_event.set()

    def clear_stop(self) -> None:
        """Forgets that a stop was asked for, and why; the coordinator can be used again."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop_event.clear()

    def should_stop(self) -> bool:
        """Whether a stop was asked for."""
        return self._stop_event.is_set()

    @contextmanager
    def stop_on_exception(self) -> Iterator[None]:
        """In the block, what is raised asks for a stop."""
        try:
            yield
        except BaseException:
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout: float | None = None) -> bool:
        """Waits until a stop is asked for, or so many seconds. Whether one was."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread: threading.Thread) -> None:
        """Adds a thread to those that `join` waits for."""
        with self._lock:
            self._threads.add(thread)

    def join(
        self,
        threads: Sequence[threading.Thread] | None = None,
        stop_grace_period_secs: float = 120,
        ignore_live_threads: bool = False,
    ) -> None:
        """Waits until all threads have ended: these, and those that are registered.

        Once a stop is asked for, they have `stop_grace_period_secs` to do so.

        Raises:
          what a thread reported: the first exception that was given to `request_stop`.
          RuntimeError: if threads still run after that time, unless `ignore_live_threads`.
        """
        with self._lock:
            waited = set(self._threads if threads is None else self._threads.union(threads))
        for thread in waited:
            # The end of a thread is seen at once, a request to stop soon.
            while thread.is_alive() and not self.should_stop():
                thread.join(0.05)
        end = time.monotonic() + stop_grace_period_secs
        for thread in waited:
            if thread.is_alive():
                thread.join(max(0.0, end - time.monotonic()))
        left = sorted(thread.name for thread in waited if thread.is_alive())
        with self._lock:
            self._joined = True
            self._threads = set()
            if self._error is not None:
                raise self._error
            if left:
                message = f"Coordinator stopped with threads still running: {' '.join(left)}"
                if not ignore_live_threads:
                    raise RuntimeError(message)
                logging.info(message)

    @property
    def joined(self) -> bool:
        """Whether `join` has returned, or raised."""
        return self._joined

    def raise_requested_exception(self) -> None:
        """Raises what was given to `request_stop`, if anything was."""
        with self._lock:
            if self._error is not None:
                raise self._error


class LooperThread(threading.Thread):
    """A thread that calls `target` every so many seconds (None: again and again) until the coordinator stops.

    Raises:
      TypeError: if `coord` is no Coordinator. ValueError: for arguments without a target.
    """

    def __init__(
        self,
        coord: Any,
        timer_interval_secs: float | None,
        target: Callable[..., Any] | None = None,
        args: Any = None,
        kwargs: Any = None,
    ) -> None:
        if not isinstance(coord, Coordinator):
            raise TypeError(f"'coord' argument must be a Coordinator: {coord}")
        super().__init__(daemon=True)
        self._coord = coord
        self._interval = timer_interval_secs
        self._call: Callable[..., Any] | None = target
        if target is None and (args is not None or kwargs is not None):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        self._arguments = args or ()
        self._named_arguments = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(
        coord: Any, timer_interval_secs: float | None, target: Callable[..., Any], args: Any = None, kwargs: Any = None
    ) -> LooperThread:
        """Makes such a thread and starts it."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self) -> None:
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                # Late calls are made up for: the times are those of a clock.
                following = time.monotonic()
                while not self._coord.wait_for_stop(max(0.0, following - time.monotonic())):
                    following += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self) -> None:
        """Called before the first call."""

    def stop_loop(self) -> None:
        """Called after the last one."""

    def run_loop(self) -> None:
        """One call."""
        if self._call is not None:
            self._call(*self._arguments, **self._named_arguments)
