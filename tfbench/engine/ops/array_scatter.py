"""Putting slices at index vectors: ScatterNd (into zeros) and TensorScatter* (into a copy of a tensor).

Index vectors become row numbers of the tensor flattened to (rows, elements of a slice), so that NumPy scatters
along one axis.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels import device_rows, host_rows
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.array_fill import zeros_like
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.gather_nd import bad_row, gather_nd, row_numbers
from tfbench.engine.ops.shape_ops import shape_from_input
from tfbench.engine.shape_math import check_scatter_shapes, with_rank, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "scatter_nd", "tensor_scatter_add", "tensor_scatter_nd_add", "tensor_scatter_nd_max", "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub", "tensor_scatter_nd_update", "tensor_scatter_sub", "tensor_scatter_update",
]  # fmt: skip


def scatter_into(xp: Any, target: Any, indices: Any, updates: Any, combine: str | None) -> None:
    """Combines `updates` with what `target`, which is contiguous, has at the index vectors, in place."""
    check_scatter(target, indices, updates)
    if xp is not np:
        device_rows.put_vectors(xp, target, indices, updates, combine)
        return
    depth = indices.shape[-1]
    sizes, width = target.shape[:depth], target.shape[depth:]
    rows = target.reshape((math.prod(sizes), *width))
    numbers = row_numbers(indices, sizes)
    if numbers is None:
        place, vector = bad_row(indices, sizes) or ("", "")
        raise invalid(f"indices{place} = {vector} does not index into shape {brackets(target.shape)}")
    places, values = numbers.reshape(-1), updates.reshape((numbers.size, *width))
    if combine is None:
        rows[places] = values
    else:
        host_rows.combine(combine, rows, places, values)


def check_scatter(target: Any, indices: Any, updates: Any) -> None:
    """InvalidArgumentError where the shapes of index vectors, updates and `target` do not fit."""
    if indices.ndim < 1:
        raise invalid(f"Indices shape must have rank at least one. Found:{brackets(indices.shape)}")
    outer, depth = indices.ndim - 1, indices.shape[-1]
    if updates.ndim < outer or updates.shape[:outer] != indices.shape[:outer]:
        raise invalid(
            f"Dimensions [0,{outer}) of indices[shape={brackets(indices.shape)}] must match dimensions [0,{outer}) of "
            f"updates[shape={brackets(updates.shape)}]. Outer dimensions of indices and update must match. Indices "
            f"shape: {brackets(indices.shape)}, updates shape:{brackets(updates.shape)}"
        )
    if depth > target.ndim or updates.shape[outer:] != target.shape[depth:]:
        raise invalid(
            f"Dimensions [{depth},{target.ndim}) of input[shape={brackets(target.shape)}] must match dimensions "
            f"[{outer},{updates.ndim}) of updates[shape={brackets(updates.shape)}]. Inner dimensions of output shape "
            f"must match inner dimensions of updates shape. Output: {brackets(target.shape)} updates: "
            f"{brackets(updates.shape)}"
        )


_scatter_nd = op(
    "ScatterNd",
    "indices: Tindices, updates: T, shape: Tindices",
    "output: T",
    "T: type; Tindices: {int16, int32, int64}; bad_indices_policy: string = ''",
    fresh=True,
)


@_scatter_nd.shape
def _scatter_nd_shape(node: Operation, indices: Shape, updates: Shape, shape: Shape) -> list[Shape]:
    with_rank(shape, 1)
    with_rank_at_least(indices, 1)
    with_rank_at_least(updates, 1)
    target = shape_from_input(node, 2)
    if target is not None:
        # TensorFlow compares the ranks before it looks at the sizes, and its messages show what it knows by then.
        check_scatter_shapes((None,) * len(target), indices, updates)
    check_scatter_shapes(target, indices, updates)
    return [target]


@_scatter_nd.kernel(CPU, GPU)
def _scatter_nd_kernel(xp: Any, indices: Any, updates: Any, shape: Any) -> Any:
    sizes = shape.tolist()
    if any(size < 0 for size in sizes):
        raise invalid(f"Dimension {min(sizes)} must be >= 0")
    if updates.dtype == object:
        result = np.full(sizes, b"", object)
        scatter_into(xp, result, indices, updates, None)
        return result
    result = xp.zeros(sizes, updates.dtype)
    scatter_into(xp, result, indices, updates, "logical_or" if updates.dtype == np.bool_ else "add")
    return result


@_scatter_nd.gradient
def _scatter_nd_gradient(node: Operation, dy: Any) -> Any:
    return [None, gather_nd(dy, node.inputs[0]), None]


def scatter_nd(indices: Any, updates: Any, shape: Any, bad_indices_policy: str = "", name: str | None = None) -> Tensor:
    """Zeros of `shape` with `updates` added at the index vectors in the last dimension of `indices`."""
    if name is None and bad_indices_policy not in ("", "DEFAULT", "ERROR", "IGNORE"):
        # TensorFlow 1.x has the name as fourth argument.
        bad_indices_policy, name = "", bad_indices_policy
    return _scatter_nd(indices, updates, shape, bad_indices_policy=bad_indices_policy, name=name)


def _tensor_scatter(type: str, index_types: str, combine: str | None) -> OpDef:
    opdef = op(
        type,
        "tensor: T, indices: Tindices, updates: T",
        "output: T",
        f"T: type; Tindices: {{{index_types}}}; bad_indices_policy: string = ''",
        fresh=True,
    )

    @opdef.shape
    def shape(node: Operation, tensor: Shape, indices: Shape, updates: Shape) -> list[Shape]:
        with_rank_at_least(tensor, 1)
        with_rank_at_least(indices, 1)
        check_scatter_shapes(tensor, indices, updates)
        return [tensor]

    @opdef.kernel(CPU, GPU)
    def kernel(xp: Any, tensor: Any, indices: Any, updates: Any) -> Any:
        result = xp.array(tensor, order="C")
        scatter_into(xp, result, indices, updates, combine)
        return result

    return opdef


_add = _tensor_scatter("TensorScatterAdd", "int32, int64", "add")
_sub = _tensor_scatter("TensorScatterSub", "int32, int64", "subtract")
_put = _tensor_scatter("TensorScatterUpdate", "int16, int32, int64, uint16", None)
_min = _tensor_scatter("TensorScatterMin", "int32, int64", "minimum")
_max = _tensor_scatter("TensorScatterMax", "int32, int64", "maximum")


@_add.gradient
def _add_gradient(node: Operation, dy: Any) -> Any:
    updates = gather_nd(dy, node.inputs[1])
    return [identity(dy), None, updates]


@_sub.gradient
def _sub_gradient(node: Operation, dy: Any) -> Any:
    updates = gather_nd(dy, node.inputs[1])
    return [identity(dy), None, -updates]


@_put.gradient
def _put_gradient(node: Operation, dy: Any) -> Any:
    _, indices, updates = node.inputs
    dupdates = gather_nd(dy, indices)
    return [tensor_scatter_nd_update(identity(dy), indices, zeros_like(updates)), None, dupdates]


def tensor_scatter_nd_add(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with `updates` added at the index vectors in `indices`; repeated ones add up."""
    return _add(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


def tensor_scatter_nd_sub(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with `updates` subtracted at the index vectors in `indices`."""
    return _sub(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


def tensor_scatter_nd_update(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """`tensor` with `updates` in place of what was at the index vectors in `indices`; the last one stays."""
    return _put(tensor, indices, updates, name=name)


def tensor_scatter_nd_min(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with the smaller of itself and `updates` at the index vectors in `indices`."""
    return _min(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


def tensor_scatter_nd_max(
    tensor: Any, indices: Any, updates: Any, bad_indices_policy: str = "", name: str | None = None
) -> Tensor:
    """`tensor` with the greater of itself and `updates` at the index vectors in `indices`."""
    return _max(tensor, indices, updates, bad_indices_policy=bad_indices_policy, name=name)


tensor_scatter_add = tensor_scatter_nd_add
tensor_scatter_sub = tensor_scatter_nd_sub
tensor_scatter_update = tensor_scatter_nd_update
