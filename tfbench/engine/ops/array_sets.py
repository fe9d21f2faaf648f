"""Vectors as sets and as sorted lists: Unique, UniqueWithCounts, ListDiff, LowerBound, UpperBound, UnravelIndex."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.shape_ops import reshape, shape_internal
from tfbench.engine.shape_math import num_elements, with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["listdiff", "searchsorted", "setdiff1d", "unique", "unique_with_counts", "unravel_index"]


_INDEX = "out_idx: {int32, int64} = int32"

_unique = op("Unique", "x: T", "y: T, idx: out_idx", f"T: type; {_INDEX}", fresh=True)
_unique_with_counts = op(
    "UniqueWithCounts", "x: T", "y: T, idx: out_idx, count: out_idx", f"T: type; {_INDEX}", fresh=True
)


@_unique.shape
def _unique_shape(node: Operation, x: Shape) -> list[Shape]:
    with_rank(x, 1)
    return [(None,), x]


@_unique_with_counts.shape
def _unique_with_counts_shape(node: Operation, x: Shape) -> list[Shape]:
    # That it must be a vector is only said when it runs.
    return [(None,), x, (None,)]


def _distinct(xp: Any, x: Any) -> tuple[Any, Any, Any]:
    """(distinct elements in the order in which they first come, which one each element is, how often each comes)."""
    if x.ndim != 1:
        raise invalid(f"unique expects a 1D vector, but got an input of rank {x.ndim}")
    values, first, inverse, counts = xp.unique(
        x, return_index=True, return_inverse=True, return_counts=True, equal_nan=False
    )
    order = xp.argsort(first, kind="stable")
    place = xp.empty_like(order)
    place[order] = xp.arange(order.size)
    return values[order], place[inverse.reshape(-1)], counts[order]


@_unique.kernel(CPU, GPU)
def _unique_kernel(xp: Any, x: Any, *, out_idx: DType) -> Any:
    values, places, _ = _distinct(xp, x)
    return values, places.astype(out_idx.as_numpy_dtype)


@_unique_with_counts.kernel(CPU, GPU)
def _unique_with_counts_kernel(xp: Any, x: Any, *, out_idx: DType) -> Any:
    values, places, counts = _distinct(xp, x)
    kind = out_idx.as_numpy_dtype
    return values, places.astype(kind), counts.astype(kind)


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The distinct elements of a vector in order of first appearance (`y`), and which one each element is (`idx`)."""
    return named_outputs(_unique, _unique(x, out_idx=as_dtype(out_idx), name=name))


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """`unique`, and how often each distinct element comes (`count`)."""
    return named_outputs(_unique_with_counts, _unique_with_counts(x, out_idx=as_dtype(out_idx), name=name))


_list_diff = op("ListDiff", "x: T, y: T", "out: T, idx: out_idx", f"T: type; {_INDEX}", fresh=True)


@_list_diff.shape
def _list_diff_shape(node: Operation, x: Shape, y: Shape) -> list[Shape]:
    with_rank(x, 1)
    with_rank(y, 1)
    return [(None,), (None,)]


@_list_diff.kernel(CPU)
def _list_diff_kernel(xp: Any, x: Any, y: Any, *, out_idx: DType) -> Any:
    for word, value in (("x", x), ("y", y)):
        if value.ndim != 1:
            raise invalid(f"{word} should be a 1D vector.")
    if x.dtype == object:
        present = set(y.tolist())
        places = np.array([i for i, item in enumerate(x.tolist()) if item not in present], np.intp)
    else:
        places = np.nonzero(~np.isin(x, y))[0]
    return x[places], places.astype(out_idx.as_numpy_dtype)


_unique.no_gradient("which elements are distinct does not vary smoothly")
_unique_with_counts.no_gradient("which elements are distinct does not vary smoothly")
_list_diff.no_gradient("which elements are missing does not vary smoothly")


def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """The elements of vector `x` that are not in `y` (`out`), and where in x they are (`idx`)."""
    return named_outputs(_list_diff, _list_diff(x, y, out_idx=as_dtype(index_dtype), name=name))


