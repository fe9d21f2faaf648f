"""tf.sort and tf.argsort, made of TopK: the largest of each row in order, of values turned round where they shall rise.

TopK works on the last axis, so another axis changes places with it before and after.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_scatter import tensor_scatter_update
from tfbench.engine.ops.base import constant
from tfbench.engine.ops.math_range import range as range_
from tfbench.engine.ops.nn_top import top_k
from tfbench.engine.ops.shape_ops import rank, shape
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor

__all__ = ["argsort", "sort"]


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """`values` sorted along `axis`, each row (vector along that axis) by itself.

    Raises:
      ValueError: if `direction` is neither 'ASCENDING' nor 'DESCENDING', or `axis` no constant number.
    """
    with name_scope(name, "sort"):
        return _sorted(values, axis, direction, places=False)


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The int32 indices along `axis` that sort `values`; equal ones stay in their order, whatever `stable` says.

    Raises:
      ValueError: as `sort`.
    """
    with name_scope(name, "argsort"):
        return _sorted(values, axis, direction, places=True)


def _sorted(values: Any, axis: Any, direction: str, places: bool) -> Tensor:
    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(
            f"Argument `direction` should be one of ASCENDING, DESCENDING. Received: direction={direction}"
        )
    given = convert_to_tensor(axis, name="axis")
    known = get_static_value(given)
    if known is None or given._shape not in (None, ()):
        raise ValueError(f"Argument `axis` must be a constant scalar. Received: axis={given}.")
    tensor = convert_to_tensor(values, name="values")
    if direction == "DESCENDING":
        return _falling(tensor, int(known), places)
    result = _falling(_turned(tensor), int(known), places)
    return result if places else _turned(result)


def _turned(x: Any) -> Any:
    """Falls where `x` rises, loses nothing, and gives `x` back when it is done again."""
    kind = x.dtype.base_dtype
    if kind.is_unsigned:
        return kind.max - x
    # The smallest signed integer has no negative; one less than the negative has all.
    return -x - 1 if kind.is_integer else -x


def _falling(values: Tensor, axis: int, places: bool) -> Tensor:
    count: Any = shape(values)[axis]
    ndims: Any = rank(values)
    dims = values._shape
    if axis == -1 or (dims is not None and axis + 1 == len(dims)):
        return top_k(values, count)[1 if places else 0]
    order: Any
    if dims is not None:
        last, position = len(dims) - 1, axis % len(dims)
        swapped = np.arange(len(dims))
        swapped[[position, last]] = last, position
        order = constant(swapped, name="transposition")
    else:
        where: Any = axis if axis >= 0 else axis + ndims
        order = tensor_scatter_update(range_(ndims), [[where], [ndims - 1]], [ndims - 1, where])
    result = top_k(transpose(values, order), count)[1 if places else 0]
    # The order swaps two axes, so it is its own inverse.
    return transpose(result, order)
