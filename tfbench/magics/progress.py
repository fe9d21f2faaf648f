"""A progress bar on one line of text, the same at the end of every run."""

from __future__ import annotations

import sys
import time

_WIDTH = 30
_SECONDS_BETWEEN = 0.2


class Progress:
    """Counts steps up to `total`. Leaving the block early keeps the count that was reached."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self._next = 0.0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._draw()
        sys.stdout.write("\n")
        sys.stdout.flush()

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _SECONDS_BETWEEN
            self._draw()

    def _draw(self) -> None:
        filled = _WIDTH * self.done // self.total
        sys.stdout.write(f"\r[{'#' * filled}{'.' * (_WIDTH - filled)}] {self.done}/{self.total} runs")
        sys.stdout.flush()
