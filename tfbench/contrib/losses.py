"""`tf.contrib.losses`: the losses before `tf.losses`, with the predictions first.

Weights are a scalar, or have the first axes of the losses. The mean is over what has a weight that is not 0.
"""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collection
from tfbench.engine.dtypes import float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.tensor import Tensor
from tfbench.losses.collections import get_losses, get_regularization_losses
from tfbench.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)

__all__ = [
    "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_losses", "get_total_loss", "hinge_loss", "log_loss", "mean_pairwise_squared_error",
    "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy", "sparse_softmax_cross_entropy",
]  # fmt: skip


# -- collections ---------------------------------------------------------------------------------------------------


@add_arg_scope
def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Keeps `loss` in a collection, unless that is None."""
    if loss_collection:
        add_to_collection(loss_collection, loss)


def get_total_loss(add_regularization_losses: bool = True, name: str = "total_loss") -> Any:
    """The sum of all losses, with the penalties unless told otherwise. ValueError if there are none."""
    losses = get_losses()
    if add_regularization_losses:
        losses += get_regularization_losses()
    return ops.add_n(losses, name=name)


# -- the weighted mean ---------------------------------------------------------------------------------------------


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The weighted mean of `losses`, which goes into LOSSES.

    Raises:
      ValueError: if a rank is not known, or is higher for the weights than for the losses.
    """
    with name_scope(scope, "weighted_loss", [losses, weights]):
        losses = convert_to_tensor(losses)
        kind = losses.dtype
        losses = ops.cast(losses, float32)
        weights = ops.cast(convert_to_tensor(weights), float32)
        _check_ranks(losses, weights)
        if weights.shape.ndims > 1 and weights.shape.as_list()[-1] == 1:
            weights = ops.squeeze(weights, [-1])
        total = _scaled(losses, weights)
        count = _present(losses, weights)
        mean = ops.cast(_quotient(ops.reduce_sum(total), ops.reduce_sum(count)), kind)
        add_loss(mean)
        return mean


def _check_ranks(losses: Tensor, weights: Tensor) -> None:
    for name, value in (("losses", losses), ("weights", weights)):
        if value.shape.ndims is None:
            raise ValueError(f"{name}.get_shape().ndims cannot be None")
    if (weights.shape.ndims or 0) > (losses.shape.ndims or 0):
        raise ValueError(
            f"weights.get_shape().ndims {weights.shape.ndims} is higher than that of the losses, {losses.shape.ndims}: "
            "weights are for the first axes"
        )


def _scaled(losses: Tensor, weights: Tensor) -> Tensor:
    """The sum of the losses times their weights."""
    inner = list(range(weights.shape.ndims or 0, losses.shape.ndims or 0))
    return ops.reduce_sum(ops.multiply(ops.reduce_sum(losses, axis=inner), weights))


def _present(losses: Tensor, weights: Tensor) -> Tensor:
    """How many losses count, for each element of the batch."""
    rank = weights.shape.ndims or 0
    if rank == 0:
        batch = ops.reshape(ops.slice(ops.shape(losses), [0], [1]), [])
        each: Any = ops.div(ops.cast(ops.size(losses), float32), ops.cast(batch, float32))
        each = ops.where(ops.equal(weights, 0), 0.0, each)
        return ops.multiply(ops.ones(ops.reshape(batch, [1])), each)
    given = ops.reduce_sum(ops.cast(ops.not_equal(weights, 0), float32), axis=list(range(1, rank)))
    inner = ops.cast(ops.reduce_prod(ops.slice(ops.shape(losses), [rank], [-1])), float32)
    return ops.multiply(given, inner)


def _quotient(total: Tensor, count: Tensor) -> Tensor:
    return lookup("DivNoNan")(total, count, name="value")


