"""Samples of the update ops: a variable of two rows, its slots, numbers and a gradient, as their names ask for."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.engine.ops.sampling import Handle, Ref
from tfbench.engine import ops  # noqa: F401 - declares the ops
from tfbench.engine.opdef import OpDef, registry
from tfbench.engine.ops import training

_START = np.array([[1.0, -2.0, 0.5], [0.1, 3.0, -0.2]])
_GRAD = np.array([[0.5, -1.0, 0.25], [2.0, 0.01, -0.3]])
_NUMBERS = {"lr_power": -0.5, "logbase": 1.5, "beta1_power": 0.8, "beta2_power": 0.9}


def _sample(definition: OpDef, dtype: type) -> tuple[list[Any], dict[str, Any]]:
    sparse = any(arg.name == "indices" for arg in definition.inputs)
    inputs: list[Any] = []
    for arg in definition.inputs:
        if arg.is_ref or (arg.dtype is not None and arg.dtype.name == "resource"):
            holder = Ref if arg.is_ref else Handle
            inputs.append(holder(np.abs(_START).astype(dtype)))
        elif arg.name in ("grad", "delta"):
            inputs.append((_GRAD[:1] if sparse else _GRAD).astype(dtype))
        elif arg.name == "indices":
            inputs.append(np.array([1], np.int32))
        elif arg.name == "global_step":
            inputs.append(np.int64(3))
        else:
            inputs.append(dtype(_NUMBERS.get(arg.name, 0.1)))
    return inputs, {}


SAMPLES = {
    type: [_sample(definition, np.float32), _sample(definition, np.float64)]
    for type, definition in registry.items()
    if definition.no_gradient_reason == training._NO_GRADIENT
}
