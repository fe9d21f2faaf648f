"""`sparse_reshape`: the same elements at other indices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.composite import SparseTensor
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.array_common import brackets, invalid
from tfbench.engine.ops.base import constant, identity
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.sparse import as_sparse
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape

__all__ = ["sparse_reshape"]

_reshape = op(
    "SparseReshape",
    "input_indices: int64, input_shape: int64, new_shape: int64",
    "output_indices: int64, output_shape: int64",
    "",
    fresh=True,
)


@_reshape.shape
def _reshape_shape(node: Operation, indices: Shape, shape: Shape, new_shape: Shape) -> list[Shape]:
    rows = with_rank(indices, 2)[0]
    with_rank(shape, 1)
    (rank,) = with_rank(new_shape, 1)
    return [(rows, rank), (rank,)]


@_reshape.kernel(CPU)
def _reshape_kernel(xp: Any, indices: Any, shape: Any, new_shape: Any) -> Any:
    if indices.ndim != 2:
        raise invalid(f"Input indices should be a matrix but received shape {brackets(indices.shape)}")
    if shape.ndim != 1:
        raise invalid(f"Input shape should be a vector but received shape {brackets(shape.shape)}")
    if new_shape.ndim != 1:
        raise invalid(f"Target shape should be a vector but received shape {brackets(new_shape.shape)}")
    old, new = shape.tolist(), _inferred(shape.tolist(), new_shape.tolist())
    if not len(indices):
        return np.empty((0, len(new)), np.int64), np.array(new, np.int64)
    places = np.ravel_multi_index(tuple(indices.T), old)
    return np.stack(np.unravel_index(places, new), axis=1).astype(np.int64), np.array(new, np.int64)


def _inferred(old: list[int], new: list[int]) -> list[int]:
    """The new shape, with a number where it says -1."""
    total = math.prod(old)
    open_axes = [axis for axis, size in enumerate(new) if size == -1]
    if len(open_axes) > 1:
        raise invalid(f"only one output dimension may be -1, not both {open_axes[0]} and {open_axes[1]}")
    for axis, size in enumerate(new):
        if size < -1:
            raise invalid(f"size {axis} must be non-negative, not {size}")
    if open_axes:
        known = math.prod(size for size in new if size != -1)
        if not known:
            raise invalid(
                "reshape cannot infer the missing input size for an empty tensor unless all specified input sizes are "
                "non-zero"
            )
        missing = total // known
        new = [missing if size == -1 else size for size in new]
        if missing * known != total:
            raise invalid(
                f"Input to reshape is a SparseTensor with {total} dense values, but the requested shape requires a "
                f"multiple of {known}. input_shape={brackets(old)} output_shape={brackets(new)}"
            )
    if math.prod(new) != total:
        raise invalid(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has {math.prod(new)}. "
            f"input_shape={brackets(old)} output_shape={brackets(new)}"
        )
    return new


_reshape.no_gradient("positions are integers")


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The elements of a sparse tensor, counted in row-major order, in another shape. One size may be -1.

    Raises:
      ValueError: if the sizes are known to differ.
    """
    sparse = as_sparse(sp_input)
    shape = cast(shape, dtypes.int64)
    with name_scope(name, "SparseReshape", [sparse.indices, sparse.values, sparse.dense_shape]) as scope:
        indices, dense_shape = _reshape(sparse.indices, sparse.dense_shape, shape, name=scope)
        wanted = get_static_value(shape)
        total = sparse.shape.num_elements()
        if wanted is not None and total is not None:
            dense_shape = constant(_known_shape(wanted.tolist(), total), dtype=dtypes.int64)
        return SparseTensor(indices, identity(sparse.values), dense_shape)


def _known_shape(wanted: list[int], total: int) -> list[int]:
    if wanted.count(-1) > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {wanted}")
    known = math.prod(size for size in wanted if size != -1)
    sizes = [total // known if size == -1 and known else size for size in wanted]
    if math.prod(sizes) != total:
        said = [None if size == -1 else size for size in wanted]
        raise ValueError(f"Cannot reshape a tensor with {total} elements to shape {said} ({known} elements).")
    return sizes
