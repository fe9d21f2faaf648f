"""Batch renormalisation (Ioffe, 2017): in training, too, the outputs are as if normalised by slowly moving statistics.

The batch's mean and deviation still are what gradients go through; r and d, which no gradient goes through, turn what
they give into what the moving ones (`renorm_mean`, `renorm_stddev`) would have given.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.layers.core import smart_cond

#: the bounds of r, and of the absolute value of d
BOUNDS = ("rmax", "rmin", "dmax")


def checked_clipping(given: Any) -> dict[str, Any]:
    """The bounds that were asked for.

    Raises:
      ValueError: for a bound that there is not.
    """
    given = given or {}
    if any(key not in BOUNDS for key in given):
        raise ValueError(f"renorm_clipping {given} contains keys not in {list(BOUNDS)}")
    return dict(given)


def correction(
    layer: Any, mean: Any, variance: Any, training: Any, moved: Callable[[Any, Any, Any], Any]
) -> tuple[Any, Any, Any, Any]:
    """r, d, and the batch's mean and variance, which wait for the update of the moving ones.

    `layer` has `renorm_mean`, `renorm_stddev`, `renorm_clipping`, `renorm_momentum` and `epsilon`; `moved` makes the op
    that moves a variable towards a value.
    """
    deviation = ops.sqrt(variance + layer.epsilon)
    # Early in training the moving deviation may be next to nothing.
    moving = ops.maximum(layer.renorm_stddev, ops.sqrt(layer.epsilon))
    r = deviation / moving
    d = (mean - layer.renorm_mean) / moving
    with control_dependencies([r, d]):
        mean_after, deviation_after = ops.identity(mean), ops.identity(deviation)
    bounds = layer.renorm_clipping
    if bounds.get("rmin") is not None:
        r = ops.maximum(r, bounds["rmin"])
    if bounds.get("rmax") is not None:
        r = ops.minimum(r, bounds["rmax"])
    if bounds.get("dmax") is not None:
        d = ops.minimum(ops.maximum(d, -bounds["dmax"]), bounds["dmax"])
    trained_r, trained_d = r, d
    r = smart_cond(training, lambda: trained_r, lambda: ops.ones_like(trained_r))
    d = smart_cond(training, lambda: trained_d, lambda: ops.zeros_like(trained_d))

    def updated(variable: Any, value: Any) -> Any:
        value = ops.identity(value)
        return smart_cond(
            training, lambda: moved(variable, value, layer.renorm_momentum), lambda: ops.identity(variable)
        )

    updates = [updated(layer.renorm_mean, mean_after), updated(layer.renorm_stddev, deviation_after)]
    with control_dependencies(updates):
        return r, d, ops.identity(mean_after), ops.identity(variance)


def then(scale: Any, offset: Any, next_scale: Any, next_offset: Any) -> tuple[Any, Any]:
    """One scale and offset for two, one after the other; the second pair may be missing."""
    if next_scale is not None:
        scale, offset = scale * next_scale, offset * next_scale
    if next_offset is not None:
        offset = offset + next_offset
    return scale, offset


def adjusted(adjustment: Any, inputs: Any, training: Any, scale: Any, offset: Any) -> tuple[Any, Any]:
    """`scale` and `offset` after those that `adjustment`, a function of the inputs' shape, gives in training."""
    given_scale, given_offset = adjustment(ops.shape(inputs))
    first_scale = smart_cond(training, lambda: given_scale, lambda: ops.ones_like(given_scale))
    first_offset = smart_cond(training, lambda: given_offset, lambda: ops.zeros_like(given_offset))
    return then(convert_to_tensor(first_scale), convert_to_tensor(first_offset), scale, offset)
