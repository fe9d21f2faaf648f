"""Threads that run the partitions of a plan: as many as are needed at once, kept for the next run.

Partitions wait for each other, so each needs a thread of its own from the start; a pool of fixed size could lock up.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence

_idle: list[_Worker] = []


class _Worker:
    """A daemon thread that sleeps until it is given a job."""

    __slots__ = ("_job", "_wake")

    def __init__(self) -> None:
        self._job: Callable[[], None] | None = None
        self._wake = threading.Lock()
        self._wake.acquire()
        threading.Thread(target=self._serve, name="tfbench-partition", daemon=True).start()

    def start(self, job: Callable[[], None]) -> None:
        self._job = job
        self._wake.release()

    def _serve(self) -> None:
        while True:
            self._wake.acquire()
            job, self._job = self._job, None
            if job is not None:
                job()
            del job
            _idle.append(self)


def together(jobs: Sequence[Callable[[], None]], abandon: Callable[[], None]) -> None:
    """Runs jobs at the same time, the first in this thread, and returns when all have ended.

    Jobs must not raise. An interrupt (Ctrl-C) calls `abandon`, which has to make the others end; it is raised
    when they have.
    """
    done = [threading.Lock() for _ in jobs[1:]]
    for lock, job in zip(done, jobs[1:], strict=True):
        lock.acquire()
        try:
            worker = _idle.pop()
        except IndexError:
            worker = _Worker()
        worker.start(_then_release(job, lock))
    interrupt: BaseException | None = None
    try:
        jobs[0]()
    except BaseException as error:
        interrupt = error
        abandon()
    for lock in done:
        while True:
            try:
                lock.acquire()
                break
            except KeyboardInterrupt as error:
                interrupt = error
                abandon()
    if interrupt is not None:
        raise interrupt


def _then_release(job: Callable[[], None], lock: threading.Lock) -> Callable[[], None]:
    def run() -> None:
        try:
            job()
        finally:
            lock.release()

    return run


if hasattr(os, "register_at_fork"):
    # A child has none of its parent's threads.
    os.register_at_fork(after_in_child=_idle.clear)
