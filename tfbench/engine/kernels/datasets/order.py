"""Data sets with another one's elements: some of them, several times, or those of several data sets in turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from tfbench import errors
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.datasets.base import INFINITE, UNKNOWN, Context, Dataset, Element, Steps


class Take(Dataset):
    """The first elements; all, where `count` is -1."""

    __slots__ = ("_count", "_source")

    def __init__(self, source: Dataset, count: int) -> None:
        self._source = source
        self._count = count

    def iterate(self, context: Context) -> Iterator[Element]:
        if self._count == 0:
            return iter(())
        source = self._source.iterate(context)
        return source if self._count < 0 else _Every(source, 0, 1, self._count)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        if size == UNKNOWN or self._count < 0:
            return size
        return self._count if size == INFINITE else min(size, self._count)


class Skip(Dataset):
    """The elements behind the first `count`; none, where that is -1."""

    __slots__ = ("_count", "_source")

    def __init__(self, source: Dataset, count: int) -> None:
        self._source = source
        self._count = count

    def iterate(self, context: Context) -> Iterator[Element]:
        if self._count < 0:
            return iter(())
        return _Every(self._source.iterate(context), self._count, 1, -1)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        if size < 0:
            return 0 if self._count < 0 else size
        return 0 if self._count < 0 else max(0, size - self._count)


class Shard(Dataset):
    """Every `count`-th element, from number `index` on."""

    __slots__ = ("_count", "_index", "_source")

    def __init__(self, source: Dataset, count: int, index: int) -> None:
        if count <= 0:
            raise invalid(f"Number of shards must be greater than zero (currently num_shards = {count}).")
        if not 0 <= index < count:
            raise invalid(f"Index must be between 0 and {count - 1} (currently index = {index}).")
        self._source = source
        self._count, self._index = count, index

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Every(self._source.iterate(context), self._index, self._count, -1)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        return size if size < 0 else size // self._count + (self._index < size % self._count)


class _Every(Steps):
    """Element `first` and every `step`-th after it, `count` in all (-1: to the end). What fails does not count."""

    __slots__ = ("_left", "_next", "_step", "_to_skip")

    def __init__(self, source: Iterator[Element], first: int, step: int, count: int) -> None:
        self._next = source.__next__
        self._to_skip = first
        self._step = step
        self._left = count

    def __next__(self) -> Element:
        if self._left == 0:
            raise StopIteration
        while self._to_skip:
            self._to_skip -= 1
            self._next()
        element = self._next()
        self._to_skip = self._step - 1
        self._left -= 1
        return element


class Repeat(Dataset):
    """The elements `count` times, each time from a new iterator; for ever, where that is -1."""

    __slots__ = ("_count", "_source")

    def __init__(self, source: Dataset, count: int) -> None:
        self._source = source
        self._count = count

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Repeat(self._source, self._count, context)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        if self._count < 0:
            return 0 if size == 0 else INFINITE
        if self._count == 0:
            return 0
        return size if size < 0 else size * self._count


class _Repeat(Steps):
    __slots__ = ("_context", "_current", "_given", "_left", "_source")

    def __init__(self, source: Dataset, count: int, context: Context) -> None:
        self._source = source
        self._left = count
        self._context = context
        self._current: Iterator[Element] | None = None
        self._given = False

    def __next__(self) -> Element:
        while True:
            if self._current is None:
                if self._left == 0:
                    raise StopIteration
                self._current = self._source.iterate(self._context)
                self._given = False
            try:
                element = self._current.__next__()
            except StopIteration:
                self._current = None
                self._left -= self._left > 0
                if self._left < 0 and not self._given:
                    self._left = 0  # what is empty would go on being empty for ever
                continue
            self._given = True
            return element


class Concatenated(Dataset):
    """One data set, then another."""

    __slots__ = ("_sources",)

    def __init__(self, *sources: Dataset) -> None:
        self._sources = sources

    def iterate(self, context: Context) -> Iterator[Element]:
        return chain.from_iterable(_Later(source, context) for source in self._sources)

    def cardinality(self) -> int:
        sizes = [source.cardinality() for source in self._sources]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)


class _Later:
    """An iterator that is not made before it is needed."""

    __slots__ = ("_context", "_source")

    def __init__(self, source: Dataset, context: Context) -> None:
        self._source = source
        self._context = context

    def __iter__(self) -> Iterator[Element]:
        return self._source.iterate(self._context)


class Zipped(Dataset):
    """Elements of several data sets side by side, until one of them ends."""

    __slots__ = ("_sources",)

    def __init__(self, sources: Sequence[Dataset]) -> None:
        self._sources = sources

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Zipped([source.iterate(context) for source in self._sources])

    def cardinality(self) -> int:
        sizes = [source.cardinality() for source in self._sources]
        if UNKNOWN in sizes:
            return UNKNOWN
        return min((size for size in sizes if size != INFINITE), default=INFINITE)


class _Zipped(Steps):
    __slots__ = ("_sources",)

    def __init__(self, sources: list[Iterator[Element]]) -> None:
        self._sources = sources

    def __next__(self) -> Element:
        element: Element = ()
        for i, source in enumerate(self._sources):
            try:
                element += source.__next__()
            except errors.OpError:
                # What would have been beside it is passed over, too.
                for other in self._sources[i + 1 :]:
                    other.__next__()
                raise
        return element


class IgnoreErrors(Dataset):
    """The elements that could be computed."""

    __slots__ = ("_source",)

    def __init__(self, source: Dataset) -> None:
        self._source = source

    def iterate(self, context: Context) -> Iterator[Element]:
        return _IgnoreErrors(self._source.iterate(context))


class _IgnoreErrors(Steps):
    __slots__ = ("_next",)

    def __init__(self, source: Iterator[Element]) -> None:
        self._next = source.__next__

    def __next__(self) -> Element:
        while True:
            try:
                return self._next()
            except errors.OpError:
                continue


class Unique(Dataset):
    """The elements that have not been there before."""

    __slots__ = ("_source",)

    def __init__(self, source: Dataset) -> None:
        self._source = source

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Unique(self._source.iterate(context))


class _Unique(Steps):
    __slots__ = ("_next", "_seen")

    def __init__(self, source: Iterator[Element]) -> None:
        self._next = source.__next__
        self._seen: set[Any] = set()

    def __next__(self) -> Element:
        while True:
            element = self._next()
            key = tuple([(value.shape, _contents(value)) for value in element])
            if key not in self._seen:
                self._seen.add(key)
                return element


def _contents(value: Any) -> Any:
    return tuple(value.ravel().tolist()) if value.dtype == object else value.tobytes()


class Directed(Dataset):
    """From each of several data sets the next element, in the order that a data set of numbers says."""

    __slots__ = ("_selector", "_sources", "_stops")

    def __init__(self, selector: Dataset, sources: Sequence[Dataset], stops: bool) -> None:
        self._selector = selector
        self._sources = sources
        self._stops = stops

    def iterate(self, context: Context) -> Iterator[Element]:
        sources = [source.iterate(context) for source in self._sources]
        return _Directed(self._selector.iterate(context), sources, self._stops)


class _Directed(Steps):
    __slots__ = ("_over", "_selector", "_sources", "_stops")

    def __init__(self, selector: Iterator[Element], sources: list[Iterator[Element]], stops: bool) -> None:
        self._selector = selector
        self._sources = sources
        self._stops = stops
        self._over: set[int] = set()

    def __next__(self) -> Element:
        while len(self._over) < len(self._sources):
            number = int(self._selector.__next__()[0])
            if not 0 <= number < len(self._sources):
                raise invalid(f"Selector index out of range: {number} >= {len(self._sources)}")
            if number in self._over:
                continue
            try:
                return self._sources[number].__next__()
            except StopIteration:
                if self._stops:
                    raise
                self._over.add(number)
        raise StopIteration
