"""Metrics that are means: of losses, of right answers, of errors; and of overlaps of classes."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.ops.array_diag import diag_part
from tfbench.engine.ops.math_confusion import confusion_matrix, remove_squeezable_dimensions
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.engine.shapes import TensorShape
from tfbench.keras import losses
from tfbench.keras.backend.state import bare_session, initialize_variables
from tfbench.keras.engine.weighted import matched, weights_like
from tfbench.keras.metrics import functions
from tfbench.keras.metrics.base import Mean, MeanMetricWrapper, Metric, cast


def _class(kind: str, function: Any, name: str | None = None, first: str = "name", **options: Any) -> type[Any]:
    """A class of metrics: `function`'s mean. `first` says which argument comes first, the name or an option."""
    names = ["name", "dtype", *options] if first == "name" else [*options, "name", "dtype"]
    defaults = {**options, "name": name or function.__name__, "dtype": None}

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(names):
            raise TypeError(f"{kind} takes at most {len(names)} arguments: {', '.join(names)}")
        for unknown in kwargs:
            if unknown not in names:
                raise TypeError(f"{kind}.__init__() got an unexpected keyword argument {unknown!r}")
        MeanMetricWrapper.__init__(self, function, **{**defaults, **dict(zip(names, args, strict=False)), **kwargs})

    doc = f"The mean of `{function.__name__}`. Arguments: {', '.join(names)}."
    return type(kind, (MeanMetricWrapper,), {"__init__": init, "__doc__": doc, "__module__": __name__})


Accuracy = _class("Accuracy", functions.accuracy)
BinaryAccuracy = _class("BinaryAccuracy", functions.binary_accuracy, threshold=0.5)
CategoricalAccuracy = _class("CategoricalAccuracy", functions.categorical_accuracy)
SparseCategoricalAccuracy = _class("SparseCategoricalAccuracy", functions.sparse_categorical_accuracy)
TopKCategoricalAccuracy = _class("TopKCategoricalAccuracy", functions.top_k_categorical_accuracy, first="k", k=5)
SparseTopKCategoricalAccuracy = _class(
    "SparseTopKCategoricalAccuracy", functions.sparse_top_k_categorical_accuracy, first="k", k=5
)
CosineSimilarity = _class("CosineSimilarity", losses.cosine_similarity, "cosine_similarity", axis=-1)
MeanAbsoluteError = _class("MeanAbsoluteError", losses.mean_absolute_error)
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", losses.mean_absolute_percentage_error)
MeanSquaredError = _class("MeanSquaredError", losses.mean_squared_error)
MeanSquaredLogarithmicError = _class("MeanSquaredLogarithmicError", losses.mean_squared_logarithmic_error)
Hinge = _class("Hinge", losses.hinge)
SquaredHinge = _class("SquaredHinge", losses.squared_hinge)
CategoricalHinge = _class("CategoricalHinge", losses.categorical_hinge)
LogCoshError = _class("LogCoshError", losses.logcosh)
Poisson = _class("Poisson", losses.poisson)
KLDivergence = _class("KLDivergence", losses.kullback_leibler_divergence)
BinaryCrossentropy = _class("BinaryCrossentropy", losses.binary_crossentropy, from_logits=False, label_smoothing=0)
CategoricalCrossentropy = _class(
    "CategoricalCrossentropy", losses.categorical_crossentropy, from_logits=False, label_smoothing=0
)
SparseCategoricalCrossentropy = _class(
    "SparseCategoricalCrossentropy", losses.sparse_categorical_crossentropy, from_logits=False, axis=-1
)


