"""One small pool of threads under all CPU kernels.

A kernel cuts its work into tasks that write to different places and calls `parallel(count, work)`. `work` gets an
iterator of task numbers and is called once per thread, so that each can set up its scratch memory once; the
threads share one iterator, so a slow or preempted thread simply takes fewer tasks. NumPy and BLAS release the GIL
while they compute. How many threads run never changes a result: tasks are cut by size, not by thread.

The calling thread works too and never waits for a helper that has not started (the pool may be busy with another
session): it takes the helper's ticket back. On an error, KeyboardInterrupt included, no further task is begun, and
the call returns only when no helper writes to the arrays any more.

While tasks run, BLAS is held at one thread (see `blas`): nested pools fight for the cores. Floating-point warnings
are off in every thread, as NumPy's setting belongs to one thread and TensorFlow has no such warnings.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from queue import SimpleQueue
from types import TracebackType

import numpy as np
import numpy.typing as npt

from tfbench.engine.kernels import blas
from tfbench.engine.kernels.quiet import begin, end

Work = Callable[[Iterator[int]], object]

_ALIGNMENT = 64


def available() -> int:
    """Threads to use if nobody says: OMP_NUM_THREADS, else the cores that this process may run on."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Current(threading.local):
    limit = 0
    #: the `arithmetic` around the call: how many threads it allows
    around: int | None = None


_current = _Current()
_default = 0


def count() -> int:
    """How many threads a kernel called now may use."""
    global _default
    if _current.limit:
        return _current.limit
    if not _default:
        _default = available()
    return _default


class limit:  # noqa: N801 (used as `with limit(2):`)
    """Context: kernels called by this thread use at most `threads` threads; 0 means as many as there are."""

    __slots__ = ("_before", "_threads")

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._before = 0

    def __enter__(self) -> None:
        self._before = _current.limit
        _current.limit = self._threads

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.limit = self._before


class arithmetic:  # noqa: N801 (as `limit`)
    """Context of one run: `limit(threads)`, BLAS included if it is one, and no floating-point warnings."""

    __slots__ = ("_around", "_before", "_quiet", "_threads")

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._before = 0

    def __enter__(self) -> None:
        self._quiet = begin()
        here, threads = _current, self._threads
        self._before, self._around = here.limit, here.around
        here.limit = here.around = threads
        if threads == 1:
            blas.one_thread.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._threads == 1:
            blas.one_thread.__exit__()
        here = _current
        here.limit, here.around = self._before, self._around
        end(self._quiet)


class _Scratch(threading.local):
    memory: npt.NDArray[np.uint8] = np.empty(0, np.uint8)


_scratch = _Scratch()


def scratch(size: int) -> npt.NDArray[np.uint8]:
    """This thread's working memory: `size` bytes that hold until the thread asks again."""
    if len(_scratch.memory) < size:
        _scratch.memory = np.empty(0, np.uint8)  # give the old buffer back first
        _scratch.memory = np.empty(size + _ALIGNMENT, np.uint8)
        start = -_scratch.memory.ctypes.data % _ALIGNMENT
        _scratch.memory = _scratch.memory[start:]
    return _scratch.memory[:size]


class _Ticket:
    """One helper's share of a `parallel` call. Whoever takes `claim` first decides whether it runs."""

    __slots__ = ("claim", "done", "error", "tasks", "work")

    def __init__(self, work: Work, tasks: Iterator[int]) -> None:
        self.work = work
        self.tasks = tasks
        self.claim = threading.Lock()
        self.done = threading.Lock()
        self.done.acquire()
        self.error: BaseException | None = None

    def run(self) -> None:
        if not self.claim.acquire(blocking=False):
            return
        try:
            with np.errstate(all="ignore"):
                self.work(self.tasks)
        except BaseException as error:  # carried to the caller, whatever it is
            self.error = error
            _drain(self.tasks)
        finally:
            self.done.release()


def _drain(tasks: Iterator[int]) -> None:
    for _ in tasks:
        pass


class _Pool:
    """Daemon threads that sleep on a queue of tickets; grows to the largest number asked for."""

    def __init__(self) -> None:
        self._tickets: SimpleQueue[_Ticket] = SimpleQueue()
        self._size = 0
        self._lock = threading.Lock()

    def submit(self, tickets: list[_Ticket]) -> None:
        if self._size < len(tickets):
            with self._lock:
                while self._size < len(tickets):
                    name = f"tfbench-{self._size + 1}"
                    threading.Thread(target=self._serve, name=name, daemon=True).start()
                    self._size += 1
        for ticket in tickets:
            self._tickets.put(ticket)

    def _serve(self) -> None:
        while True:
            self._tickets.get().run()


_pool = _Pool()


def parallel(tasks: int, work: Work) -> None:
    """Calls `work(iterator)` on up to `count()` threads until the numbers `0 … tasks-1` are used up."""
    threads = count()
    helpers = min(threads, tasks) - 1
    if helpers <= 0:
        around = _current.around
        if around == 1 or (around is not None and threads > 1):  # all that follows has been seen to
            work(iter(range(tasks)))
            return
        with np.errstate(all="ignore"), blas.one_thread if threads == 1 else nullcontext():
            work(iter(range(tasks)))
        return
    shared = iter(range(tasks))  # `next` on a range iterator is one step under the GIL
    tickets = [_Ticket(work, shared) for _ in range(helpers)]
    with np.errstate(all="ignore"), blas.one_thread:
        _pool.submit(tickets)
        try:
            work(shared)
        except BaseException:
            _drain(shared)
            raise
        finally:
            _settle(tickets)
    for ticket in tickets:
        if ticket.error is not None:
            raise ticket.error


def _settle(tickets: list[_Ticket]) -> None:
    """Takes unstarted tickets back and waits for the others, through any number of Ctrl-C."""
    interrupt: BaseException | None = None
    for ticket in tickets:
        while True:
            try:
                if not ticket.claim.acquire(blocking=False):
                    ticket.done.acquire()
                break
            except KeyboardInterrupt as error:
                interrupt = error
                _drain(ticket.tasks)
    if interrupt is not None:
        raise interrupt


def _after_fork() -> None:
    """A child has none of the parent's threads: it starts a pool of its own when it needs one."""
    global _pool
    _pool = _Pool()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
