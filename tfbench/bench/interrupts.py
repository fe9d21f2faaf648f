"""Keyboard interrupts, let through only while the user's code runs.

A graph that is half rolled back must not stay so. `held()` notes an interrupt instead of raising it; inside
`allowed()` it is raised as ever, at once where one was noted.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Interrupts:
    """The state of one `held()` block."""

    def __init__(self, handler: Any) -> None:
        self.handler = handler
        self._pending = False

    def note(self, *_: object) -> None:
        self._pending = True

    def check(self) -> None:
        """Raises KeyboardInterrupt where one came meanwhile."""
        if self._pending:
            self._pending = False
            raise KeyboardInterrupt

    @contextmanager
    def allowed(self) -> Iterator[None]:
        """Interrupts are raised as usual inside."""
        if self.handler is None:
            yield
            return
        self.check()
        try:
            signal.signal(signal.SIGINT, self.handler)
            yield
        finally:
            # What the cell has set itself stays.
            self.handler = signal.signal(signal.SIGINT, self.note)


@contextmanager
def held() -> Iterator[Interrupts]:
    """Notes interrupts inside; does nothing outside the main thread, where Python never raises them."""
    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield Interrupts(None)
        return
    interrupts = Interrupts(handler)
    signal.signal(signal.SIGINT, interrupts.note)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, interrupts.handler)
