"""Columns of the combinations of several features' categories, hashed into buckets."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench.engine.dtypes import string
from tfbench.engine.ops.parse_features import VarLenFeature
from tfbench.engine.ops.sparse_cross import sparse_cross_hashed
from tfbench.feature_column.categorical import HashedCategoricalColumn
from tfbench.feature_column.columns import CategoricalColumn, FeatureColumn, Transformed


class CrossedColumn(CategoricalColumn, namedtuple("CrossedColumn", ["keys", "hash_bucket_size", "hash_key"])):
    """Each combination of one category of each source."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return "_X_".join(sorted(leaf.name if isinstance(leaf, FeatureColumn) else leaf for leaf in self._leaves()))

    @property
    def parents(self) -> list[Any]:
        return list(self.keys)

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key in self.keys:
            found.update(key.parse_example_spec if isinstance(key, FeatureColumn) else {key: VarLenFeature(string)})
        return found

    @property
    def num_buckets(self) -> int:
        return int(self.hash_bucket_size)

    def _leaves(self) -> list[Any]:
        """What is crossed, in order; what crossed columns cross is crossed at once."""
        leaves = []
        for key in self.keys:
            leaves.extend(key._leaves() if isinstance(key, CrossedColumn) else [key])
        return leaves

    def transform(self, features: Transformed) -> Any:
        tensors = []
        for leaf in self._leaves():
            if isinstance(leaf, str):
                tensors.append(features.get(leaf))
                continue
            found = leaf.sparse(features)
            if found.weight_tensor is not None:
                raise ValueError(
                    "crossed_column does not support weight_tensor, but the given column populates weight_tensor. "
                    f"Given column: {leaf.name}"
                )
            tensors.append(found.id_tensor)
        return sparse_cross_hashed(tensors, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)


def crossed_column(keys: Any, hash_bucket_size: Any, hash_key: Any = None) -> CrossedColumn:
    """The combinations of the categories of `keys`, hashed into `hash_bucket_size` buckets.

    Args:
      keys: two or more keys of string features, or categorical columns that do not hash.
      hash_key: what the hash starts from.

    Raises:
      ValueError: if there are no buckets, too few keys, or one is something else.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f"hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}")
    if not keys or len(keys) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys}")
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError(
                "Unsupported key type. All keys must be either string, or categorical column except "
                f"HashedCategoricalColumn. Given: {key}"
            )
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing: what is hashed twice collides more "
                f"often. Instead, use the feature name as a string. Given: {key}"
            )
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)
