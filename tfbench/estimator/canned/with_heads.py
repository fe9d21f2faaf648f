"""Canned models under a head of the user's choice: `tf.estimator.DNNEstimator` and its kin."""

from __future__ import annotations

from typing import Any

from tfbench.engine.ops.nn_activations import relu
from tfbench.estimator.canned.estimators import Canned, check_columns, deep_of, wide_of
from tfbench.estimator.canned.head import Head
from tfbench.estimator.canned.model_functions import baseline_model, combined_model, dnn_model, linear_model

__all__ = ["BaselineEstimator", "DNNEstimator", "DNNLinearCombinedEstimator", "LinearEstimator"]


class DNNEstimator(Canned):
    """A network under a head, as those of `tf.contrib.estimator`; further arguments are DNNClassifier's."""

    def __init__(
        self,
        head: Head,
        hidden_units: Any,
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Adagrad",
        activation_fn: Any = relu,
        dropout: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        warm_start_from: Any = None,
        batch_norm: bool = False,
    ) -> None:
        deep = deep_of(
            feature_columns, hidden_units, activation_fn, dropout, batch_norm, optimizer, input_layer_partitioner
        )
        super().__init__(dnn_model, head, (deep,), model_dir, config, warm_start_from)


class LinearEstimator(Canned):
    """A linear model under a head; further arguments are LinearClassifier's."""

    def __init__(
        self,
        head: Head,
        feature_columns: Any,
        model_dir: Any = None,
        optimizer: Any = "Ftrl",
        config: Any = None,
        partitioner: Any = None,
        sparse_combiner: str = "sum",
    ) -> None:
        wide = wide_of(feature_columns, optimizer, sparse_combiner, partitioner)
        super().__init__(linear_model, head, (wide,), model_dir, config)


class DNNLinearCombinedEstimator(Canned):
    """A network and a linear model under a head; further arguments are DNNLinearCombinedClassifier's."""

    def __init__(
        self,
        head: Head,
        model_dir: Any = None,
        linear_feature_columns: Any = None,
        linear_optimizer: Any = "Ftrl",
        dnn_feature_columns: Any = None,
        dnn_optimizer: Any = "Adagrad",
        dnn_hidden_units: Any = None,
        dnn_activation_fn: Any = relu,
        dnn_dropout: Any = None,
        input_layer_partitioner: Any = None,
        config: Any = None,
        linear_sparse_combiner: str = "sum",
    ) -> None:
        check_columns(linear_feature_columns, dnn_feature_columns)
        deep = deep_of(
            dnn_feature_columns, dnn_hidden_units, dnn_activation_fn, dnn_dropout, False, dnn_optimizer,
            input_layer_partitioner,
        )  # fmt: skip
        wide = wide_of(linear_feature_columns, linear_optimizer, linear_sparse_combiner)
        super().__init__(combined_model, head, (deep, wide), model_dir, config)


class BaselineEstimator(Canned):
    """A bias alone under a head."""

    def __init__(self, head: Head, model_dir: Any = None, optimizer: Any = "Ftrl", config: Any = None) -> None:
        super().__init__(baseline_model, head, (optimizer, None), model_dir, config)
