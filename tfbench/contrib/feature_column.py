"""`tf.contrib.feature_column`: an input layer of features with an axis of time, and their columns."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.name_scope import name_scope
from tfbench.feature_column.columns import SequenceDenseColumn, Transformed, by_name, check_batch, columns_of
from tfbench.feature_column.models import InScope
from tfbench.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from tfbench.variable_scope import variable_scope

__all__ = [
    "sequence_categorical_column_with_hash_bucket", "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file", "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer", "sequence_numeric_column",
]  # fmt: skip


def sequence_input_layer(
    features: Any, feature_columns: Any, weight_collections: Any = None, trainable: bool = True
) -> tuple[Any, Any]:
    """The columns' values side by side, float32 [batch, time, all elements], and the sequences' lengths, int64 [batch].

    Args:
      features: sparse tensors by key.
      feature_columns: columns of sequences of numbers, and embedding and indicator columns of sequences of categories.
      weight_collections: where variables are listed.

    Raises:
      ValueError: if a column has no axis of time, a feature is missing, or batches are known to differ in size.
      InvalidArgumentError: when it is run, if the columns' sequences differ in length.
    """
    columns = by_name(columns_of(feature_columns))
    for column in columns:
        if not isinstance(column, SequenceDenseColumn):
            raise ValueError(
                "All feature_columns must be of type SequenceDenseColumn. You can wrap a sequence_categorical_column "
                f"with an embedding_column or indicator_column. Given (type {type(column)}): {column}"
            )
    with variable_scope(None, default_name="sequence_input_layer", values=list(features.values())):
        made, weights = Transformed(features), InScope(weight_collections, trainable)
        outputs, lengths = [], []
        for column in columns:
            with variable_scope(None, default_name=column.scope):
                tensor, length = column.sequence_dense(made, weights)
                sizes: Any = ops.shape(tensor)
                target = [sizes[0], sizes[1], column.variable_shape.num_elements()]
                outputs.append(ops.reshape(tensor, shape=target))
                lengths.append(length)
        check_batch(outputs, columns)
        check_batch(lengths, columns)
        return ops.concat(outputs, -1), _one(lengths)


def _one(lengths: list[Any]) -> Any:
    """One of the lengths, once they are seen to be the same."""
    with name_scope(None, "assert_all_equal", lengths):
        if len(lengths) == 1:
            return lengths[0]
        with control_dependencies([ops.assert_equal(lengths[0], each) for each in lengths[1:]]):
            return ops.identity(lengths[0])
