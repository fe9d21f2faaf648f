"""Areas under curves that a moving threshold draws, and points on them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.dtypes import int32, int64
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor
from tfbench.metrics.means import Metric
from tfbench.metrics.state import kept
from tfbench.metrics.thresholds import confusion_at_thresholds
from tfbench.variable_scope import variable_scope

#: the four counts, each a vector over the thresholds
Counts = dict[str, Any]

#: beyond 0 and 1, so that the first threshold finds everything and the last nothing
_BEYOND = 1e-7
_EPSILON = 1e-6


def _thresholds(count: int, inner: Any = None) -> list[float]:
    """`count` thresholds at equal distances from 0 to 1, or the given ones between the two."""
    if inner is None:
        inner = [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]
    return [0.0 - _BEYOND, *inner, 1.0 + _BEYOND]


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> Metric:
    """The area under a curve over thresholds.

    Args:
      curve: 'ROC' (recall over the rate of false positives) or 'PR' (precision over recall).
      summation_method: 'trapezoidal', 'minoring' or 'majoring' sums; for PR also 'careful_interpolation'.
      thresholds: those between 0 and 1, instead of `num_thresholds` at equal distances.

    Raises:
      ValueError: for another curve or method.
    """
    with variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"curve must be either ROC or PR. Curve {curve} is unknown.")
        limits = _thresholds(num_thresholds, None if thresholds is None else sorted(thresholds))
        values, updates = confusion_at_thresholds(labels, predictions, limits, weights)

        def area(counts: Counts, name: str) -> Tensor:
            if curve == "PR" and summation_method == "careful_interpolation":
                return _interpolated(counts, len(limits))
            return _summed(*_points(counts, curve), len(limits), summation_method, name)

        if curve == "PR" and summation_method == "trapezoidal":
            logging.getLogger("tensorflow").warning(
                "The trapezoidal rule gives wrong areas under PR curves: summation_method='careful_interpolation' "
                "gives right ones."
            )
        value, update = area(values, "value"), area(updates, "update_op")
        return kept(value, update, metrics_collections, updates_collections)


def _points(counts: Counts, curve: str) -> tuple[Tensor, Tensor]:
    """The curve's x and y."""
    tp, fn, tn, fp = (counts[key] for key in ("tp", "fn", "tn", "fp"))
    recall = ops.divide(tp + _EPSILON, tp + fn + _EPSILON)
    if curve == "ROC":
        return ops.divide(fp, fp + tn + _EPSILON), recall
    return recall, ops.divide(tp + _EPSILON, tp + fp + _EPSILON)


def _summed(x: Tensor, y: Tensor, count: int, method: str, name: str) -> Tensor:
    heights: dict[str, Callable[[Any, Any], Any]] = {
        "trapezoidal": lambda left, right: (left + right) / 2.0,
        "minoring": ops.minimum,
        "majoring": ops.maximum,
    }
    if method == "careful_interpolation":  # of a ROC curve
        method = "trapezoidal"
    if method not in heights:
        raise ValueError(
            f"Invalid summation_method: {method}. Use 'trapezoidal', 'minoring', 'majoring' or 'careful_interpolation'."
        )
    widths = x[: count - 1] - x[1:]
    return ops.reduce_sum(ops.multiply(widths, heights[method](y[: count - 1], y[1:])), name=name)


def _interpolated(counts: Counts, count: int) -> Tensor:
    """The area under the PR curve, with the counts (and not the precision) taken as linear between thresholds."""
    divide = lookup("DivNoNan")
    tp, fp, fn = counts["tp"], counts["fp"], counts["fn"]
    hits = tp[: count - 1] - tp[1:]
    found = tp + fp
    slope = divide(hits, ops.maximum(found[: count - 1] - found[1:], 0), name="prec_slope")
    intercept = tp[1:] - ops.multiply(slope, found[1:])
    ratio = ops.where(
        ops.logical_and(ops.greater(found[: count - 1], 0), ops.greater(found[1:], 0)),
        divide(found[: count - 1], ops.maximum(found[1:], 0), name="recall_relative_ratio"),
        ops.ones_like(found[1:]),
    )
    areas = divide(
        slope * (hits + intercept * ops.log(ratio)), ops.maximum(tp[1:] + fn[1:], 0), name="pr_auc_increment"
    )
    return ops.reduce_sum(areas, name="interpolate_pr_auc")


# -- points --------------------------------------------------------------------------------------------------------


def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the true yes is predicted, at the threshold where this part of the true no is.

    Raises:
      ValueError: if `specificity` is not in [0, 1].
    """
    if not 0 <= specificity <= 1:
        raise ValueError("`specificity` must be in the range [0, 1].")

    def point(counts: Counts, name: str) -> Tensor:
        tp, fn, tn, fp = (counts[key] for key in ("tp", "fn", "tn", "fp"))
        specificities = ops.divide(tn, tn + fp + _BEYOND)
        index = ops.cast(ops.argmin(ops.abs(specificities - specificity), 0), int32)
        return ops.divide(tp[index], tp[index] + fn[index] + _BEYOND, name=name)

    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        values, updates = confusion_at_thresholds(labels, predictions, _thresholds(num_thresholds), weights)
        value, update = point(values, "value"), point(updates, "update_op")
        return kept(value, update, metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the true no is predicted, at the (highest) threshold where this part of the true yes is.

    Raises:
      ValueError: if `sensitivity` is not in [0, 1].
    """
    if not 0 <= sensitivity <= 1:
        raise ValueError("`sensitivity` must be in the range [0, 1].")

    def point(counts: Counts, name: str) -> Tensor:
        tp, fn, tn, fp = (counts[key] for key in ("tp", "fn", "tn", "fp"))
        sensitivities = ops.divide(tp, tp + fn + _BEYOND)
        nearest = ops.reduce_min(ops.abs(sensitivities - sensitivity))
        # Counted up, the last of several nearest ones is the largest.
        places = ops.cast(ops.equal(ops.abs(sensitivities - sensitivity), nearest), int64)
        index = ops.cast(ops.argmax(ops.cumsum(places), 0), int32)
        return ops.divide(tn[index], tn[index] + fp[index] + _BEYOND, name=name)

    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        limits = _thresholds(num_thresholds)
        limits[-1] = 1.0 - _BEYOND  # a prediction of 1 is above it: TensorFlow's choice, here only
        values, updates = confusion_at_thresholds(labels, predictions, limits, weights)
        value, update = point(values, "value"), point(updates, "update_op")
        return kept(value, update, metrics_collections, updates_collections)
