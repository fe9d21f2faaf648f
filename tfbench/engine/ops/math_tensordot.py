"""Contractions of two tensors over any axes, as one matrix product between transposes and reshapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_join import concat, stack
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.math_range import range as _range
from tfbench.engine.ops.matmul import matmul
from tfbench.engine.ops.reductions import reduce_prod
from tfbench.engine.ops.shape_ops import reshape
from tfbench.engine.ops.shape_queries import rank as rank_of
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.tensor import Tensor

__all__ = ["tensordot"]


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products of `a` and `b` over axes of both.

    `axes` is a number n (the last n of a with the first n of b), or a pair of (lists of) axes of a and of b. The
    result has the other axes of a, then those of b.

    Raises:
      ValueError: if the axes do not fit, or the sizes differ.
    """
    with name_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        a_axes, b_axes = _axes(a, axes)
        rows, a_free, a_known = _as_matrix(a, a_axes, False)
        columns, b_free, b_known = _as_matrix(b, b_axes, True)
        product = matmul(rows, columns)
        if isinstance(a_free, list) and isinstance(b_free, list):
            shape = a_free + b_free
            if product._shape == tuple(shape):
                return product
            return reshape(product, shape, name=scope)
        parts = [convert_to_tensor(part, dtype=dtypes.int32) for part in (a_free, b_free)]
        result = reshape(product, concat(parts, 0), name=scope)
        if a_known is not None and b_known is not None:
            result.set_shape(a_known + b_known)
        return result


def _axes(a: Tensor, axes: Any) -> tuple[Any, Any]:
    """The axes of a and of b: lists where they are known, else tensors."""
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f"`axes` must be at least 0. Received: {axes}.")
        rank = a._rank
        if rank is None:
            whole: Any = rank_of(a)
            return _range(whole - axes, whole, dtype=dtypes.int32), _range(axes, dtype=dtypes.int32)
        if axes > rank:
            raise ValueError(
                f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received {axes}, vs tensor "
                f"dimensions {rank}."
            )
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
        first, second = ([one] if isinstance(one, int) else one for one in axes)
        if len(first) != len(second):
            raise ValueError(f"Different number of contraction axes `a` and `b`, {len(first)} != {len(second)}.")
        return first, second
    tensor: Any = convert_to_tensor(axes, name="axes", dtype=dtypes.int32)
    return tensor[0], tensor[1]


def _as_matrix(x: Tensor, axes: Any, flipped: bool) -> tuple[Tensor, Any, list[int | None] | None]:
    """`x` as a matrix whose columns (rows if `flipped`) run over `axes`; the free sizes; these as far as known."""
    shape = x._shape
    listed = isinstance(axes, (list, tuple)) and shape is not None
    if listed:
        rank = len(shape)  # type: ignore[arg-type]
        places = [int(axis) if axis >= 0 else int(axis) + rank for axis in axes]
        free_places = [i for i in range(rank) if i not in places]
        free_known = [shape[i] for i in free_places]  # type: ignore[index]
        if None not in shape:  # type: ignore[operator]
            return _known_matrix(x, places, free_places, flipped), free_known, free_known
        contracted: Any = convert_to_tensor(places, dtype=dtypes.int32, name="axes")
        free: Any = convert_to_tensor(free_places, dtype=dtypes.int32, name="free")
        sizes = shape_of(x)
    else:
        free_known = None
        sizes = shape_of(x)
        whole = rank_of(x)
        contracted = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
        contracted = where(contracted >= 0, contracted, contracted + whole)
        free = lookup("ListDiff")(_range(0, whole), contracted, out_idx=dtypes.int32)[0]
    free_sizes = gather(sizes, free)
    contracted_sizes = gather(sizes, contracted)
    count, summed = reduce_prod(free_sizes), reduce_prod(contracted_sizes)
    order = concat([contracted, free] if flipped else [free, contracted], 0)
    form = stack([summed, count] if flipped else [count, summed])
    return reshape(transpose(x, order), form), free_sizes, free_known


def _known_matrix(x: Tensor, axes: list[int], free: list[int], flipped: bool) -> Tensor:
    """Only the nodes that change something."""
    shape: Any = x._shape
    count = summed = 1
    for i in free:
        count *= shape[i]
    for i in axes:
        summed *= shape[i]
    order = axes + free if flipped else free + axes
    if order != list(range(len(shape))):
        x = transpose(x, order)
    form = [summed, count] if flipped else [count, summed]
    return x if x._shape == tuple(form) else reshape(x, form)
