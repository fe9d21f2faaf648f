"""`tf.gradients` and what goes with it; see `build` for how, `registry` for which op has which gradient."""

from tfbench.engine.gradients.build import AggregationMethod, UnconnectedGradients, gradients
from tfbench.engine.gradients.custom import custom_gradient, grad_pass_through
from tfbench.engine.gradients.hessians import hessians
from tfbench.engine.gradients.registry import NoGradient, NotDifferentiable, RegisterGradient

__all__ = [
    "AggregationMethod", "NoGradient", "NotDifferentiable", "RegisterGradient", "UnconnectedGradients",
    "custom_gradient", "grad_pass_through", "gradients", "hessians",
]  # fmt: skip
