"""Sets along the last dimension: intersections, differences and unions of two of them, row by row, and their sizes.

The sets that one tensor holds are told apart by the index of all axes but the last; a dense row that has an element
twice is a set that has it once. A result is sparse: each row's elements in ascending order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.composite import SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.sparse import check_order
from tfbench.engine.shape_math import merge, with_rank, with_rank_at_least
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__: list[str] = []  # tf.sets has the public names

_TYPES = "T: {int8, int16, int32, int64, uint8, uint16, string}"
_OPTIONS = f"set_operation: string; validate_indices: bool = true; {_TYPES}"
_RESULT = "result_indices: int64, result_values: T, result_shape: int64"

_dense_to_dense = op("DenseToDenseSetOperation", "set1: T, set2: T", _RESULT, _OPTIONS, fresh=True)
_dense_to_sparse = op(
    "DenseToSparseSetOperation",
    "set1: T, set2_indices: int64, set2_values: T, set2_shape: int64",
    _RESULT,
    _OPTIONS,
    fresh=True,
)
_sparse_to_sparse = op(
    "SparseToSparseSetOperation",
    "set1_indices: int64, set1_values: T, set1_shape: int64, set2_indices: int64, set2_values: T, set2_shape: int64",
    _RESULT,
    _OPTIONS,
    fresh=True,
)
_set_size = op(
    "SetSize",
    "set_indices: int64, set_values: T, set_shape: int64",
    "size: int32",
    f"validate_indices: bool = true; {_TYPES}",
    fresh=True,
)

#: the index of a set (all axes but the last) -> its elements
_Groups = dict[tuple[int, ...], set[Any]]

_OPERATIONS = {
    "a-b": lambda a, b: a - b,
    "b-a": lambda a, b: b - a,
    "intersection": lambda a, b: a & b,
    "union": lambda a, b: a | b,
}


# -- shapes --------------------------------------------------------------------------------------------------------


def _result_shapes(rank: int | None) -> list[Shape]:
    return [(None, rank), (None,), (rank,)]


@_dense_to_dense.shape
def _dense_to_dense_shape(node: Operation, a: Shape, b: Shape) -> list[Shape]:
    a, b = with_rank_at_least(a, 2), with_rank_at_least(b, 2)
    known = a if a is not None else b
    if known is None:
        return _result_shapes(None)
    if a is not None and b is not None:
        merge(a[:-1], with_rank(b, len(a))[:-1])
    return _result_shapes(len(known))


@_dense_to_sparse.shape
def _dense_to_sparse_shape(node: Operation, a: Shape, indices: Shape, values: Shape, shape: Shape) -> list[Shape]:
    rank = _sparse_rank(indices, values, shape)
    if a is None:
        return _result_shapes(rank)
    a = with_rank_at_least(a, 2)
    assert a is not None
    if rank is not None:
        with_rank(a, rank)
    return _result_shapes(len(a))


@_sparse_to_sparse.shape
def _sparse_to_sparse_shape(node: Operation, *shapes: Shape) -> list[Shape]:
    first, second = _sparse_rank(*shapes[:3]), _sparse_rank(*shapes[3:])
    if first is not None and second is not None and first != second:
        raise ValueError(f"Dimensions must be equal, but are {first} and {second}")
    return _result_shapes(first if first is not None else second)


@_set_size.shape
def _set_size_shape(node: Operation, *shapes: Shape) -> list[Shape]:
    return [None]


def _sparse_rank(indices: Shape, values: Shape, shape: Shape) -> int | None:
    """How many axes a sparse tensor has, as far as the shapes of its parts say."""
    by_indices = with_rank(indices, 2)[1]
    with_rank(values, 1)
    by_shape = with_rank(shape, 1)[0]
    return by_indices if by_indices is not None else by_shape


# -- kernels -------------------------------------------------------------------------------------------------------


def _dense_groups(x: Any) -> _Groups:
    if x.ndim < 2:
        raise invalid(f"Input rank {x.ndim} is less than 2, which sets in rows need.")
    return {index: set(x[index].tolist()) for index in np.ndindex(x.shape[:-1])}


def _sparse_groups(indices: Any, values: Any, shape: Any, validate: bool) -> _Groups:
    sizes = shape.tolist()
    if len(sizes) < 2:
        raise invalid(f"Input rank {len(sizes)} is less than 2, which sets in rows need.")
    if validate:
        check_order(indices, sizes)
    groups: _Groups = {}
    for index, value in zip(indices.tolist(), values.tolist()):
        groups.setdefault(tuple(index[:-1]), set()).add(value)
    return groups


def _same_groups(a: Sequence[int], b: Sequence[int]) -> list[int]:
    if len(a) != len(b):
        raise invalid(f"Ranks of the two sets do not match: {len(a)} vs {len(b)}")
    if list(a[:-1]) != list(b[:-1]):
        raise invalid(f"Mismatched shapes {brackets(a[:-1])} vs {brackets(b[:-1])}: all axes but the last of both sets")
    return list(a[:-1])


def _combined(a: _Groups, b: _Groups, outer: list[int], operation: str, dtype: Any) -> tuple[Any, Any, Any]:
    """The sparse parts of the result."""
    function = _OPERATIONS.get(operation.lower())
    if function is None:
        raise invalid(f"Invalid set_operation {operation}.")
    places: list[tuple[int, ...]] = []
    elements: list[Any] = []
    widest = 0
    nothing: set[Any] = set()
    for group in sorted({**a, **b}):
        found = sorted(function(a.get(group, nothing), b.get(group, nothing)))
        places.extend((*group, i) for i in range(len(found)))
        elements.extend(found)
        widest = max(widest, len(found))
    indices = np.array(places, np.int64).reshape(len(places), len(outer) + 1)
    return indices, np.array(elements, dtype), np.array([*outer, widest], np.int64)


@_dense_to_dense.kernel(CPU)
def _dense_to_dense_kernel(xp: Any, a: Any, b: Any, *, set_operation: Any) -> Any:
    first, second = _dense_groups(a), _dense_groups(b)
    return _combined(first, second, _same_groups(a.shape, b.shape), _text(set_operation), a.dtype)


@_dense_to_sparse.kernel(CPU)
def _dense_to_sparse_kernel(
    xp: Any, a: Any, indices: Any, values: Any, shape: Any, *, set_operation: Any, validate_indices: bool
) -> Any:
    outer = _same_groups(a.shape, shape.tolist())
    second = _sparse_groups(indices, values, shape, validate_indices)
    return _combined(_dense_groups(a), second, outer, _text(set_operation), a.dtype)


@_sparse_to_sparse.kernel(CPU)
def _sparse_to_sparse_kernel(xp: Any, *parts: Any, set_operation: Any, validate_indices: bool) -> Any:
    first = _sparse_groups(parts[0], parts[1], parts[2], validate_indices)
    second = _sparse_groups(parts[3], parts[4], parts[5], validate_indices)
    outer = _same_groups(parts[2].tolist(), parts[5].tolist())
    return _combined(first, second, outer, _text(set_operation), parts[1].dtype)


@_set_size.kernel(CPU)
def _set_size_kernel(xp: Any, indices: Any, values: Any, shape: Any, *, validate_indices: bool) -> Any:
    sizes = np.zeros(shape.tolist()[:-1], np.int32)
    for group, elements in _sparse_groups(indices, values, shape, validate_indices).items():
        sizes[group] = len(elements)
    return sizes


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


for _each in (_dense_to_dense, _dense_to_sparse, _sparse_to_sparse, _set_size):
    _each.no_gradient("which elements a set has does not vary smoothly")


# -- public functions ----------------------------------------------------------------------------------------------


def set_size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many distinct elements each set of sparse tensor `a` has.

    Raises:
      TypeError: if `a` is not sparse, or of a type that sets cannot hold.
    """
    a = _as_set(a, "a")
    if not isinstance(a, SparseTensor):
        raise TypeError(f"Expected `SparseTensor`, got {a}.")
    return _set_size(*_parts(a), validate_indices=validate_indices)