def listdiff(x: Any, y: Any, out_idx: Any = None, name: str | None = None) -> Any:
    """`setdiff1d`, as it was called in early TensorFlow 1.x."""
    return setdiff1d(x, y, dtypes.int32 if out_idx is None else out_idx, name)


# -- sorted lists --------------------------------------------------------------------------------------------------

_BOUND = ("sorted_inputs: T, values: T", "output: out_type", "T: type; out_type: {int32, int64} = int32")
_lower_bound = op("LowerBound", *_BOUND, fresh=True)
_upper_bound = op("UpperBound", *_BOUND, fresh=True)


@_lower_bound.shape
def _bound_shape(node: Operation, inputs: Shape, values: Shape) -> list[Shape]:
    with_rank(inputs, 2)
    return [with_rank(values, 2)]


_upper_bound.shape(_bound_shape)


def _bounds(xp: Any, inputs: Any, values: Any, side: Any, kind: DType) -> Any:
    if inputs.ndim != 2 or values.ndim != 2:
        raise invalid("sorted input argument and values must be matrices")
    if inputs.shape[0] != values.shape[0]:
        raise invalid("Leading dim_size of both tensors must match.")
    result = xp.empty(values.shape, kind.as_numpy_dtype)
    for row in range(values.shape[0]):
        result[row] = xp.searchsorted(inputs[row], values[row], side)
    return result


@_lower_bound.kernel(CPU, GPU)
def _lower_bound_kernel(xp: Any, inputs: Any, values: Any, *, out_type: DType) -> Any:
    return _bounds(xp, inputs, values, "left", out_type)


@_upper_bound.kernel(CPU, GPU)
def _upper_bound_kernel(xp: Any, inputs: Any, values: Any, *, out_type: DType) -> Any:
    return _bounds(xp, inputs, values, "right", out_type)


_lower_bound.no_gradient("positions are integers")
_upper_bound.no_gradient("positions are integers")


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Where each of `values` would go into the sorted last dimension of `sorted_sequence`, row by row.

    Raises:
      ValueError: if `side` is neither 'left' nor 'right'.
    """
    size = shape_internal(sorted_sequence)[-1]
    values_size = shape_internal(values)[-1]
    rows = reshape(sorted_sequence, [-1, size])
    flat = reshape(values, [-1, values_size])
    if side not in ("left", "right"):
        raise ValueError(f"Argument `side` must be either 'right' or 'left'. Received: `side` = '{side}'.")
    bound = _upper_bound if side == "right" else _lower_bound
    return reshape(bound(rows, flat, out_type=as_dtype(out_type), name=name), shape_internal(values))


_unravel_index = op(
    "UnravelIndex", "indices: Tidx, dims: Tidx", "output: Tidx", "Tidx: {int32, int64} = int32", fresh=True
)


@_unravel_index.shape
def _unravel_index_shape(node: Operation, indices: Shape, dims: Shape) -> list[Shape]:
    (count,) = with_rank(dims, 1)
    if indices is None:
        return [None]
    return [(count,) if not indices else (count, num_elements(indices))]


@_unravel_index.kernel(CPU)
def _unravel_index_kernel(xp: Any, indices: Any, dims: Any) -> Any:
    if dims.ndim != 1:
        raise invalid("The dims tensor must be 1-D")
    if indices.ndim > 1:
        raise invalid("The indices can only be scalar or vector.")
    if (dims == 0).any():
        raise invalid("Input dims cannot contain a dim of zero, but dims contains zero")
    total = int(np.prod(dims, dtype=np.int64))
    if indices.size and (int(indices.min()) < 0 or int(indices.max()) >= total):
        raise invalid("index is out of bound as with dims")
    return np.stack([np.asarray(part) for part in np.unravel_index(indices, dims.tolist())]).astype(dims.dtype)


_unravel_index.no_gradient("positions are integers")


def unravel_index(indices: Any, dims: Any, name: str | None = None) -> Tensor:
    """The index vectors (one a column) of flat `indices` into an array of shape `dims`."""
    return _unravel_index(indices, dims, name=name)
