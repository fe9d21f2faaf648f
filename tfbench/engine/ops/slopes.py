"""Ops that only gradients are made of: slopes from a function's own result, where the parts of a concat begin, and the
sum of sparse gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, GPU, OpDef, lookup, op
from tfbench.engine.shape_math import merge, with_rank

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


def _where_wanted(xp: Any, dy: Any, slope: Any) -> Any:
    """`slope`, and 0 where the incoming gradient is 0, however steep: the other side of a `tf.where` adds nothing."""
    return xp.where(dy == 0, _number(slope, 0), slope)


def _sqrt(xp: Any, y: Any, dy: Any) -> Any:
    return _where_wanted(xp, dy, dy * _number(y, 0.5) / _conj(xp, y))


def _rsqrt(xp: Any, y: Any, dy: Any) -> Any:
    root = _conj(xp, y)
    return _where_wanted(xp, dy, dy * _number(y, -0.5) * root * root * root)


def _reciprocal(xp: Any, y: Any, dy: Any) -> Any:
    inverse = _conj(xp, y)
    return _where_wanted(xp, dy, -dy * inverse * inverse)


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

sparse_dense_add = op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T",
    "output: T",
    "T: numbertype; Tindices: {int32, int64}",
    fresh=True,
    doc="A dense tensor with the elements of a sparse one added; repeated ones add up.",
)


@sparse_dense_add.shape
def _sparse_dense_add_shape(node: Operation, indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    with_rank(indices, 2)
    with_rank(values, 1)
    with_rank(shape, 1)
    return [dense]


@sparse_dense_add.kernel(CPU)
def _sparse_dense_add_kernel(xp: Any, indices: Any, values: Any, shape: Any, dense: Any) -> Any:
    if indices.ndim != 2 or values.ndim != 1 or len(indices) != values.size:
        raise invalid(
            f"Input a_indices should be a matrix with a row for each of a_values, but has shape "
            f"{brackets(indices.shape)}; a_values has shape {brackets(values.shape)}"
        )
    if tuple(shape.tolist()) != dense.shape:
        raise invalid(
            f"Dimensions of the operands have to match: {brackets(shape.tolist())} vs. {brackets(dense.shape)}"
        )
    bad = np.flatnonzero(((indices < 0) | (indices >= shape)).any(axis=1))
    if bad.size:
        raise invalid(f"Sparse tensor has an invalid index on dimension: {indices[bad[0]].tolist()}")
    result = np.array(dense)
    np.add.at(result, tuple(indices.T), values)
    return result


@sparse_dense_add.gradient
def _sparse_dense_add_gradient(node: Operation, dy: Any) -> Any:
    return [None, lookup("GatherNd")(dy, node.inputs[0]), None, dy]
