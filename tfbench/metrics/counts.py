"""Right and wrong answers to a yes-no question, counted; precision and recall."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import bool as bool_type
from tfbench.engine.dtypes import float32
from tfbench.engine.ops.asserts_static import assert_rank_in, assert_type
from tfbench.engine.tensor import Tensor
from tfbench.metrics.arguments import matched
from tfbench.metrics.means import Metric
from tfbench.metrics.state import kept, metric_variable
from tfbench.variable_scope import variable_scope
from tfbench.variables import assign_add


def _count(condition: Tensor, weights: Any, metrics_collections: Any, updates_collections: Any) -> Metric:
    """How often, or with what total weight, a condition holds."""
    assert_type(condition, bool_type)
    count = metric_variable([], float32, name="count")
    values = ops.cast(condition, float32)
    if weights is not None:
        with control_dependencies([assert_rank_in(weights, (0, ops.rank(values)))]):
            weights = ops.cast(weights, float32)
            values = ops.multiply(values, weights)
    value = ops.identity(count)
    return kept(value, assign_add(count, ops.reduce_sum(values)), metrics_collections, updates_collections)


def _as_answers(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    return matched(ops.cast(predictions, bool_type), ops.cast(labels, bool_type), weights)


def _counted(
    default_name: str,
    label: bool,
    prediction: bool,
    labels: Any,
    predictions: Any,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    with variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = _as_answers(predictions, labels, weights)
        condition = ops.logical_and(ops.equal(labels, label), ops.equal(predictions, prediction))
        return _count(condition, weights, metrics_collections, updates_collections)


def true_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often yes was predicted, and right."""
    given = (labels, predictions, weights, metrics_collections, updates_collections, name)
    return _counted("true_positives", True, True, *given)


def true_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often no was predicted, and right."""
    given = (labels, predictions, weights, metrics_collections, updates_collections, name)
    return _counted("true_negatives", False, False, *given)


def false_positives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often yes was predicted, and wrong."""
    given = (labels, predictions, weights, metrics_collections, updates_collections, name)
    return _counted("false_positives", False, True, *given)


def false_negatives(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often no was predicted, and wrong."""
    given = (labels, predictions, weights, metrics_collections, updates_collections, name)
    return _counted("false_negatives", True, False, *given)


def _rate(hits: Any, others: Any, name: str) -> Tensor:
    """hits / (hits + others), 0 where there are neither."""
    return ops.where(ops.greater(hits + others, 0), ops.divide(hits, hits + others), 0, name)


def _rate_metric(
    default_name: str,
    miss: Any,
    labels: Any,
    predictions: Any,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    with variable_scope(name, default_name, (predictions, labels, weights)):
        predictions, labels, weights = _as_answers(predictions, labels, weights)
        hits, new_hits = true_positives(labels, predictions, weights)
        misses, new_misses = miss(labels, predictions, weights)
        value, update = _rate(hits, misses, "value"), _rate(new_hits, new_misses, "update_op")
        return kept(value, update, metrics_collections, updates_collections)


def precision(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the predicted yes is right; 0 if there is none."""
    given = (labels, predictions, weights, metrics_collections, updates_collections, name)
    return _rate_metric("precision", false_positives, *given)


def recall(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the true yes is predicted; 0 if there is none."""
    given = (labels, predictions, weights, metrics_collections, updates_collections, name)
    return _rate_metric("recall", false_negatives, *given)
