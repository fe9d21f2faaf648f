"""`tensorflow.python.tf2`: whether TensorFlow 2's behaviour is on."""

from __future__ import annotations

__all__ = ["enabled"]


def enabled() -> bool:
    """False: this is TensorFlow 1."""
    return False
