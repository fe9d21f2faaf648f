"""`sequence_loss`: the weighted cross entropy of sequences of logits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.name_scope import name_scope
from tfbench.engine.tensor import Tensor
from tfbench.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits


def sequence_loss(
    logits: Any,
    targets: Any,
    weights: Any,
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    sum_over_timesteps: bool = False,
    sum_over_batch: bool = False,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of `logits` [batch, steps, classes] and `targets` [batch, steps].

    Args:
      weights: [batch, steps]; 0 leaves a step out.
      average_across_timesteps, average_across_batch: divide by the weights along these axes.
      sum_over_timesteps, sum_over_batch: add up along these axes, and divide by how many elements have a weight.
      softmax_loss_function: (labels, logits) -> loss. Default: softmax cross entropy.

    Raises:
      ValueError: for other ranks, or if both an average and a sum along an axis are asked for.
    """
    for what, tensor, rank, say in (
        ("Logits", logits, 3, "a [batch_size x sequence_length x logits] tensor"),
        ("Targets", targets, 2, "a [batch_size x sequence_length] tensor"),
        ("Weights", weights, 2, "a [batch_size x sequence_length] tensor"),
    ):
        if len(tensor.get_shape()) != rank:
            raise ValueError(f"{what} must be {say}")
    if average_across_timesteps and sum_over_timesteps:
        raise ValueError("average_across_timesteps and sum_over_timesteps cannot be set to True at same time.")
    if average_across_batch and sum_over_batch:
        raise ValueError("average_across_batch and sum_over_batch cannot be set to True at same time.")
    with name_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = ops.shape(logits)[2]
        flat, targets = ops.reshape(logits, [-1, classes]), ops.reshape(targets, [-1])
        if softmax_loss_function is None:
            losses = sparse_softmax_cross_entropy_with_logits(labels=targets, logits=flat)
        else:
            losses = softmax_loss_function(labels=targets, logits=flat)
        losses *= ops.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return ops.div_no_nan(ops.reduce_sum(losses), ops.reduce_sum(weights))
        if sum_over_timesteps and sum_over_batch:
            losses = ops.reduce_sum(losses)
            count = ops.cast(ops.count_nonzero(weights), losses.dtype)
            return ops.div_no_nan(losses, count)
        shape = ops.shape(logits)[0:2]
        losses = ops.reshape(losses, shape)
        if average_across_timesteps and not average_across_batch:
            return ops.div_no_nan(ops.reduce_sum(losses, axis=[1]), ops.reduce_sum(weights, axis=[1]))
        if not average_across_timesteps and average_across_batch:
            return ops.div_no_nan(ops.reduce_sum(losses, axis=[0]), ops.reduce_sum(weights, axis=[0]))
        if sum_over_timesteps and not sum_over_batch:
            losses = ops.reduce_sum(losses, axis=[1])
            return ops.div_no_nan(losses, ops.cast(ops.count_nonzero(weights, axis=[1]), losses.dtype))
        if not sum_over_timesteps and sum_over_batch:
            losses = ops.reduce_sum(losses, axis=[0])
            return ops.div_no_nan(losses, ops.cast(ops.count_nonzero(weights, axis=[0]), losses.dtype))
        found: Tensor = losses
        return found
