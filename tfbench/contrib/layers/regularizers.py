"""Penalties on weights: functions of a tensor that give a scalar, or None for none."""

from __future__ import annotations

import logging
import numbers
from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collection, get_collection
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_loss import l2_loss
from tfbench.engine.tensor import Tensor

Regularizer = Callable[[Any], Any]


def _is_zero(scale: Any, name: str = "scale") -> bool:
    """Whether there is nothing to regularize.

    Raises:
      ValueError: for an integer, or a negative number.
    """
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"{name} cannot be an integer: {scale}")
    if not isinstance(scale, numbers.Real):
        return False
    if scale < 0.0:
        raise ValueError(f"Setting a scale less than 0 on a regularizer: {float(scale):g}")
    if scale == 0.0:
        logging.getLogger("tensorflow").info("Scale of 0 disables regularizer.")
    return scale == 0.0


def _nothing(_: Any) -> None:
    return None


def _scaled(scale: Any, scope: str | None, default: str, size: Callable[[Any], Tensor]) -> Regularizer:
    def regularizer(weights: Any) -> Tensor:
        with name_scope(scope, default, [weights]) as name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return ops.multiply(factor, size(weights), name=name)

    return regularizer


def l1_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """scale * sum of |weights|. ValueError for a negative or an integer scale."""
    if _is_zero(scale):
        return _nothing
    return _scaled(scale, scope, "l1_regularizer", lambda weights: ops.reduce_sum(ops.abs(weights)))


def l2_regularizer(scale: Any, scope: str | None = None) -> Regularizer:
    """scale * sum of weights^2 / 2. ValueError for a negative or an integer scale."""
    if _is_zero(scale):
        return _nothing
    return _scaled(scale, scope, "l2_regularizer", l2_loss)


def l1_l2_regularizer(scale_l1: Any = 1.0, scale_l2: Any = 1.0, scope: str | None = None) -> Regularizer:
    """The sum of both. ValueError for a negative or an integer scale."""
    for name, scale in (("scale_l1", scale_l1), ("scale_l2", scale_l2)):
        if isinstance(scale, numbers.Integral):
            raise ValueError(f"{name} cannot be an integer: {scale}")
    scope = scope or "l1_l2_regularizer"
    if scale_l1 == 0.0:
        return l2_regularizer(scale_l2, scope)
    if scale_l2 == 0.0:
        return l1_regularizer(scale_l1, scope)
    both = sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope)
    return both or _nothing


def sum_regularizer(regularizer_list: Sequence[Regularizer | None], scope: str | None = None) -> Regularizer | None:
    """The sum of several; None if there are none."""
    given = [one for one in regularizer_list if one is not None]
    if not given:
        return None

    def regularizer(weights: Any) -> Any:
        with name_scope(scope, "sum_regularizer", [weights]) as name:
            penalties = [penalty for penalty in (one(weights) for one in given) if penalty is not None]
            return ops.add_n(penalties, name=name) if penalties else None

    return regularizer


def apply_regularization(regularizer: Regularizer, weights_list: Any = None) -> Tensor:
    """The sum of the penalties on all weights (default: the collection WEIGHTS); it goes into REGULARIZATION_LOSSES.

    Raises:
      ValueError: if there are no weights, or a penalty is no scalar.
    """
    weights_list = weights_list or get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("No weights to regularize.")
    with name_scope("get_regularization_penalty", values=weights_list) as scope:
        found = [regularizer(weights) for weights in weights_list]
        penalties = [penalty if penalty is not None else ops.constant(0.0) for penalty in found]
        for penalty in penalties:
            if penalty.shape.ndims != 0:
                raise ValueError(
                    f"regularizer must return a scalar Tensor instead of a Tensor with rank {penalty.shape.ndims}."
                )
        total = ops.add_n(penalties, name=scope)
        add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
        return total
