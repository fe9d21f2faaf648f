"""Data sets that begin a pipeline: tensors, their slices, numbers, Python generators."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.datasets.base import UNKNOWN, Context, Dataset, Element, Steps
from tfbench.errors import OutOfRangeError


class Tensors(Dataset):
    """One element."""

    __slots__ = ("_element",)

    def __init__(self, components: Element) -> None:
        self._element = components

    def iterate(self, context: Context) -> Iterator[Element]:
        return iter([self._element])

    def cardinality(self) -> int:
        return 1


class Slices(Dataset):
    """An element for each entry of dimension 0."""

    __slots__ = ("_components", "size")

    def __init__(self, components: Element) -> None:
        sizes = {len(component) for component in components}
        if len(sizes) > 1:
            raise invalid("All components must have the same size in the 0th dimension")
        self._components = components
        self.size = sizes.pop()

    def iterate(self, context: Context) -> Iterator[Element]:
        return zip(*[slices(component) for component in self._components])

    def cardinality(self) -> int:
        return self.size


def slices(component: Any) -> Iterator[Any]:
    """The entries of dimension 0. A string stays an array; what an object array holds else is a handle."""
    if component.ndim == 1 and component.dtype == object and component.size and type(component[0]) is bytes:
        return _Strings(component)
    return iter(component)


class _Strings(Steps):
    """The strings of a vector, each an array of rank 0."""

    __slots__ = ("_component", "_next")

    def __init__(self, component: Any) -> None:
        self._component = component
        self._next = 0

    def __next__(self) -> Any:
        position = self._next
        if position >= len(self._component):
            raise StopIteration
        self._next = position + 1
        return self._component[position, ...]


class SparseSlices(Dataset):
    """The rows of a sparse tensor, each as its indices, values and shape."""

    __slots__ = ("_indices", "_shape", "_values")

    def __init__(self, indices: Any, values: Any, shape: Any) -> None:
        if indices.ndim != 2:
            raise invalid(f"Input indices must be a matrix. Got: {list(indices.shape)}")
        if len(values) != len(indices) or len(shape) != indices.shape[1]:
            raise invalid("The number of values and of dimensions must be those of the indices.")
        rows = indices[:, 0]
        if np.any(rows[1:] < rows[:-1]):
            raise invalid("`indices` must be sorted by row: use tf.sparse.reorder.")
        self._indices, self._values, self._shape = indices, values, shape

    def iterate(self, context: Context) -> Iterator[Element]:
        count = int(self._shape[0])
        bounds = np.searchsorted(self._indices[:, 0], np.arange(count + 1))
        rest = self._shape[1:]
        return iter(
            [(self._indices[first:last, 1:], self._values[first:last], rest) for first, last in pairwise(bounds)]
        )

    def cardinality(self) -> int:
        return int(self._shape[0])


class Range(Dataset):
    """Numbers from `start` on, below (or, counting down, above) `stop`."""

    __slots__ = ("_dtype", "_numbers")

    def __init__(self, start: int, stop: int, step: int, dtype: Any) -> None:
        if step == 0:
            raise invalid("step must be a non-zero integer.")
        self._numbers = range(start, stop, step)
        self._dtype = np.dtype(dtype).type

    def iterate(self, context: Context) -> Iterator[Element]:
        return zip(map(self._dtype, self._numbers))

    def cardinality(self) -> int:
        numbers = self._numbers
        # `len` refuses what does not fit a C integer.
        return max(0, -(-(numbers.stop - numbers.start) // numbers.step))


class Generated(Dataset):
    """The elements that a function makes one by one, from a state that another one makes; a third ends it."""

    __slots__ = ("_arguments", "_calls")

    def __init__(self, arguments: Element, calls: tuple[Callable[[Context], Callable[..., Element]], ...]) -> None:
        self._arguments = arguments
        self._calls = calls

    def iterate(self, context: Context) -> Iterator[Element]:
        begin, step, end = [call(context) for call in self._calls]
        return _Generation(self._arguments, begin, step, end)

    def cardinality(self) -> int:
        return UNKNOWN


class _Generation(Steps):
    __slots__ = ("_arguments", "_begin", "_end", "_over", "_state", "_step")

    def __init__(
        self,
        arguments: Element,
        begin: Callable[..., Element],
        step: Callable[..., Element],
        end: Callable[..., Element],
    ) -> None:
        self._arguments = arguments
        self._begin, self._step, self._end = begin, step, end
        self._state: Element | None = None
        self._over = False

    def __next__(self) -> Element:
        if self._over:
            raise StopIteration
        if self._state is None:
            self._state = self._begin(*self._arguments)
        try:
            return self._step(*self._state)
        except Exception as error:
            self._finish()
            if isinstance(error, OutOfRangeError):
                raise StopIteration from None
            raise

    def _finish(self) -> None:
        self._over = True
        if self._state is not None:
            self._end(*self._state)

    def __del__(self) -> None:
        # An iterator that is dropped half-way lets go of the user's generator, too.
        if not self._over and self._state is not None:
            with contextlib.suppress(Exception):  # nobody is there to hear of it
                self._finish()
