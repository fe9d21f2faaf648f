"""What all data sets are: something that can be gone through, again and again.

An element is a tuple of components: arrays, NumPy numbers for rank 0 (strings stay arrays), or handles. Elements are
shared between data sets and never written to.

An iterator is an object with `__next__`, not a generator: an error in the midst of things (in a function, by Ctrl-C)
ends a generator for good, and here the next call must go on behind the element that failed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tfbench.engine.kernel_errors import invalid

Element = tuple[Any, ...]

INFINITE = -1
UNKNOWN = -2


class Context:
    """What one iterator keeps for the data sets under it: the state of functions that have some."""

    __slots__ = ("functions",)

    def __init__(self) -> None:
        self.functions: dict[Any, Any] = {}


class Dataset:
    """A data set. `cardinality` is how many elements it has, or INFINITE or UNKNOWN."""

    __slots__ = ("__weakref__",)

    #: like an array of rank 0, for those who ask
    shape: tuple[int, ...] = ()

    def iterate(self, context: Context) -> Iterator[Element]:
        """A new iterator from the beginning."""
        raise NotImplementedError

    def cardinality(self) -> int:
        return UNKNOWN


class Steps:
    """The base of iterators."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Element]:
        return self

    def __next__(self) -> Element:
        raise NotImplementedError


class Mapped(Dataset):
    """A data set made of another one's elements, as many as it has."""

    __slots__ = ("source",)

    def __init__(self, source: Dataset) -> None:
        self.source = source

    def cardinality(self) -> int:
        return self.source.cardinality()


def scalar(value: Any) -> Any:
    """The Python value of an input that has rank 0."""
    return value.item() if hasattr(value, "item") else value


def dataset_of(value: Any) -> Dataset:
    """The data set that a handle is.

    Raises:
      InvalidArgumentError: if it is something else.
    """
    if hasattr(value, "dtype") and value.dtype == object and value.shape == ():
        value = value[()]
    if not isinstance(value, Dataset):
        raise invalid(f"Tensor must be a Dataset object, but it is {type(value).__name__}.")
    return value
