"""`DNNClassifier`, `LinearRegressor` and their kin: an Estimator each, with a model function of a head and a model."""

from __future__ import annotations

from typing import Any

from tfbench.engine.ops.nn_activations import relu
from tfbench.estimator.canned.classifier_heads import classifier_head
from tfbench.estimator.canned.head import Head
from tfbench.estimator.canned.model_functions import (
    Deep,
    Wide,
    baseline_model,
    combined_model,
    dnn_model,
    linear_model,
)
from tfbench.estimator.canned.regression_head import RegressionHead
from tfbench.estimator.estimator import Estimator
from tfbench.feature_column.numeric import NumericColumn
from tfbench.losses import Reduction

__all__ = [
    "BaselineClassifier", "BaselineRegressor", "DNNClassifier", "DNNLinearCombinedClassifier",
    "DNNLinearCombinedRegressor", "DNNRegressor", "LinearClassifier", "LinearRegressor",
]  # fmt: skip


class Canned(Estimator):
    """An Estimator of a model, which gets what all model functions get, the head, and `arguments`."""

    def __init__(
        self,
        model: Any,
        head: Head,
        arguments: tuple[Any, ...],
        model_dir: Any,
        config: Any,
        warm_start_from: Any = None,
    ) -> None:
        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return model(features, labels, mode, config, head, *arguments)

        super().__init__(model_fn, model_dir=model_dir, config=config, warm_start_from=warm_start_from)


def deep_of(
    columns: Any, hidden_units: Any, activation: Any, dropout: Any, batch_norm: bool, optimizer: Any, partitioner: Any
) -> Deep:
    """The settings of a network."""
    return Deep(tuple(columns or ()), hidden_units, activation, dropout, batch_norm, optimizer, partitioner)


def wide_of(columns: Any, optimizer: Any, combiner: str, partitioner: Any = None) -> Wide:
    """The settings of a linear model."""
    return Wide(tuple(columns or ()), optimizer, combiner, partitioner)


class DNNClassifier(Canned):
    """A network that tells classes apart.

    Args:
      hidden_units: the sizes of its hidden layers.
      feature_columns: dense columns.
      n_classes: how many classes there are.
      weight_column: the key of a feature, or a numeric column, that is each example's weight.
      label_vocabulary: the classes' names, if labels are strings.
      optimizer: an Optimizer, a function that makes one, or "Adagrad", "Adam", "Ftrl", "RMSProp", "SGD".
      activation_fn, dropout, batch_norm: of the hidden layers.
      loss_reduction: how the examples' losses become one.

    Raises:
      ValueError: for settings that cannot be; further ones when the model is built.
    """

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = relu,
        dropout: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        deep = deep_of(
            feature_columns, hidden_units, activation_fn, dropout, batch_norm, optimizer, input_layer_partitioner
        )
        super().__init__(dnn_model, head, (deep,), model_dir, config, warm_start_from)


class DNNRegressor(Canned):
    """A network that predicts `label_dimension` numbers; further arguments are DNNClassifier's."""

    def __init__(
        self,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = relu,
        dropout: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        deep = deep_of(
            feature_columns, hidden_units, activation_fn, dropout, batch_norm, optimizer, input_layer_partitioner
        )
        super().__init__(dnn_model, head, (deep,), model_dir, config, warm_start_from)


class LinearClassifier(Canned):
    """A linear model that tells classes apart.

    Args:
      feature_columns: dense and categorical columns.
      optimizer: as for DNNClassifier; None or "Ftrl".
      partitioner: of its variables.
      sparse_combiner: how the weights of an example's categories become one: "sum", "mean" or "sqrtn".
      n_classes, weight_column, label_vocabulary, loss_reduction: as for DNNClassifier.
    """

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        wide = wide_of(feature_columns, optimizer, sparse_combiner, partitioner)
        super().__init__(linear_model, head, (wide,), model_dir, config, warm_start_from)


class LinearRegressor(Canned):
    """A linear model that predicts `label_dimension` numbers; further arguments are LinearClassifier's."""

    def __init__(
        self,
        feature_columns: Any,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        sparse_combiner: str = "sum",
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        wide = wide_of(feature_columns, optimizer, sparse_combiner, partitioner)
        super().__init__(linear_model, head, (wide,), model_dir, config, warm_start_from)


def check_columns(linear: Any, deep: Any) -> None:
    """Raises ValueError if neither model has columns."""
    if not linear and not deep:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")


class DNNLinearCombinedClassifier(Canned):
    """A network and a linear model, together: wide and deep. Each learns with an optimizer of its own.

    Raises:
      ValueError: if neither has columns.
    """

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        check_columns(linear_feature_columns, dnn_feature_columns)
        head = classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        deep = deep_of(
            dnn_feature_columns, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm, dnn_optimizer,
            input_layer_partitioner,
        )  # fmt: skip
        wide = wide_of(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        super().__init__(combined_model, head, (deep, wide), model_dir, config, warm_start_from)


class DNNLinearCombinedRegressor(Canned):
    """As DNNLinearCombinedClassifier, to predict `label_dimension` numbers."""

    def __init__(
        self,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        loss_reduction: str = Reduction.SUM,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        check_columns(linear_feature_columns, dnn_feature_columns)
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        deep = deep_of(
            dnn_feature_columns, dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm, dnn_optimizer,
            input_layer_partitioner,
        )  # fmt: skip
        wide = wide_of(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        super().__init__(combined_model, head, (deep, wide), model_dir, config, warm_start_from)


def _weight_key(weight_column: Any) -> Any:
    return weight_column.key if isinstance(weight_column, NumericColumn) else weight_column


class BaselineClassifier(Canned):
    """Learns how often each class is there, and predicts that whatever the features are."""

    def __init__(
        self,
        model_dir: Any = None,
        n_classes: int = 2,
        weight_column: Any = None,
        label_vocabulary: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        super().__init__(baseline_model, head, (optimizer, _weight_key(weight_column)), model_dir, config)


class BaselineRegressor(Canned):
    """Learns the mean of the labels, and predicts that whatever the features are."""

    def __init__(
        self,
        model_dir: Any = None,
        label_dimension: int = 1,
        weight_column: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        loss_reduction: str = Reduction.SUM,
    ) -> None:
        head = RegressionHead(label_dimension, weight_column, loss_reduction)
        super().__init__(baseline_model, head, (optimizer, _weight_key(weight_column)), model_dir, config)
