"""What a branch returns and a loop carries, as tensors: any nest, whose leaves may be composites and TensorArrays.

An IndexedSlices is its values, indices and (if it has one) dense shape, a SparseTensor its indices, values and dense
shape; a TensorArray is its flow. It is known by its method `with_flow(flow)`, which returns the same array with
another flow.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfbench.engine import dtypes, nest
from tfbench.engine.composite import IndexedSlices, SparseTensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.tensor import Tensor


def is_tensor_array(value: Any) -> bool:
    return hasattr(type(value), "with_flow")


def read_variables(structure: Any) -> Any:
    """The nest with resource variables read; reference variables stay what they are."""
    return nest.map_structure(_read, structure)


def _read(leaf: Any) -> Any:
    return convert_to_tensor(leaf) if is_resource_variable(leaf) else leaf


def is_resource_variable(value: Any) -> bool:
    handle = None if isinstance(value, Tensor) or is_tensor_array(value) else getattr(value, "handle", None)
    return isinstance(handle, Tensor) and handle.dtype is dtypes.resource


def to_values(structure: Any) -> Any:
    """The nest with its leaves as tensors, composites or TensorArrays."""
    return nest.map_structure(_to_value, structure)


def _to_value(leaf: Any) -> Any:
    if isinstance(leaf, (IndexedSlices, SparseTensor)) or is_tensor_array(leaf):
        return leaf
    return convert_to_tensor(leaf)


def parts(leaf: Any) -> list[Any]:
    """The tensors (or what is to become one) that a leaf stands for."""
    if isinstance(leaf, IndexedSlices):
        known = [leaf.values, leaf.indices]
        return known if leaf.dense_shape is None else [*known, leaf.dense_shape]
    if isinstance(leaf, SparseTensor):
        return [leaf.indices, leaf.values, leaf.dense_shape]
    return [leaf.flow] if is_tensor_array(leaf) else [leaf]


def flatten(structure: Any) -> list[Any]:
    """All parts of all leaves, in order."""
    return [part for leaf in nest.flatten(structure) for part in parts(leaf)]


def pack(structure: Any, tensors: list[Tensor]) -> Any:
    """The nest `structure` with other tensors in place of its own."""
    remaining = iter(tensors)
    return nest.map_structure(lambda leaf: _rebuilt(leaf, remaining), structure)


def _rebuilt(leaf: Any, tensors: Iterator[Tensor]) -> Any:
    if isinstance(leaf, IndexedSlices):
        values, indices = next(tensors), next(tensors)
        return IndexedSlices(values, indices, None if leaf.dense_shape is None else next(tensors))
    if isinstance(leaf, SparseTensor):
        return SparseTensor(next(tensors), next(tensors), next(tensors))
    return leaf.with_flow(next(tensors)) if is_tensor_array(leaf) else next(tensors)


def assert_same_structure(first: Any, second: Any) -> None:
    """Checks that two nests have the same form, and composites in the same places.

    Raises:
      ValueError, TypeError: as `nest.assert_same_structure`, and where a composite stands against a tensor.
    """
    nest.assert_same_structure(first, second)
    for a, b in zip(nest.flatten(first), nest.flatten(second), strict=True):
        composite = [isinstance(leaf, (IndexedSlices, SparseTensor)) for leaf in (a, b)]
        if any(composite) and (type(a) is not type(b) or len(parts(a)) != len(parts(b))):
            raise (TypeError if all(composite) else ValueError)(
                "The two structures don't have the same nested structure.\n\n"
                f"First structure: type={type(first).__name__} str={first}\n\n"
                f"Second structure: type={type(second).__name__} str={second}\n\n"
                f"More specifically: {type(a).__name__} {a} stands against {type(b).__name__} {b}."
            )
