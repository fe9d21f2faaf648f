"""Samples of connectionist temporal classification."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

_SCORES = np.random.default_rng(1).normal(size=(5, 2, 4))
_INDICES = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], np.int64)
_LABELS = np.array([0, 2, 1, 1], np.int32)
_LENGTHS = np.array([5, 4], np.int32)

SAMPLES: dict[str, list[Sample]] = {
    "CTCLoss": [
        ([_SCORES, _INDICES, _LABELS, _LENGTHS], {}),
        ([_SCORES, _INDICES, _LABELS, _LENGTHS], {"ctc_merge_repeated": False}),
        ([_SCORES.astype(np.float32), _INDICES, _LABELS, _LENGTHS], {"preprocess_collapse_repeated": True}),
    ],
    "CTCGreedyDecoder": [([_SCORES, _LENGTHS], {"merge_repeated": True}), ([_SCORES.astype(np.float32), _LENGTHS], {})],
    "CTCBeamSearchDecoder": [([_SCORES, _LENGTHS], {"beam_width": 4, "top_paths": 2})],
}
