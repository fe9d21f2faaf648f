"""What canned models make of features: an input layer, or a linear model, under the names that their checkpoints have.

`tf.feature_column.input_layer` makes variables when a column needs them. Here, as in TensorFlow's estimators, all
variables are made first, in scopes without operations, and the nodes after them in scopes without variables.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.dtypes import float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.feature_column.columns import CategoricalColumn, DenseColumn, Transformed, by_name, check_batch, columns_of
from tfbench.feature_column.embedding import SharedEmbeddingColumn
from tfbench.feature_column.models import dense_columns, flat_rows, input_in_scope, table_shape, weighted_sum
from tfbench.initializers import zeros_initializer
from tfbench.variable_scope import get_variable, variable_scope
from tfbench.variables import PartitionedVariable


class _Made:
    """The variables of columns, made beforehand."""

    def __init__(self) -> None:
        self._variables: dict[tuple[Any, str], Any] = {}

    def make(self, column: Any) -> None:
        """Makes what the column learns, in the scope that is open."""
        if isinstance(column, DenseColumn):
            for name, shape, initializer, trainable in column.variables():
                self(column, name, shape, initializer, trainable)

    def __call__(self, column: Any, name: str, shape: tuple[int, ...], initializer: Any, trainable: bool) -> Any:
        key = column, name
        if key not in self._variables:
            self._variables[key] = get_variable(
                name, shape=shape, dtype=float32, initializer=initializer, trainable=trainable
            )
        return self._variables[key]

    def all(self) -> list[Any]:
        """In the order in which they were made."""
        return list(self._variables.values())


def input_values(features: Any, feature_columns: Any) -> Any:
    """The dense columns' values side by side: float32 [batch, all elements], in a scope "input_layer".

    Raises:
      ValueError: as `tf.feature_column.input_layer`.
    """
    columns = dense_columns(feature_columns)
    if any(isinstance(column, SharedEmbeddingColumn) for column in columns):
        # Who comes first makes the table that they share.
        with variable_scope(None, default_name="input_layer"):
            return input_in_scope(features, columns)
    with name_scope("input_layer"):
        weights = _Made()
        for column in columns:
            with _scope_of_variables("input_layer"), _scope_of_variables(column.name):
                weights.make(column)
        made, outputs = Transformed(features), []
        for column in columns:
            with name_scope(column.name):
                outputs.append(flat_rows(column, column.dense(made, weights)))
        check_batch(outputs, columns)
        return ops.concat(outputs, -1)


def linear_values(features: Any, feature_columns: Any, units: int, combiner: str) -> tuple[Any, list[Any], list[Any]]:
    """Of a linear model the values, float32 [batch, units], the parts of its bias, and all parts of its weights.

    Raises:
      ValueError: as `tf.feature_column.linear_model`.
    """
    columns = by_name(columns_of(feature_columns))
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                f"Items of feature_columns must be either a DenseColumn or CategoricalColumn. Given: {column}"
            )
    weights, tables, learned = _Made(), [], []
    zeros = zeros_initializer()
    # One scope is the model's, one its layer's, and one that of what the layer does.
    with name_scope("linear_model"), name_scope("linear_model"):
        with _scope_of_variables("linear_model"):
            for column in columns:
                with _scope_of_variables(column.scope):
                    weights.make(column)
                    tables.append(weights(column, "weights", table_shape(column, units), zeros, True))
            bias = get_variable("bias_weights", shape=(units,), dtype=float32, initializer=zeros)
        with name_scope("linear_model"):
            made, sums = Transformed(features), []
            for column, table in zip(columns, tables, strict=True):
                with name_scope(column.name), _scope_of_variables("linear_model"), _scope_of_variables(column.scope):
                    sums.append(weighted_sum(column, made, table, combiner, weights))
            check_batch(sums, columns)
            result = bias_add(ops.add_n(sums, name="weighted_sum_no_bias"), bias, name="weighted_sum")
    for table in weights.all():
        learned += parts_of(table)
    return result, parts_of(bias), learned


def _scope_of_variables(name: str) -> Any:
    return variable_scope(name, auxiliary_name_scope=False)


def parts_of(variable: Any) -> list[Any]:
    """The variables that a variable consists of."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]
