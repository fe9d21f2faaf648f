"""Metrics of heads that are a little more than one of `tf.metrics`."""

from __future__ import annotations

from typing import Any

from tfbench import metrics
from tfbench.engine import ops
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.weights_broadcast import broadcast_weights

Metric = tuple[Any, Any]

AVERAGE_LOSS = "average_loss"
ACCURACY = "accuracy"
PRECISION = "precision"
RECALL = "recall"
ACCURACY_BASELINE = "accuracy_baseline"
AUC = "auc"
AUC_PR = "auc_precision_recall"
LABEL_MEAN = "label/mean"
PREDICTION_MEAN = "prediction/mean"
REGULARIZATION_LOSS = "regularization_loss"


def labels_mean(labels: Any, weights: Any, name: str) -> Metric:
    """The mean of labels that are 0 or 1."""
    with name_scope(name, "labels_mean", [labels, weights]) as scope:
        labels = ops.to_float(labels, name="labels")
        return metrics.mean(labels, weights=broadcast_weights(weights, labels), name=scope)


def predictions_mean(predictions: Any, weights: Any, name: str) -> Metric:
    """The mean of what is predicted."""
    with name_scope(name, "predictions_mean", [predictions, weights]) as scope:
        predictions = ops.to_float(predictions, name="predictions")
        return metrics.mean(predictions, weights=broadcast_weights(weights, predictions), name=scope)


def accuracy_baseline(mean: Metric) -> Metric:
    """The accuracy of always predicting the label that is there more often; `mean` is the labels'."""
    with name_scope(None, "accuracy_baseline", list(mean)):
        value, update = mean
        return ops.maximum(value, 1.0 - value, name="value"), ops.maximum(update, 1 - update, name="update_op")


def at_threshold(labels: Any, predictions: Any, weights: Any, threshold: float) -> dict[str, Metric]:
    """Accuracy, precision and recall where what is predicted above a threshold counts as class 1, by name."""
    end = f"positive_threshold_{threshold:g}"
    given = [predictions, labels, weights]
    accuracy = f"{ACCURACY}/{end}"
    with name_scope(accuracy, f"accuracy_at_{threshold}", [*given, threshold]) as scope:
        above = ops.to_float(ops.greater_equal(predictions, threshold))
        found = {accuracy: metrics.accuracy(labels=labels, predictions=above, weights=weights, name=scope)}
    options = {"labels": labels, "predictions": predictions, "thresholds": (threshold,), "weights": weights}
    for key, measure in ((PRECISION, metrics.precision_at_thresholds), (RECALL, metrics.recall_at_thresholds)):
        with name_scope(f"{key}/{end}", f"{key}_at_{threshold}", given) as scope:
            value, update = measure(**options, name=scope)
            found[f"{key}/{end}"] = ops.squeeze(value), ops.squeeze(update)
    return found


def auc(labels: Any, predictions: Any, weights: Any, name: str, curve: str = "ROC") -> Metric:
    """The area under a curve."""
    with name_scope(name, "auc", [predictions, labels, weights]) as scope:
        predictions = ops.to_float(predictions, name="predictions")
        weights = broadcast_weights(weights, predictions)
        return metrics.auc(labels=labels, predictions=predictions, weights=weights, curve=curve, name=scope)
