"""Samples of the set operations, and of sparse tensors in other shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.ops.samples_array import long, s

Sample = tuple[list[Any], dict[str, Any]]


def _sparse(*elements: tuple[int, int, Any], shape: tuple[int, int] = (2, 3)) -> list[Any]:
    """Indices, values and shape of a matrix with these (row, column, value)."""
    values: Any = [value for _, _, value in elements]
    return [
        np.array([place[:2] for place in elements], np.int64).reshape(-1, 2),
        s(*values) if values and isinstance(values[0], bytes) else np.array(values, np.int32),
        long(*shape),
    ]


_DENSE = np.array([[1, 2, 2], [3, 4, 5]], np.int32)
_OTHER = np.array([[2, 9], [9, 9]], np.int32)
_SPARSE = _sparse((0, 0, 1), (0, 1, 9), (1, 0, 3))
_EMPTY = _sparse()

SAMPLES: dict[str, list[Sample]] = {
    "DenseToDenseSetOperation": [
        ([_DENSE, _OTHER], {"set_operation": "a-b"}),
        ([_DENSE, _OTHER], {"set_operation": "b-a"}),
        ([_DENSE, _OTHER], {"set_operation": "intersection"}),
        ([_DENSE.astype(np.uint8), _OTHER.astype(np.uint8)], {"set_operation": "union"}),
        ([s(b"b", b"a").reshape(1, 2), s(b"a").reshape(1, 1)], {"set_operation": "union"}),
        ([np.zeros((0, 2), np.int64), np.zeros((0, 3), np.int64)], {"set_operation": "union"}),
    ],
    "DenseToSparseSetOperation": [
        ([_DENSE, *_SPARSE], {"set_operation": "a-b"}),
        ([_DENSE, *_EMPTY], {"set_operation": "intersection"}),
        ([_DENSE, *_SPARSE], {"set_operation": "union", "validate_indices": False}),
    ],
    "SparseToSparseSetOperation": [
        ([*_SPARSE, *_sparse((0, 0, 1), (1, 1, 7), shape=(2, 2))], {"set_operation": "b-a"}),
        ([*_EMPTY, *_SPARSE], {"set_operation": "union"}),
        ([*_sparse((0, 0, b"x")), *_sparse((0, 2, b"x"))], {"set_operation": "intersection"}),
    ],
    "SparseReshape": [
        ([_SPARSE[0], _SPARSE[2], long(3, 2)], {}),
        ([_SPARSE[0], _SPARSE[2], long(-1)], {}),
        ([_EMPTY[0], _EMPTY[2], long(1, -1, 2)], {}),
    ],
    "SparseConcat": [
        ([[_SPARSE[0], _EMPTY[0]], [_SPARSE[1], _EMPTY[1]], [_SPARSE[2], long(4, 3)]], {"concat_dim": 0}),
        ([[_SPARSE[0]] * 3, [_SPARSE[1]] * 3, [_SPARSE[2]] * 3], {"concat_dim": -1}),
        ([[_SPARSE[0]] * 2, [s(b"a", b"b", b"c")] * 2, [_SPARSE[2]] * 2], {"concat_dim": 1}),
    ],
    "SetSize": [(_SPARSE, {}), (_EMPTY, {}), (_sparse((0, 0, 1), (0, 1, 1)), {"validate_indices": False})],
}
