"""Samples of the ops that only gradients are made of, and of segments none of which is empty, to be differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

ROWS = np.array([[1.0, -2.0], [0.5, 3.0], [4.0, 5.0], [-1.5, 2.5]], np.float32)
IDS = np.array([0, 0, 1, 1], np.int32)
PLACES = np.array([3, 0, 3, 5], np.int64)
SIX = np.array(6, np.int32)
DENSE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
INDICES = np.array([[0, 1], [1, 2], [0, 1]])

_PICKED: list[Sample] = [
    ([ROWS[:2], PLACES, IDS, SIX], {}),
    ([ROWS.astype(np.float64), PLACES.astype(np.int32), np.array([0, 1, 1, 3]), SIX], {}),
    ([ROWS, PLACES[:0], IDS[:0], np.array(0, np.int32)], {}),
]

SAMPLES: dict[str, list[Sample]] = {
    **{f"SparseSegment{kind}Grad{version}": _PICKED for kind in ("Sum", "Mean", "SqrtN") for version in ("", "V2")},
    "SparseTensorDenseAdd": [
        ([INDICES, np.array([1.0, -2.0, 0.5]), np.array([2, 3]), DENSE], {}),
        ([INDICES[:0].astype(np.int32), np.zeros(0, np.int64), np.array([2, 3], np.int32), DENSE.astype(np.int64)], {}),
    ],
}

DIFFERENTIATED: dict[str, list[Sample]] = {
    **{f"Segment{kind}": [([ROWS, IDS], {})] for kind in ("Mean", "Min", "Max")},
    **{f"UnsortedSegment{kind}": [([ROWS, 1 - IDS, np.array(2, np.int32)], {})] for kind in ("Min", "Max")},
}
