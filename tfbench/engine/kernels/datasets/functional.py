"""Data sets that call a function for each element.

`call(context)` gives the function with the state that an iterator has; it is asked for once per iterator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.datasets.base import UNKNOWN, Context, Dataset, Element, Mapped, Steps, dataset_of, scalar

Call = Callable[..., Element]
MakeCall = Callable[[Context], Call]


class Map(Mapped):
    """The function's results. Only with `preserves` is it promised that there is one for each element."""

    __slots__ = ("_call", "_preserves")

    def __init__(self, source: Dataset, call: MakeCall, preserves: bool = False) -> None:
        super().__init__(source)
        self._call = call
        self._preserves = preserves

    def cardinality(self) -> int:
        return super().cardinality() if self._preserves else UNKNOWN

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Map(self.source.iterate(context), self._call(context))


class _Map(Steps):
    __slots__ = ("_call", "_next")

    def __init__(self, source: Iterator[Element], call: Call) -> None:
        self._next = source.__next__
        self._call = call

    def __next__(self) -> Element:
        element = self._next()
        try:
            return self._call(*element)
        except errors.OutOfRangeError:
            # A function may say that this is the end.
            raise StopIteration from None


class Filter(Dataset):
    """The elements for which the function says True; with `ends`, only those before the first where it does not."""

    __slots__ = ("_call", "_ends", "_source")

    def __init__(self, source: Dataset, call: MakeCall, ends: bool = False) -> None:
        self._source = source
        self._call = call
        self._ends = ends

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Filter(self._source.iterate(context), self._call(context), self._ends)


class _Filter(Steps):
    __slots__ = ("_call", "_ends", "_next", "_over")

    def __init__(self, source: Iterator[Element], call: Call, ends: bool) -> None:
        self._next = source.__next__
        self._call = call
        self._ends = ends
        self._over = False

    def __next__(self) -> Element:
        while not self._over:
            element = self._next()
            (kept,) = self._call(*element)
            if kept:
                return element
            self._over = self._ends
        raise StopIteration


class Scan(Mapped):
    """Results of a function of a state and an element, which also gives the next state."""

    __slots__ = ("_call", "_state")

    def __init__(self, source: Dataset, state: Element, call: MakeCall) -> None:
        super().__init__(source)
        self._state = state
        self._call = call

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Scan(self.source.iterate(context), self._state, self._call(context))


class _Scan(Steps):
    __slots__ = ("_call", "_next", "_state")

    def __init__(self, source: Iterator[Element], state: Element, call: Call) -> None:
        self._next = source.__next__
        self._state = state
        self._call = call

    def __next__(self) -> Element:
        result = self._call(*self._state, *self._next())
        count = len(self._state)
        self._state = result[:count]
        return result[count:]


class FlatMap(Dataset):
    """The elements of the data sets that the function gives, one data set after the other."""

    __slots__ = ("_call", "_source")

    def __init__(self, source: Dataset, call: MakeCall) -> None:
        self._source = source
        self._call = call

    def iterate(self, context: Context) -> Iterator[Element]:
        return _FlatMap(self._source.iterate(context), self._call(context), context)

    def cardinality(self) -> int:
        return UNKNOWN


class _FlatMap(Steps):
    __slots__ = ("_call", "_context", "_inner", "_next")

    def __init__(self, source: Iterator[Element], call: Call, context: Context) -> None:
        self._next = source.__next__
        self._call = call
        self._context = context
        self._inner: Iterator[Element] | None = None

    def __next__(self) -> Element:
        while True:
            inner = self._inner
            if inner is None:
                element = self._next()
                inner = self._inner = dataset_of(self._call(*element)[0]).iterate(self._context)
            try:
                return inner.__next__()
            except StopIteration:
                self._inner = None


class Interleave(Dataset):
    """Elements of `cycle` data sets in turns, `block` elements a turn; one that is over is replaced by the next."""

    __slots__ = ("_block", "_call", "_cycle", "_source")

    def __init__(self, source: Dataset, call: MakeCall, cycle: int, block: int) -> None:
        self._source = source
        self._call = call
        self._cycle = cycle
        self._block = block

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Interleave(self._source.iterate(context), self._call(context), context, self._cycle, self._block)


