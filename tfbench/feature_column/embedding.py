"""Columns that learn a vector for each category, of their own or shared."""

from __future__ import annotations

import math
from collections import namedtuple
from typing import Any

from tfbench.engine.default_graph import add_to_collection, get_collection
from tfbench.engine.name_scope import name_scope
from tfbench.engine.shapes import TensorShape
from tfbench.feature_column.categorical import WeightedCategoricalColumn
from tfbench.feature_column.columns import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    Transformed,
    Weights,
    by_name,
)
from tfbench.feature_column.sequence_common import check_not_sequence, check_sequence, sequence_length
from tfbench.initializers import truncated_normal_initializer
from tfbench.nn.safe_embedding import safe_embedding_lookup_sparse

_NAME = "embedding_weights"


class _Embedding(DenseColumn, SequenceDenseColumn):
    __slots__ = ()

    _KIND = "embedding_column"

    categorical_column: Any
    dimension: Any
    combiner: Any
    max_norm: Any
    ckpt_to_load_from: Any
    tensor_name_in_ckpt: Any

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = self.categorical_column.parse_example_spec
        return found

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([self.dimension])

    @property
    def _table_shape(self) -> tuple[int, int]:
        return self.categorical_column.num_buckets, self.dimension

    def transform(self, features: Transformed) -> Any:
        return features.get(self.categorical_column)

    def dense(self, features: Transformed, weights: Weights) -> Any:
        check_not_sequence(self, self._KIND)
        return self._looked_up(features, weights)

    def sequence_dense(self, features: Transformed, weights: Weights) -> TensorSequenceLengthPair:
        check_sequence(self, self._KIND)
        tensor = self._looked_up(features, weights)
        return TensorSequenceLengthPair(tensor, sequence_length(self.categorical_column.sparse(features).id_tensor))

    def _looked_up(self, features: Transformed, weights: Weights) -> Any:
        raise NotImplementedError

    def _rows(self, ids: Any, id_weights: Any, table: Any) -> Any:
        if self.ckpt_to_load_from is not None:
            from tfbench.train import init_from_checkpoint

            init_from_checkpoint(self.ckpt_to_load_from, {self.tensor_name_in_ckpt: table})
        return safe_embedding_lookup_sparse(
            embedding_weights=table,
            sparse_ids=ids,
            sparse_weights=id_weights,
            combiner=self.combiner,
            name=f"{self.name}_weights",
            max_norm=self.max_norm,
        )


