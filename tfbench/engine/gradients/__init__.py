"""`tf.gradients` and what goes with it; see `build` for how, `registry` for which op has which gradient."""

from tfbench.engine.gradients.build import AggregationMethod, UnconnectedGradients, gradients
from tfbench.engine.gradients.registry import NoGradient, NotDifferentiable, RegisterGradient

__all__ = [
    "AggregationMethod", "NoGradient", "NotDifferentiable", "RegisterGradient", "UnconnectedGradients", "gradients",
]  # fmt: skip
