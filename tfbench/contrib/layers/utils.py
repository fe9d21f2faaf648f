"""`slim.utils`: named outputs, and decisions that are made while the graph is built where that can be."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.layers.naming import (
    append_tensor_alias,
    collect_named_outputs,
    convert_collection_to_dict,
    get_tensor_aliases,
    get_variable_collections,
    known_bool,
)
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.layers.core import smart_cond

__all__ = [
    "append_tensor_alias", "collect_named_outputs", "convert_collection_to_dict", "gather_tensors_aliases",
    "get_tensor_aliases", "get_variable_collections", "last_dimension", "smart_cond", "static_cond",
    "two_element_tuple",
]  # fmt: skip


def gather_tensors_aliases(tensors: Any) -> list[str]:
    """The names of all tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def static_cond(pred: Any, fn1: Any, fn2: Any) -> Any:
    """The result of one of two functions, by a bool that is known now."""
    return fn1() if known_bool(pred) else fn2()


def last_dimension(shape: Any, min_rank: int = 1) -> int:
    """The size of the last axis.

    Raises:
      ValueError: if it is not known, or the rank is lower than `min_rank`.
    """
    dims = as_shape(shape)
    if dims.ndims is None:
        raise ValueError("dims of shape must be known but is None")
    if dims.ndims < min_rank:
        raise ValueError(f"rank of shape must be at least {min_rank} not: {dims.ndims}")
    size = dims.as_list()[-1]
    if size is None:
        raise ValueError("last dimension shape must be known but is None")
    return size


def two_element_tuple(int_or_tuple: Any) -> tuple[int, int]:
    """(height, width) from one number, two, or a shape.

    Raises:
      ValueError: for anything else.
    """
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, int):
        return int_or_tuple, int_or_tuple
    if isinstance(int_or_tuple, TensorShape) and int_or_tuple.ndims == 2 and int_or_tuple.is_fully_defined():
        height, width = int_or_tuple.as_list()
        return int(height or 0), int(width or 0)
    raise ValueError("Must be an int, a list with 2 elements or a TensorShape of length 2")
