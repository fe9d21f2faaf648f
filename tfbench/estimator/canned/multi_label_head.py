"""The head of classifiers whose examples may have several labels, or none."""

from __future__ import annotations

from typing import Any

from tfbench import losses, metrics
from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import int32, string
from tfbench.engine.name_scope import name_scope
from tfbench.estimator.canned import head_metrics as keys
from tfbench.estimator.canned.checks import check_given, checked_labels, checked_logits, in_range
from tfbench.estimator.canned.head import SERVING, Head, LossSpec
from tfbench.estimator.export import ClassificationOutput, PredictOutput
from tfbench.lookup.index_tables import index_table_from_tensor


class MultiLabelHead(Head):
    """A logit for each class, each of which an example may have.

    Labels are indicators [batch, classes] of 0 and 1, or a sparse tensor of classes' numbers or names.

    Args:
      thresholds: accuracy, precision and recall are measured for each of these probabilities.
      label_vocabulary: the classes' names.
      classes_for_class_based_metrics: the numbers or names of classes that are measured by themselves, too.
      weight_column, loss_reduction, loss_fn, name: as for Head.

    Raises:
      ValueError: for fewer than two classes, a threshold that is not between 0 and 1, a vocabulary of another length,
        or classes that there are not.
    """

    def __init__(
        self,
        n_classes: Any,
        weight_column: Any,
        thresholds: Any,
        label_vocabulary: Any,
        loss_reduction: str,
        loss_fn: Any = None,
        classes_for_class_based_metrics: Any = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None or n_classes < 2:
            raise ValueError(f"n_classes must be > 1 for multi-class classification. Given: {n_classes}")
        self._thresholds = tuple(thresholds or ())
        if not all(0 < threshold < 1 for threshold in self._thresholds):
            raise ValueError(f"thresholds must be in (0, 1) range. Given: {self._thresholds}")
        if label_vocabulary is not None:
            if not isinstance(label_vocabulary, (list, tuple)):
                raise ValueError(f"label_vocabulary must be a list or tuple. Given type: {type(label_vocabulary)}")
            if len(label_vocabulary) != n_classes:
                raise ValueError(
                    f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(label_vocabulary)}"
                )
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self.label_dimension = self.logits_dimension = n_classes
        self._vocabulary = label_vocabulary
        self._measured = [self._number(each) for each in classes_for_class_based_metrics or ()]

    def _number(self, given: Any) -> int:
        if isinstance(given, str):
            if not self._vocabulary:
                raise ValueError(
                    "label_vocabulary must be provided when classes_for_class_based_metrics are strings: "
                    f"what is {given!r}?"
                )
            return int(self._vocabulary.index(given))
        if not 0 <= given < self.logits_dimension:
            raise ValueError(
                f"All classes_for_class_based_metrics must be in range [0, {self.logits_dimension - 1}]. Given: {given}"
            )
        return int(given)

    def predictions(self, logits: Any) -> dict[str, Any]:
        logits = checked_logits(logits, self.logits_dimension)
        with name_scope(None, "predictions", [logits]):
            return {"logits": logits, "probabilities": ops.sigmoid(logits, name="probabilities")}

    def export_outputs(self, predictions: dict[str, Any]) -> dict[str, Any]:
        scores = predictions["probabilities"]
        batch = ops.shape(scores)[0]
        words = self._vocabulary or ops.as_string(ops.range(self.logits_dimension))
        classes = ClassificationOutput(scores, ops.tile(ops.expand_dims(words, axis=0), [batch, 1]))
        return {SERVING: classes, "classification": classes, "predict": PredictOutput(predictions)}

    def _labels(self, labels: Any, logits: Any) -> Any:
        check_given(labels)
        return checked_labels(self._ready(labels), logits, self.label_dimension)

    def _ready(self, labels: Any) -> Any:
        if not isinstance(labels, SparseTensor):
            return in_range(labels, 2, message="labels must be an integer indicator Tensor with values in [0, 1]")
        count = self.logits_dimension
        if labels.dtype == string:
            words = tuple(self._vocabulary or ())
            numbers = index_table_from_tensor(vocabulary_list=words, name="class_id_lookup").lookup(labels.values)
            labels = SparseTensor(labels.indices, numbers, labels.dense_shape)
            return ops.to_int64(ops.sparse_to_indicator(labels, count))
        message = f"labels must be an integer SparseTensor with values in [0, {count})"
        checks = [
            ops.assert_integer(labels.values, message=message),
            ops.assert_less(labels.values, convert_to_tensor(count, dtype=labels.dtype), message=message),
            ops.assert_non_negative(labels.values, message=message),
        ]
        with control_dependencies(checks):
            return ops.to_int64(ops.sparse_to_indicator(labels, count))

    def _losses(self, labels: Any, logits: Any) -> Any:
        found = losses.sigmoid_cross_entropy(multi_class_labels=labels, logits=logits, reduction=losses.Reduction.NONE)
        return ops.reduce_mean(found, axis=-1, keepdims=True)

    def _metrics(self, predictions: dict[str, Any], loss: LossSpec) -> dict[str, Any]:
        labels, weights, chances = loss.processed_labels, loss.weights, predictions["probabilities"]
        options = {"labels": labels, "predictions": chances, "weights": weights}
        with name_scope(None, "metrics"):
            found = {
                keys.AVERAGE_LOSS: metrics.mean(loss.unreduced_loss, weights=weights, name=keys.AVERAGE_LOSS),
                keys.AUC: metrics.auc(**options, name=keys.AUC),
                keys.AUC_PR: metrics.auc(**options, curve="PR", name=keys.AUC_PR),
            }
            for threshold in self._thresholds:
                found.update(keys.at_threshold(labels, chances, weights, threshold))
            for number in self._measured:
                found.update(self._of_class(number, labels, chances, weights))
            return found

    def _of_class(self, number: int, labels: Any, chances: Any, weights: Any) -> dict[str, Any]:
        """Metrics of one class."""
        rank: Any = ops.rank(chances) - 1
        begin = ops.concat([ops.zeros([rank], dtype=int32), [number]], axis=0)
        size = ops.concat([-1 * ops.ones([rank], dtype=int32), [1]], axis=0)
        chances, labels = ops.slice(chances, begin, size), ops.slice(labels, begin, size)
        end = f"class{number}" if self._vocabulary is None else self._vocabulary[number]
        mean, auc, auc_pr = f"probability_mean/{end}", f"{keys.AUC}/{end}", f"{keys.AUC_PR}/{end}"
        return {
            mean: keys.predictions_mean(chances, weights, mean),
            auc: keys.auc(labels, chances, weights, auc),
            auc_pr: keys.auc(labels, chances, weights, auc_pr, curve="PR"),
        }
