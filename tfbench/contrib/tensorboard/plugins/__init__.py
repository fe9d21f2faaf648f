"""TensorBoard's plugins."""

from __future__ import annotations

from tfbench.contrib.tensorboard.plugins import projector

__all__ = ["projector"]
