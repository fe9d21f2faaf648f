"""Samples of crossed features."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

_AT = np.array([[0, 0], [0, 1], [2, 0]])
_WORDS = np.array([b"a", b"bc", b""], object)
_NUMBERS = np.array([3, -1, 2**40])
_SHAPE = np.array([3, 2])
_DENSE = np.array([[b"x"], [b"y"], [b"z"]], object)

SAMPLES: dict[str, list[Sample]] = {
    "SparseCross": [
        (
            [[_AT], [_WORDS], [_SHAPE], [_DENSE]],
            {"hashed_output": False, "num_buckets": 0, "hash_key": 1, "out_type": "string", "internal_type": "string"},
        ),
        (
            [[_AT, _AT], [_WORDS, _NUMBERS], [_SHAPE, _SHAPE], []],
            {"hashed_output": True, "num_buckets": 9, "hash_key": 1, "out_type": "int64", "internal_type": "int64"},
        ),
    ],
    "SparseCrossV2": [([[_AT], [_NUMBERS], [_SHAPE], [_DENSE], np.array(b"-", object)], {})],
}
