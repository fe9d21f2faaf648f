"""Means over classes."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.dtypes import float32, float64, int64
from tfbench.engine.ops.math_confusion import confusion_matrix
from tfbench.engine.tensor import Tensor
from tfbench.metrics.means import Metric
from tfbench.metrics.state import kept, metric_variable, quotient
from tfbench.variable_scope import variable_scope
from tfbench.variables import assign_add, scatter_add


def _flat(x: Any) -> Any:
    """A vector of all elements."""
    return ops.reshape(x, [-1]) if x.shape.ndims is None or x.shape.ndims > 1 else x


def mean_iou(
    labels: Any,
    predictions: Any,
    num_classes: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """For each class: where it is label and prediction, over where it is one of the two; the mean over classes seen.

    The update is the new confusion matrix.

    Raises:
      ValueError: if the shapes differ.
    """
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes, num_classes], float64, name="total_confusion_matrix")
        predictions, labels = ops.cast(predictions, int64), ops.cast(labels, int64)
        classes = ops.cast(num_classes, int64)
        predictions, labels = _flat(predictions), _flat(labels)
        if weights is not None:
            weights = _flat(weights)
        batch = confusion_matrix(labels, predictions, classes, weights=weights, dtype=float64)
        update = assign_add(total, batch)
        return kept(_mean_overlap(total), update, metrics_collections, updates_collections)


def _mean_overlap(matrix: Any) -> Tensor:
    predicted = ops.cast(ops.reduce_sum(matrix, 0), float32)
    true = ops.cast(ops.reduce_sum(matrix, 1), float32)
    both = ops.cast(ops.diag_part(matrix), float32)
    either = predicted + true - both
    seen = ops.reduce_sum(ops.cast(ops.not_equal(either, 0), dtype=float32))
    either = ops.where(ops.greater(either, 0), either, ops.ones_like(either))
    overlaps = ops.divide(both, either)
    return ops.where(ops.greater(seen, 0), ops.reduce_sum(overlaps, name="mean_iou") / seen, 0)


def mean_per_class_accuracy(
    labels: Any,
    predictions: Any,
    num_classes: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often predictions are right, for each class of the labels; the mean over all classes.

    The update is the accuracy of each class.

    Raises:
      ValueError: if the shapes differ.
    """
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels = ops.cast(labels, int64)
        labels = _flat(labels)
        predictions = _flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], float32, name="total")
        count = metric_variable([num_classes], float32, name="count")
        ones = ops.ones([ops.size(labels)], float32)
        if labels.dtype != predictions.dtype:
            predictions = ops.cast(predictions, labels.dtype)
        right = ops.cast(ops.equal(predictions, labels), float32)
        if weights is not None:
            weights = ops.cast(_flat(weights), float32)
            right = right * weights
            ones = ones * weights
        new_total = scatter_add(total, labels, ones)
        new_count = scatter_add(count, labels, right)
        value = ops.reduce_mean(quotient(count, total, "div_no_nan"), name="mean_accuracy")
        return kept(value, quotient(new_count, new_total, "update_op"), metrics_collections, updates_collections)
