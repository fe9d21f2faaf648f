"""Samples of lookup tables: those that make one. What takes a table is tested in the facts."""

from __future__ import annotations

from typing import Any

Sample = tuple[list[Any], dict[str, Any]]

_TYPES = {"key_dtype": "string", "value_dtype": "int64"}

SAMPLES: dict[str, list[Sample]] = {
    "HashTableV2": [([], _TYPES), ([], {**_TYPES, "shared_name": "shared"})],
    "MutableHashTableV2": [([], _TYPES)],
    "MutableHashTableOfTensorsV2": [([], {**_TYPES, "value_shape": [2]})],
    "MutableDenseHashTableV2": [
        ([b"", b"$"], {"value_dtype": "float32", "value_shape": [2], "initial_num_buckets": 8})
    ],
}

_ON_TABLES = ["TableImport", "TableFind", "TableInsert", "TableRemove", "TableSize", "TableExport"]

NOT_SAMPLED = {
    **{
        f"Lookup{what}V2": "it takes a table, which only lives in a session; tested in the facts" for what in _ON_TABLES
    },
    "InitializeTableV2": "it takes a table, which only lives in a session; tested in the facts",
    "InitializeTableFromTextFileV2": "it takes a table, which only lives in a session; tested in the facts",
}
