"""Losses of predicted classes: of logits, and of probabilities."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_confusion import remove_squeezable_dimensions
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.tensor import Tensor
from tfbench.losses.regression import as_pair, given
from tfbench.losses.weighted import Reduction, compute_weighted_loss
from tfbench.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)

_BY_NONZERO = Reduction.SUM_BY_NONZERO_WEIGHTS


def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """max(0, 1 - y logits), with y = -1 for a label 0 and 1 for a label 1."""
    given(labels=labels, logits=logits)
    with name_scope(scope, "hinge_loss", [logits, labels, weights]) as scope:
        logits, labels = as_pair(logits, labels)
        ones = ops.ones_like(labels)
        signs = ops.subtract(2 * labels, ones)
        losses = relu(ops.subtract(ones, ops.multiply(signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """-labels log(predictions) - (1 - labels) log(1 - predictions), with `epsilon` added before each log."""
    given(labels=labels, predictions=predictions)
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = as_pair(predictions, labels)
        ones = ops.multiply(labels, ops.log(predictions + epsilon))
        losses = -ones - ops.multiply(1 - labels, ops.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """The cross entropy of sigmoid(logits) with labels, each a probability of its own.

    `label_smoothing` moves the labels towards 1/2.

    Raises:
      ValueError: if the shapes differ.
    """
    given(multi_class_labels=multi_class_labels, logits=logits)
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels: Any = ops.cast(multi_class_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: Any = 0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """The cross entropy of softmax(logits) with a distribution over the classes, one loss a row.

    `label_smoothing` moves the labels towards 1 / number of classes.

    Raises:
      ValueError: if the shapes differ.
    """
    given(onehot_labels=onehot_labels, logits=logits)
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels: Any = ops.cast(onehot_labels, logits.dtype)
        logits.shape.assert_is_compatible_with(labels.shape)
        if label_smoothing > 0:
            shape: Any = ops.shape(labels)
            classes = ops.cast(shape[-1], logits.dtype)
            towards = label_smoothing / classes
            labels = labels * (1 - label_smoothing) + towards
        labels = ops.stop_gradient(labels, name="labels_stop_gradient")
        losses = softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """The cross entropy of softmax(logits) with the classes `labels`, one loss a label.

    A last axis of size 1 of labels or weights is dropped.

    Raises:
      ValueError: if the shapes do not belong together.
    """
    given(labels=labels, logits=logits)
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels, logits, weights = _without_last_axes(labels, logits, weights)
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _without_last_axes(labels: Any, logits: Any, weights: Any) -> tuple[Any, Any, Any]:
    labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
    if weights is None:
        return labels, logits, None
    weights = convert_to_tensor(weights)
    weights_rank, rank = weights.shape.ndims, labels.shape.ndims
    if weights_rank is not None and rank is not None:
        if weights_rank == rank + 1:
            weights = ops.squeeze(weights, [-1])
        return labels, logits, weights
    if weights_rank != 0 and (weights_rank is None or weights.shape.dims[-1].is_compatible_with(1)):
        difference = ops.rank(weights) - ops.rank(labels)
        kept = weights
        weights = ops.cond(ops.equal(1, difference), lambda: ops.squeeze(kept, [-1]), lambda: kept)
    return labels, logits, weights
