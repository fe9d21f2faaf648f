"""`tf.contrib.training`: hyperparameters, and strategies for `tf.train.replica_device_setter`."""

from __future__ import annotations

from tfbench.contrib.hparam import HParams, parse_values
from tfbench.train.device_setter import GreedyLoadBalancingStrategy, RandomStrategy, byte_size_load_fn

__all__ = ["GreedyLoadBalancingStrategy", "HParams", "RandomStrategy", "byte_size_load_fn", "parse_values"]