class _Interleave(Steps):
    __slots__ = ("_block", "_call", "_context", "_done", "_inner", "_open_sets", "_over", "_source", "_turn")

    def __init__(self, source: Iterator[Element], call: Call, context: Context, cycle: int, block: int) -> None:
        self._source = source
        self._call = call
        self._context = context
        self._block = block
        self._inner: list[Iterator[Element] | None] = [None] * cycle
        self._turn = 0
        self._done = 0
        self._open_sets = 0
        self._over = False

    def __next__(self) -> Element:
        while not self._over or self._open_sets:
            inner = self._inner[self._turn]
            if inner is None:
                if self._over:
                    self._pass_on()
                else:
                    self._open()
                continue
            try:
                element = inner.__next__()
            except StopIteration:
                self._inner[self._turn] = None
                self._open_sets -= 1
                self._pass_on()
                continue
            self._done += 1
            if self._done == self._block:
                self._pass_on()
            return element
        raise StopIteration

    def _pass_on(self) -> None:
        self._turn = (self._turn + 1) % len(self._inner)
        self._done = 0

    def _open(self) -> None:
        """Puts the next data set in the place whose turn it is."""
        try:
            element = next(self._source)
        except StopIteration:
            self._over = True
            return
        self._inner[self._turn] = dataset_of(self._call(*element)[0]).iterate(self._context)
        self._open_sets += 1


class GroupByWindow(Dataset):
    """Elements with one key, as many as the key's window has room for, given to a function that makes a data set."""

    __slots__ = ("_key", "_reduce", "_size", "_source")

    def __init__(self, source: Dataset, key: MakeCall, reduce: MakeCall, size: MakeCall) -> None:
        self._source = source
        self._key, self._reduce, self._size = key, reduce, size

    def iterate(self, context: Context) -> Iterator[Element]:
        calls = self._key(context), self._reduce(context), self._size(context)
        return _GroupByWindow(self._source.iterate(context), context, *calls)


class _GroupByWindow(Steps):
    __slots__ = ("_context", "_groups", "_inner", "_key", "_reduce", "_size", "_sizes", "_source")

    def __init__(self, source: Iterator[Element], context: Context, key: Call, reduce: Call, size: Call) -> None:
        self._source = source
        self._context = context
        self._key, self._reduce, self._size = key, reduce, size
        self._groups: dict[int, list[Element]] = {}
        self._sizes: dict[int, int] = {}
        self._inner: Iterator[Element] | None = None

    def __next__(self) -> Element:
        while True:
            if self._inner is not None:
                try:
                    return self._inner.__next__()
                except StopIteration:
                    self._inner = None
            try:
                element = next(self._source)
            except StopIteration:
                if not self._groups:
                    raise
                self._flush(min(self._groups))
                continue
            key = self._key(*element)[0]
            number = int(scalar(key))
            if number not in self._sizes:
                self._sizes[number] = _window_size(self._size(key)[0])
            group = self._groups.setdefault(number, [])
            group.append(element)
            if len(group) == self._sizes[number]:
                self._flush(number)

    def _flush(self, number: int) -> None:
        group = self._groups.pop(number)
        made = self._reduce(np.int64(number), Listed(group))[0]
        self._inner = dataset_of(made).iterate(self._context)


def _window_size(value: Any) -> int:
    size = int(scalar(value))
    if size <= 0:
        raise invalid(f"Window size must be greater than zero, but got {size}.")
    return size


class Listed(Dataset):
    """Elements that are known: a window."""

    __slots__ = ("_elements",)

    def __init__(self, elements: list[Element]) -> None:
        self._elements = elements

    def iterate(self, context: Context) -> Iterator[Element]:
        return iter(self._elements)

    def cardinality(self) -> int:
        return len(self._elements)
