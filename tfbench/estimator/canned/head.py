"""A head: from logits and labels to predictions, a loss, metrics, and an EstimatorSpec of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tfbench import losses, metrics, summary
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_collection
from tfbench.engine.name_scope import name_scope
from tfbench.estimator.canned import head_metrics as keys
from tfbench.estimator.canned.checks import checked_labels, checked_weights
from tfbench.estimator.spec import EstimatorSpec, ModeKeys
from tfbench.train.training_step import get_global_step

SERVING = "serving_default"


class LossSpec(NamedTuple):
    """A loss: what is trained with, one for each example, the weights of these, and the labels they come from."""

    training_loss: Any
    unreduced_loss: Any
    weights: Any
    processed_labels: Any


class Head:
    """What all heads do; a subclass knows what to predict, how to compare it with labels, and what to measure.

    Raises:
      ValueError: if losses cannot be reduced in such a way.
    """

    #: how many logits an example has
    logits_dimension: int
    #: how many numbers a label has
    label_dimension: int = 1
    #: the prediction that is the logits, checked
    loss_of = "logits"
    #: whether each logit may have a weight of its own
    weight_for_each_logit = False

    def __init__(self, weight_column: Any, loss_reduction: str) -> None:
        if loss_reduction not in losses.Reduction.all() or loss_reduction == losses.Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction

    # -- what a subclass says ------------------------------------------------------------------------------------------

    def predictions(self, logits: Any) -> dict[str, Any]:
        """What is predicted, by name; `loss_of` says which of it the loss is of."""
        raise NotImplementedError

    def export_outputs(self, predictions: dict[str, Any]) -> dict[str, Any]:
        """The ExportOutputs by name."""
        raise NotImplementedError

    def _ready(self, labels: Any) -> Any:
        """Labels as the loss takes them."""
        raise NotImplementedError

    def _losses(self, labels: Any, logits: Any) -> Any:
        """The loss of each example: [batch, 1], or as the logits."""
        raise NotImplementedError

    def _metrics(self, predictions: dict[str, Any], loss: LossSpec) -> dict[str, Any]:
        """Pairs of value and update by name."""
        raise NotImplementedError

    # -- what all do ---------------------------------------------------------------------------------------------------

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> LossSpec:
        """The loss of these logits.

        Raises:
          ValueError: if labels or weights do not fit.
        """
        logits = convert_to_tensor(logits)
        labels = self._ready(checked_labels(labels, logits, self.label_dimension))
        unreduced = self._losses(labels, logits)
        weights = checked_weights(features, self._weight_column, logits, self.weight_for_each_logit)
        loss = losses.compute_weighted_loss(unreduced, weights=weights, reduction=self._loss_reduction)
        return LossSpec(loss, unreduced, weights, labels)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
        regularization_losses: Any = None,
    ) -> EstimatorSpec:
        """What a model function gives.

        Args:
          optimizer, train_op_fn: one of them, to train: an Optimizer, or a function of the loss.
          regularization_losses: more losses, which are trained with.

        Raises:
          ValueError: if both are given or none, or labels do not fit.
        """
        with name_scope(None, "head"):
            predictions = self.predictions(logits)
            if mode == ModeKeys.PREDICT:
                return EstimatorSpec(mode, predictions, export_outputs=self.export_outputs(predictions))
            loss = self.create_loss(features, mode, predictions[self.loss_of], labels)
            total, penalty = loss.training_loss, None
            if regularization_losses:
                penalty = ops.add_n(regularization_losses)
                total = ops.add_n([total, penalty])
            if mode != ModeKeys.EVAL:
                train_op = _with_updates(_train_op(total, optimizer, train_op_fn))
                mean = self._mean_loss(loss)
        if mode == ModeKeys.EVAL:
            found = self._metrics(predictions, loss)
            if penalty is not None:
                found[keys.REGULARIZATION_LOSS] = metrics.mean(penalty, name=keys.REGULARIZATION_LOSS)
            return EstimatorSpec(mode, predictions, total, eval_metric_ops=found)
        with name_scope(""):
            summary.scalar("loss", total)
            if mean is not None:
                summary.scalar(keys.AVERAGE_LOSS, mean)
            if penalty is not None:
                summary.scalar(keys.REGULARIZATION_LOSS, penalty)
        return EstimatorSpec(mode, predictions, total, train_op)

    def _mean_loss(self, loss: LossSpec) -> Any:
        if self._loss_reduction != losses.Reduction.SUM:
            return None
        count = ops.reduce_sum(loss.weights * ops.ones_like(loss.unreduced_loss))
        return loss.training_loss / count


def _train_op(loss: Any, optimizer: Any, train_op_fn: Any) -> Any:
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        return optimizer.minimize(loss, global_step=get_global_step())
    if train_op_fn is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    return train_op_fn(loss)


def _with_updates(train_op: Any) -> Any:
    updates = get_collection(GraphKeys.UPDATE_OPS)
    return ops.group(train_op, *updates) if updates else train_op
