"""`tf.contrib.estimator`: heads to put on `tf.estimator.DNNEstimator` and its kin, or on a model of one's own."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.estimator.canned.checks import in_range
from tfbench.estimator.canned.classifier_heads import BinaryHead, MultiClassHead
from tfbench.estimator.canned.more_metrics import add_metrics
from tfbench.estimator.canned.multi_label_head import MultiLabelHead
from tfbench.estimator.canned.regression_head import RegressionHead
from tfbench.losses import Reduction
from tfbench.nn.cross_entropy import log_poisson_loss, sigmoid_cross_entropy_with_logits

__all__ = [
    "add_metrics", "binary_classification_head", "logistic_regression_head", "multi_class_head",
    "multi_label_head", "poisson_regression_head", "regression_head",
]  # fmt: skip


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    name: str | None = None,
) -> BinaryHead:
    """The head for two classes; arguments and errors as those of `BinaryHead`."""
    return BinaryHead(weight_column, label_vocabulary, loss_reduction, thresholds, loss_fn, name)


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    name: str | None = None,
) -> MultiClassHead:
    """The head for three classes or more; arguments and errors as those of `MultiClassHead`."""
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction, loss_fn, name)


def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    classes_for_class_based_metrics: Any = None,
    name: str | None = None,
) -> MultiLabelHead:
    """The head for classes that an example may have several of; arguments and errors as those of `MultiLabelHead`."""
    return MultiLabelHead(
        n_classes, weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn,
        classes_for_class_based_metrics, name,
    )  # fmt: skip


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    loss_fn: Any = None,
    inverse_link_fn: Any = None,
    name: str | None = None,
) -> RegressionHead:
    """The head for numbers; arguments and errors as those of `RegressionHead`."""
    return RegressionHead(label_dimension, weight_column, loss_reduction, loss_fn, inverse_link_fn, name)


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE, name: str | None = None
) -> RegressionHead:
    """The head for a number between 0 and 1, whose loss is the cross entropy."""

    def loss(labels: Any, logits: Any) -> Any:
        labels = in_range(labels, 2, message="Labels must be in range [0, 1]")
        return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    return RegressionHead(1, weight_column, loss_reduction, loss, ops.sigmoid, name)


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> RegressionHead:
    """The head for counts: the logits are logarithms of what is expected.

    Args:
      compute_full_loss: with the term that depends on the labels alone.
    """

    def loss(labels: Any, logits: Any) -> Any:
        return log_poisson_loss(targets=labels, log_input=logits, compute_full_loss=compute_full_loss)

    return RegressionHead(label_dimension, weight_column, loss_reduction, loss, ops.exp, name)
