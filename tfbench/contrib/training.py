"""`tf.contrib.training`: hyperparameters, training steps, strategies for `tf.train.replica_device_setter`."""

from __future__ import annotations

from tfbench.contrib.hparam import HParams, parse_values
from tfbench.contrib.slim.learning import (
    add_gradients_summaries,
    clip_gradient_norms,
    create_train_op,
    multiply_gradients,
)
from tfbench.train.device_setter import GreedyLoadBalancingStrategy, RandomStrategy, byte_size_load_fn

__all__ = [
    "GreedyLoadBalancingStrategy", "HParams", "RandomStrategy", "add_gradients_summaries", "byte_size_load_fn",
    "clip_gradient_norms", "create_train_op", "multiply_gradients", "parse_values",
]  # fmt: skip
