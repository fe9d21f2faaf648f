"""Losses of predicted numbers."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.weights_broadcast import assert_broadcastable
from tfbench.engine.tensor import Tensor
from tfbench.losses.collections import add_loss
from tfbench.losses.weighted import Reduction, compute_weighted_loss, div_no_nan, num_present

_BY_NONZERO = Reduction.SUM_BY_NONZERO_WEIGHTS


def given(**values: Any) -> None:
    """ValueError for a value that is None."""
    for name, value in values.items():
        if value is None:
            raise ValueError(f"Argument `{name}` must not be None.")


def as_pair(predictions: Any, labels: Any) -> tuple[Tensor, Tensor]:
    """Both as float32.

    Raises:
      ValueError: if their shapes differ.
    """
    predictions = ops.cast(predictions, float32)
    labels = ops.cast(labels, float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return predictions, labels


def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """|predictions - labels|"""
    given(labels=labels, predictions=predictions)
    with name_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        predictions, labels = as_pair(predictions, labels)
        losses = ops.abs(ops.subtract(predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """(predictions - labels)^2"""
    given(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        predictions, labels = as_pair(predictions, labels)
        losses = ops.squared_difference(predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
) -> Tensor:
    """Half the squared error where the error is at most `delta`, a line of that slope beyond."""
    given(labels=labels, predictions=predictions)
    with name_scope(scope, "huber_loss", [predictions, labels, weights]) as scope:
        predictions, labels = as_pair(predictions, labels)
        error = ops.abs(ops.subtract(predictions, labels))
        quadratic = ops.minimum(error, delta)
        linear = ops.subtract(error, quadratic)
        half = convert_to_tensor(0.5, dtype=quadratic.dtype)
        squares = ops.multiply(half, ops.multiply(quadratic, quadratic))
        losses = ops.add(squares, ops.multiply(delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: int | None = None,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = _BY_NONZERO,
    dim: int | None = None,
) -> Tensor:
    """1 - the dot products of vectors along `axis`, which are taken to have length 1.

    Raises:
      ValueError: if there is no axis.
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("Cannot specify both 'axis' and 'dim'.")
        axis = dim
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    given(labels=labels, predictions=predictions)
    with name_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        predictions, labels = as_pair(predictions, labels)
        products = ops.multiply(predictions, labels)
        losses = 1 - ops.reduce_sum(products, axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
) -> Tensor:
    """The squared differences between pairs of predictions of one element of the batch, against those of its labels.

    With d = predictions - labels and n of them: 2 (sum of d^2) / (n - 1) - 2 (sum of d)^2 / (n (n - 1)).
    """
    given(labels=labels, predictions=predictions)
    with name_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights = ops.cast(weights, float32)
        labels = ops.cast(labels, float32)
        with control_dependencies([assert_broadcastable(weights, labels)]):
            predictions = ops.cast(predictions, float32)
            predictions.shape.assert_is_compatible_with(labels.shape)
            errors = ops.subtract(predictions, labels)
            axes = ops.range(1, ops.rank(errors))
            squares = ops.reduce_sum(ops.square(errors), axis=axes, keepdims=True)
            count = num_present(errors, weights, per_batch=True)
            first = 2.0 * div_no_nan(squares, ops.maximum(count - 1, 0))
            sums = ops.square(ops.reduce_sum(errors, axis=axes, keepdims=True))
            pairs = ops.multiply(count, count - 1)
            second = 2.0 * div_no_nan(sums, ops.maximum(pairs, 0))
            loss = ops.reduce_sum(ops.multiply(first - second, weights))
            result = ops.where(ops.greater(ops.reduce_sum(count), 0), loss, ops.zeros_like(loss), name="value")
            add_loss(result, loss_collection)
            return result
