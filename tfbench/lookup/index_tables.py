"""Tables between words and their numbers: `index_table_from_file` and its kin of `tf.contrib.lookup`."""

from __future__ import annotations

import os
from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import int64, string
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_range import range as range_op
from tfbench.engine.ops.shape_queries import size
from tfbench.lookup.static import FastHashSpec, HasherSpec, HashTable, IdTableWithHashBuckets
from tfbench.lookup.table_initializers import (
    KeyValueTensorInitializer,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileStringTableInitializer,
)


def _file_table_name(filename: Any, vocab_size: int | None, key: int, value: int) -> str:
    counted = "" if vocab_size is None else f"_{vocab_size}"
    return f"hash_table_{filename}{counted}_{key}_{value}"


def _check_file(filename: Any, vocab_size: int | None) -> Any:
    if filename is None or (isinstance(filename, str) and not filename):
        raise ValueError("vocabulary_file must be specified and must not be empty.")
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    return filename if hasattr(filename, "op") else os.fspath(filename)


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = string,
    name: str | None = None,
    key_column_index: int = TextFileIndex.WHOLE_LINE,
    value_column_index: int = TextFileIndex.LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    """A table from the words of a file, one a line, to their numbers.

    Args:
      num_oov_buckets: words that are not in the file get one of so many more numbers; 0: `default_value`.
      vocab_size: how many lines are used; None: all.

    Raises:
      ValueError: without a file, for a negative number of buckets or a `vocab_size` below 1.
      TypeError: for keys that are neither integers nor strings.
    """
    vocabulary_file = _check_file(vocabulary_file, vocab_size)
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    if not key_dtype.is_integer and string != key_dtype.base_dtype:
        raise TypeError("Only integer and string keys are supported.")
    with name_scope(name, "string_to_index"):
        with name_scope(None, "hash_table"):
            init = TextFileIdTableInitializer(
                vocabulary_file,
                vocab_size=vocab_size,
                key_dtype=int64 if key_dtype.is_integer else key_dtype,
                name="table_init",
                key_column_index=key_column_index,
                value_column_index=value_column_index,
                delimiter=delimiter,
            )
            shared = _file_table_name(vocabulary_file, vocab_size, key_column_index, value_column_index)
            table = HashTable(init, default_value, shared_name=shared)
        if num_oov_buckets:
            return IdTableWithHashBuckets(
                table, num_oov_buckets=num_oov_buckets, hasher_spec=hasher_spec, key_dtype=key_dtype
            )
        return table


def index_table_from_tensor(
    vocabulary_list: Any = None,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = string,
    name: str | None = None,
    mapping: Any = None,
) -> Any:
    """A table from the words of a vector to their numbers; `mapping` is its older name.

    Raises:
      ValueError: without words, for a negative number of buckets, or words of another type than `dtype`.
      TypeError: for keys that are neither integers nor strings.
    """
    words = mapping if vocabulary_list is None else vocabulary_list
    if words is None:
        raise ValueError("vocabulary_list must be specified.")
    if num_oov_buckets < 0:
        raise ValueError(f"num_oov_buckets must be greater or equal than 0, got {num_oov_buckets}.")
    if not dtype.is_integer and string != dtype.base_dtype:
        raise TypeError("Only integer and string keys are supported.")
    with name_scope(name, "string_to_index"):
        keys = convert_to_tensor(words)
        if keys.dtype.is_integer != dtype.is_integer:
            raise ValueError(f"Expected {'integer' if dtype.is_integer else 'non-integer'}, got {keys.dtype}.")
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f"Expected {dtype}, got {keys.dtype}.")
        values = cast(range_op(size(keys)), int64)
        with name_scope(None, "hash_table"):
            table_keys = cast(keys, int64) if keys.dtype.is_integer else keys
            init = KeyValueTensorInitializer(table_keys, values, table_keys.dtype.base_dtype, int64, name="table_init")
            table = HashTable(init, default_value, shared_name=init._shared_name)
        if num_oov_buckets:
            return IdTableWithHashBuckets(
                table, num_oov_buckets=num_oov_buckets, hasher_spec=hasher_spec, key_dtype=dtype
            )
        return table


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: Any = "UNK",
    name: str | None = None,
    key_column_index: int = TextFileIndex.LINE_NUMBER,
    value_column_index: int = TextFileIndex.WHOLE_LINE,
    delimiter: str = "\t",
) -> HashTable:
    """A table from numbers to the words of a file.

    Raises:
      ValueError: without a file, or for a `vocab_size` below 1.
    """
    vocabulary_file = _check_file(vocabulary_file, vocab_size)
    with name_scope(name, "index_to_string"):
        init = TextFileStringTableInitializer(
            vocabulary_file,
            vocab_size=vocab_size,
            name="table_init",
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            delimiter=delimiter,
        )
        shared = _file_table_name(vocabulary_file, vocab_size, key_column_index, value_column_index)
        return HashTable(init, default_value, shared_name=shared)


def index_to_string_table_from_tensor(
    vocabulary_list: Any = None, default_value: Any = "UNK", name: str | None = None, mapping: Any = None
) -> HashTable:
    """A table from numbers to the words of a vector; `mapping` is its older name.

    Raises:
      ValueError: without words.
    """
    words = mapping if vocabulary_list is None else vocabulary_list
    if words is None:
        raise ValueError("vocabulary_list must be specified.")
    with name_scope(name, "index_to_string"):
        words = convert_to_tensor(words, string)
        keys = cast(range_op(size(words)), int64)
        init = KeyValueTensorInitializer(keys, words, int64, string, name="table_init")
        return HashTable(init, default_value, shared_name=init._shared_name)


def string_to_index(tensor: Any, mapping: Any, default_value: Any = -1, name: str | None = None) -> Any:
    """The numbers of strings in `mapping`."""
    return index_table_from_tensor(mapping, default_value=default_value, name=name).lookup(convert_to_tensor(tensor))


def index_to_string(tensor: Any, mapping: Any, default_value: Any = "UNK", name: str | None = None) -> Any:
    """The strings of `mapping` that numbers stand for."""
    table = index_to_string_table_from_tensor(mapping, default_value=default_value, name=name)
    return table.lookup(convert_to_tensor(tensor))
