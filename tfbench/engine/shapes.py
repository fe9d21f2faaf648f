"""Static shapes: TensorFlow 1.x's `TensorShape` and `Dimension`, over the plain tuples that the engine uses.

The engine's form is `Shape`; what is computed with it is in `shape_math`.
A TensorShape holds a Shape and makes Dimension objects only when it is indexed or iterated, so giving one out
costs next to nothing. `to_tuple` and `dim_of` turn whatever users write into the engine's form.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfbench.engine.dimension import Dimension, dim_of, dimension_value
from tfbench.engine.shape_math import (
    Shape,
    concatenate,
    is_compatible,
    is_fully_defined,
    merge,
    num_elements,
    with_rank,
)

__all__ = [
    "Dimension", "Shape", "TensorShape", "as_shape", "dim_of", "dimension_at_index", "dimension_value", "matrix",
    "scalar", "to_tuple", "unknown_shape", "vector",
]  # fmt: skip


def to_tuple(value: Any) -> Shape:
    """The Shape of whatever TensorShape accepts: None, a size, an iterable of sizes, a shape, a proto."""
    if value is None:
        return None
    if isinstance(value, TensorShape):
        return value._dims
    if type(value) is tuple or type(value) is list:
        return tuple([dim_of(size) for size in value])
    if hasattr(value, "unknown_rank"):  # a TensorShapeProto
        if value.unknown_rank:
            return None
        return tuple([None if dim.size == -1 else dim.size for dim in value.dim])
    try:
        sizes = iter(value)
    except TypeError:
        return (dim_of(value),)
    result: list[int | None] = []
    for size in sizes:
        try:
            result.append(dim_of(size))
        except TypeError:
            if isinstance(value, (list, tuple)):
                raise
            raise TypeError(
                f"Failed to convert '{value!r}' to a shape: '{size!r}' could not be converted to a "
                "dimension. A shape is a single size (e.g. 10) or an iterable of sizes (e.g. [1, 10, None])."
            ) from None
    return tuple(result)


class TensorShape:
    """The static shape of a tensor: of unknown rank, or a list of sizes of which some may be unknown."""

    __slots__ = ("__weakref__", "_dims")

    _dims: Shape

    def __init__(self, dims: Any) -> None:
        self._dims = to_tuple(dims)

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as a list of Dimension, or None for an unknown rank."""
        return None if self._dims is None else [Dimension(size) for size in self._dims]

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    ndims = rank

    def __repr__(self) -> str:
        return f"TensorShape({self.dims!r})"

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        sizes = ["?" if size is None else str(size) for size in self._dims]
        return f"({sizes[0]},)" if len(sizes) == 1 else "(" + ", ".join(sizes) + ")"

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    __nonzero__ = __bool__

    def __iter__(self) -> Iterator[Dimension]:
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter([Dimension(size) for size in self._dims])

    def __getitem__(self, key: Any) -> Any:
        """A Dimension, or for a slice a TensorShape; of an unknown shape, as much as the slice says."""
        dims = self._dims
        if not isinstance(key, slice):
            if dims is None:
                return Dimension(None)
            return Dimension(dims[key])
        if dims is not None:
            return TensorShape(dims[key])
        if key.step is not None:
            raise ValueError(f"Steps are not yet handled: a shape of unknown rank has no [::{key.step}].")
        start = 0 if key.start is None else key.start
        stop = key.stop
        if stop is None or start < 0 or stop < 0:
            return TensorShape(None)
        return TensorShape((None,) * max(stop - start, 0))

    def num_elements(self) -> int | None:
        """The number of elements, or None if it is not known."""
        return num_elements(self._dims) if is_fully_defined(self._dims) else None

    def as_list(self) -> list[int | None]:
        """The sizes as a list of int and None. ValueError for an unknown rank."""
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self) -> Any:
        """This shape as a TensorShapeProto."""
        proto = _message_class("TensorShapeProto")()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for size in self._dims:
                proto.dim.add().size = -1 if size is None else size
        return proto

    def is_fully_defined(self) -> bool:
        """Are the rank and every size known?"""
        return is_fully_defined(self._dims)

    def is_compatible_with(self, other: Any) -> bool:
        """Could one tensor have both shapes?"""
        return is_compatible(self._dims, to_tuple(other))

    def merge_with(self, other: Any) -> TensorShape:
        """What is known when both shapes describe one tensor. ValueError if they cannot."""
        dims = to_tuple(other)
        if not is_compatible(self._dims, dims):
            raise ValueError(f"Shapes {self} and {TensorShape(dims)} are not compatible")
        return TensorShape(merge(self._dims, dims))

    def concatenate(self, other: Any) -> TensorShape:
        """These sizes, then the other's; of unknown rank if either is."""
        return TensorShape(concatenate(self._dims, to_tuple(other)))

    __concat__ = concatenate

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape known to have this rank. ValueError if it has another."""
        try:
            return TensorShape(with_rank(self._dims, rank))
        except ValueError:
            raise ValueError(f"Shape {self} must have rank {rank}") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape, checked. ValueError if its rank is known and smaller."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape, checked. ValueError if its rank is known and greater."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """ValueError if the rank is known and another."""
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """ValueError if both ranks are known and differ."""
        dims = to_tuple(other)
        if self._dims is not None and dims is not None and len(self._dims) != len(dims):
            raise ValueError(f"Shapes {self} and {TensorShape(dims)} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError if no tensor could have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """ValueError if the rank or any size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """What both shapes have in common: sizes that differ become unknown, and so does the rank."""
        dims = to_tuple(other)
        if self._dims is None or dims is None or len(self._dims) != len(dims):
            return TensorShape(None)
        return TensorShape([x if x == y else None for x, y in zip(self._dims, dims)])

    def is_subtype_of(self, other: Any) -> bool:
        """Does every tensor of this shape also have the other shape?"""
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        if self._dims is None or len(self._dims) != len(other._dims):
            return False
        return all(y is None or x == y for x, y in zip(self._dims, other._dims))

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == to_tuple(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __reduce__(self) -> tuple[Any, tuple[Shape]]:
        return TensorShape, (self._dims,)


def as_shape(shape: Any) -> TensorShape:
    """`shape` as a TensorShape; the same object if it is one."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    """A shape of which at most the rank is known. 1.x also called the argument `ndims`."""
    if rank is None and "ndims" in kwargs:
        rank = kwargs.pop("ndims")
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}; unknown_shape() takes `rank`, once called `ndims`.")
    return TensorShape(None if rank is None else (None,) * rank)


def scalar() -> TensorShape:
    """The shape of a scalar."""
    return TensorShape(())


def vector(length: Any) -> TensorShape:
    """The shape of a vector."""
    return TensorShape((length,))


def matrix(rows: Any, cols: Any) -> TensorShape:
    """The shape of a matrix."""
    return TensorShape((rows, cols))


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The Dimension at an index, unknown if the rank is."""
    return Dimension(None if shape._dims is None else shape._dims[index])


def _message_class(name: str) -> Any:
    # Protocol messages live in a higher layer and need protobuf, which most programs never load.
    from importlib import import_module

    return getattr(import_module("tfbench.formats.protos"), name)
