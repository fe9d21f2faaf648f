"""Static shapes: TensorFlow 1.x's `TensorShape` and `Dimension`, and the plain tuples that the engine computes with.

The engine's form is `Shape` (see `shape_math`, whose functions are given on here, so that one import serves). A
TensorShape holds a Shape and makes Dimension objects only when it is indexed or iterated, so giving one out costs
next to nothing. `to_tuple` and `dim_of` turn whatever users write into the engine's form.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import index as _index
from typing import Any, NoReturn

from tfbench.engine.shape_math import (
    Shape,
    broadcast,
    concatenate,
    debug_string,
    dim_add,
    dim_div,
    dim_merge,
    dim_mul,
    dim_sub,
    is_compatible,
    is_fully_defined,
    merge,
    num_elements,
    with_dim,
    with_rank,
    with_rank_at_least,
    with_rank_at_most,
)

__all__ = [
    "Dimension", "Shape", "TensorShape", "as_dimension", "as_shape", "broadcast", "concatenate",
    "debug_string", "dim_add", "dim_div", "dim_merge", "dim_mul", "dim_of", "dim_sub",
    "dimension_at_index", "dimension_value", "is_compatible", "is_fully_defined", "matrix", "merge",
    "num_elements", "scalar", "to_tuple", "unknown_shape", "vector", "with_dim", "with_rank",
    "with_rank_at_least", "with_rank_at_most",
]  # fmt: skip


def dim_of(value: Any) -> int | None:
    """The size that an int, a NumPy integer, a Dimension or None stands for. TypeError or ValueError otherwise."""
    if type(value) is int:
        size = value
    elif value is None:
        return None
    elif isinstance(value, Dimension):
        return value._value
    else:
        try:
            size = _index(value)
        except (AttributeError, TypeError):
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, "
                f"got value '{value!r}' with type '{type(value)!r}'"
            ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def to_tuple(value: Any) -> Shape:
    """The Shape that anything TensorShape accepts stands for: None, a size, an iterable of sizes, a shape, a proto."""
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
                f"Failed to convert '{value!r}' to a shape: '{size!r}' could not be converted to a dimension. A shape "
                "should either be single dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None])."
            ) from None
    return tuple(result)


class Dimension:
    """One size of a TensorShape, None where unknown. Comparing with an unknown size gives None, as in TensorFlow 1.x."""

    __slots__ = ("_value",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, value: Any) -> None:
        self._value = dim_of(value)

    @property
    def value(self) -> int | None:
        """The size, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """True unless both sizes are known and differ."""
        size = dim_of(other)
        return self._value is None or size is None or self._value == size

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError if both sizes are known and differ."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {as_dimension(other)} are not compatible")

    def merge_with(self, other: Any) -> Dimension:
        """The known one of two sizes. ValueError if they differ."""
        self.assert_is_compatible_with(other)
        return Dimension(dim_of(other) if self._value is None else self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        return self._value  # type: ignore[return-value]  # Python's own TypeError says what is wrong

    def __index__(self) -> int:
        return self._value  # type: ignore[return-value]

    def __eq__(self, other: object) -> bool | None:  # type: ignore[override]
        try:
            size = dim_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or size is None else self._value == size

    def __ne__(self, other: object) -> bool | None:  # type: ignore[override]
        try:
            size = dim_of(other)
        except (TypeError, ValueError):
            return NotImplemented
        return None if self._value is None or size is None else self._value != size

    def __lt__(self, other: Any) -> bool | None:
        size = dim_of(other)
        return None if self._value is None or size is None else self._value < size

    def __le__(self, other: Any) -> bool | None:
        size = dim_of(other)
        return None if self._value is None or size is None else self._value <= size

    def __gt__(self, other: Any) -> bool | None:
        size = dim_of(other)
        return None if self._value is None or size is None else self._value > size

    def __ge__(self, other: Any) -> bool | None:
        size = dim_of(other)
        return None if self._value is None or size is None else self._value >= size

    def __add__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(int.__add__, self._value, size))

    def __sub__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(int.__sub__, self._value, size))

    def __rsub__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(int.__sub__, size, self._value))

    def __mul__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(int.__mul__, self._value, size))

    def __floordiv__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(_floordiv, self._value, size))

    def __rfloordiv__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(_floordiv, size, self._value))

    def __mod__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(_mod, self._value, size))

    def __rmod__(self, other: Any) -> Dimension:
        size = _operand(other)
        return size if size is NotImplemented else Dimension(_apply(_mod, size, self._value))

    __radd__ = __add__
    __rmul__ = __mul__
    __div__ = __floordiv__
    __rdiv__ = __rfloordiv__

    def __truediv__(self, other: Any) -> NoReturn:
        raise TypeError(f"unsupported operand type(s) for /: 'Dimension' and {type(other).__name__!r}, please use // instead")

    def __rtruediv__(self, other: Any) -> NoReturn:
        raise TypeError(f"unsupported operand type(s) for /: {type(other).__name__!r} and 'Dimension', please use // instead")

    def __reduce__(self) -> tuple[Any, tuple[int | None]]:
        return Dimension, (self._value,)


def _operand(other: Any) -> Any:
    try:
        return dim_of(other)
    except (TypeError, ValueError):
        return NotImplemented


def _apply(function: Any, a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else function(a, b)


def _floordiv(a: int, b: int) -> int:
    return a // b


def _mod(a: int, b: int) -> int:
    return a % b


class TensorShape:
    """The static shape of a tensor: of unknown rank, or a list of sizes of which some may be unknown."""

    __slots__ = ("_dims", "__weakref__")

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
            raise ValueError("Steps are not yet handled")
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
        """What both shapes have in common: sizes that differ become unknown, and so does a rank that differs."""
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


def as_dimension(value: Any) -> Dimension:
    """`value` as a Dimension; the same object if it is one."""
    return value if isinstance(value, Dimension) else Dimension(value)


def unknown_shape(rank: int | None = None, **kwargs: Any) -> TensorShape:
    """A shape of which at most the rank is known. 1.x also called the argument `ndims`."""
    if rank is None and "ndims" in kwargs:
        rank = kwargs.pop("ndims")
    if kwargs:
        raise TypeError(f"Unknown argument: {kwargs}")
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


def dimension_value(dimension: Any) -> int | None:
    """The size of a Dimension; anything else is given back."""
    return dimension._value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """The Dimension at an index, unknown if the rank is."""
    return Dimension(None if shape._dims is None else shape._dims[index])


def _message_class(name: str) -> Any:
    # Protocol messages live in a higher layer and need protobuf, which most programs never load.
    from importlib import import_module

    return getattr(import_module("tfbench.formats.protos"), name)
