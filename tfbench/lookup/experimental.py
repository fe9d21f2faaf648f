"""`tf.lookup.experimental`: tables that a program changes."""

from __future__ import annotations

from tfbench.lookup.mutable import DenseHashTable, MutableHashTable

__all__ = ["DenseHashTable", "MutableHashTable"]