class EmbeddingColumn(
    _Embedding,
    namedtuple(
        "EmbeddingColumn",
        [
            "categorical_column", "dimension", "combiner", "initializer", "ckpt_to_load_from", "tensor_name_in_ckpt",
            "max_norm", "trainable",
        ],
    ),
):  # fmt: skip
    """A vector for each category; those of an example are combined into one."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_embedding"

    def variables(self) -> list[tuple[str, tuple[int, ...], Any, bool]]:
        return [(_NAME, self._table_shape, self.initializer, self.trainable)]

    def _looked_up(self, features: Transformed, weights: Weights) -> Any:
        ids, id_weights = self.categorical_column.sparse(features)
        return self._rows(ids, id_weights, weights(self, *self.variables()[0]))


def embedding_column(
    categorical_column: Any,
    dimension: Any,
    combiner: str = "mean",
    initializer: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
) -> EmbeddingColumn:
    """A learned vector of `dimension` floats for each category.

    Args:
      combiner: how an example's vectors become one: "mean", "sqrtn" or "sum".
      initializer: of the table; default: truncated normal, with 1 / sqrt(dimension) as its standard deviation.
      ckpt_to_load_from, tensor_name_in_ckpt: where the table's first values are.
      max_norm: longer vectors are scaled down to it.

    Raises:
      ValueError: for a dimension below 1, an initializer that cannot be called, or one of the two without the other.
    """
    initializer = _settings(
        dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
        f" Embedding of column_name: {getattr(categorical_column, 'name', categorical_column)}",
    )  # fmt: skip
    return EmbeddingColumn(
        categorical_column, dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm,
        trainable,
    )  # fmt: skip


def _settings(dimension: Any, initializer: Any, checkpoint: Any, name: Any, what: str = "") -> Any:
    """Raises ValueError for settings that cannot be; gives the initializer."""
    if dimension is None or dimension < 1:
        raise ValueError(f"Invalid dimension {dimension}.")
    if (checkpoint is None) != (name is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if initializer is not None and not callable(initializer):
        raise ValueError(f"initializer must be callable if specified.{what}")
    return initializer or truncated_normal_initializer(mean=0.0, stddev=1 / math.sqrt(dimension))


class SharedEmbeddingColumn(
    _Embedding,
    namedtuple(
        "SharedEmbeddingColumn",
        [
            "categorical_column", "dimension", "combiner", "initializer", "shared_embedding_collection_name",
            "ckpt_to_load_from", "tensor_name_in_ckpt", "max_norm", "trainable",
        ],
    ),
):  # fmt: skip
    """As EmbeddingColumn, with a table that a collection of the graph holds for several columns."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_shared_embedding"

    @property
    def scope(self) -> str:
        return str(self.shared_embedding_collection_name)

    def _looked_up(self, features: Transformed, weights: Weights) -> Any:
        with name_scope(None, self.name):
            ids, id_weights = self.categorical_column.sparse(features)
            return self._rows(ids, id_weights, self._shared(weights))

    def _shared(self, weights: Weights) -> Any:
        key = self.shared_embedding_collection_name
        found = get_collection(key)
        if len(found) > 1:
            raise ValueError(
                f"Collection {found} can only contain one variable, which feature columns put there. Choose a unique "
                f"name for this collection ({key})."
            )
        if not found:
            table = weights(self, _NAME, self._table_shape, self.initializer, self.trainable)
            add_to_collection(key, table)
            return table
        table = found[0]
        if table.get_shape() != self._table_shape:
            raise ValueError(
                f"Shared embedding collection {key} contains variable {table.name} of unexpected shape "
                f"{table.get_shape()}. Expected shape is {self._table_shape}. Choose a unique name for this collection."
            )
        return table


def shared_embedding_columns(
    categorical_columns: Any,
    dimension: Any,
    combiner: str = "mean",
    initializer: Any = None,
    shared_embedding_collection_name: Any = None,
    ckpt_to_load_from: Any = None,
    tensor_name_in_ckpt: Any = None,
    max_norm: Any = None,
    trainable: bool = True,
) -> list[SharedEmbeddingColumn]:
    """A column for each of `categorical_columns`, which learn one table together.

    Args:
      shared_embedding_collection_name: of the table; default: made of the columns' names.

    Raises:
      ValueError: as for `embedding_column`, and if the columns are not of one kind with as many categories each.
    """
    initializer = _settings(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    ordered = by_name(categorical_columns)
    _check_alike(ordered)
    name = shared_embedding_collection_name or "_".join(column.name for column in ordered) + "_shared_embedding"
    return [
        SharedEmbeddingColumn(
            column, dimension, combiner, initializer, name, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable
        )
        for column in categorical_columns
    ]


def _check_alike(columns: list[Any]) -> None:
    first = columns[0]
    if not isinstance(first, CategoricalColumn):
        raise ValueError(f"All categorical_columns must be categorical columns. Given: {first}, of type: {type(first)}")
    plain = _unweighted(first)
    for column in columns[1:]:
        own = _unweighted(column)
        if not isinstance(own, type(plain)):
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same type, or be "
                f"weighted_categorical_column of the same type. Given column: {plain} of type: {type(plain)} does not "
                f"match given column: {own} of type: {type(own)}"
            )
        if column.num_buckets != first.num_buckets:
            raise ValueError(
                "To use shared_embedding_column, all categorical_columns must have the same number of buckets. "
                f"{plain} has buckets: {first.num_buckets}, {own} has buckets: {column.num_buckets}"
            )


def _unweighted(column: Any) -> Any:
    return column.categorical_column if isinstance(column, WeightedCategoricalColumn) else column
