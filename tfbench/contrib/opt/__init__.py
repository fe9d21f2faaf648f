"""`tf.contrib.opt`: more optimizers, and optimizers around optimizers."""

from __future__ import annotations

from tfbench.contrib.opt.adam_variants import LazyAdamOptimizer, NadamOptimizer
from tfbench.contrib.opt.lars import LARSOptimizer
from tfbench.contrib.opt.moving_average import MovingAverageOptimizer
from tfbench.contrib.opt.variable_clipping import VariableClippingOptimizer
from tfbench.contrib.opt.weight_decay import (
    AdamWOptimizer,
    DecoupledWeightDecayExtension,
    MomentumWOptimizer,
    extend_with_decoupled_weight_decay,
)

__all__ = [
    "AdamWOptimizer", "DecoupledWeightDecayExtension", "LARSOptimizer", "LazyAdamOptimizer", "MomentumWOptimizer",
    "MovingAverageOptimizer", "NadamOptimizer", "VariableClippingOptimizer", "extend_with_decoupled_weight_decay",
]  # fmt: skip
