"""The data (`input_data`) and the model (`mnist`) of the MNIST tutorial."""

from __future__ import annotations

from tfbench.examples.tutorials.mnist import input_data as input_data
from tfbench.examples.tutorials.mnist import mnist as mnist

__all__ = ["input_data", "mnist"]
