"""Columns of categories that are numbers already, or are made numbers by hashing; and weights for categories."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from tfbench.engine.dtypes import float32, int64, string
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.parse_features import VarLenFeature
from tfbench.feature_column.columns import (
    CategoricalColumn,
    IdWeightPair,
    Transformed,
    check_countable,
    check_key,
    to_sparse,
)


def check_input(column: Any, tensor: Any) -> None:
    """Raises ValueError if a feature is of another kind of type than its column says."""
    if column.dtype.is_integer != tensor.dtype.is_integer:
        raise ValueError(
            f"Column dtype and SparseTensors dtype must be compatible. key: {column.key}, "
            f"column dtype: {column.dtype}, tensor dtype: {tensor.dtype}"
        )
    check_countable(tensor.dtype, f"column_name: {column.key} input_tensor")


class IdentityCategoricalColumn(
    CategoricalColumn, namedtuple("IdentityCategoricalColumn", ["key", "number_buckets", "default_value"])
):
    """The integers of a feature themselves."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(int64)}

    @property
    def num_buckets(self) -> int:
        return int(self.number_buckets)

    def transform(self, features: Transformed) -> Any:
        tensor = to_sparse(features.get(self.key))
        if not tensor.dtype.is_integer:
            raise ValueError(f"Invalid input, not integer. key: {self.key} dtype: {tensor.dtype}")
        values: Any = tensor.values
        if values.dtype != int64:
            values = ops.cast(values, int64, name="values")
        if self.default_value is None:
            return tensor if values is tensor.values else SparseTensor(tensor.indices, values, tensor.dense_shape)
        values = ops.cast(tensor.values, int64, name="values")
        limit = ops.cast(self.number_buckets, int64, name="num_buckets")
        zero = ops.cast(0, int64, name="zero")
        outside = ops.logical_or(values < zero, values >= limit, name="out_of_range")
        sizes = ops.shape(values)
        stand_in = ops.fill(dims=sizes, value=ops.cast(self.default_value, int64), name="default_values")
        return SparseTensor(tensor.indices, where_v2(outside, stand_in, values), tensor.dense_shape)


def categorical_column_with_identity(key: Any, num_buckets: int, default_value: Any = None) -> Any:
    """The integers of feature `key`, from 0 up to `num_buckets`, as categories.

    Args:
      default_value: the category of integers outside.

    Raises:
      ValueError: if there are no buckets, or the default is none of them.
    """
    if num_buckets < 1:
        raise ValueError(f"num_buckets {num_buckets} < 1, column_name {key}")
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}")
    return IdentityCategoricalColumn(check_key(key), num_buckets, default_value)


class HashedCategoricalColumn(
    CategoricalColumn, namedtuple("HashedCategoricalColumn", ["key", "hash_bucket_size", "dtype"])
):
    """What a feature's strings (or integers, written as strings) hash to."""

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
    def num_buckets(self) -> int:
        return int(self.hash_bucket_size)

    def transform(self, features: Transformed) -> Any:
        tensor = to_sparse(features.get(self.key))
        check_countable(tensor.dtype, f"column_name: {self.key} input_tensor")
        check_input(self, tensor)
        values = tensor.values if self.dtype == string else ops.as_string(tensor.values)
        numbers = ops.string_to_hash_bucket_fast(values, self.hash_bucket_size, name="lookup")
        return SparseTensor(tensor.indices, numbers, tensor.dense_shape)


def categorical_column_with_hash_bucket(key: Any, hash_bucket_size: Any, dtype: Any = string) -> Any:
    """The strings or integers of feature `key`, as one of `hash_bucket_size` categories that their hash says.

    Raises:
      ValueError: if there are no buckets, or for a type that is neither.
    """
    if hash_bucket_size is None:
        raise ValueError(f"hash_bucket_size must be set. key: {key}")
    if hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}")
    check_key(key)
    check_countable(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class WeightedCategoricalColumn(
    CategoricalColumn,
    namedtuple("WeightedCategoricalColumn", ["categorical_column", "weight_feature_key", "dtype"]),
):
    """Another column's categories, each with a weight that a second feature has at the same place."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.categorical_column.name}_weighted_by_{self.weight_feature_key}"

    @property
    def parents(self) -> list[Any]:
        return [self.categorical_column, self.weight_feature_key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = dict(self.categorical_column.parse_example_spec)
        key = self.weight_feature_key
        if key in found:
            raise ValueError(f"Parse config {found[key]} already exists for {key}.")
        return {**found, key: VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        return int(self.categorical_column.num_buckets)

    def transform(self, features: Transformed) -> Any:
        tensor = features.get(self.weight_feature_key)
        if tensor is None:
            raise ValueError(f"Missing weights {self.weight_feature_key}.")
        tensor = convert_to_tensor_or_sparse_tensor(tensor)
        if self.dtype != tensor.dtype.base_dtype:
            raise ValueError(f"Bad dtype, expected {self.dtype}, but got {tensor.dtype}.")
        if not isinstance(tensor, SparseTensor):
            # A weight of 0 stays where its category is there: which places count is the categories' to say.
            tensor = to_sparse(tensor, ignored=0.0)
        if not tensor.dtype.is_floating:
            tensor = ops.cast(tensor, float32)
        return features.get(self.categorical_column), tensor

    def sparse(self, features: Transformed) -> IdWeightPair:
        return IdWeightPair(*features.get(self))


def weighted_categorical_column(categorical_column: Any, weight_feature_key: Any, dtype: Any = float32) -> Any:
    """`categorical_column` with the weights that feature `weight_feature_key` has for each category.

    Raises:
      ValueError: if `dtype`, the type of the weights, is no number's.
    """
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)
