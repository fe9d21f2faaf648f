"""Columns of how often each category is there."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench.engine import ops
from tfbench.engine.ops.sparse_merge import sparse_merge
from tfbench.engine.ops.sparse_parts import sparse_slice
from tfbench.engine.shapes import TensorShape
from tfbench.feature_column.columns import (
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    Transformed,
    Weights,
)
from tfbench.feature_column.sequence_common import check_not_sequence, check_sequence, sequence_length


class IndicatorColumn(DenseColumn, SequenceDenseColumn, namedtuple("IndicatorColumn", ["categorical_column"])):
    """One float for each category: the sum of its weights in the example."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_indicator"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = self.categorical_column.parse_example_spec
        return found

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape([1, self.categorical_column.num_buckets])

    def transform(self, features: Transformed) -> Any:
        ids, weights = self.categorical_column.sparse(features)
        count = self.categorical_column.num_buckets
        if weights is not None:
            merged = sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=int(count))
            merged = sparse_slice(merged, [0, 0], merged.dense_shape)
            return ops.scatter_nd(merged.indices, merged.values, merged.dense_shape)
        numbers = ops.sparse_tensor_to_dense(ids, default_value=-1)
        return ops.reduce_sum(ops.one_hot(numbers, depth=count, on_value=1.0, off_value=0.0), axis=[-2])

    def dense(self, features: Transformed, weights: Weights) -> Any:
        check_not_sequence(self, "indicator_column")
        return features.get(self)

    def sequence_dense(self, features: Transformed, weights: Weights) -> TensorSequenceLengthPair:
        check_sequence(self, "indicator_column")
        tensor = features.get(self)
        return TensorSequenceLengthPair(tensor, sequence_length(self.categorical_column.sparse(features).id_tensor))


def indicator_column(categorical_column: Any) -> IndicatorColumn:
    """`categorical_column` as floats [batch, categories]: how often each is there."""
    return IndicatorColumn(categorical_column)
