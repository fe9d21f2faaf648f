"""Samples of fake quantisation."""

from __future__ import annotations

from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

_X = np.array([[-7.0, 0.1, 0.5], [1.37, 5.5, 9.0]], np.float32)
_LOW, _HIGH = np.float32(-6), np.float32(6)
_LOWS, _HIGHS = np.array([-6.0, 0.0, -0.5], np.float32), np.array([6.0, 4.0, 2.0], np.float32)
_FEW = {"num_bits": 4, "narrow_range": True}

SAMPLES: dict[str, list[Sample]] = {
    "FakeQuantWithMinMaxArgs": [([_X], {}), ([_X], {"min": 0.0, "max": 4.0, **_FEW})],
    "FakeQuantWithMinMaxArgsGradient": [([_X, _X], {}), ([_X, _X], _FEW)],
    "FakeQuantWithMinMaxVars": [([_X, _LOW, _HIGH], {}), ([_X, _LOW, _HIGH], _FEW)],
    "FakeQuantWithMinMaxVarsGradient": [([_X, _X, _LOW, _HIGH], {}), ([_X, _X, _LOW, _HIGH], _FEW)],
    "FakeQuantWithMinMaxVarsPerChannel": [([_X, _LOWS, _HIGHS], {}), ([_X[0], _LOWS, _HIGHS], _FEW)],
    "FakeQuantWithMinMaxVarsPerChannelGradient": [([_X, _X, _LOWS, _HIGHS], {}), ([_X[0], _X[0], _LOWS, _HIGHS], _FEW)],
}
