"""`input_layer` and `linear_model`: what columns make of the features of a batch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tfbench.engine import nest, ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collection, get_collection
from tfbench.engine.dtypes import float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.feature_column.columns import (
    CategoricalColumn,
    DenseColumn,
    FeatureColumn,
    Transformed,
    Weights,
    by_name,
    check_batch,
    columns_of,
)
from tfbench.initializers import zeros_initializer
from tfbench.nn.safe_embedding import safe_embedding_lookup_sparse
from tfbench.variable_scope import get_variable, get_variable_scope, variable_scope
from tfbench.variables import PartitionedVariable

__all__ = ["input_layer", "linear_model", "make_parse_example_spec"]


def make_parse_example_spec(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """What `tf.parse_example` is to be told so that its features are those that the columns want.

    Raises:
      ValueError: if something is no column, or two say different things of one feature.
    """
    found: dict[str, Any] = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, feature in column.parse_example_spec.items():
            if key in found and feature != found[key]:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {feature} and {found[key]}"
                )
            found[key] = feature
    return found


def dense_columns(feature_columns: Any) -> list[Any]:
    """The columns of an input layer, in the order of their names.

    Raises:
      ValueError: as `columns_of`, and if one is not dense.
    """
    columns = columns_of(feature_columns)
    for column in columns:
        if not isinstance(column, DenseColumn):
            raise ValueError(
                "Items of feature_columns must be a DenseColumn. You can wrap a categorical column with an "
                f"embedding_column or indicator_column. Given: {column}"
            )
    return by_name(columns)


def flat_rows(column: Any, tensor: Any) -> Any:
    """A column's values as a matrix [batch, elements]."""
    batch = ops.shape(tensor)[0]
    return ops.reshape(tensor, shape=(batch, column.variable_shape.num_elements()))


def weighted_sum(column: Any, features: Transformed, table: Any, combiner: str, weights: Weights) -> Any:
    """One column's share of a linear model: float32 [batch, units]."""
    if not isinstance(column, CategoricalColumn):
        return ops.matmul(flat_rows(column, column.dense(features, weights)), table, name="weighted_sum")
    ids, id_weights = column.sparse(features)
    ids = ops.sparse_reshape(ids, [ops.shape(ids)[0], -1])
    if id_weights is not None:
        id_weights = ops.sparse_reshape(id_weights, [ops.shape(id_weights)[0], -1])
    return safe_embedding_lookup_sparse(table, ids, sparse_weights=id_weights, combiner=combiner, name="weighted_sum")


def table_shape(column: Any, units: int) -> tuple[int, int]:
    """The shape of the weights that a linear model has for a column."""
    rows = column.num_buckets if isinstance(column, CategoricalColumn) else column.variable_shape.num_elements()
    return rows, units


def _collections(given: Any) -> list[Any]:
    wanted = list(given or [])
    return wanted + [key for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES) if key not in wanted]


class InScope:
    """Variables of columns are made, or found, in the scope that is open when they are wanted."""

    def __init__(self, collections: list[Any] | None, trainable: bool) -> None:
        self._collections = collections
        self._trainable = trainable

    def __call__(self, column: Any, name: str, shape: tuple[int, ...], initializer: Any, trainable: bool) -> Any:
        return get_variable(
            name,
            shape=shape,
            dtype=float32,
            initializer=initializer,
            trainable=trainable and self._trainable,
            collections=self._collections,
        )


# -- the input layer -------------------------------------------------------------------------------------------------


def input_layer(
    features: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
    cols_to_output_tensors: Any = None,
) -> Any:
    """The dense columns' values side by side, in the order of the columns' names: float32 [batch, all elements].

    Args:
      features: tensors or sparse tensors by key.
      weight_collections: where variables are listed, too.
      cols_to_vars, cols_to_output_tensors: dicts that get each column's variables, and its tensor.

    Raises:
      ValueError: if a column is not dense, a feature is missing, or batches are known to differ in size.
    """
    columns = dense_columns(feature_columns)
    with variable_scope(None, default_name="input_layer", values=list(features.values())):
        return input_in_scope(features, columns, weight_collections, trainable, cols_to_vars, cols_to_output_tensors)


