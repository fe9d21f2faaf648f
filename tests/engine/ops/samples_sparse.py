"""Samples of sparse tensors' arithmetic, parts and forms."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

_A = [np.array([[0, 1], [1, 0], [1, 2]]), np.array([1.0, 2.0, 3.0]), np.array([2, 3])]
_B = [np.array([[0, 0], [1, 0], [1, 1]]), np.array([5.0, -4.0, 7.0]), np.array([2, 3])]
_SINGLE = [_A[0], _A[1].astype(np.float32), _A[2]]
_WHOLE = [_A[0], np.array([1, 2, 3], np.int32), _A[2]]
_WORDS = [_A[0], np.array([b"a", b"bc", b""], object), _A[2]]
_EMPTY = [np.zeros((0, 2), np.int64), np.zeros(0, np.float32), np.array([2, 3])]
_BOTH = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]])
_AXES = np.array([1], np.int32)

_REDUCED: list[Sample] = [
    ([*_A, _AXES], {}),
    ([*_SINGLE, np.array(0, np.int32)], {"keep_dims": True}),
    ([*_WHOLE, np.array([0, -1], np.int32)], {}),
    ([*_EMPTY, _AXES], {}),
]

SAMPLES: dict[str, list[Sample]] = {
    "SparseAdd": [([*_A, *_B, 0.5], {}), ([*_SINGLE, *_EMPTY, np.float32(0)], {})],
    "SparseAddGrad": [([np.arange(5.0), _A[0], _B[0], _BOTH], {})],
    "SparseDenseCwiseAdd": [([*_A, np.arange(3.0)], {}), ([*_WHOLE, np.ones((2, 3), np.int32)], {})],
    "SparseReduceSum": _REDUCED,
    "SparseReduceMax": _REDUCED,
    "SparseReduceSumSparse": _REDUCED,
    "SparseReduceMaxSparse": _REDUCED,
    "SparseSparseMaximum": [([*_A, *_B], {}), ([*_SINGLE, *_EMPTY], {})],
    "SparseSparseMinimum": [([*_A, *_B], {})],
    "SparseSoftmax": [(_A, {}), (_SINGLE, {}), (_EMPTY, {})],
    "SparseSlice": [
        ([*_A, np.array([0, 1]), np.array([2, 2])], {}),
        ([*_WORDS, np.array([1, 0]), np.array([5, 5])], {}),
    ],
    "SparseSliceGrad": [([np.array([1.5, 2.5]), _A[0], np.array([0, 1]), np.array([[0, 0], [1, 1]])], {})],
    "SparseSplit": [([np.array(1), *_A], {"num_split": 2}), ([np.array(-2), *_WORDS], {"num_split": 2})],
    "SparseFillEmptyRows": [
        ([_A[0], _A[1], np.array([4, 3]), 0.5], {}),
        ([_WORDS[0], _WORDS[1], np.array([3, 3]), np.array(b"none", object)], {}),
    ],
    "SparseFillEmptyRowsGrad": [([np.array([0, 1, 3]), np.arange(5.0)], {})],
    "SerializeSparse": [(_A, {"out_type": "string"}), (_WORDS, {"out_type": "string"})],
    "SerializeManySparse": [(_A, {"out_type": "string"}), (_WORDS, {"out_type": "string"})],
}

_MESSAGES = "it takes messages, as SerializeManySparse makes them; tested in the facts of sparse"
NOT_SAMPLED = {"DeserializeManySparse": _MESSAGES}
