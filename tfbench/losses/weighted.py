"""The weighted mean or sum that every loss ends in."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.weights_broadcast import assert_broadcastable, broadcast_weights
from tfbench.engine.tensor import Tensor
from tfbench.losses.collections import add_loss


class Reduction:
    """How the losses of the single predictions become one number."""

    NONE = "none"
    SUM = "weighted_sum"
    #: divided by the sum of the weights
    MEAN = "weighted_mean"
    #: divided by the number of predictions
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    #: divided by the number of predictions whose weight is not 0
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    #: its older name
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: Any) -> None:
        """ValueError for what is no reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """`losses` times `weights`, reduced, and kept in the collection `loss_collection` unless that is None.

    The weights are a scalar, or of the losses' rank with sizes that are 1 or the losses' own.

    Raises:
      ValueError: for an unknown reduction, or weights that do not fit.
    """
    Reduction.validate(reduction)
    with name_scope(scope, "weighted_loss", [losses, weights]):
        with control_dependencies([assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            kind = losses.dtype
            losses = ops.cast(losses, float32)
            weights = ops.cast(weights, float32)
            loss = ops.cast(_reduced(losses, weights, reduction), kind)
            add_loss(loss, loss_collection)
            return loss


def _reduced(losses: Tensor, weights: Tensor, reduction: str) -> Tensor:
    weighted = ops.multiply(losses, weights)
    if reduction == Reduction.NONE:
        return weighted
    total = ops.reduce_sum(weighted)
    if reduction == Reduction.MEAN:
        return _mean(total, ops.reduce_sum(ops.ones_like(losses) * weights))
    if reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
        return _mean(total, num_present(losses, weights))
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        return _mean(total, _count(losses))
    return total


def _mean(total: Tensor, count: Tensor) -> Tensor:
    """total / count, 0 where the count is 0."""
    return div_no_nan(ops.reduce_sum(total), count)


def div_no_nan(x: Tensor, y: Tensor) -> Tensor:
    return lookup("DivNoNan")(x, y, name="value")


def _count(losses: Tensor) -> Tensor:
    with name_scope(None, "num_elements", [losses]) as scope:
        return ops.cast(ops.size(losses, name=scope), losses.dtype)


def num_present(losses: Tensor, weights: Tensor, per_batch: bool = False) -> Tensor:
    """How many losses have a weight that is not 0: in all, or for each element of the batch."""
    with name_scope(None, "num_present", [losses, weights]) as scope:
        present = ops.where(ops.equal(weights, 0.0), ops.zeros_like(weights), ops.ones_like(weights))
        present = broadcast_weights(present, losses)
        if per_batch:
            axes = ops.range(1, ops.rank(present))
            return ops.reduce_sum(present, axis=axes, keepdims=True, name=scope)
        return ops.reduce_sum(present, name=scope)