def input_in_scope(
    features: Any,
    columns: list[Any],
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
    cols_to_output_tensors: Any = None,
) -> Any:
    """What `input_layer` builds, in the scope that is open."""
    weights = InScope(_collections(weight_collections), trainable)
    made = Transformed(features)
    outputs = []
    for column in columns:
        with variable_scope(None, default_name=column.scope):
            outputs.append(flat_rows(column, column.dense(made, weights)))
            if cols_to_vars is not None:
                scope = get_variable_scope().name
                cols_to_vars[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope)
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = outputs[-1]
    check_batch(outputs, columns)
    return ops.concat(outputs, 1)


# -- the linear model ------------------------------------------------------------------------------------------------


def linear_model(
    features: Any,
    feature_columns: Any,
    units: int = 1,
    sparse_combiner: str = "sum",
    weight_collections: Any = None,
    trainable: bool = True,
    cols_to_vars: Any = None,
) -> Any:
    """The sum of each column's values times weights that are learned, and a bias: float32 [batch, units].

    Args:
      features: tensors or sparse tensors by key.
      sparse_combiner: how the weights of an example's categories become one: "sum", "mean" or "sqrtn".
      weight_collections: where variables are listed, too.
      cols_to_vars: a dict that gets each column's variables, and those of "bias".

    Raises:
      ValueError: if something is no column, a feature is missing, or batches are known to differ in size.
    """
    with variable_scope(None, "linear_model") as scope:
        name = scope.name.rsplit("/", 1)[-1]
    columns = by_name(columns_of(feature_columns))
    collections = _collections(weight_collections)
    named = {}
    for column in columns:
        # The name is taken where the model is called, the variable is made inside the model.
        with variable_scope(None, default_name=column.scope) as scope:
            named[scope.name.rsplit("/", 1)[-1]] = column
    for column in columns:
        if not isinstance(column, (DenseColumn, CategoricalColumn)):
            raise ValueError(
                f"Items of feature_columns must be either a DenseColumn or CategoricalColumn. Given: {column}"
            )
    weights = InScope(collections, trainable)
    # As in a Keras model, values become tensors where it is called, all of them at once.
    features = nest.map_structure(_as_tensor, features)
    made, sums, ordered = Transformed(features), [], []
    found: dict[Any, Any] = {}
    with name_scope(name), variable_scope(name):
        for own_name in sorted(named):
            column = named[own_name]
            ordered.append(column)
            with variable_scope(None, default_name=own_name) as scope:
                table = _variable("weights", table_shape(column, units), trainable, collections)
                sums.append(weighted_sum(column, made, table, sparse_combiner, weights))
            found[column] = get_collection(GraphKeys.GLOBAL_VARIABLES, scope=scope.name)
        check_batch(sums, ordered)
        total = ops.add_n(sums, name="weighted_sum_no_bias")
        bias = _variable("bias_weights", (units,), trainable, collections)
        result = bias_add(total, bias, name="weighted_sum")
    found["bias"] = _parts(bias)
    if cols_to_vars is not None:
        cols_to_vars.update(found)
    return result


def _as_tensor(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, float, int)) else value


def _variable(name: str, shape: tuple[int, ...], trainable: bool, collections: list[Any]) -> Any:
    variable = get_variable(name, shape=shape, dtype=float32, initializer=zeros_initializer(), trainable=trainable)
    for key in collections:
        if key != GraphKeys.GLOBAL_VARIABLES:
            for part in _parts(variable):
                add_to_collection(key, part)
    return variable


def _parts(variable: Any) -> list[Any]:
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]
