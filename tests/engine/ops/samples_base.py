"""Samples of the ops that graphs are made of before anything is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

_X = np.array([[1.0, -2.0], [0.5, 3.0]], np.float32)

SAMPLES: dict[str, list[tuple[list[Any], dict[str, Any]]]] = {
    "Const": [([], {"value": _X, "dtype": "float32"}), ([], {"value": np.array(3), "dtype": "int64"})],
    "Identity": [([_X], {}), ([np.array(True)], {}), ([np.array([b"a"], object)], {})],
    "StopGradient": [([_X], {}), ([np.array(2)], {})],
    "PlaceholderWithDefault": [([_X], {"shape": [2, None]})],
    "NoOp": [([], {})],
}

NOT_SAMPLED = {"Placeholder": "it has no value but what is fed, and its kernel only says so"}
