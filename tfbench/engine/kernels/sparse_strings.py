"""Sparse tensors as strings: TensorProto messages of indices, values and shape."""

from __future__ import annotations

from typing import Any

from tfbench.engine.dtypes import int64
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import wire
from tfbench.engine.ops.string_common import as_strings

Array = Any


def _messages(indices: Array, values: Array, sizes: Array, number: int) -> list[bytes]:
    long = int64.as_datatype_enum
    return [wire.tensor(indices, long), wire.tensor(values, number), wire.tensor(sizes, long)]


def packed(indices: Array, values: Array, sizes: Array, dtype: Any) -> Array:
    """Three strings."""
    return as_strings(_messages(indices, values, sizes, dtype.base_dtype.as_datatype_enum), (3,))


def packed_rows(indices: Array, values: Array, sizes: Array, dtype: Any) -> Array:
    """Three strings for each row."""
    if sizes.size < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {sizes.size}")
    rows = int(sizes[0])
    found: list[bytes] = []
    for row in range(rows):
        own = indices[:, 0] == row
        found += _messages(indices[own][:, 1:], values[own], sizes[1:], dtype.base_dtype.as_datatype_enum)
    return as_strings(found, (rows, 3))
