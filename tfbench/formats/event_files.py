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
from _thread import start_new_thread
from queue import Empty, SimpleQueue
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
        self._process = os.getpid()
        self._channel: _Channel | None = None
        _open.add(self)

    def _running(self) -> _Channel:
        """The thread that writes now; started if there is none, in this process or since `close`."""
        channel = self._channel
        if channel is None or channel.closed or self._process != os.getpid():
            # After a fork: what waits was added there, and is written there, into that process's file.
            channel = _Channel(self.folder, self._suffix, self._most, self._patience)
            start_new_thread(channel.work, ())
            self._process, self._channel = os.getpid(), channel
        return channel

    def add(self, message: bytes) -> None:
        """Hands over an event.

        Raises:
          OpError: if writing failed since the last call, and fails again. The event is kept all the same.
        """
        channel = self._running()
        channel.queue.put(frame(message))
        if channel.failure is not None or channel.queue.qsize() > self._most:
            channel.ask(closing=False)

    def flush(self) -> None:
        """Waits until the operating system has all events.

        Raises:
          OpError: if that fails. The events are kept, and written with the next ones.
        """
        if self._channel is not None and self._process == os.getpid() and not self._channel.closed:
            self._channel.ask(closing=False)

    def close(self) -> None:
        """Writes everything, closes the file and ends the thread. If writing fails, all stays as it is."""
        if self._channel is not None and self._process == os.getpid() and not self._channel.closed:
            self._channel.ask(closing=True)
        self._channel = None

    def waiting(self) -> int:
        """How many events are not written yet."""
        channel = self._channel
        return 0 if channel is None else channel.queue.qsize() + len(channel.pending)


class _Ticket:
    """What is asked of the thread: to write all that came before, and perhaps to end. It answers with the failure."""

    __slots__ = ("answer", "closing")

    def __init__(self, closing: bool) -> None:
        self.closing = closing
        self.answer: SimpleQueue[BaseException | None] = SimpleQueue()


class _Channel:
    """A thread, the file it writes, and the queue it is fed by.

    An interrupt (an exception in the main thread) may come between any two steps of whoever adds events. So those steps
    hold no lock and change nothing but the queue, whose `put` and `get` are atomic; all else is the thread's.
    """

    def __init__(self, folder: str, suffix: str, most: int, patience: float) -> None:
        self.queue: SimpleQueue[bytes | _Ticket] = SimpleQueue()
        self.pending: list[bytes] = []
        self.failure: BaseException | None = None
        self.closed = False
        self._folder, self._suffix, self._most, self._patience = folder, suffix, most, patience
        self._file: RecordFile | None = None

    def ask(self, closing: bool) -> None:
        """Has everything written, and waits for it."""
        ticket = _Ticket(closing)
        self.queue.put(ticket)
        failure = ticket.answer.get()
        if failure is not None:
            raise failure

    def work(self) -> None:
        """What the thread does."""
        while True:
            tickets: list[_Ticket] = []
            self._take(self.queue.get(), tickets)
            end = time.monotonic() + self._patience
            while not tickets and len(self.pending) < self._most:
                try:
                    self._take(self.queue.get(timeout=max(end - time.monotonic(), 0.0)), tickets)
                except Empty:
                    break
            self._take_all(tickets)
            closing = any(ticket.closing for ticket in tickets)
            if closing:
                self.closed = True  # from here on, events go to the next channel; those that came first are taken
                self._take_all(tickets)
            self.failure = failure = self._write(closing)
            if failure is not None:
                self.closed = closing = False
            for ticket in tickets:
                ticket.answer.put(failure)
            if closing:
                return

    def _take(self, item: bytes | _Ticket, tickets: list[_Ticket]) -> None:
        if isinstance(item, _Ticket):
            tickets.append(item)
        else:
            self.pending.append(item)

    def _take_all(self, tickets: list[_Ticket]) -> None:
        while not self.queue.empty():
            self._take(self.queue.get(), tickets)

    def _write(self, closing: bool) -> BaseException | None:
        """Writes what is pending, and closes the file; what went wrong, if something did."""
        try:
            if self.pending:
                if self._file is None:
                    self._file = new_event_file(self._folder, self._suffix)
                if not self._file.size:
                    self._file.write(frame(version_event()))
                self._file.write(b"".join(self.pending))
                self.pending.clear()
            if closing and self._file is not None:
                self._file.close()
        except BaseException as failure:
            return failure
        return None


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
        try:
            writer.flush()
        except Exception as error:
            print(f"{writer.folder}: {writer.waiting()} events are not written: {error}", file=sys.stderr)


atexit.register(_write_the_rest)
