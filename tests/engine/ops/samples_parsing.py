"""Samples of the ops that read Example messages and tensors in strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.shapes import TensorShape


def s(*values: bytes) -> Any:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def one(value: bytes) -> Any:
    return np.array(value, object)


#: {"x": floats 1 and 2, "n": integers 5}
EXAMPLE = (
    b"\n\x20\n\x11\n\x01x\x12\x0c\x12\n\n\x08\x00\x00\x80?\x00\x00\x00@\n\x0b\n\x01n\x12\x06\x1a\x04\n\x02\x05\x07"
)
#: context {"n": integers 5}, lists {"t": [[1.0], [1.0]]}
STEP = b"\n\x08\x12\x06\n\x04\x00\x00\x80?"
SEQUENCE = b"\n\x0c\n\n\n\x01n\x12\x05\x1a\x03\n\x01\x05" + b"\x12\x1b\n\x19\n\x01t\x12\x14" + STEP + STEP
F, I64 = dtypes.float32, dtypes.int64
NO_STRINGS, NO_FLOATS = s(), np.zeros(0, np.float32)
SPARSE = {"sparse_types": [I64], "Tdense": [F], "dense_shapes": [TensorShape([2])]}
PADDED = {"sparse_types": [I64], "Tdense": [F], "dense_shapes": [TensorShape([None, 1])]}
RAGGED: dict[str, Any] = {"ragged_value_types": [], "ragged_split_types": []}
LISTS = {
    "Ncontext_sparse": 1, "context_sparse_types": [I64], "Tcontext_dense": [I64],
    "context_dense_shapes": [TensorShape([])],
    "Nfeature_list_sparse": 1, "feature_list_sparse_types": [F], "Nfeature_list_dense": 1,
    "feature_list_dense_types": [F], "feature_list_dense_shapes": [TensorShape([1])], "context_ragged_value_types": [],
    "context_ragged_split_types": [], "feature_list_ragged_value_types": [], "feature_list_ragged_split_types": [],
}  # fmt: skip
KEYS = [s(b"n"), s(b"n"), NO_STRINGS, s(b"t"), s(b"t"), NO_STRINGS, np.array([True]), [np.zeros(0, np.int64)]]

SAMPLES: dict[str, Any] = {
    "ParseExampleV2": [
        (
            [s(EXAMPLE, EXAMPLE), NO_STRINGS, s(b"n"), s(b"x"), NO_STRINGS, [NO_FLOATS]],
            {"num_sparse": 1, **SPARSE, **RAGGED},
        ),
        (
            [one(EXAMPLE), NO_STRINGS, s(b"n"), s(b"x"), NO_STRINGS, [np.array(0, np.float32)]],
            {"num_sparse": 1, **PADDED, **RAGGED},
        ),
    ],
    "ParseExample": [
        (
            [s(EXAMPLE), NO_STRINGS, [one(b"n")], [one(b"x")], [NO_FLOATS]],
            {"Nsparse": 1, "Ndense": 1, **SPARSE},
        )
    ],
    "ParseSingleExample": [
        ([one(EXAMPLE), [NO_FLOATS]], {"num_sparse": 1, "sparse_keys": ["n"], "dense_keys": ["x"], **SPARSE})
    ],
    "ParseSequenceExampleV2": [
        ([s(SEQUENCE), NO_STRINGS, *KEYS], LISTS),
        ([one(SEQUENCE), one(b"name"), *KEYS], LISTS),
    ],
    "ParseSingleSequenceExample": [
        (
            [
                one(SEQUENCE),
                s(b"t"),
                [one(b"n")],
                [one(b"n")],
                [one(b"t")],
                [one(b"t")],
                [np.zeros(0, np.int64)],
                one(b"name"),
            ],
            {"Ncontext_dense": 1, **{key: value for key, value in LISTS.items() if "ragged" not in key}},
        )
    ],
    "SerializeTensor": [([np.ones([2, 1], np.float32)], {"T": F}), ([s(b"a")], {"T": dtypes.string})],
    "ParseTensor": [([one(b'\x08\x03\x12\x00"\x04\x03\x00\x00\x00')], {"out_type": dtypes.int32})],
    "DecodeJSONExample": [([s(b"{}")], {})],
}
