"""`tf.contrib.tensorboard`: what TensorBoard's plugins read."""

from __future__ import annotations

from tfbench.contrib.tensorboard import plugins

__all__ = ["plugins"]
