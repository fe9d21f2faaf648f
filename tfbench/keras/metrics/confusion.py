"""Metrics that count right and wrong answers at thresholds: precision, recall, areas under curves."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.ops.asserts import assert_greater_equal, assert_less_equal
from tfbench.engine.ops.nn_top import top_k as largest
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.keras.backend.config import epsilon
from tfbench.keras.engine.weighted import matched, weights_like
from tfbench.keras.metrics.base import Metric, cast

#: below every prediction
NEG_INF = -1e10
_KINDS = ("true_positives", "false_negatives", "false_positives", "true_negatives")


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def checked_thresholds(thresholds: Any, default: float = 0.5) -> list[float]:
    """The thresholds as a list. ValueError outside of [0, 1]."""
    if thresholds is None:
        return [default]
    wrong = [one for one in _listed(thresholds) if one is None or one < 0 or one > 1]
    if wrong:
        raise ValueError(f"Threshold values must be in [0, 1]. Invalid values: {wrong}")
    return _listed(thresholds)


def count_answers(
    counts: dict[str, Any], y_true: Any, y_pred: Any, thresholds: list[float], top_k: int | None = None,
    class_id: int | None = None, sample_weight: Any = None,
) -> Any:  # fmt: skip
    """The operation that adds a batch to the variables in `counts`, one row of answers for each threshold.

    Raises (when run):
      InvalidArgumentError: for predictions outside of [0, 1].
    """
    y_true, y_pred = cast(y_true, "float32"), cast(y_pred, "float32")
    y_pred.shape.assert_is_compatible_with(y_true.shape)
    low = assert_greater_equal(y_pred, ops.cast(0.0, y_pred.dtype), message="predictions must be >= 0")
    high = assert_less_equal(y_pred, ops.cast(1.0, y_pred.dtype), message="predictions must be <= 1")
    with control_dependencies([low, high]):
        y_pred, y_true = matched(y_pred, y_true)
        if sample_weight is not None:
            sample_weight = weights_like(y_pred, sample_weight)
    if top_k is not None:
        _, best = largest(y_pred, top_k, sorted=False)
        kept = ops.reduce_sum(ops.one_hot(best, y_pred.shape[-1].value, axis=-1), axis=-2)
        y_pred = y_pred * kept + NEG_INF * (1 - kept)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    rows, number = len(thresholds), ops.size(y_pred)
    predictions = ops.reshape(y_pred, [1, -1])
    labels = ops.reshape(ops.cast(y_true, "bool"), [1, -1])
    bounds = ops.tile(ops.expand_dims(ops.constant(thresholds), 1), ops.stack([1, number]))
    positive = ops.greater(ops.tile(predictions, [rows, 1]), bounds)
    true = ops.tile(labels, [rows, 1])
    weights = None
    if sample_weight is not None:
        weights = broadcast_weights(cast(sample_weight, "float32"), y_pred)
        weights = ops.tile(ops.reshape(weights, [1, -1]), [rows, 1])
    cases = {"true_positives": (true, positive)}
    if "false_negatives" in counts or "true_negatives" in counts:
        negative = ops.logical_not(positive)
        cases["false_negatives"] = (true, negative)
    if "false_positives" in counts or "true_negatives" in counts:
        false = ops.logical_not(true)
        cases["false_positives"] = (false, positive)
        if "true_negatives" in counts:
            cases["true_negatives"] = (false, negative)
    updates = []
    for kind, (label, answer) in cases.items():
        if kind in counts:
            both = ops.cast(ops.logical_and(label, answer), "float32")
            if weights is not None:
                both = both * weights
            updates.append(counts[kind].assign_add(ops.reduce_sum(both, 1)).op)
    return ops.group(*updates)


class _Counting(Metric):
    """What they share: a variable for each kind of answer, as long as there are thresholds."""

    _kinds: tuple[str, ...]
    thresholds: Any

    def _make_counts(self) -> None:
        for kind in self._kinds:
            setattr(self, kind, self.add_weight(kind, shape=(len(self.thresholds),)))

    def _counts(self) -> dict[str, Any]:
        return {kind: getattr(self, kind) for kind in self._kinds}

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch of labels and predictions."""
        return count_answers(self._counts(), y_true, y_pred, list(self.thresholds), sample_weight=sample_weight)


