"""`from tensorflow.python.client import timeline`: traces for Chrome."""

from __future__ import annotations

from tfbench.formats.timeline import Timeline

__all__ = ["Timeline"]
