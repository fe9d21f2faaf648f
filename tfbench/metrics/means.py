"""Weighted means over all batches: of values, and of what is right."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import float32
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.metrics.arguments import matched
from tfbench.metrics.state import kept, metric_variable, quotient
from tfbench.variable_scope import variable_scope
from tfbench.variables import assign_add

#: the value of a metric and the op that updates it
Metric = tuple[Any, Any]


def mean(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of all values.

    Raises:
      ValueError: if the weights do not fit the values.
    """
    with variable_scope(name, "mean", (values, weights)):
        values = ops.cast(values, float32)
        total = metric_variable([], float32, name="total")
        count = metric_variable([], float32, name="count")
        if weights is None:
            number = ops.cast(ops.size(values), float32)
        else:
            values, weights = _weighted(values, weights)
            number = ops.reduce_sum(weights)
        return _of(total, ops.reduce_sum(values), count, number, values, metrics_collections, updates_collections)


def mean_tensor(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of all values, for each element of the tensor by itself. Its shape must be known.

    Raises:
      ValueError: if the weights do not fit the values.
    """
    with variable_scope(name, "mean", (values, weights)):
        values = ops.cast(values, float32)
        total = metric_variable(values.shape, float32, name="total_tensor")
        count = metric_variable(values.shape, float32, name="count_tensor")
        number = ops.ones_like(values)
        if weights is not None:
            values, weights = _weighted(values, weights)
            number = ops.multiply(number, weights)
        return _of(total, values, count, number, values, metrics_collections, updates_collections)


def _weighted(values: Any, weights: Any) -> tuple[Any, Any]:
    """The values times the weights, and the weights in their shape."""
    values, _, weights = matched(values, None, weights)
    weights = broadcast_weights(ops.cast(weights, float32), values)
    return ops.multiply(values, weights), weights


def _of(total: Any, addend: Any, count: Any, number: Any, values: Any, metrics: Any, updates: Any) -> Metric:
    new_total = assign_add(total, addend)
    with control_dependencies([values]):
        new_count = assign_add(count, number)
    value = quotient(total, count, "value")
    update = quotient(new_total, new_count, "update_op")
    return kept(value, update, metrics, updates)


def accuracy(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often predictions are equal to labels.

    Raises:
      ValueError: if the shapes do not belong together.
    """
    predictions, labels, weights = matched(predictions, labels, weights)
    predictions.shape.assert_is_compatible_with(labels.shape)
    if labels.dtype != predictions.dtype:
        predictions = ops.cast(predictions, labels.dtype)
    right = ops.cast(ops.equal(predictions, labels), float32)
    return mean(right, weights, metrics_collections, updates_collections, name or "accuracy")


def percentage_below(
    values: Any,
    threshold: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the values is below `threshold`."""
    below = ops.cast(ops.less(values, threshold), float32)
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")
