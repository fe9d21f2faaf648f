"""The losses of sequences that are lists of steps, and models of several lengths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine import ops
from tfbench.engine.name_scope import name_scope
from tfbench.nn.cross_entropy import sparse_softmax_cross_entropy_with_logits
from tfbench.variable_scope import get_variable_scope, variable_scope


def sequence_loss_by_example(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """The weighted cross entropy of each sequence of the batch, [batch].

    Args:
      logits, targets, weights: one tensor for each step.
      average_across_timesteps: divide by the sum of the weights.
      softmax_loss_function: called with `labels` and `logits`, instead of the cross entropy.

    Raises:
      ValueError: if the lists have different lengths.
    """
    if len(targets) != len(logits) or len(weights) != len(logits):
        raise ValueError(
            f"Lengths of logits, weights, and targets must be the same {len(logits)}, {len(weights)}, {len(targets)}."
        )
    with name_scope(name, "sequence_loss_by_example", [*logits, *targets, *weights]):
        steps = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                labels = ops.reshape(target, [-1])
                entropy = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logit)
            else:
                entropy = softmax_loss_function(labels=target, logits=logit)
            steps.append(entropy * weight)
        total = ops.add_n(steps)
        if average_across_timesteps:
            total /= ops.add_n(list(weights)) + 1e-12  # weights may all be 0
        return total


def sequence_loss(
    logits: Sequence[Any],
    targets: Sequence[Any],
    weights: Sequence[Any],
    average_across_timesteps: bool = True,
    average_across_batch: bool = True,
    softmax_loss_function: Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """`sequence_loss_by_example` summed over the batch, or averaged."""
    with name_scope(name, "sequence_loss", [*logits, *targets, *weights]):
        cost = ops.reduce_sum(
            sequence_loss_by_example(
                logits,
                targets,
                weights,
                average_across_timesteps=average_across_timesteps,
                softmax_loss_function=softmax_loss_function,
            )
        )
        if not average_across_batch:
            return cost
        return cost / ops.cast(ops.shape(targets[0])[0], cost.dtype)


def model_with_buckets(
    encoder_inputs: list[Any],
    decoder_inputs: list[Any],
    targets: list[Any],
    weights: list[Any],
    buckets: Sequence[tuple[int, int]],
    seq2seq: Callable[[list[Any], list[Any]], tuple[Any, Any]],
    softmax_loss_function: Callable[..., Any] | None = None,
    per_example_loss: bool = False,
    name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """(outputs, losses): a model for each bucket (steps of the input, steps of the output), all with the same
    variables.

    Args:
      seq2seq: makes (outputs, state) out of the inputs of both sides.

    Raises:
      ValueError: if there are fewer steps than the last bucket has.
    """
    for what, given, place in (("encoder_inputs", encoder_inputs, 0), ("targets", targets, 1), ("weights", weights, 1)):
        if len(given) < buckets[-1][place]:
            raise ValueError(
                f"Length of {what} ({len(given)}) must be at least that of last bucket ({buckets[-1][place]})."
            )
    losses, outputs = [], []
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    with name_scope(name, "model_with_buckets", [*encoder_inputs, *decoder_inputs, *targets, *weights]):
        for number, (ins, outs) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number else None):
                made, _ = seq2seq(encoder_inputs[:ins], decoder_inputs[:outs])
                outputs.append(made)
                losses.append(loss(made, targets[:outs], weights[:outs], softmax_loss_function=softmax_loss_function))
    return outputs, losses
