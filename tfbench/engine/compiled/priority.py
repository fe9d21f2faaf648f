"""How modest a process is: imported before anything that costs time."""

from __future__ import annotations

import os
import sys

#: levels: as any other process; behind others, but with a part of each core; only on cores that nobody else wants
EQUAL, MODEST, IDLE = 0, 1, 2

_NICE = 5


def lower(level: int) -> None:
    """Makes this process as modest as that; it cannot take it back. What the system refuses is left."""
    try:
        if level == IDLE and sys.platform == "linux":
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        elif level != EQUAL and hasattr(os, "nice"):
            os.nice(_NICE)
    except OSError:
        pass
