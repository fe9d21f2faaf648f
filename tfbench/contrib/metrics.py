"""`tf.contrib.metrics`: `tf.metrics` under the names (`streaming_…`) and with the order of arguments before them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tfbench import metrics as _metrics
from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import bool as bool_type
from tfbench.engine.dtypes import float32, string
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_confusion import confusion_matrix
from tfbench.engine.ops.nn_top import in_top_k
from tfbench.engine.ops.set_operations import set_difference, set_intersection, set_size, set_union
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.engine.tensor import Tensor
from tfbench.metrics.arguments import matched
from tfbench.metrics.means import Metric
from tfbench.metrics.state import kept, metric_variable
from tfbench.metrics.thresholds import confusion_at_thresholds
from tfbench.metrics.top_k import at_k_name
from tfbench.variable_scope import variable_scope
from tfbench.variables import assign_add

# -- several metrics -----------------------------------------------------------------------------------------------


def aggregate_metrics(*value_update_tuples: Metric) -> tuple[list[Any], list[Any]]:
    """All values, and all updates. ValueError if there are none."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    return [value for value, _ in value_update_tuples], [update for _, update in value_update_tuples]


def aggregate_metric_map(names_to_tuples: dict[str, Metric]) -> tuple[dict[str, Any], dict[str, Any]]:
    """All values, and all updates, by name."""
    values = {name: value for name, (value, _) in names_to_tuples.items()}
    return values, {name: update for name, (_, update) in names_to_tuples.items()}


# -- metrics of their own ------------------------------------------------------------------------------------------


def accuracy(predictions: Tensor, labels: Tensor, weights: Any = None, name: str | None = None) -> Tensor:
    """What part of these predictions is right: of this batch only.

    Raises:
      ValueError: for labels that are no classes, or predictions of another type.
    """
    if not (labels.dtype.is_integer or labels.dtype in (bool_type, string)):
        raise ValueError(f"Labels should have bool, integer, or string dtype, not {labels.dtype!r}")
    predictions.shape.assert_is_compatible_with(labels.shape)
    if labels.dtype != predictions.dtype:
        raise ValueError(
            f"Dtypes of predictions and labels should match. Given: predictions ({predictions.dtype!r}) and labels "
            f"({labels.dtype!r})"
        )
    with name_scope(name, "accuracy", values=[predictions, labels]):
        right = ops.cast(ops.equal(predictions, labels), float32)
        if weights is None:
            return ops.reduce_mean(right)
        right = ops.multiply(right, weights)
        count = ops.multiply(weights, ops.ones_like(right))
        return ops.div(ops.reduce_sum(right), ops.reduce_sum(count))


