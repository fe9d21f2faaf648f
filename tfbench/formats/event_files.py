"""Event files, which TensorBoard reads: records that are Event messages, written by a thread of their own.

Whoever adds an event hands over finished bytes; the thread writes what has come together, so that a training loop
waits for no disk, and an interrupt (which only the main thread gets) cannot cut a write in two. Nothing is dropped: if
a write fails (a full disk), the events wait, whoever adds or flushes next gets the error, and the write is tried again
then. What waits when the program ends is written by an exit handler.

A file is made when its first event is written, under a name that no other file has: TensorFlow writes over the file of
a writer that was closed in the same second.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from collections import deque
from collections.abc import Callable
from threading import Condition, Thread
from weakref import WeakSet

from tfbench import errors
from tfbench.engine.kernels import wire
from tfbench.engine.ops.files import file_error
from tfbench.formats.records import RecordFile, frame

#: how long the thread waits for more before it writes, in seconds
_PATIENCE = 0.2

_open: WeakSet[EventWriter] = WeakSet()


def event(number: int, payload: bytes, step: int | None = None, wall_time: float | None = None) -> bytes:
    """An Event message with the field `number` of its oneof `what`."""
    now = time.time() if wall_time is None else wall_time
    return wire.double(1, now) + wire.integer(2, step or 0) + wire.chunk(number, payload, always=True)


def version_event() -> bytes:
    """What an event file begins with."""
    writer = wire.chunk(10, wire.chunk(1, b"tensorflow.core.util.events_writer"))
    return event(3, b"brain.Event:2", wall_time=int(time.time())) + writer


def new_event_file(folder: str, suffix: str = "") -> RecordFile:
    """A file with a name that TensorBoard knows, in a folder that exists."""
    host = os.uname().nodename if hasattr(os, "uname") else os.environ.get("COMPUTERNAME", "localhost")
    stem = os.path.join(folder, f"events.out.tfevents.{int(time.time()):010d}.{host}")
    count = 0
    while True:
        try:
            return RecordFile(f"{stem}{f'.{count}' if count else ''}{suffix}", new=True)
        except FileExistsError:
            count += 1


class EventWriter:
    """Adds events to files in `folder`, which is made if need be. At most `max_queue` events wait.

    Raises:
      FailedPreconditionError: if `folder` is a file. NotFoundError, PermissionDeniedError: if it cannot be made.
    """

    def __init__(self, folder: str, max_queue: int = 10, flush_secs: float = 120, suffix: str = "") -> None:
        self.folder = folder
        self._most = max_queue if max_queue > 0 else 1 << 62
        self._patience = min(max(flush_secs, 0.0), _PATIENCE)
        self._suffix = suffix
        make_folder(folder)
        self._start_over()

    def _start_over(self) -> None:
        self._process = os.getpid()
        self._changed = Condition()
        self._waiting: deque[bytes] = deque()
        self._added = self._written = 0
        self._in_a_hurry = False
        self._closing = False
        self._failure: BaseException | None = None
        self._file: RecordFile | None = None
        self._thread: Thread | None = None

    # -- for those who have events ----------------------------------------------------------------------------------

    def add(self, message: bytes) -> None:
        """Hands over an event.

        Raises:
          OpError: if writing failed since the last call, and fails again. The event is kept all the same.
        """
        if self._process != os.getpid():
            self._start_over()  # a fork: what waited there is written there, into that process's file
        with self._changed:
            self._waiting.append(frame(message))
            self._added += 1
            if self._thread is None:
                self._thread = Thread(target=self._work, name="EventLoggerThread", daemon=True)
                self._thread.start()
                _open.add(self)
            self._changed.notify_all()
            if self._failure is not None:
                self._wait_until(lambda: self._written == self._added)
            elif len(self._waiting) > self._most:
                self._wait_until(lambda: len(self._waiting) <= self._most)

    def flush(self) -> None:
        """Waits until the operating system has all events.

        Raises:
          OpError: if that fails. The events are kept, and written with the next ones.
        """
        if self._process != os.getpid():
            self._start_over()
        with self._changed:
            goal = self._added
            self._wait_until(lambda: self._written >= goal)

    def _wait_until(self, reached: Callable[[], bool]) -> None:
        """Waits for the thread, which tries again if it had failed; holds the lock."""
        if reached():
            return
        self._failure, self._in_a_hurry = None, True
        self._changed.notify_all()
        while not reached():
            self._raise_failure()
            if self._thread is None or not self._thread.is_alive():
                raise RuntimeError(f"The thread that writes events to {self.folder} has ended; {self._rest()}.")
            self._changed.wait(1.0)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _rest(self) -> str:
        return f"{len(self._waiting)} events are not written"

    def close(self) -> None:
        """Writes everything, ends the thread and closes the file. If writing fails, all stays as it is."""
        self.flush()
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            thread, file = self._thread, self._file
        if thread is not None:
            thread.join()
        _open.discard(self)
        self._start_over()
        if file is not None:
            file.close()

    # -- the thread -------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closing or (self._waiting and self._failure is None))
                if not self._waiting:
                    return
                self._changed.wait_for(self._worth_writing, self._patience)
                batch = list(self._waiting)
                self._in_a_hurry = False
            try:
                if self._file is None:
                    self._file = new_event_file(self.folder, self._suffix)
                if not self._file.size:
                    self._file.write(frame(version_event()))
                self._file.write(b"".join(batch))
            except BaseException as failure:
                with self._changed:
                    self._failure = failure
                    self._changed.notify_all()
                    if self._closing:
                        return
                continue
            with self._changed:
                for _ in batch:
                    self._waiting.popleft()
                self._written += len(batch)
                self._changed.notify_all()

    def _worth_writing(self) -> bool:
        return self._in_a_hurry or self._closing or len(self._waiting) >= self._most


def make_folder(folder: str) -> None:
    """Makes a folder and those above it."""
    try:
        os.makedirs(folder, exist_ok=True)
    except FileExistsError:
        raise errors.FailedPreconditionError(None, None, f"{folder} is not a directory") from None
    except OSError as error:
        raise file_error(folder, error) from None


def _write_the_rest() -> None:
    """At the end of the program: what waits is written; what cannot be is said."""
    for writer in list(_open):
        if writer._process == os.getpid():
            try:
                writer.flush()
            except Exception as error:
                print(f"{writer.folder}: {writer._rest()}: {error}", file=sys.stderr)


atexit.register(_write_the_rest)
