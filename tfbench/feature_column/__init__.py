"""`tf.feature_column`: what to make of features, said apart from the model that uses it."""

from __future__ import annotations

from tfbench.feature_column.categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    weighted_categorical_column,
)
from tfbench.feature_column.crossed import crossed_column
from tfbench.feature_column.embedding import embedding_column, shared_embedding_columns
from tfbench.feature_column.indicator import indicator_column
from tfbench.feature_column.models import input_layer, linear_model, make_parse_example_spec
from tfbench.feature_column.numeric import bucketized_column, numeric_column
from tfbench.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from tfbench.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)

__all__ = [
    "bucketized_column", "categorical_column_with_hash_bucket", "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file", "categorical_column_with_vocabulary_list", "crossed_column",
    "embedding_column", "indicator_column", "input_layer", "linear_model", "make_parse_example_spec", "numeric_column",
    "sequence_categorical_column_with_hash_bucket", "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file", "sequence_categorical_column_with_vocabulary_list",
    "sequence_numeric_column", "shared_embedding_columns", "weighted_categorical_column",
]  # fmt: skip
