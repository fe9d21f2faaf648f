"""Mean errors of predicted numbers."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.ops.math_confusion import remove_squeezable_dimensions
from tfbench.metrics.arguments import matched
from tfbench.metrics.means import Metric, mean
from tfbench.metrics.state import kept


def mean_absolute_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of |predictions - labels|."""
    predictions, labels, weights = matched(predictions, labels, weights)
    errors = ops.abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def mean_relative_error(
    labels: Any,
    predictions: Any,
    normalizer: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of |labels - predictions| / normalizer, which counts as 0 where the normalizer is 0."""
    predictions, labels, weights = matched(predictions, labels, weights)
    predictions, normalizer = remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    errors = ops.where(
        ops.equal(normalizer, 0.0), ops.zeros_like(labels), ops.divide(ops.abs(labels - predictions), normalizer)
    )
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean of (labels - predictions)^2."""
    predictions, labels, weights = matched(predictions, labels, weights)
    errors = ops.squared_difference(labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


def root_mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The square root of the mean squared error."""
    predictions, labels, weights = matched(predictions, labels, weights)
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return kept(ops.sqrt(value), ops.sqrt(update), metrics_collections, updates_collections)


def mean_cosine_distance(
    labels: Any,
    predictions: Any,
    dim: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """1 - the mean of the dot products of vectors along `dim`, which are taken to have length 1."""
    predictions, labels, weights = matched(predictions, labels, weights)
    products = ops.reduce_sum(ops.multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    return kept(ops.subtract(1.0, value), ops.subtract(1.0, update), metrics_collections, updates_collections)
