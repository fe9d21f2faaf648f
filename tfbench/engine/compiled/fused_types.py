"""Which ops a fused region may have (`fused`): what is asked before there is anything to compile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine.compiled.fused_math import FLOATS
from tfbench.engine.compiled.fused_ops import ARITHMETIC, COMPARISONS, FLOATING, LOGICAL, POWERS

__all__ = ["ELEMENTWISE_OF_MANY", "KINDS", "POWERS", "REDUCTIONS", "SOFTMAX", "computes"]

#: NumPy's names of types -> the kinds of numbers in a region
KINDS = {"bool": "b1", "float32": "f4", "float64": "f8", "int32": "i4", "int64": "i8"}

#: ops that give many numbers for few: never computed before they are needed
ELEMENTWISE_OF_MANY = frozenset({"BroadcastTo", "Fill", "Tile"})

REDUCTIONS = {"BiasAddGrad": "sum", "L2Loss": "sum", "Max": "max", "Mean": "sum", "Min": "min", "Sum": "sum"}
SOFTMAX = frozenset({"LogSoftmax", "Softmax", "SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"})


def computes(type: str, attrs: Any, inputs: Sequence[str], result: str) -> bool:
    """Whether there is code for the op `type`; `inputs` are the kinds of the numbers that it computes with."""
    if "" in inputs or not inputs:
        return False
    if type in ARITHMETIC:
        return result != "b1" and _has_channels_last(type, attrs)
    if type in FLOATING or type in ("AddN", "LeakyRelu", "Pow"):
        return result in FLOATS
    if type in COMPARISONS:
        return type not in ("Equal", "NotEqual") or bool(attrs["incompatible_shape_error"])
    if type in LOGICAL or type in ("LogicalNot", "Select", "SelectV2", "ZerosLike", "OnesLike"):
        return True
    if type == "Cast":
        # A number with a fraction is made whole by NumPy: C does not say what becomes of large ones.
        return not attrs["Truncate"] and (inputs[0] not in FLOATS or result in (*FLOATS, "b1"))
    if type in REDUCTIONS:
        return (result in FLOATS or (type in ("Max", "Min", "Sum") and result != "b1")) and _has_channels_last(
            type, attrs
        )
    if type in SOFTMAX:
        return result in FLOATS
    return type in ELEMENTWISE_OF_MANY


def _has_channels_last(type: str, attrs: Any) -> bool:
    return not type.startswith("BiasAdd") or attrs.get("data_format", "NHWC") == "NHWC"
