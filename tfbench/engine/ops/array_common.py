"""What the array ops' files share: axes, and values that shape functions look at."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.infer import constant_value
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor


def as_array(result: Any) -> Any:
    """What NumPy gives for one element: a scalar string as an array of no dimensions, numbers as they are.

    Kernels look at shapes, and bytes have none.
    """
    return np.array(result, object) if isinstance(result, bytes) else result


def is_tensor_like(value: Any) -> bool:
    """Tensors, and what stands for one (variables)."""
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


def known_list(tensor: Tensor) -> list[int] | None:
    """The elements of an integer tensor whose value is known while the graph is built, else None."""
    value = constant_value(tensor)
    return None if value is None else [int(item) for item in value.ravel()]


def known_scalar(tensor: Tensor) -> int | None:
    """The value of a scalar integer tensor (one element) if it is known, else None.

    Raises:
      ValueError: if the tensor is known to be no scalar.
    """
    with_rank(tensor._shape, 0)
    values = known_list(tensor)
    return None if values is None else values[0]


def known_axis(tensor: Tensor, rank: int | None) -> int | None:
    """The axis that a scalar tensor says, counted from the front; None where value or rank is not known.

    Raises:
      ValueError: if it is out of range.
    """
    axis = known_scalar(tensor)
    if axis is None or rank is None:
        return axis if axis is not None and axis >= 0 else None
    if not -rank <= axis < rank:
        raise ValueError(f"Dimension size, given by scalar input {axis} must be in range [-{rank}, {rank})")
    return axis % rank


def replaced(shape: tuple[int | None, ...], position: int, size: int | None) -> tuple[int | None, ...]:
    """`shape` with another size at `position`."""
    return (*shape[:position], size, *shape[position + 1 :])


def same_shape(node: Any, x: Shape, *others: Shape) -> list[Shape]:
    """A shape function: one output, of the first input's shape."""
    return [x]