def count(
    values: Any,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How many values there have been, or their total weight."""
    with variable_scope(name, "count", (values, weights)):
        total = metric_variable([], float32, name="count")
        if weights is None:
            number = ops.cast(ops.size(values), float32)
        else:
            values = ops.cast(values, float32)
            values, _, weights = matched(values, None, weights)
            weights = broadcast_weights(ops.cast(weights, float32), values)
            number = ops.reduce_sum(weights)
        with control_dependencies([values]):
            update = assign_add(total, number)
        return kept(ops.identity(total), update, metrics_collections, updates_collections)


def f1_score(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The best harmonic mean of precision and recall over all thresholds."""
    epsilon = 1e-7

    def best(counts: dict[str, Any], suffix: str) -> Tensor:
        hits = counts["tp"]
        precision = ops.divide(hits, epsilon + hits + counts["fp"], name=f"precision_{suffix}")
        recall = ops.divide(hits, epsilon + hits + counts["fn"], name=f"recall_{suffix}")
        return ops.reduce_max(2.0 * precision * recall / (precision + recall + epsilon))

    with variable_scope(name, "f1", (labels, predictions, weights)):
        inner = [(i + 1) * 1.0 / (num_thresholds - 1) for i in range(num_thresholds - 2)]
        limits = [0.0 - epsilon, *inner, 1.0 + epsilon]
        values, updates = confusion_at_thresholds(labels, predictions, limits, weights, ("tp", "fp", "fn"))
        return kept(best(values, "value"), best(updates, "update"), metrics_collections, updates_collections)


def streaming_recall_at_k(
    predictions: Any,
    labels: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """How often the one right class is among the k best."""
    found = ops.to_float(in_top_k(predictions, labels, k))
    return _metrics.mean(found, weights, metrics_collections, updates_collections, name or at_k_name("recall", k))


# -- the older names -----------------------------------------------------------------------------------------------

_PAIR = "predictions labels"
_REST = "weights metrics_collections updates_collections name"
_CURVE = "weights num_thresholds metrics_collections updates_collections"

#: name after "streaming_" -> the metric, and the order of its arguments
_OLDER: dict[str, tuple[Callable[..., Any], str]] = {
    "accuracy": (_metrics.accuracy, f"{_PAIR} {_REST}"),
    "auc": (_metrics.auc, f"{_PAIR} {_CURVE} curve name"),
    "false_negatives": (_metrics.false_negatives, f"{_PAIR} {_REST}"),
    "false_positives": (_metrics.false_positives, f"{_PAIR} {_REST}"),
    "mean": (_metrics.mean, f"values {_REST}"),
    "mean_absolute_error": (_metrics.mean_absolute_error, f"{_PAIR} {_REST}"),
    "mean_cosine_distance": (_metrics.mean_cosine_distance, f"{_PAIR} dim {_REST}"),
    "mean_iou": (_metrics.mean_iou, f"{_PAIR} num_classes {_REST}"),
    "mean_relative_error": (_metrics.mean_relative_error, f"{_PAIR} normalizer {_REST}"),
    "mean_squared_error": (_metrics.mean_squared_error, f"{_PAIR} {_REST}"),
    "mean_tensor": (_metrics.mean_tensor, f"values {_REST}"),
    "percentage_less": (_metrics.percentage_below, f"values threshold {_REST}"),
    "precision": (_metrics.precision, f"{_PAIR} {_REST}"),
    "precision_at_thresholds": (_metrics.precision_at_thresholds, f"{_PAIR} thresholds {_REST}"),
    "recall": (_metrics.recall, f"{_PAIR} {_REST}"),
    "recall_at_thresholds": (_metrics.recall_at_thresholds, f"{_PAIR} thresholds {_REST}"),
    "root_mean_squared_error": (_metrics.root_mean_squared_error, f"{_PAIR} {_REST}"),
    "sensitivity_at_specificity": (_metrics.sensitivity_at_specificity, f"{_PAIR} specificity {_CURVE} name"),
    "sparse_average_precision_at_k": (_metrics.average_precision_at_k, f"{_PAIR} k {_REST}"),
    "sparse_precision_at_k": (_metrics.precision_at_k, f"{_PAIR} k class_id {_REST}"),
    "sparse_recall_at_k": (_metrics.recall_at_k, f"{_PAIR} k class_id {_REST}"),
    "specificity_at_sensitivity": (_metrics.specificity_at_sensitivity, f"{_PAIR} sensitivity {_CURVE} name"),
    "true_negatives": (_metrics.true_negatives, f"{_PAIR} {_REST}"),
    "true_positives": (_metrics.true_positives, f"{_PAIR} {_REST}"),
}


def _older(name: str, metric: Callable[..., Any], parameters: str) -> Callable[..., Any]:
    known = inspect.signature(metric).parameters
    keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
    signature = inspect.Signature(
        [inspect.Parameter(one, keyword, default=known[one].default) for one in parameters.split()]
    )

    def function(*args: Any, **kwargs: Any) -> Any:
        try:
            given = signature.bind(*args, **kwargs).arguments
        except TypeError as error:
            raise TypeError(f"{name}() {error}") from None
        return metric(**given)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`tf.metrics.{metric.__name__}`, with the arguments in this order."
    function.__signature__ = signature  # type: ignore[attr-defined]
    return function


for _name, (_metric, _parameters) in _OLDER.items():
    globals()[f"streaming_{_name}"] = _older(f"streaming_{_name}", _metric, _parameters)

__all__ = [
    "accuracy", "aggregate_metric_map", "aggregate_metrics", "confusion_matrix", "count", "f1_score",
    "set_difference", "set_intersection", "set_size", "set_union", "streaming_recall_at_k",
    *(f"streaming_{name}" for name in _OLDER),
]  # fmt: skip
