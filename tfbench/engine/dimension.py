"""One size of a static shape: `Dimension` as TensorFlow 1.x has it, and `dim_of`, its plain int or None."""

from __future__ import annotations

from operator import index as _index
from typing import Any, NoReturn


def dim_of(value: Any) -> int | None:
    """The size that an int, NumPy integer, Dimension or None stands for; TypeError, below zero ValueError."""
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


class Dimension:
    """One size of a TensorShape, None where unknown. Comparing with an unknown size gives None."""

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
        name = type(other).__name__
        raise TypeError(f"unsupported operand type(s) for /: 'Dimension' and {name!r}, please use // instead")

    def __rtruediv__(self, other: Any) -> NoReturn:
        name = type(other).__name__
        raise TypeError(f"unsupported operand type(s) for /: {name!r} and 'Dimension', please use // instead")

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


def as_dimension(value: Any) -> Dimension:
    """`value` as a Dimension; the same object if it is one."""
    return value if isinstance(value, Dimension) else Dimension(value)


def dimension_value(dimension: Any) -> int | None:
    """The size of a Dimension; anything else is given back."""
    return dimension._value if isinstance(dimension, Dimension) else dimension
