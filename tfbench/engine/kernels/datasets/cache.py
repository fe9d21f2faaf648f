"""A data set that is computed once and remembered: in memory, or in files of the checkpoints' format, as TensorFlow's.

What is remembered is complete or it does not count: an iterator that is given up half-way leaves nothing behind.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfbench.engine.dtypes import DType
from tfbench.engine.kernels.datasets.base import Context, Dataset, Element, Mapped, Steps
from tfbench.engine.tensor import OPERATORS

#: digits of an element's number in the names of a cache file's tensors
_DIGITS = 7


class Cache(Mapped):
    """The elements, remembered in memory by whoever gets to their end first."""

    __slots__ = ("elements",)

    def __init__(self, source: Dataset) -> None:
        super().__init__(source)
        self.elements: list[Element] | None = None

    def iterate(self, context: Context) -> Iterator[Element]:
        if self.elements is not None:
            return iter(self.elements)
        return _Remembering(self.source.iterate(context), self)

    def complete(self, elements: list[Element]) -> None:
        self.elements = elements


class _Remembering(Steps):
    __slots__ = ("_cache", "_elements", "_next")

    def __init__(self, source: Iterator[Element], cache: Any) -> None:
        self._next = source.__next__
        self._cache = cache
        self._elements: list[Element] = []

    def __next__(self) -> Element:
        try:
            element = self._next()
        except StopIteration:
            if self._cache is not None:
                self._cache.complete(self._elements)
                self._cache = None
            raise
        if self._cache is not None:
            self._elements.append(element)
        return element


class FileCache(Mapped):
    """The elements, remembered in `PREFIX.index` and its data file."""

    __slots__ = ("_dtypes", "_prefix")

    def __init__(self, source: Dataset, prefix: str, dtypes: Sequence[DType]) -> None:
        super().__init__(source)
        self._prefix = prefix
        self._dtypes = dtypes

    def iterate(self, context: Context) -> Iterator[Element]:
        if os.path.exists(f"{self._prefix}.index"):
            return iter(_read(self._prefix, len(self._dtypes)))
        return _Remembering(self.source.iterate(context), self)

    def complete(self, elements: list[Element]) -> None:
        """Writes the files. They have their names only when they are whole."""
        writer = OPERATORS["checkpoint_files"]().BundleWriter(self._prefix)
        try:
            for number, element in enumerate(elements):
                for name, value, dtype in zip(_names(number, len(element)), element, self._dtypes, strict=True):
                    writer.add(name, np.asarray(value), dtype)
            writer.finish()
        finally:
            writer.discard()


def _names(number: int, count: int) -> list[bytes]:
    width = len(str(count - 1))
    return [f"{number:{_DIGITS}d}_{component:{width}d}".encode() for component in range(count)]


def _read(prefix: str, count: int) -> list[Element]:
    reader = OPERATORS["checkpoint_files"]().open_checkpoint(prefix)
    elements: list[Element] = []
    entries = len(reader.names()) // count
    for number in range(entries):
        values = [reader.read(name) for name in _names(number, count)]
        elements.append(tuple([value if value.ndim or value.dtype == object else value[()] for value in values]))
    return elements
