"""Dropout: each element zero with a given probability, and the others larger, so that the sum is expected to stay."""

from __future__ import annotations

import numbers
from typing import Any

from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.random import random_uniform
from tfbench.engine.ops.shape_ops import renamed, shape
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: Any = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """`x` with each element zero with probability `rate` (or 1 - `keep_prob`), the others divided by 1 - rate.

    `noise_shape` says for which elements the dice are thrown: where its size is 1, they are kept or dropped together.

    Raises:
      ValueError: without a rate, or with one outside [0, 1); for a type that is not floating.
    """
    try:
        from_keep_prob = None if keep_prob is None else 1.0 - keep_prob
    except TypeError:
        raise ValueError(
            f"`keep_prob` must be a floating point number or Tensor. Received: keep_prob={keep_prob}"
        ) from None
    rate = renamed("rate", rate, "keep_prob", from_keep_prob)
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    with name_scope(name, "dropout", [x]):
        is_number = isinstance(rate, numbers.Real)
        if is_number and (rate < 0 or rate >= 1):
            raise ValueError(f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}")
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: x_dtype={x.dtype!r}"
            )
        if is_number and rate == 0:
            return x
        scaled, rate = _scaled(x, rate, is_number)
        noise = random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
        kept = where_v2(noise >= rate, scaled, constant(0, dtype=x.dtype))
        kept.set_shape(x.shape)
        return kept


def _scaled(x: Tensor, rate: Any, is_number: bool) -> tuple[Any, Any]:
    """`x` divided by 1 - rate, and the rate as it is compared with the noise."""
    if is_number:
        return lookup("Mul")(x, convert_to_tensor(1 / (1 - rate), dtype=x.dtype)), rate
    if not isinstance(rate, Tensor):
        if not hasattr(rate, "_as_graph_element"):
            raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
        rate = convert_to_tensor(rate)
    rate.shape.assert_has_rank(0)
    if rate.dtype != x.dtype:
        raise ValueError(
            "`x.dtype` must be compatible with `rate.dtype`. "
            f"Received: x.dtype={x.dtype!r} and rate.dtype={rate.dtype!r}"
        )
    one = constant(1, dtype=x.dtype)
    return lookup("RealDiv")(x, lookup("Sub")(one, rate)), rate


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    """The noise's shape: that of `x`, or the given one with its unknown sizes filled in."""
    if noise_shape is None:
        return shape(x)
    try:
        wanted = TensorShape(noise_shape)._dims
    except (TypeError, ValueError):
        return noise_shape
    own = x._shape
    if own is not None and wanted is not None and len(own) == len(wanted):
        return TensorShape([size if asked is None else asked for asked, size in zip(wanted, own)])
    return noise_shape
