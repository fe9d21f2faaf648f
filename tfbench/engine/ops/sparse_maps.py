"""Sparse tensors by number: what goes through a queue, which takes dense tensors only, is a number.

A map belongs to the node that fills it; the node that empties it names that node. Known by op type only.
"""

from __future__ import annotations

import threading
from itertools import pairwise
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.resources import Resource
from tfbench.engine.shape_math import with_rank
from tfbench.engine.shapes import Shape

Array = Any

_NAMES = "container: string = ''; shared_name: string = ''"
add_one = op(
    "AddSparseToTensorsMap",
    "sparse_indices: int64, sparse_values: T, sparse_shape: int64",
    "sparse_handle: int64",
    f"T: type; {_NAMES}",
    stateful=True,
    fresh=True,
)
add_many = op(
    "AddManySparseToTensorsMap",
    "sparse_indices: int64, sparse_values: T, sparse_shape: int64",
    "sparse_handles: int64",
    f"T: type; {_NAMES}",
    stateful=True,
    fresh=True,
)
take_many = op(
    "TakeManySparseFromTensorsMap",
    "sparse_handles: int64",
    "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    f"dtype: type; {_NAMES}",
    stateful=True,
    fresh=True,
)
for _declared in (add_one, add_many, take_many):
    _declared.no_gradient("what comes out was put in by another run")

#: indices, values and shape
_Sparse = tuple[Array, Array, Array]


class SparseMap(Resource):
    """Sparse tensors that are on their way, by number."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next = 0
        self._held: dict[int, _Sparse] = {}

    def add(self, tensors: list[_Sparse]) -> list[int]:
        with self._lock:
            numbers = list(range(self._next, self._next + len(tensors)))
            self._next += len(tensors)
            self._held.update(zip(numbers, tensors))
            return numbers

    def take(self, numbers: list[int]) -> list[_Sparse]:
        with self._lock:
            missing = [number for number in numbers if number not in self._held]
            if missing:
                raise invalid(f"Unable to find SparseTensor: {missing[0]} in map: it was taken out before")
            return [self._held.pop(number) for number in numbers]

    def snapshot(self) -> Any:
        return self._next, dict(self._held)

    def restore(self, saved: Any) -> None:
        self._next, held = saved
        self._held = dict(held)


def _map_of(context: Any) -> SparseMap:
    text = [value.decode() if isinstance(value, bytes) else value for value in map(context.attrs.get, _KEYS)]
    name = text[1] or context.op.name
    return context.resources.get(text[0] or "", f"<sparse map> {name}", SparseMap)


_KEYS = ("container", "shared_name")


@add_one.shape
def _add_shape(node: Operation, indices: Shape, values: Shape, shape: Shape) -> list[Shape]:
    with_rank(indices, 2)
    with_rank(values, 1)
    with_rank(shape, 1)
    return [()]


@add_many.shape
def _add_many_shape(node: Operation, indices: Shape, values: Shape, shape: Shape) -> list[Shape]:
    _add_shape(node, indices, values, shape)
    return [(None,)]


@take_many.shape
def _take_many_shape(node: Operation, handles: Shape) -> list[Shape]:
    with_rank(handles, 1)
    return [(None, None), (None,), (None,)]


@add_one.bind(CPU)
def _add_bind(context: Any) -> Any:
    held = _map_of(context)
    return lambda indices, values, shape: np.int64(
        held.add([(np.array(indices), np.array(values), np.array(shape))])[0]
    )


@add_many.bind(CPU)
def _add_many_bind(context: Any) -> Any:
    held = _map_of(context)

    def add(indices: Array, values: Array, shape: Array) -> Array:
        if len(shape) < 2:
            raise invalid(f"Rank of input SparseTensor should be > 1, but saw {len(shape)}")
        rows = indices[:, 0]
        if len(rows) and (np.any(np.diff(rows) < 0) or rows[-1] >= shape[0]):
            raise invalid("indices are not sorted by row, or out of bounds")
        ends = np.searchsorted(rows, np.arange(shape[0] + 1))
        parts = [
            (indices[low:high, 1:].copy(), values[low:high].copy(), np.array(shape[1:])) for low, high in pairwise(ends)
        ]
        return np.array(held.add(parts), np.int64)

    return add


@take_many.bind(CPU)
def _take_many_bind(context: Any) -> Any:
    held = _map_of(context)
    dtype = context.attrs["dtype"].as_numpy_dtype

    def take(handles: Array) -> tuple[Array, Array, Array]:
        found = held.take(handles.tolist())
        if not found:
            return np.zeros((0, 2), np.int64), np.zeros(0, dtype), np.zeros(2, np.int64)
        if len({len(shape) for _, _, shape in found}) > 1:
            raise invalid("Inconsistent rank across SparseTensors: they make no batch")
        indices = [
            np.concatenate([np.full((len(one), 1), row, np.int64), one], axis=1)
            for row, (one, _, _) in enumerate(found)
        ]
        shape = np.max([shape for _, _, shape in found], axis=0)
        return (
            np.concatenate(indices),
            np.concatenate([values for _, values, _ in found]),
            np.concatenate([[len(found)], shape]).astype(np.int64),
        )

    return take
