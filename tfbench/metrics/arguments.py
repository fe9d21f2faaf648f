"""Labels, predictions and weights whose ranks differ by a last axis of size 1."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.math_confusion import remove_squeezable_dimensions
from tfbench.engine.tensor import Tensor


def matched(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    """(predictions, labels, weights) as tensors without the last axes that one has and the others have not.

    Raises:
      ValueError: if the shapes of predictions and labels differ otherwise.
    """
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
    if weights is None:
        return predictions, labels, None
    return predictions, labels, matched_weights(convert_to_tensor(weights), predictions)


def matched_weights(weights: Tensor, predictions: Tensor) -> Tensor:
    """A scalar as it is, others with the rank of the predictions."""
    ours, theirs = weights.shape.ndims, predictions.shape.ndims
    if ours == 0:
        return weights
    if ours is not None and theirs is not None:
        if ours == theirs + 1:
            return ops.squeeze(weights, [-1])
        return ops.expand_dims(weights, [-1]) if theirs == ours + 1 else weights
    own_rank = ops.rank(weights)
    surplus = own_rank - ops.rank(predictions)

    def expanded() -> Any:
        return ops.cond(ops.equal(surplus, -1), lambda: ops.expand_dims(weights, [-1]), lambda: weights)

    # What cannot have a last axis of size 1 has none to drop.
    droppable = ours is None or weights.shape[-1].is_compatible_with(1)

    def dropped() -> Any:
        return ops.squeeze(weights, [-1]) if droppable else weights

    return ops.cond(ops.equal(own_rank, 0), lambda: weights, lambda: ops.cond(ops.equal(surplus, 1), dropped, expanded))
