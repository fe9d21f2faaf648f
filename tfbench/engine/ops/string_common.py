"""What the string ops share: kernels that treat one element at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape

Array = Any


def as_strings(items: Iterable[Any], shape: Any) -> Array:
    """A string array of `shape` from its elements."""
    flat = np.empty(int(np.prod(shape, dtype=np.int64)), object)
    flat[:] = list(items)
    return flat.reshape(shape)


def each(function: Callable[[Any], Any], array: Array) -> Array:
    """The string array with `function` of each element."""
    array = np.asarray(array)
    return as_strings([function(item) for item in array.ravel().tolist()], array.shape)


def each_number(function: Callable[[Any], Any], array: Array, dtype: Any) -> Array:
    """The array of `dtype` with `function` of each string."""
    array = np.asarray(array)
    return np.array([function(item) for item in array.ravel().tolist()], dtype).reshape(array.shape)


def same(node: Any, x: Shape, *others: Shape) -> list[Shape]:
    """A shape function: one output of the first input's shape, all other inputs scalars."""
    for other in others:
        with_rank(other, 0)
    return [x]


def scalar_string(value: Any, what: str) -> bytes:
    """The string in an input that has to be a scalar."""
    array: Any = np.asarray(value)
    if array.ndim:
        raise invalid(f"{what} must be scalar, but received {brackets(array.shape)}")
    return array[()]


def raw(value: Any) -> bytes:
    """A string attribute as bytes."""
    return value.encode() if isinstance(value, str) else bytes(value)
