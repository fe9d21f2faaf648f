"""Heads of classifiers: one logit for two classes, or a logit for each class."""

from __future__ import annotations

from typing import Any

from tfbench import losses, metrics
from tfbench.engine import ops
from tfbench.engine.dtypes import string
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_softmax import softmax
from tfbench.estimator.canned import head_metrics as keys
from tfbench.estimator.canned.checks import checked_logits, in_range
from tfbench.estimator.canned.head import SERVING, Head, LossSpec
from tfbench.estimator.export import ClassificationOutput, PredictOutput, RegressionOutput
from tfbench.lookup.index_tables import index_table_from_tensor, index_to_string_table_from_tensor
from tfbench.nn.cross_entropy import sigmoid_cross_entropy_with_logits


def classifier_head(n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str) -> Head:
    """The head of a classifier with so many classes.

    Raises:
      ValueError: for fewer than two classes.
    """
    if n_classes == 2:
        return BinaryHead(weight_column, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


class _ClassifierHead(Head):
    classes: int

    def __init__(self, weight_column: Any, label_vocabulary: Any, loss_reduction: str, loss_fn: Any, name: Any) -> None:
        super().__init__(weight_column, loss_reduction, loss_fn, name)
        self._vocabulary = label_vocabulary

    def _ids(self, labels: Any) -> Any:
        """Numbers of labels that are words."""
        table = index_table_from_tensor(vocabulary_list=tuple(self._vocabulary), name="class_id_lookup")
        return table.lookup(labels)

    def _words(self, ids: Any) -> Any:
        """What the numbers of classes are called."""
        if self._vocabulary:
            return index_to_string_table_from_tensor(self._vocabulary, name="class_string_lookup").lookup(ids)
        return ops.as_string(ids, name="str_classes")

    def _each_id(self, logits: Any) -> Any:
        batch = ops.shape(logits)[0]
        ids = ops.range(self.classes)
        return ops.tile(ops.expand_dims(ids, axis=0), [batch, 1])

    def _each_word(self, logits: Any) -> Any:
        batch = ops.shape(logits)[0]
        words = self._vocabulary or ops.as_string(ops.range(self.classes))
        return ops.tile(ops.expand_dims(words, axis=0), [batch, 1])

    def export_outputs(self, predictions: dict[str, Any]) -> dict[str, Any]:
        scores = predictions["probabilities"]
        classes = ClassificationOutput(scores, self._each_word(scores))
        return {SERVING: classes, "classification": classes, "predict": PredictOutput(predictions)}


class BinaryHead(_ClassifierHead):
    """Two classes: the logit is that of class 1.

    Args:
      label_vocabulary: the classes' names, if labels are strings.
      thresholds: accuracy, precision and recall are measured for each of these probabilities, too.
      weight_column, loss_reduction, loss_fn, name: as for Head.

    Raises:
      TypeError: if the vocabulary is no list.
      ValueError: for a threshold that is not between 0 and 1.
    """

    logits_dimension = 1
    classes = 2

    def __init__(
        self,
        weight_column: Any,
        label_vocabulary: Any,
        loss_reduction: str,
        thresholds: Any = None,
        loss_fn: Any = None,
        name: str | None = None,
    ) -> None:
        self._thresholds = tuple(thresholds or ())
        if not all(0 < threshold < 1 for threshold in self._thresholds):
            raise ValueError(f"thresholds not in (0, 1): {self._thresholds}.")
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise TypeError(f"label_vocabulary should be a list or tuple. Given type: {type(label_vocabulary)}")
        super().__init__(weight_column, label_vocabulary, loss_reduction, loss_fn, name)

    def predictions(self, logits: Any) -> dict[str, Any]:
        with name_scope(None, "predictions", [logits]):
            logits = checked_logits(logits, 1)
            logistic = ops.sigmoid(logits, name="logistic")
            both = ops.concat((ops.zeros_like(logits), logits), axis=-1, name="two_class_logits")
            probabilities = softmax(both, name="probabilities")
            ids = ops.expand_dims(ops.argmax(both, axis=-1, name="class_ids"), axis=-1)
            each_id, each_word = self._each_id(logits), self._each_word(logits)
            return {
                "logits": logits,
                "logistic": logistic,
                "probabilities": probabilities,
                "class_ids": ids,
                "classes": self._words(ids),
                "all_class_ids": each_id,
                "all_classes": each_word,
            }

    def export_outputs(self, predictions: dict[str, Any]) -> dict[str, Any]:
        return {**super().export_outputs(predictions), "regression": RegressionOutput(predictions["logistic"])}

    def _ready(self, labels: Any) -> Any:
        if self._vocabulary is not None:
            labels = self._ids(labels)
        return in_range(ops.to_float(labels), 2)

    def _losses(self, labels: Any, logits: Any) -> Any:
        return sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _metrics(self, predictions: dict[str, Any], loss: LossSpec) -> dict[str, Any]:
        labels, weights = loss.processed_labels, loss.weights
        logistic, ids = predictions["logistic"], predictions["class_ids"]
        with name_scope(None, "metrics"):
            label_mean = keys.labels_mean(labels, weights, keys.LABEL_MEAN)
            found = {
                keys.AVERAGE_LOSS: metrics.mean(loss.unreduced_loss, weights=weights, name=keys.AVERAGE_LOSS),
                keys.ACCURACY: metrics.accuracy(labels, ids, weights=weights, name=keys.ACCURACY),
                keys.PRECISION: metrics.precision(labels, ids, weights=weights, name=keys.PRECISION),
                keys.RECALL: metrics.recall(labels, ids, weights=weights, name=keys.RECALL),
                keys.PREDICTION_MEAN: keys.predictions_mean(logistic, weights, keys.PREDICTION_MEAN),
                keys.LABEL_MEAN: label_mean,
                keys.ACCURACY_BASELINE: keys.accuracy_baseline(label_mean),
                keys.AUC: keys.auc(labels, logistic, weights, keys.AUC),
                keys.AUC_PR: keys.auc(labels, logistic, weights, keys.AUC_PR, curve="PR"),
            }
            for threshold in self._thresholds:
                found.update(keys.at_threshold(labels, logistic, weights, threshold))
            return found


class MultiClassHead(_ClassifierHead):
    """A logit for each of three classes or more.

    Args:
      label_vocabulary: the classes' names, if labels are strings.
      weight_column, loss_reduction, loss_fn, name: as for Head.

    Raises:
      ValueError: for fewer classes, or if the vocabulary is no list.
    """

    def __init__(
        self,
        n_classes: Any,
        weight_column: Any,
        label_vocabulary: Any,
        loss_reduction: str,
        loss_fn: Any = None,
        name: str | None = None,
    ) -> None:
        if n_classes is None:
            raise ValueError("n_classes cannot be None")
        if n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        if label_vocabulary is not None and not isinstance(label_vocabulary, (list, tuple)):
            raise ValueError(f"label_vocabulary should be a list or a tuple. Given type: {type(label_vocabulary)}")
        super().__init__(weight_column, label_vocabulary, loss_reduction, loss_fn, name)
        self.classes = self.logits_dimension = n_classes

    def predictions(self, logits: Any) -> dict[str, Any]:
        logits = checked_logits(logits, self.classes)
        with name_scope(None, "predictions", [logits]):
            each_id, each_word = self._each_id(logits), self._each_word(logits)
            ids = ops.expand_dims(ops.argmax(logits, axis=-1, name="class_ids"), axis=-1)
            words = self._words(ids)
            return {
                "logits": logits,
                "probabilities": softmax(logits, name="probabilities"),
                "class_ids": ids,
                "classes": words,
                "all_class_ids": each_id,
                "all_classes": each_word,
            }

    def _ready(self, labels: Any) -> Any:
        if self._vocabulary is None:
            if not labels.dtype.is_integer:
                raise ValueError(f"Labels dtype should be integer. Instead got {labels.dtype}.")
        elif labels.dtype != string:
            raise ValueError(f"Labels dtype should be string if there is a vocabulary. Instead got {labels.dtype}")
        else:
            labels = self._ids(labels)
        return in_range(labels, self.classes)

    def _losses(self, labels: Any, logits: Any) -> Any:
        found = losses.sparse_softmax_cross_entropy(labels=labels, logits=logits, reduction=losses.Reduction.NONE)
        return ops.expand_dims(found, axis=-1)

    def _metrics(self, predictions: dict[str, Any], loss: LossSpec) -> dict[str, Any]:
        labels, weights, ids = loss.processed_labels, loss.weights, predictions["class_ids"]
        with name_scope(None, "metrics"):
            return {
                keys.AVERAGE_LOSS: metrics.mean(loss.unreduced_loss, weights=weights, name=keys.AVERAGE_LOSS),
                keys.ACCURACY: metrics.accuracy(labels, ids, weights=weights, name=keys.ACCURACY),
            }
