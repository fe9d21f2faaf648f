"""A head: from logits and labels to predictions, a loss, metrics, and an EstimatorSpec of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tfbench import losses, metrics, summary
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies, get_collection
from tfbench.engine.name_scope import name_scope
from tfbench.estimator.canned import head_metrics as keys
from tfbench.estimator.canned.checks import checked_labels, checked_weights
from tfbench.estimator.model import arguments_of
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

    Args:
      weight_column: the key of a feature, or a numeric column, that is each example's weight.
      loss_reduction: how the examples' losses become one.
      loss_fn: a function of `labels` and `logits` (and of `features`, if it names them) that gives the losses instead.
      name: a scope, and what the names of metrics and summaries end in.

    Raises:
      ValueError: if losses cannot be reduced in such a way, or `loss_fn` takes something else.
    """

    #: how many logits an example has
    logits_dimension: int
    #: how many numbers a label has
    label_dimension: int = 1
    #: how many losses
    loss_dimension: int = 1
    #: the prediction that is the logits, checked
    loss_of = "logits"
    #: whether each logit may have a weight of its own
    weight_for_each_logit = False

    def __init__(self, weight_column: Any, loss_reduction: str, loss_fn: Any = None, name: str | None = None) -> None:
        if loss_reduction not in losses.Reduction.all() or loss_reduction == losses.Reduction.NONE:
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        if loss_fn is not None:
            _check_loss_function(loss_fn)
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction
        self._loss_fn = loss_fn
        self._name = name

    @property
    def name(self) -> str | None:
        return self._name

    def _key(self, key: str) -> str:
        return f"{key}/{self._name}" if self._name else key

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

    def _labels(self, labels: Any, logits: Any) -> Any:
        """The labels that were given, checked and made ready."""
        return self._ready(checked_labels(labels, logits, self.label_dimension))

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
        labels = self._labels(labels, logits)
        if self._loss_fn is None:
            unreduced = self._losses(labels, logits)
        else:
            unreduced = _called(self._loss_fn, labels, logits, features, self.loss_dimension)
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
        with name_scope(self._name, "head"):
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
            named = {self._key(key): pair for key, pair in found.items()}
            return EstimatorSpec(mode, predictions, total, eval_metric_ops=named)
        with name_scope(""):
            summary.scalar(self._key("loss"), total)
            if mean is not None:
                summary.scalar(self._key(keys.AVERAGE_LOSS), mean)
            if penalty is not None:
                summary.scalar(self._key(keys.REGULARIZATION_LOSS), penalty)
        return EstimatorSpec(mode, predictions, total, train_op)

    def _mean_loss(self, loss: LossSpec) -> Any:
        if self._loss_reduction != losses.Reduction.SUM:
            return None
        count = ops.reduce_sum(loss.weights * ops.ones_like(loss.unreduced_loss))
        return loss.training_loss / count


def _check_loss_function(function: Any) -> None:
    taken = arguments_of(function)
    for name in ("labels", "logits"):
        if name not in taken:
            raise ValueError(f"loss_fn must contain argument: {name}. Given arguments: {taken}")
    unknown = sorted(set(taken) - {"labels", "logits", "features"})
    if unknown:
        raise ValueError(f"loss_fn has unexpected args: {unknown}")


def _called(function: Any, labels: Any, logits: Any, features: Any, width: int) -> Any:
    """The losses that a function of the user's gives; that they are [batch, width] is seen to when they are run."""
    more = {"features": features} if "features" in arguments_of(function) else {}
    with name_scope(None, "call_loss_fn", [labels, logits, *features.values()]):
        found = function(labels=labels, logits=logits, **more)
        given: Any = ops.shape(logits, name="logits_shape")
        wanted = ops.concat([given[:-1], [width]], axis=0, name="expected_loss_shape")
        sizes = ops.shape(found, name="loss_shape")
        message = f"loss_fn must return Tensor of shape [D0, D1, ... DN, {width}]. "
        data = [message, "logits_shape: ", given, "loss_shape: ", sizes]
        fits = ops.Assert(ops.reduce_all(ops.equal(sizes, wanted)), data=data, name="check_loss_shape")
        with control_dependencies([fits]):
            return ops.identity(found)


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
