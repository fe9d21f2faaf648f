"""Columns of features with an axis of time."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench.engine import ops
from tfbench.engine.dtypes import float32, string
from tfbench.engine.ops.parse_features import VarLenFeature
from tfbench.engine.shapes import TensorShape
from tfbench.feature_column.categorical import categorical_column_with_hash_bucket, categorical_column_with_identity
from tfbench.feature_column.columns import (
    IdWeightPair,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
    Transformed,
    Weights,
)
from tfbench.feature_column.numeric import sizes_of
from tfbench.feature_column.sequence_common import SequenceCategories, sequence_length
from tfbench.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)


class SequenceCategoricalColumn(SequenceCategories, namedtuple("SequenceCategoricalColumn", ["categorical_column"])):
    """Another column's categories, as [batch, time, all further axes in one]."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.categorical_column.name)

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = self.categorical_column.parse_example_spec
        return found

    @property
    def num_buckets(self) -> int:
        return int(self.categorical_column.num_buckets)

    def transform(self, features: Transformed) -> Any:
        return self.categorical_column.transform(features)

    def sparse(self, features: Transformed) -> IdWeightPair:
        ids, weights = self.categorical_column.sparse(features)
        sizes: Any = ops.shape(ids)
        target = [sizes[0], sizes[1], ops.reduce_prod(sizes[2:])]
        ids = ops.sparse_reshape(ids, target)
        return IdWeightPair(ids, None if weights is None else ops.sparse_reshape(weights, target))


class SequenceNumericColumn(
    SequenceDenseColumn,
    namedtuple("SequenceNumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"]),
):
    """A sparse feature's numbers, `shape` of them a step."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def transform(self, features: Transformed) -> Any:
        tensor = features.get(self.key)
        return tensor if self.normalizer_fn is None else self.normalizer_fn(tensor)

    def sequence_dense(self, features: Transformed, weights: Weights) -> TensorSequenceLengthPair:
        sparse = features.get(self)
        tensor: Any = ops.sparse_tensor_to_dense(sparse, default_value=self.default_value)
        sizes = ops.concat([ops.shape(tensor)[:1], [-1], self.variable_shape], axis=0)
        tensor = ops.reshape(tensor, shape=sizes)
        flat = sparse.get_shape().ndims == 2
        count = int(self.variable_shape.num_elements() or 1) if flat else 1
        return TensorSequenceLengthPair(tensor, sequence_length(sparse, num_elements=count))


def sequence_numeric_column(
    key: Any, shape: Any = (1,), default_value: float = 0.0, dtype: Any = float32, normalizer_fn: Any = None
) -> SequenceNumericColumn:
    """The numbers of the sparse feature `key`, as [batch, time, *shape]; what is not there is `default_value`.

    Raises:
      ValueError, TypeError: as for `numeric_column`.
    """
    sizes = sizes_of(shape, key)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return SequenceNumericColumn(key, sizes, default_value, dtype, normalizer_fn)


def sequence_categorical_column_with_identity(key: Any, num_buckets: int, default_value: Any = None) -> Any:
    """`categorical_column_with_identity` of a feature with an axis of time."""
    return SequenceCategoricalColumn(categorical_column_with_identity(key, num_buckets, default_value))


def sequence_categorical_column_with_hash_bucket(key: Any, hash_bucket_size: Any, dtype: Any = string) -> Any:
    """`categorical_column_with_hash_bucket` of a feature with an axis of time."""
    return SequenceCategoricalColumn(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


def sequence_categorical_column_with_vocabulary_file(
    key: Any,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: Any = None,
    dtype: Any = string,
) -> Any:
    """`categorical_column_with_vocabulary_file` of a feature with an axis of time."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_file(
            key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype
        )
    )


def sequence_categorical_column_with_vocabulary_list(
    key: Any, vocabulary_list: Any, dtype: Any = None, default_value: int = -1, num_oov_buckets: int = 0
) -> Any:
    """`categorical_column_with_vocabulary_list` of a feature with an axis of time."""
    return SequenceCategoricalColumn(
        categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
    )
