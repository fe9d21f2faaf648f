"""Initializers that keep the scale of what goes through a layer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbench.engine.dtypes import as_dtype, float32
from tfbench.engine.ops import random as random_ops
from tfbench.engine.tensor import Tensor

#: called with (shape, dtype, partition_info)
Initializer = Callable[..., Tensor]


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None, dtype: Any = float32
) -> Initializer:
    """Variance factor / n, where n is the number of inputs, of outputs, or their mean: FAN_IN, FAN_OUT, FAN_AVG.

    Raises:
      TypeError: for a type that is not floating, or another mode.
    """
    own_dtype = dtype
    if not as_dtype(dtype).is_floating:
        raise TypeError(f"Cannot create initializer for non-floating point type: {as_dtype(dtype).name}.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Any, dtype: Any = own_dtype, partition_info: Any = None) -> Tensor:
        if not as_dtype(dtype).is_floating:
            raise TypeError(f"Cannot create initializer for non-floating point type: {as_dtype(dtype).name}.")
        sizes = [float(size) for size in shape]
        field = math.prod(sizes[:-2])
        fan_in = (sizes[-2] if len(sizes) > 1 else sizes[-1]) * field if sizes else 1.0
        fan_out = sizes[-1] * field if sizes else 1.0
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=seed)
        # Cutting the distribution off at two deviations takes about that much of its variance.
        return random_ops.truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

    return initializer


def xavier_initializer(uniform: bool = True, seed: int | None = None, dtype: Any = float32) -> Initializer:
    """Variance 2 / (inputs + outputs); also called Glorot's."""
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


#: its name for convolutions
xavier_initializer_conv2d = xavier_initializer
