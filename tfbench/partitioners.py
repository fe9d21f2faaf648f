"""Partitioners: functions of (shape, dtype) that say into how many parts each axis of a variable is cut."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbench.engine.dtypes import float32
from tfbench.engine.shapes import as_shape

__all__ = [
    "create_partitioned_variables",
    "fixed_size_partitioner",
    "min_max_variable_partitioner",
    "variable_axis_size_partitioner",
]

Partitioner = Callable[..., list[int]]


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """`num_shards` parts along `axis`, or fewer where it is shorter."""

    def partitioner(shape: Any, **_: Any) -> list[int]:
        sizes = _sizes(shape)
        parts = [1] * len(sizes)
        parts[axis] = min(num_shards, sizes[axis])
        return parts

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Partitioner:
    """As many parts along `axis` as keep each at or under `max_shard_bytes`.

    Raises:
      ValueError: if a limit is not positive; when used, if the shape is not known.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            "Both max_shard_bytes and bytes_per_string_element must be positive. Currently, max_shard_bytes is "
            f"{max_shard_bytes} and bytes_per_string_element is {bytes_per_string_element}"
        )
    if max_shards is not None and max_shards < 1:
        raise ValueError(f"max_shards must be positive, but is {max_shards}.")

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        element = bytes_per_string_element if dtype.name == "string" else dtype.size
        parts = [1] * len(sizes)
        slice_bytes = math.prod(sizes) // sizes[axis] * element
        # An axis unit that is larger than a part still needs a part of its own.
        per_part = max(1, max_shard_bytes // slice_bytes)
        count = math.ceil(sizes[axis] / per_part)
        parts[axis] = min(count, max_shards) if max_shards is not None else count
        return parts

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Partitioner:
    """Up to `max_partitions` parts along `axis`, none smaller than `min_slice_size` bytes."""

    def partitioner(shape: Any, dtype: Any) -> list[int]:
        sizes = _sizes(shape)
        element = bytes_per_string_element if dtype.name == "string" else dtype.size
        total = math.prod(sizes) * element
        parts = [1] * len(sizes)
        parts[axis] = max(1, min(sizes[axis], max_partitions, math.ceil(total / min_slice_size)))
        return parts

    return partitioner


def _sizes(shape: Any) -> list[int]:
    shape = as_shape(shape)
    if not shape.is_fully_defined():
        raise ValueError(f"shape is not fully defined: {shape}")
    return [int(size) for size in shape]


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """The slices of a variable of `shape`, cut into `slicing[i]` parts along axis i (one axis only): older spelling.

    Raises:
      ValueError: if the two lists are not of one length, or more than one axis is cut.
    """
    from tfbench.engine.default_graph import get_default_graph
    from tfbench.variable_scope import variable_scope
    from tfbench.variable_scope.partitioned import partitioned_variable
    from tfbench.variable_scope.store import variable_store

    if len(shape) != len(slicing):
        raise ValueError(
            "The 'shape' and 'slicing' of a partitioned Variable must have the length: "
            f"shape: {shape}, slicing: {slicing}"
        )
    if len(shape) < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: shape: {shape}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope, get_default_graph().name_scope(None):
        whole = partitioned_variable(
            variable_store(),
            name=scope.name,
            partitioner=lambda **_: slicing,
            shape=shape,
            dtype=dtype,
            initializer=scope.initializer if initializer is None else initializer,
            regularizer=scope.regularizer,
            reuse=scope.reuse,
            trainable=trainable,
            collections=collections,
            caching_device=scope.caching_device,
            use_resource=scope.use_resource,
            constraint=scope.constraint,
        )
    return list(whole)
