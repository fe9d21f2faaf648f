"""`tf.lookup`: tables from keys to values."""

from __future__ import annotations

from tfbench.lookup import experimental as experimental
from tfbench.lookup.static import StaticHashTable, StaticVocabularyTable
from tfbench.lookup.table_initializers import KeyValueTensorInitializer, TextFileIndex, TextFileInitializer

__all__ = [
    "KeyValueTensorInitializer", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex", "TextFileInitializer",
    "experimental",
]  # fmt: skip
