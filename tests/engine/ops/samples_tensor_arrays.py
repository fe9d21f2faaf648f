"""Samples of TensorArrays and stacks: those that make one. What takes a handle is tested in the facts."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

SAMPLES: dict[str, list[Sample]] = {
    "TensorArrayV3": [
        ([np.int32(3)], {"dtype": "float32"}),
        ([np.int32(0)], {"dtype": "string", "element_shape": [None, 2], "dynamic_size": True}),
    ],
    "StackV2": [([np.int32(-1)], {"elem_type": "float32"}), ([np.int32(2)], {"elem_type": "int64", "stack_name": "s"})],
}

_OLD = ["TensorArray", "TensorArrayV2", "Stack"]
_ON_HANDLES = [
    f"TensorArray{method}{version}"
    for method in ("Grad", "Write", "Read", "Gather", "Scatter", "Concat", "Split", "Size", "Close")
    for version in ("V3", "V2", "")
]
_ON_HANDLES += ["TensorArrayGradWithShape", "TensorArrayPack", "TensorArrayUnpack"]
_ON_HANDLES += [f"Stack{method}{version}" for method in ("Push", "Pop", "Close") for version in ("V2", "")]

NOT_SAMPLED = {
    **dict.fromkeys(_OLD, "its result is a handle that carries what it names; tested in test_tensor_arrays.py"),
    **dict.fromkeys(_ON_HANDLES, "it takes a handle, which only lives within a run; tested in the facts"),
}
