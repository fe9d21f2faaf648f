"""Parts of sparse tensors: slices, splits, rows that are filled where they are empty."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import int64
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.sparse import as_sparse
from tfbench.engine.ops.sparse_common import NUMBER, check_sparse, row_major, unknown_sizes
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["sparse_fill_empty_rows", "sparse_slice", "sparse_split"]

Array = Any

_slice = op(
    "SparseSlice",
    "indices: int64, values: T, shape: int64, start: int64, size: int64",
    "output_indices: int64, output_values: T, output_shape: int64",
    "T: type",
    fresh=True,
)
slice_grad = op(
    "SparseSliceGrad",
    "backprop_val_grad: T, input_indices: int64, input_start: int64, output_indices: int64",
    "val_grad: T",
    f"T: {NUMBER}",
    fresh=True,
)
_split = op(
    "SparseSplit",
    "split_dim: int64, indices: int64, values: T, shape: int64",
    "output_indices: num_split * int64, output_values: num_split * T, output_shape: num_split * int64",
    "num_split: int >= 1; T: type",
    fresh=True,
)
_fill = op(
    "SparseFillEmptyRows",
    "indices: int64, values: T, dense_shape: int64, default_value: T",
    "output_indices: int64, output_values: T, empty_row_indicator: bool, reverse_index_map: int64",
    "T: type",
    fresh=True,
)
fill_grad = op(
    "SparseFillEmptyRowsGrad",
    "reverse_index_map: int64, grad_values: T",
    "d_values: T, d_default_value: T",
    "T: type",
    fresh=True,
)
slice_grad.no_gradient("TensorFlow has none for the slopes of slices")
fill_grad.no_gradient("TensorFlow has none for the slopes of filled rows")
_split.no_gradient("TensorFlow has none for the parts of a sparse tensor")


# -- slices --------------------------------------------------------------------------------------------------------


@_slice.shape
def _slice_shape(
    node: Operation, indices: Shape, values: Shape, shape: Shape, start: Shape, size: Shape
) -> list[Shape]:
    columns = with_rank(indices, 2)[1]
    rank = with_rank(shape, 1)
    with_rank(values, 1)
    return [(None, columns), (None,), rank]


@_slice.kernel(CPU)
def _slice_kernel(xp: Any, indices: Array, values: Array, shape: Array, start: Array, size: Array) -> list[Array]:
    check_sparse(indices, values, shape)
    if start.shape != shape.shape or size.shape != shape.shape:
        raise invalid(
            f"Expected start and size to be vectors of {shape.size} elements, but got {brackets(start.shape)} and "
            f"{brackets(size.shape)}"
        )
    inside = ((indices >= start) & (indices < start + size)).all(axis=1)
    sizes = np.maximum(np.minimum(size, shape - start), 0)
    return [indices[inside] - start, values[inside], sizes]


@slice_grad.shape
def _slice_grad_shape(node: Operation, grad: Shape, indices: Shape, start: Shape, output: Shape) -> list[Shape]:
    return [(with_rank(indices, 2)[0],)]


@slice_grad.kernel(CPU)
def _slice_grad_kernel(xp: Any, grad: Array, indices: Array, start: Array, output: Array) -> Array:
    found = np.zeros(len(indices), grad.dtype)
    if len(output):
        moved = output + start
        sizes = np.concatenate([indices, moved]).max(axis=0) + 1
        keys, own = row_major(moved, sizes), row_major(indices, sizes)
        order = np.argsort(keys, kind="stable")
        places = np.minimum(np.searchsorted(keys[order], own), keys.size - 1)
        there = keys[order][places] == own
        found[there] = grad[order][places[there]]
    return found


def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """The part of a sparse tensor that begins at `start` and has `size`, both vectors."""
    sparse = as_sparse(sp_input)
    start, size = convert_to_tensor(start, int64), convert_to_tensor(size, int64)
    with name_scope(name, "SparseSlice", [sparse]) as scope:
        parts = _slice(sparse.indices, sparse.values, sparse.dense_shape, start, size, name=scope)
        return unknown_sizes(SparseTensor(*parts))


# -- splits --------------------------------------------------------------------------------------------------------


@_split.shape
def _split_shape(node: Operation, axis: Shape, indices: Shape, values: Shape, shape: Shape) -> list[Shape]:
    count = node.attrs["num_split"]
    columns = with_rank(indices, 2)[1]
    return [*[(None, columns)] * count, *[(None,)] * count, *[with_rank(shape, 1)] * count]


@_split.kernel(CPU)
def _split_kernel(xp: Any, axis: Array, indices: Array, values: Array, shape: Array, *, num_split: int) -> list[Array]:
    check_sparse(indices, values, shape)
    rank, at = shape.size, int(np.ravel(axis)[0])
    if not -rank <= at < rank:
        raise invalid(f"Input axis should be in range [{-rank}, {rank}), got {at}")
    at %= rank
    total = int(shape[at])
    if not 1 <= num_split <= total:
        raise invalid(
            f"Input num_split should be between 1 and the splitting dimension size ({total}), got {num_split}"
        )
    # The first parts are one larger where it does not come out even.
    small, more = divmod(total, num_split)
    sizes = np.full(num_split, small) + (np.arange(num_split) < more)
    ends = np.cumsum(sizes)
    part = np.searchsorted(ends, indices[:, at], side="right")
    all_indices, all_values, shapes = [], [], []
    for number in range(num_split):
        own = part == number
        moved = indices[own]
        moved[:, at] -= ends[number] - sizes[number]
        whole = np.array(shape)
        whole[at] = sizes[number]
        all_indices.append(moved)
        all_values.append(values[own])
        shapes.append(whole)
    return [*all_indices, *all_values, *shapes]


class _ByKeyword:
    """What the first argument has to be: all others are given by name."""


_BY_KEYWORD = _ByKeyword()


def sparse_split(
    keyword_required: Any = _BY_KEYWORD,
    sp_input: Any = None,
    num_split: Any = None,
    axis: Any = None,
    name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """A sparse tensor in `num_split` parts along an axis; arguments by keyword.

    Raises:
      ValueError: for positional arguments, or where one is missing.
    """
    if not isinstance(keyword_required, _ByKeyword):
        raise ValueError("Keyword arguments are required for this function.")
    if sp_input is None:
        raise ValueError("sp_input is required")
    if num_split is None:
        raise ValueError("num_split is required")
    if axis is not None and split_dim is not None:
        raise ValueError("Cannot specify both 'split_dim' and 'axis'.")
    axis = split_dim if axis is None else axis
    if axis is None:
        raise ValueError("axis is required")
    sparse = as_sparse(sp_input)
    outputs = _split(axis, sparse.indices, sparse.values, sparse.dense_shape, num_split=num_split, name=name)
    flat = [one for output in outputs for one in (output if isinstance(output, (list, tuple)) else [output])]
    return [
        unknown_sizes(SparseTensor(flat[i], flat[num_split + i], flat[2 * num_split + i])) for i in range(num_split)
    ]


# -- empty rows ----------------------------------------------------------------------------------------------------


@_fill.shape
def _fill_shape(node: Operation, indices: Shape, values: Shape, shape: Shape, default: Shape) -> list[Shape]:
    rows, columns = with_rank(indices, 2)
    with_rank(values, 1)
    with_rank(default, 0)
    size = with_rank(shape, 1)[0]
    known = constant_value(node.inputs[2])
    first = None if known is None or not known.size else int(known[0])
    return [(None, columns if columns is not None else size), (None,), (first,), (rows,)]


@_fill.kernel(CPU)
def _fill_kernel(xp: Any, indices: Array, values: Array, shape: Array, default: Array) -> list[Array]:
    if shape.ndim != 1 or not shape.size:
        raise invalid(f"dense_shape must be a non-empty vector, saw: {brackets(shape.shape)}")
    if indices.ndim != 2 or values.ndim != 1 or len(indices) != len(values):
        raise invalid(f"indices and values do not belong together: {brackets(indices.shape)}, {brackets(values.shape)}")
    rows = int(shape[0])
    first = indices[:, 0]
    bad = np.flatnonzero((first < 0) | (first >= rows))
    if bad.size:
        at = int(bad[0])
        raise invalid(f"indices({at}, 0) is invalid: {int(first[at])} >= {rows}")
    empty = np.bincount(first, minlength=rows)[:rows] == 0
    new = np.zeros((int(empty.sum()), indices.shape[1]), np.int64)
    new[:, 0] = np.flatnonzero(empty)
    every = np.concatenate([indices, new])
    order = np.argsort(every[:, 0], kind="stable")
    filler = np.empty(len(new), values.dtype)
    filler[...] = default[()]
    places = np.empty(len(every), np.int64)
    places[order] = np.arange(len(every))
    return [every[order], np.concatenate([values, filler])[order], empty, places[: len(indices)]]


@fill_grad.shape
def _fill_grad_shape(node: Operation, places: Shape, grad: Shape) -> list[Shape]:
    return [with_rank(places, 1), ()]


@fill_grad.kernel(CPU)
def _fill_grad_kernel(xp: Any, places: Array, grad: Array) -> list[Array]:
    rest = np.ones(grad.shape, bool)
    rest[places] = False
    return [grad[places], np.array(grad[rest].sum(), grad.dtype)]


def sparse_fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """A sparse tensor with an element `default_value` in each row that has none, and which rows these are."""
    sparse = as_sparse(sp_input)
    with name_scope(name, "SparseFillEmptyRows", [sparse]):
        default = convert_to_tensor(default_value, dtype=sparse.values.dtype)
        indices, values, empty, _ = _fill(sparse.indices, sparse.values, sparse.dense_shape, default)
        return SparseTensor(indices, values, sparse.dense_shape), empty