def _pair(predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    if labels is None:
        raise ValueError("labels are missing: a loss needs predictions and labels.")
    predictions.shape.assert_is_compatible_with(labels.shape)
    return ops.cast(predictions, float32), ops.cast(labels, float32)


# -- losses --------------------------------------------------------------------------------------------------------


def absolute_difference(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """|predictions - labels|"""
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        predictions, labels = _pair(predictions, labels)
        return compute_weighted_loss(ops.abs(ops.subtract(predictions, labels)), weights, scope=scope)


def mean_squared_error(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """(predictions - labels)^2"""
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = _pair(predictions, labels)
        return compute_weighted_loss(ops.squared_difference(predictions, labels), weights, scope=scope)


def log_loss(
    predictions: Any, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None
) -> Tensor:
    """-labels log(predictions) - (1 - labels) log(1 - predictions), with `epsilon` added before each log."""
    with name_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _pair(predictions, labels)
        hits = ops.multiply(labels, ops.log(predictions + epsilon))
        losses = -hits - ops.multiply(1 - labels, ops.log(1 - predictions + epsilon))
        return compute_weighted_loss(losses, weights, scope=scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """max(0, 1 - y logits), with y = -1 for a label 0 and 1 for a label 1: one for each, and in no collection."""
    with name_scope(scope, "hinge_loss", [logits, labels]):
        logits.shape.assert_is_compatible_with(labels.shape)
        labels = ops.cast(labels, float32)
        ones = ops.ones_like(labels)
        signs = ops.subtract(2 * labels, ones)
        return relu(ops.subtract(ones, ops.multiply(signs, logits)))


def cosine_distance(
    predictions: Any,
    labels: Any = None,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    dim: int | None = None,
) -> Tensor:
    """1 - the dot products of vectors along `axis`, which are taken to have length 1. ValueError without axis."""
    axis = axis if axis is not None else dim
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = _pair(predictions, labels)
        losses = 1 - ops.reduce_sum(ops.multiply(predictions, labels), axis=[axis])
        return compute_weighted_loss(losses, weights, scope=scope)


def sigmoid_cross_entropy(
    logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: Any = 0, scope: str | None = None
) -> Tensor:
    """The cross entropy of sigmoid(logits) with labels, which `label_smoothing` moves towards 1/2."""
    with name_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits.shape.assert_is_compatible_with(multi_class_labels.shape)
        labels: Any = ops.cast(multi_class_labels, logits.dtype)
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def softmax_cross_entropy(
    logits: Any, onehot_labels: Any, weights: Any = 1.0, label_smoothing: Any = 0, scope: str | None = None
) -> Tensor:
    """The cross entropy of softmax(logits) with labels, which `label_smoothing` moves towards the uniform ones."""
    with name_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits.shape.assert_is_compatible_with(onehot_labels.shape)
        labels: Any = ops.cast(onehot_labels, logits.dtype)
        if label_smoothing > 0:
            shape: Any = ops.shape(labels)
            towards = label_smoothing / ops.cast(shape[1], logits.dtype)
            labels = labels * (1 - label_smoothing) + towards
        losses = softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The cross entropy of softmax(logits) with the classes `labels`."""
    with name_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        shape: Any = ops.shape(labels)
        labels = ops.reshape(labels, shape=[shape[0]])
        losses = sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope=scope)


def mean_pairwise_squared_error(
    predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None
) -> Tensor:
    """With d = predictions - labels of an element of the batch, and n of them: 2 (sum d^2) / n - 2 (sum d)^2 / n^2."""
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        predictions, labels = _pair(predictions, labels)
        weights = ops.cast(convert_to_tensor(weights), float32)
        errors = ops.subtract(predictions, labels)
        _check_ranks(errors, weights)
        inner = list(range(1, errors.shape.ndims or 0))
        squares = ops.reduce_sum(ops.square(errors), axis=inner)
        count = _present(errors, weights)
        first = 2.0 * _quotient(squares, count)
        sums = ops.reduce_sum(errors, axis=inner)
        second = 2.0 * _quotient(ops.square(sums), ops.square(count))
        loss = _scaled(first - second, weights)
        mean = ops.where(ops.greater(ops.reduce_sum(count), 0), loss, ops.zeros_like(loss), name="value")
        add_loss(mean)
        return mean
