"""Right and wrong answers where a probability above a threshold is a yes, for many thresholds at once.

Everything is a matrix of thresholds times predictions; each of the four counts is its sum over the predictions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import bool as bool_type
from tfbench.engine.dtypes import float32
from tfbench.engine.ops.asserts import assert_greater_equal, assert_less_equal
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.engine.tensor import Tensor
from tfbench.metrics.arguments import matched
from tfbench.metrics.means import Metric
from tfbench.metrics.state import kept, metric_variable
from tfbench.variable_scope import variable_scope
from tfbench.variables import assign_add

#: what is counted -> the variable's name, and whether it is about a true (or a predicted) yes
_COUNTS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}
#: keeps quotients of zero counts finite
_EPSILON = 1e-7


def confusion_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, includes: Sequence[str] = ()
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The variables and the updates of the counts in `includes` (default: all), each a vector over the thresholds.

    Raises:
      InvalidArgumentError: in a run, if a prediction is not in [0, 1].
    """
    wanted = includes or tuple(_COUNTS)
    bounds = [
        assert_greater_equal(predictions, ops.cast(0.0, _dtype(predictions)), message="predictions must be in [0, 1]"),
        assert_less_equal(predictions, ops.cast(1.0, _dtype(predictions)), message="predictions must be in [0, 1]"),
    ]
    with control_dependencies(bounds):
        predictions, labels, weights = matched(ops.cast(predictions, float32), ops.cast(labels, bool_type), weights)
    count = len(thresholds)
    column = ops.reshape(predictions, [-1, 1])
    row = ops.reshape(labels, [1, -1])
    number: Any = column.shape.as_list()[0]
    if number is None:
        number = ops.shape(column)[0]
    limits = ops.tile(ops.expand_dims(ops.constant(thresholds), [1]), ops.stack([1, number]))
    predicted = {True: ops.greater(ops.tile(ops.transpose(column), [count, 1]), limits)}
    if "fn" in wanted or "tn" in wanted:
        predicted[False] = ops.logical_not(predicted[True])
    true = {True: ops.tile(row, [count, 1])}
    if "fp" in wanted or "tn" in wanted:
        true[False] = ops.logical_not(true[True])
    if weights is not None:
        weights = broadcast_weights(ops.cast(weights, float32), predictions)
        weights = ops.tile(ops.reshape(weights, [1, -1]), [count, 1])
        limits.shape.assert_is_compatible_with(weights.shape)
    values, updates = {}, {}
    for key, (name, label, prediction) in _COUNTS.items():
        if key in wanted:
            values[key] = metric_variable([count], float32, name=name)
            found = ops.cast(ops.logical_and(true[label], predicted[prediction]), float32)
            if weights is not None:
                found = found * weights
            updates[key] = assign_add(values[key], ops.reduce_sum(found, 1))
    return values, updates


def _dtype(predictions: Any) -> Any:
    return predictions.dtype if hasattr(predictions, "dtype") else convert_to_tensor(predictions).dtype


def _counted(
    key: str,
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    with variable_scope(name, _COUNTS[key][0], (predictions, labels, weights)):
        values, updates = confusion_at_thresholds(labels, predictions, thresholds, weights, (key,))
        return kept(ops.identity(values[key]), updates[key], metrics_collections, updates_collections)


def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often, at each threshold, yes was predicted, and right."""
    given = (labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)
    return _counted("tp", *given)


def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often, at each threshold, no was predicted, and right."""
    given = (labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)
    return _counted("tn", *given)


def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often, at each threshold, yes was predicted, and wrong."""
    given = (labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)
    return _counted("fp", *given)


def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often, at each threshold, no was predicted, and wrong."""
    given = (labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)
    return _counted("fn", *given)


def _rates(
    what: str,
    misses: str,
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    def rate(found: dict[str, Any], suffix: str) -> Tensor:
        hits = found["tp"]
        return ops.divide(hits, _EPSILON + hits + found[misses], name=f"{what}_{suffix}")

    with variable_scope(name, f"{what}_at_thresholds", (predictions, labels, weights)):
        values, updates = confusion_at_thresholds(labels, predictions, thresholds, weights, ("tp", misses))
        value, update = rate(values, "value"), rate(updates, "update_op")
        return kept(value, update, metrics_collections, updates_collections)


def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the predicted yes is right, at each threshold."""
    given = (labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)
    return _rates("precision", "fp", *given)


def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the true yes is predicted, at each threshold."""
    given = (labels, predictions, thresholds, weights, metrics_collections, updates_collections, name)
    return _rates("recall", "fn", *given)
