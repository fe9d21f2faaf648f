"""`tf.contrib.learn.datasets`: MNIST."""

from __future__ import annotations

from tfbench.contrib.learn.datasets import base as base
from tfbench.contrib.learn.datasets import mnist as mnist

__all__ = ["base", "mnist"]
