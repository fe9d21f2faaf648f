"""Samples of the ops of beam searches."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

_STEPS = np.array([[[1, 2]], [[3, 4]], [[5, 6]]], np.int32)
_PARENTS = np.array([[[0, 0]], [[0, 1]], [[1, 0]]], np.int32)

SAMPLES: dict[str, list[Sample]] = {
    "GatherTree": [
        ([_STEPS, _PARENTS, np.array([3], np.int32), np.int32(9)], {}),
        ([_STEPS, _PARENTS, np.array([2], np.int32), np.int32(3)], {}),
    ],
}
