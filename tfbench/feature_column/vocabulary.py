"""Columns of categories that are the words of a list, or of a file."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from tfbench import logging
from tfbench.engine import ops
from tfbench.engine.dtypes import as_dtype, int64, string
from tfbench.engine.ops.parse_features import VarLenFeature
from tfbench.feature_column.categorical import check_input
from tfbench.feature_column.columns import CategoricalColumn, Transformed, check_countable, check_key, to_sparse
from tfbench.lookup.index_tables import index_table_from_file, index_table_from_tensor


class _WordsColumn(CategoricalColumn):
    """What a table of words says of a feature."""

    __slots__ = ()

    key: Any
    dtype: Any

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: VarLenFeature(self.dtype)}

    def transform(self, features: Transformed) -> Any:
        tensor = to_sparse(features.get(self.key))
        check_input(self, tensor)
        kind = self.dtype
        if tensor.dtype.is_integer:
            kind, tensor = int64, ops.cast(tensor, int64)
        return self._table(kind, f"{self.key}_lookup").lookup(tensor)

    def _table(self, kind: Any, name: str) -> Any:
        raise NotImplementedError


class VocabularyListCategoricalColumn(
    _WordsColumn,
    namedtuple(
        "VocabularyListCategoricalColumn", ["key", "vocabulary_list", "dtype", "default_value", "num_oov_buckets"]
    ),
):
    """The places of a feature's words in a list."""

    __slots__ = ()

    @property
    def num_buckets(self) -> int:
        return len(self.vocabulary_list) + int(self.num_oov_buckets)

    def _table(self, kind: Any, name: str) -> Any:
        return index_table_from_tensor(
            vocabulary_list=tuple(self.vocabulary_list),
            default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets,
            dtype=kind,
            name=name,
        )


def categorical_column_with_vocabulary_list(
    key: Any, vocabulary_list: Any, dtype: Any = None, default_value: int = -1, num_oov_buckets: int = 0
) -> VocabularyListCategoricalColumn:
    """The words or integers of feature `key`, as their places in `vocabulary_list`.

    Args:
      dtype: string or an integer type; default: the list's.
      default_value: the category of what is not in the list; -1: it does not count.
      num_oov_buckets: what is not in the list is one of so many more categories, instead.

    Raises:
      ValueError: for an empty list, a word twice, another type than the list's, or both of the last two arguments.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f"vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}")
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f"Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}")
    own = as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(key, num_oov_buckets, default_value != -1)
    check_countable(own, f"column_name: {key} vocabulary")
    if dtype is None:
        dtype = own
    elif dtype.is_integer != own.is_integer:
        raise ValueError(f"dtype {dtype} and vocabulary dtype {own} do not match, column_name: {key}")
    check_countable(dtype, f"column_name: {key}")
    return VocabularyListCategoricalColumn(
        check_key(key), tuple(vocabulary_list), dtype, default_value, num_oov_buckets
    )


class VocabularyFileCategoricalColumn(
    _WordsColumn,
    namedtuple(
        "VocabularyFileCategoricalColumn",
        ["key", "vocabulary_file", "vocabulary_size", "num_oov_buckets", "dtype", "default_value"],
    ),
):
    """The lines of a file that a feature's words are."""

    __slots__ = ()

    @property
    def num_buckets(self) -> int:
        return int(self.vocabulary_size) + int(self.num_oov_buckets)

    def _table(self, kind: Any, name: str) -> Any:
        return index_table_from_file(
            vocabulary_file=self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=kind,
            name=name,
        )


def categorical_column_with_vocabulary_file(
    key: Any,
    vocabulary_file: Any,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: Any = None,
    dtype: Any = string,
) -> VocabularyFileCategoricalColumn:
    """The words or integers of feature `key`, as the numbers of the lines of a file that they are.

    Args:
      vocabulary_size: how many of the lines count; default: all.
      num_oov_buckets, default_value: as for `categorical_column_with_vocabulary_list`.

    Raises:
      ValueError: if there is no file, it has no lines, or both of the last but one arguments are given.
    """
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        vocabulary_size = _lines_of(vocabulary_file, key)
    if vocabulary_size < 1:
        raise ValueError(f"Invalid vocabulary_size in {key}.")
    _check_buckets(key, num_oov_buckets, default_value is not None)
    check_countable(dtype, f"column_name: {key}")
    return VocabularyFileCategoricalColumn(
        check_key(key),
        vocabulary_file,
        vocabulary_size,
        num_oov_buckets or 0,
        dtype,
        -1 if default_value is None else default_value,
    )


def _lines_of(path: Any, key: Any) -> int:
    from tfbench.gfile import Exists, GFile

    if not Exists(path):
        raise ValueError(f"vocabulary_file in {key} does not exist: {path}")
    with GFile(path, mode="rb") as file:
        count = sum(1 for _ in file)
    logging.info("vocabulary_size = %d in %s is inferred from the lines of %s.", count, key, path)
    return count


def _check_buckets(key: Any, buckets: Any, has_default: bool) -> None:
    if not buckets:
        return
    if has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if buckets < 0:
        raise ValueError(f"Invalid num_oov_buckets {buckets} in {key}.")