class RootMeanSquaredError(Mean):
    """The root of the mean squared error."""

    def __init__(self, name: str = "root_mean_squared_error", dtype: Any = None) -> None:
        super().__init__(name, dtype=dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Adds a batch of labels and predictions."""
        y_true, y_pred = cast(y_true, self.dtype), cast(y_pred, self.dtype)
        y_pred, y_true = matched(y_pred, y_true)
        return super().update_state(ops.squared_difference(y_pred, y_true), sample_weight=sample_weight)

    def result(self) -> Any:
        return ops.sqrt(ops.div_no_nan(self.total, self.count))


class MeanRelativeError(Mean):
    """The mean of |label - prediction|, divided by `normalizer`."""

    normalizer: Any

    def __init__(self, normalizer: Any, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name or "", dtype=dtype)
        vars(self)["normalizer"] = ops.cast(normalizer, self.dtype)

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:  # type: ignore[override]
        """Adds a batch of labels and predictions."""
        y_true, y_pred = cast(y_true, self.dtype), cast(y_pred, self.dtype)
        y_pred, y_true = matched(y_pred, y_true)
        y_pred, normalizer = remove_squeezable_dimensions(y_pred, self.normalizer)
        y_pred.shape.assert_is_compatible_with(y_true.shape)
        errors = ops.div_no_nan(ops.abs(y_true - y_pred), normalizer)
        return super().update_state(errors, sample_weight=sample_weight)


class MeanIoU(Metric):
    """The mean over classes of what labels and predictions have in common, divided by what either has."""

    def __init__(self, num_classes: int, name: str | None = None, dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight("total_confusion_matrix", shape=(num_classes, num_classes), dtype="float64")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """Adds a batch of labels and predictions, which are numbers of classes."""

        def flat(x: Any) -> Any:
            return ops.reshape(x, [-1]) if x.shape.ndims > 1 else x

        y_true, y_pred = cast(y_true, self.dtype), cast(y_pred, self.dtype)
        y_pred, y_true = flat(y_pred), flat(y_true)
        sample_weight = None if sample_weight is None else flat(sample_weight)
        matrix = confusion_matrix(y_true, y_pred, self.num_classes, weights=sample_weight, dtype="float64")
        return self.total_cm.assign_add(matrix)

    def result(self) -> Any:
        rows = ops.cast(ops.reduce_sum(self.total_cm, axis=0), self.dtype)
        columns = ops.cast(ops.reduce_sum(self.total_cm, axis=1), self.dtype)
        both = ops.cast(diag_part(self.total_cm), self.dtype)
        either = rows + columns - both
        there = ops.reduce_sum(ops.cast(ops.not_equal(either, 0), self.dtype))
        overlap = ops.div_no_nan(both, either)
        return ops.div_no_nan(ops.reduce_sum(overlap, name="mean_iou"), there)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "num_classes": self.num_classes}


class MeanTensor(Metric):
    """The weighted mean of tensors, element by element. The first one says the shape of all."""

    total: Any
    count: Any
    _shape: Any

    def __init__(self, name: str = "mean_tensor", dtype: Any = None) -> None:
        super().__init__(name=name, dtype=dtype)
        vars(self).update(total=None, count=None, _shape=None)

    def update_state(self, values: Any, sample_weight: Any = None) -> Any:
        """Adds a tensor, with a weight or weights.

        Raises:
          ValueError: for another shape than that of the first one.
        """
        values = cast(values, self.dtype)
        if self._shape is None:
            shape = values.shape.as_list()
            vars(self).update(
                _shape=TensorShape(shape),
                total=self.add_weight("total", shape=shape),
                count=self.add_weight("count", shape=shape),
            )
            initialize_variables(bare_session())
        elif values.shape != self._shape:
            raise ValueError(
                f"MeanTensor {self.name} takes values that have the same shape each time. Expected shape (the first "
                f"one's): {self._shape}. Got: {values.shape}"
            )
        number = ops.ones_like(values)
        if sample_weight is not None:
            weights = weights_like(values, cast(sample_weight, self.dtype))
            try:
                weights = broadcast_weights(weights, values)
            except ValueError:
                values = ops.reduce_mean(values, axis=list(range(weights.shape.ndims, values.shape.ndims)))
            number, values = ops.multiply(number, weights), ops.multiply(values, weights)
        update = self.total.assign_add(values)
        with control_dependencies([update.op]):
            return self.count.assign_add(number)

    def result(self) -> Any:
        if self._shape is None:
            raise ValueError(
                "MeanTensor does not have any result yet. Call it on a value first, or its `update_state`."
            )
        return ops.div_no_nan(self.total, self.count)
