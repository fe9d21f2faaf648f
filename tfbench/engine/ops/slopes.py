"""Ops that only gradients are made of: slopes from a function's own result, and where the parts of a concat begin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.array_common import invalid
from tfbench.engine.shape_math import merge

__all__: list[str] = []

_TYPES = "T: {bfloat16, half, float, double, complex64, complex128}"


def _slope(type: str, kernel: Callable[..., Any], doc: str) -> OpDef:
    opdef = op(type, "y: T, dy: T", "z: T", _TYPES, fresh=True, doc=doc)

    @opdef.shape
    def shape(node: Operation, y: Any, dy: Any) -> Any:
        return [merge(y, dy)]

    opdef.kernel(CPU, GPU)(kernel)
    return opdef


def _conj(xp: Any, y: Any) -> Any:
    return xp.conj(y) if y.dtype.kind == "c" else y


def _number(y: Any, value: float) -> Any:
    return y.dtype.type(value)


def _sqrt(xp: Any, y: Any, dy: Any) -> Any:
    return dy * _number(y, 0.5) / _conj(xp, y)


def _rsqrt(xp: Any, y: Any, dy: Any) -> Any:
    root = _conj(xp, y)
    return dy * _number(y, -0.5) * root * root * root


def _reciprocal(xp: Any, y: Any, dy: Any) -> Any:
    inverse = _conj(xp, y)
    return -dy * inverse * inverse


sqrt_grad = _slope("SqrtGrad", _sqrt, "the gradient of a square root, from the root")
rsqrt_grad = _slope("RsqrtGrad", _rsqrt, "the gradient of 1 / sqrt(x), from the result")
reciprocal_grad = _slope("ReciprocalGrad", _reciprocal, "the gradient of 1 / x, from the result")
inv_grad = _slope("InvGrad", _reciprocal, "the same under its older name")

concat_offset = op(
    "ConcatOffset",
    "concat_dim: int32, shape: N * shape_type",
    "offset: N * shape_type",
    "N: int >= 2; shape_type: {int32, int64} = DT_INT32",
    fresh=True,
    doc="Where each part begins in a concatenation, as a vector of positions.",
)


@concat_offset.shape
def _concat_offset_shape(node: Operation, axis: Any, *parts: Any) -> Any:
    return list(parts)


@concat_offset.kernel(CPU)
def _concat_offset_kernel(xp: Any, axis: Any, *parts: Any) -> Any:
    rank = parts[0].size
    position = int(axis)
    if not -rank <= position < rank:
        raise invalid(f"Concat dim is out of range: {position} vs. {rank}")
    position %= rank
    offsets: list[Any] = []
    total = 0
    for part in parts:
        for i in range(rank):
            if part.size != rank or (i != position and part[i] != parts[0][i]):
                raise invalid(
                    f"All dimensions except {position} must match. Input {len(offsets)} has shape {part.tolist()} and "
                    f"doesn't match input 0 with shape {parts[0].tolist()}."
                )
        offset = np.zeros(rank, part.dtype)
        offset[position] = total
        offsets.append(offset)
        total += int(part[position])
    return tuple(offsets)


concat_offset.no_gradient("positions are integers")
