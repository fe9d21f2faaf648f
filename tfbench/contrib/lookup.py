"""`tf.contrib.lookup`: tables from keys to values, under the names of TensorFlow 1."""

from __future__ import annotations

from tfbench.lookup.index_tables import (
    index_table_from_file,
    index_table_from_tensor,
    index_to_string,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
    string_to_index,
)
from tfbench.lookup.index_tables import index_table_from_file as string_to_index_table_from_file
from tfbench.lookup.index_tables import index_table_from_tensor as string_to_index_table_from_tensor
from tfbench.lookup.mutable import DenseHashTable as MutableDenseHashTable
from tfbench.lookup.mutable import MutableHashTable
from tfbench.lookup.static import (
    FastHashSpec,
    HasherSpec,
    HashTable,
    IdTableWithHashBuckets,
    InitializableLookupTableBase,
    LookupInterface,
    StrongHashSpec,
)
from tfbench.lookup.table_initializers import (
    KeyValueTensorInitializer,
    TableInitializerBase,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
)

__all__ = [
    "FastHashSpec", "HashTable", "HasherSpec", "IdTableWithHashBuckets", "InitializableLookupTableBase",
    "KeyValueTensorInitializer", "LookupInterface", "MutableDenseHashTable", "MutableHashTable", "StrongHashSpec",
    "TableInitializerBase", "TextFileIdTableInitializer", "TextFileIndex", "TextFileInitializer",
    "TextFileStringTableInitializer", "index_table_from_file", "index_table_from_tensor", "index_to_string",
    "index_to_string_table_from_file", "index_to_string_table_from_tensor", "string_to_index",
    "string_to_index_table_from_file", "string_to_index_table_from_tensor",
]  # fmt: skip
