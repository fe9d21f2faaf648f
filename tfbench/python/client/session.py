"""`tensorflow.python.client.session`."""

from __future__ import annotations

from tfbench.engine.session import InteractiveSession, Session

__all__ = ["InteractiveSession", "Session"]
