"""The head of regressors."""

from __future__ import annotations

from typing import Any

from tfbench import losses, metrics
from tfbench.engine import ops
from tfbench.estimator.canned import head_metrics as keys
from tfbench.estimator.canned.checks import checked_logits
from tfbench.estimator.canned.head import SERVING, Head, LossSpec
from tfbench.estimator.export import PredictOutput, RegressionOutput


class RegressionHead(Head):
    """Predicts `label_dimension` numbers; the loss is the mean of squared errors.

    Args:
      inverse_link_fn: what is predicted, of the logits; default: these themselves.
      weight_column, loss_reduction, loss_fn, name: as for Head.

    Raises:
      ValueError: for a dimension below 1.
    """

    weight_for_each_logit = True

    def __init__(
        self,
        label_dimension: int,
        weight_column: Any,
        loss_reduction: str,
        loss_fn: Any = None,
        inverse_link_fn: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self.label_dimension = self.loss_dimension = self.logits_dimension = label_dimension
        self._inverse_link = inverse_link_fn
        self.loss_of = "predictions" if inverse_link_fn is None else "logits"

    def predictions(self, logits: Any) -> dict[str, Any]:
        logits = checked_logits(logits, self.logits_dimension)
        if self._inverse_link is None:
            return {"predictions": logits}
        return {"predictions": self._inverse_link(logits), "logits": logits}

    def export_outputs(self, predictions: dict[str, Any]) -> dict[str, Any]:
        output = RegressionOutput(predictions["predictions"])
        return {SERVING: output, "regression": output, "predict": PredictOutput(predictions)}

    def _ready(self, labels: Any) -> Any:
        return ops.to_float(labels)

    def _losses(self, labels: Any, logits: Any) -> Any:
        return losses.mean_squared_error(labels=labels, predictions=logits, reduction=losses.Reduction.NONE)

    def _metrics(self, predictions: dict[str, Any], loss: LossSpec) -> dict[str, Any]:
        weights = loss.weights
        return {
            keys.AVERAGE_LOSS: metrics.mean(loss.unreduced_loss, weights=weights),
            keys.PREDICTION_MEAN: keys.predictions_mean(predictions["predictions"], weights, keys.PREDICTION_MEAN),
            keys.LABEL_MEAN: metrics.mean(loss.processed_labels, weights=weights),
        }
