"""`Progbar`: a bar of text that is written over as it grows."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np


class Progbar:
    """A bar with values beside it, averaged over what they were counted for.

    Args:
      target: what is counted to; None where that is not known.
      verbose: 1 for a bar, 2 for one line at the end, 0 for nothing.
      stateful_metrics: names of values that are shown as they are.
      interval: seconds between two updates.
    """

    def __init__(
        self, target: int | None, width: int = 30, verbose: int = 1, interval: float = 0.05,
        stateful_metrics: Any = None, unit_name: str = "step",
    ) -> None:  # fmt: skip
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or [])
        self._over = (hasattr(sys.stdout, "isatty") and sys.stdout.isatty()) or "ipykernel" in sys.modules
        self._length = 0
        self._seen = 0
        self._values: dict[str, Any] = {}
        self._start = time.time()
        self._last = 0.0

    def add(self, n: int, values: Any = None) -> None:
        """Goes on by n."""
        self.update(self._seen + n, values)

    def update(self, current: int, values: Any = None) -> None:
        """Goes on to `current`. `values` are pairs of a name and a number."""
        for name, value in values or ():
            if name in self.stateful_metrics:
                self._values[name] = (value, 1)
            else:
                total, count = self._values.get(name, (0.0, 0))
                more = current - self._seen
                self._values[name] = (total + value * more, count + more) if more or count else (value, 1)
        self._seen = current
        now = time.time()
        done = self.target is not None and current >= self.target
        if self.verbose == 1:
            if now - self._last >= self.interval or done:
                self._draw(current, now, done)
                self._last = now
        elif self.verbose == 2 and done:
            self._write(f"{current}/{self.target} - {now - self._start:.0f}s{self._text()}\n")

    def _text(self) -> str:
        parts = []
        for name, (total, count) in self._values.items():
            mean = float(np.mean(total / max(1, count)))
            parts.append(f" - {name}: {mean:.4f}" if abs(mean) > 1e-3 else f" - {name}: {mean:.4e}")
        return "".join(parts)

    def _draw(self, current: int, now: float, done: bool) -> None:
        if self.target is None:
            bar = f"{current:>7}/Unknown"
        else:
            digits = len(str(self.target))
            filled = int(self.width * current / max(1, self.target))
            head = "=" if done else ">"
            line = "=" * max(0, filled - 1) + head if filled else ""
            bar = f"{current:{digits}d}/{self.target} [{line.ljust(self.width, '.')}]"
        passed = now - self._start
        each = passed / current if current else 0.0
        if self.target is not None and not done:
            left = each * (self.target - current)
            minutes, seconds = divmod(int(left), 60)
            info = f" - ETA: {minutes}:{seconds:02d}" if minutes else f" - ETA: {seconds}s"
        else:
            scale = ("s", 1.0) if each >= 1 else ("ms", 1e3) if each >= 1e-3 else ("us", 1e6)
            info = f" - {passed:.0f}s {each * scale[1]:.0f}{scale[0]}/{self.unit_name}"
        text = bar + info + self._text()
        padding = " " * max(0, self._length - len(text))
        self._length = len(text)
        self._write(("\r" if self._over else "\n") + text + padding + ("\n" if done else ""))

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
