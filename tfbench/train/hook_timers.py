"""When a hook is to do something: every so many steps, or every so many seconds."""

from __future__ import annotations

import time

__all__ = ["NeverTriggerTimer", "SecondOrStepTimer"]


class SecondOrStepTimer:
    """Triggers at the first step, and then whenever so many seconds or steps have passed.

    Raises:
      ValueError: unless exactly one of both is given.
    """

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if every_secs is None and every_steps is None:
            raise ValueError("Either every_secs or every_steps should be provided.")
        if every_secs is not None and every_steps is not None:
            raise ValueError("Can not provide both every_secs and every_steps.")
        self._every_secs = every_secs
        self._every_steps = every_steps
        self._last_triggered_step: int | None = None
        self._last_triggered_time: float | None = None
        self.reset()

    def reset(self) -> None:
        """Forgets what was: the next step triggers."""
        self._last_triggered_step = None
        self._last_triggered_time = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is time. A step never triggers twice."""
        if self._last_triggered_step is None or self._last_triggered_time is None:
            return True
        if self._last_triggered_step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._last_triggered_time + self._every_secs
        return step >= self._last_triggered_step + (self._every_steps or 0)

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that `step` has triggered. Seconds and steps since the last time; None the first time."""
        now = time.time()
        seconds = steps = None
        if self._last_triggered_step is not None and self._last_triggered_time is not None:
            seconds, steps = now - self._last_triggered_time, step - self._last_triggered_step
        self._last_triggered_time, self._last_triggered_step = now, step
        return seconds, steps

    def last_triggered_step(self) -> int | None:
        """The last step that has triggered, or None."""
        return self._last_triggered_step


class NeverTriggerTimer(SecondOrStepTimer):
    """Never triggers."""

    def __init__(self) -> None:
        super().__init__(every_secs=float("inf"))

    def should_trigger_for_step(self, step: int) -> bool:
        return False

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        return None, None