class _Count(Metric):
    """How many answers are of one kind."""

    _kind: str

    def __init__(self, thresholds: Any = None, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.thresholds = checked_thresholds(thresholds)
        self.accumulator = self.add_weight("accumulator", shape=(len(self.thresholds),))

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch of labels and predictions."""
        counts = {self._kind: self.accumulator}
        return count_answers(counts, y_true, y_pred, list(self.thresholds), sample_weight=sample_weight)

    def result(self) -> Any:
        return convert_to_tensor(self.accumulator[0] if len(self.thresholds) == 1 else self.accumulator)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "thresholds": self.init_thresholds}


class FalsePositives(_Count):
    """How many wrong predictions are above the threshold."""

    _kind = "false_positives"


class FalseNegatives(_Count):
    """How many right ones are not above the threshold."""

    _kind = "false_negatives"


class TrueNegatives(_Count):
    """How many wrong ones are not above the threshold."""

    _kind = "true_negatives"


class TruePositives(_Count):
    """How many right predictions are above the threshold."""

    _kind = "true_positives"


class _Rate(_Counting):
    """True positives, divided by themselves and answers of another kind."""

    def __init__(
        self, thresholds: Any = None, top_k: int | None = None, class_id: int | None = None, name: str | None = None,
        dtype: Any = None,
    ) -> None:  # fmt: skip
        super().__init__(name=name, dtype=dtype)
        self.init_thresholds = thresholds
        self.top_k = top_k
        self.class_id = class_id
        self.thresholds = checked_thresholds(thresholds, 0.5 if top_k is None else NEG_INF)
        self._make_counts()

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch of labels and predictions."""
        return count_answers(
            self._counts(), y_true, y_pred, list(self.thresholds), self.top_k, self.class_id, sample_weight
        )  # fmt: skip

    def result(self) -> Any:
        hits, others = self._counts().values()
        rate = ops.div_no_nan(hits, hits + others)
        return rate[0] if len(self.thresholds) == 1 else rate

    def get_config(self) -> dict[str, Any]:
        own = {"thresholds": self.init_thresholds, "top_k": self.top_k, "class_id": self.class_id}
        return {**super().get_config(), **own}


class Precision(_Rate):
    """How many of the answers above the threshold (or among the `top_k`) are right."""

    _kinds = ("true_positives", "false_positives")


class Recall(_Rate):
    """How many of the right answers are above the threshold (or among the `top_k`)."""

    _kinds = ("true_positives", "false_negatives")


class _AtRate(_Counting):
    """A rate at the threshold where another one is nearest to a value."""

    _kinds = ("true_positives", "true_negatives", "false_positives", "false_negatives")

    def __init__(self, value: float, num_thresholds: int, name: str | None, dtype: Any, what: str) -> None:
        if not 0 <= value <= 1:
            raise ValueError(f"`{what}` must be in the range [0, 1].")
        super().__init__(name=name, dtype=dtype)
        if num_thresholds <= 0:
            raise ValueError("`num_thresholds` must be > 0.")
        self.value = value
        self.num_thresholds = num_thresholds
        inner = [(at + 1) * 1.0 / (num_thresholds - 1) for at in range(num_thresholds - 2)]
        self.thresholds = [0.5] if num_thresholds == 1 else [0.0, *inner, 1.0]
        self._make_counts()

    def _at(self, rate: tuple[Any, Any], wanted: tuple[Any, Any]) -> Any:
        rates = ops.div_no_nan(rate[0], rate[0] + rate[1])
        place = ops.cast(ops.argmin(ops.abs(rates - self.value), axis=0), "int32")
        return ops.div_no_nan(wanted[0][place], wanted[0][place] + wanted[1][place])


class SensitivityAtSpecificity(_AtRate):
    """The rate of right answers found, where that of wrong ones left out is nearest to `specificity`."""

    def __init__(
        self, specificity: float, num_thresholds: int = 200, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(specificity, num_thresholds, name, dtype, "specificity")
        self.specificity = specificity

    def result(self) -> Any:
        counts = self._counts()
        negatives = counts["true_negatives"], counts["false_positives"]
        return self._at(negatives, (counts["true_positives"], counts["false_negatives"]))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_thresholds": self.num_thresholds, "specificity": self.specificity}


class SpecificityAtSensitivity(_AtRate):
    """The rate of wrong answers left out, where that of right ones found is nearest to `sensitivity`."""

    def __init__(
        self, sensitivity: float, num_thresholds: int = 200, name: str | None = None, dtype: Any = None
    ) -> None:
        super().__init__(sensitivity, num_thresholds, name, dtype, "sensitivity")
        self.sensitivity = sensitivity

    def result(self) -> Any:
        counts = self._counts()
        positives = counts["true_positives"], counts["false_negatives"]
        return self._at(positives, (counts["true_negatives"], counts["false_positives"]))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_thresholds": self.num_thresholds, "sensitivity": self.sensitivity}


class AUC(_Counting):
    """The area under a curve, 'ROC' or 'PR', summed between thresholds.

    Raises:
      ValueError: for another curve or way of summing, or fewer than two thresholds.
    """

    _kinds = ("true_positives", "true_negatives", "false_positives", "false_negatives")

    def __init__(
        self, num_thresholds: int = 200, curve: str = "ROC", summation_method: str = "interpolation",
        name: str | None = None, dtype: Any = None, thresholds: Any = None,
    ) -> None:  # fmt: skip
        if str(curve) not in ("ROC", "PR", "roc", "pr"):
            raise ValueError(f'Invalid AUC curve value "{curve}".')
        if str(summation_method).lower() not in ("interpolation", "majoring", "minoring"):
            raise ValueError(f'Invalid AUC summation method value "{summation_method}".')
        if thresholds is None and num_thresholds <= 1:
            raise ValueError("`num_thresholds` must be > 1.")
        super().__init__(name=name, dtype=dtype)
        inner = [(at + 1) * 1.0 / (num_thresholds - 1) for at in range(num_thresholds - 2)]
        inner = inner if thresholds is None else sorted(thresholds)
        self.num_thresholds = len(inner) + 2
        self.thresholds = [0.0 - epsilon(), *inner, 1.0 + epsilon()]
        self.curve = str(curve).upper()
        self.summation_method = str(summation_method).lower()
        self._make_counts()

    def _interpolated_precision(self, counts: dict[str, Any]) -> Any:
        """The area under precision and recall, with true positives in a line between two thresholds."""
        tp, last = counts["true_positives"], self.num_thresholds - 1
        true = tp[:last] - tp[1:]
        answers = tp + counts["false_positives"]
        slope = ops.div_no_nan(true, ops.maximum(answers[:last] - answers[1:], 0), name="prec_slope")
        intercept = tp[1:] - ops.multiply(slope, answers[1:])
        ratio = ops.where(
            ops.logical_and(answers[:last] > 0, answers[1:] > 0),
            ops.div_no_nan(answers[:last], ops.maximum(answers[1:], 0), name="recall_relative_ratio"),
            ops.ones_like(answers[1:]),
        )
        areas = slope * (true + intercept * ops.log(ratio))
        positives = ops.maximum(tp[1:] + counts["false_negatives"][1:], 0)
        parts = ops.div_no_nan(areas, positives, name="pr_auc_increment")
        return ops.reduce_sum(parts, name="interpolate_pr_auc")

    def result(self) -> Any:
        counts, last = self._counts(), self.num_thresholds - 1
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._interpolated_precision(counts)
        tp, fp = counts["true_positives"], counts["false_positives"]
        recall = ops.div_no_nan(tp, tp + counts["false_negatives"])
        if self.curve == "ROC":
            x, y = ops.div_no_nan(fp, fp + counts["true_negatives"]), recall
        else:
            x, y = recall, ops.div_no_nan(tp, tp + fp)
        if self.summation_method == "interpolation":
            heights = (y[:last] + y[1:]) / 2.0
        else:
            heights = (ops.minimum if self.summation_method == "minoring" else ops.maximum)(y[:last], y[1:])
        return ops.reduce_sum(ops.multiply(x[:last] - x[1:], heights), name=self.name)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(), "num_thresholds": self.num_thresholds, "curve": self.curve,
            "summation_method": self.summation_method, "thresholds": list(self.thresholds)[1:-1],
        }  # fmt: skip