def set_intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in both of two sets, row by row. The shapes agree but for the last axis."""
    a, b, _ = _pair(a, b)
    return _operation(a, b, "intersection", validate_indices)


def set_difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """What is in `a` and not in `b`, row by row; without `aminusb`, the other way round."""
    a, b, turned = _pair(a, b)
    return _operation(a, b, "a-b" if aminusb != turned else "b-a", validate_indices)


def set_union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """What is in one of two sets, row by row."""
    a, b, _ = _pair(a, b)
    return _operation(a, b, "union", validate_indices)


def _operation(a: Any, b: Any, operation: str, validate: bool) -> SparseTensor:
    options: dict[str, Any] = {"set_operation": operation, "validate_indices": validate}
    if isinstance(a, SparseTensor):
        parts = _sparse_to_sparse(*_parts(a), *_parts(b), **options)
    elif isinstance(b, SparseTensor):
        parts = _dense_to_sparse(a, *_parts(b), **options)
    else:
        parts = _dense_to_dense(a, b, **options)
    return SparseTensor(*parts)


def _pair(a: Any, b: Any) -> tuple[Any, Any, bool]:
    """Both as tensors, and whether they were exchanged: there is no op for a sparse and a dense one in this order."""
    a, b = _as_set(a, "a"), _as_set(b, "b")
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError(f"Types don't match, {a.dtype} vs {b.dtype}.")
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


def _as_set(x: Any, name: str) -> Any:
    if isinstance(x, SparseTensorValue):
        x = SparseTensor.from_value(x)
    elif not isinstance(x, SparseTensor):
        x = convert_to_tensor(x, name=name)
    allowed = _set_size.attrs["T"].allowed
    if allowed is not None and x.dtype.base_dtype not in allowed:
        raise TypeError(
            f"'{name}' has invalid dtype `{x.dtype}` not in supported dtypes: "
            f"{', '.join(sorted(kind.name for kind in allowed))}."
        )
    return x


def _parts(x: SparseTensor) -> Iterator[Tensor]:
    return iter((x.indices, x.values, x.dense_shape))
