"""Losses and their weights: brought to one form, multiplied, reduced."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.math_confusion import remove_squeezable_dimensions
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.losses.weighted import div_no_nan
from tfbench.metrics.arguments import matched_weights


class Reduction:
    """How the losses of the examples become one number."""

    AUTO = "auto"
    NONE = "none"
    SUM = "sum"
    SUM_OVER_BATCH_SIZE = "sum_over_batch_size"

    @classmethod
    def all(cls) -> tuple[str, ...]:
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)

    @classmethod
    def validate(cls, key: Any) -> None:
        """ValueError for what is no reduction."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Expected keys are {cls.all()}")


def matched(y_pred: Any, y_true: Any) -> tuple[Any, Any]:
    """Predictions and labels without a last axis of size 1 that only one of them has."""
    pred_rank, true_rank = y_pred.shape.ndims, y_true.shape.ndims
    if pred_rank is not None and true_rank is not None:
        if pred_rank - true_rank != 1 or y_pred.shape.as_list()[-1] == 1:
            y_true, y_pred = remove_squeezable_dimensions(y_true, y_pred)
        return y_pred, y_true
    surplus = ops.rank(y_pred) - ops.rank(y_true)

    def squeezed() -> Any:
        return remove_squeezable_dimensions(y_true, y_pred)

    is_one = ops.equal(1, ops.shape(y_pred)[-1])
    y_true, y_pred = cond(
        ops.equal(1, surplus), lambda: cond(is_one, squeezed, lambda: (y_true, y_pred)), squeezed
    )  # fmt: skip
    return y_pred, y_true


def weights_like(y_pred: Any, sample_weight: Any) -> Any:
    """The weights with the rank of the predictions, if theirs is one more or less."""
    return matched_weights(convert_to_tensor(sample_weight), y_pred)


def with_mask(mask: Any, sample_weight: Any, dtype: Any) -> Any:
    """The weights of what a mask leaves; with a mask of None, the weights."""
    if mask is None:
        return sample_weight
    mask = ops.cast(mask, dtype)
    return mask if sample_weight is None else weights_like(mask, sample_weight) * mask


def _count(losses: Any) -> Any:
    with get_default_graph().name_scope("num_elements") as scope:
        return ops.cast(ops.size(losses, name=scope), losses.dtype)


def reduced(weighted: Any, reduction: str) -> Any:
    """The losses as they are, their sum, or their mean."""
    if reduction == Reduction.NONE:
        return weighted
    total = ops.reduce_sum(weighted)
    if reduction == Reduction.SUM_OVER_BATCH_SIZE:
        count = _count(weighted)
        return div_no_nan(ops.reduce_sum(total), count)
    return total


def compute_weighted_loss(losses: Any, sample_weight: Any = None, reduction: str = "sum_over_batch_size") -> Any:
    """Losses times weights, reduced.

    Raises:
      ValueError: for what is no reduction, or weights that do not fit.
    """
    Reduction.validate(reduction)
    if reduction == Reduction.AUTO:
        reduction = Reduction.SUM_OVER_BATCH_SIZE
    with get_default_graph().name_scope("weighted_loss"):
        losses = convert_to_tensor(losses)
        kind = losses.dtype
        losses = losses if kind.name == "float32" else ops.cast(losses, "float32")
        weights = ops.cast(1.0 if sample_weight is None else sample_weight, "float32")
        weights = broadcast_weights(weights_like(losses, weights), losses)
        return ops.cast(reduced(ops.multiply(losses, weights), reduction), kind)
