"""Data sets whose elements are several of another one's: batches, padded batches, windows; and the way back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels.datasets.base import INFINITE, UNKNOWN, Context, Dataset, Element, Steps
from tfbench.engine.kernels.datasets.functional import Listed
from tfbench.engine.kernels.datasets.sources import slices


def _batches(size: int, count: int, drops: bool) -> int:
    """How many batches of `count` there are in `size`, which may be a constant of cardinality."""
    return size if size < 0 else size // count if drops else -(-size // count)


class Batch(Dataset):
    """`count` elements as one; with `drops`, no smaller one at the end."""

    __slots__ = ("_count", "_drops", "_source")

    def __init__(self, source: Dataset, count: int, drops: bool) -> None:
        if count <= 0:
            raise invalid("Batch size must be greater than zero.")
        self._source = source
        self._count = count
        self._drops = drops

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Batch(self._source.iterate(context), self._count, self._drops)

    def cardinality(self) -> int:
        return _batches(self._source.cardinality(), self._count, self._drops)


class _Batch(Steps):
    __slots__ = ("_count", "_drops", "_source")

    def __init__(self, source: Iterator[Element], count: int, drops: bool) -> None:
        self._source = source
        self._count = count
        self._drops = drops

    def __next__(self) -> Element:
        rows: list[Element] = []
        try:
            rows.extend(islice(self._source, self._count))
        except errors.OpError:
            pass_over(self._source, self._count - len(rows) - 1)
            raise
        if not rows or (self._drops and len(rows) < self._count):
            raise StopIteration
        return self.combine(rows)

    def combine(self, rows: list[Element]) -> Element:
        return tuple([stacked(column) for column in zip(*rows, strict=True)])


def pass_over(source: Iterator[Element], count: int) -> None:
    """Leaves the next `count` elements out: they would have been beside one that could not be computed."""
    for _ in range(count):
        try:
            source.__next__()
        except errors.OpError:
            continue
        except StopIteration:
            return


def stacked(column: Sequence[Any]) -> Any:
    """Components of one type as an array with one more dimension.

    Raises:
      InvalidArgumentError: if they differ in shape.
    """
    first = column[0]
    dtype: Any = getattr(first, "dtype", None)
    shape = () if dtype is None else first.shape
    if shape == () and dtype is not None and not dtype.hasobject:
        for value in column:
            if value.shape != ():
                raise _unequal(value.shape, ())
        return np.fromiter(column, dtype, len(column))
    batch = np.empty((len(column), *shape), object if dtype is None else dtype)
    for i, value in enumerate(column):
        if value.shape != shape:
            raise _unequal(value.shape, shape)
        batch[i] = value[()] if isinstance(value, np.ndarray) and not shape else value
    return batch


def _unequal(found: tuple[int, ...], wanted: tuple[int, ...]) -> errors.InvalidArgumentError:
    return invalid(
        "Cannot add tensor to the batch: number of elements does not match. Shapes are: "
        f"[tensor]: {brackets(found)}, [batch]: {brackets(wanted)}. Use padded_batch for elements of several sizes."
    )


class PaddedBatch(Dataset):
    """Batches of elements that are filled up to one size: the largest in the batch, where a shape says -1."""

    __slots__ = ("_count", "_drops", "_shapes", "_source", "_values")

    def __init__(
        self, source: Dataset, count: int, shapes: Sequence[tuple[int, ...]], values: Sequence[Any], drops: bool
    ) -> None:
        if count <= 0:
            raise invalid("Batch size must be greater than zero.")
        self._source = source
        self._count = count
        self._shapes, self._values = shapes, values
        self._drops = drops

    def iterate(self, context: Context) -> Iterator[Element]:
        return _PaddedBatch(self._source.iterate(context), self._count, self._drops, self._shapes, self._values)

    def cardinality(self) -> int:
        return _batches(self._source.cardinality(), self._count, self._drops)


class _PaddedBatch(_Batch):
    __slots__ = ("_shapes", "_values")

    def __init__(self, source: Iterator[Element], count: int, drops: bool, shapes: Any, values: Any) -> None:
        super().__init__(source, count, drops)
        self._shapes, self._values = shapes, values

    def combine(self, rows: list[Element]) -> Element:
        columns = zip(*rows, strict=True)
        return tuple(
            [
                _padded(column, shape, value)
                for column, shape, value in zip(columns, self._shapes, self._values, strict=True)
            ]
        )


def _padded(column: Sequence[Any], shape: tuple[int, ...], value: Any) -> Any:
    first = column[0]
    for item in column:
        if len(item.shape) != len(shape):
            raise invalid(
                "All elements in a batch must have the same rank as the padded shape for component: expected rank "
                f"{len(shape)} but got element with rank {len(item.shape)}"
            )
    sizes = [max(item.shape[i] for item in column) if size < 0 else size for i, size in enumerate(shape)]
    batch = np.empty((len(column), *sizes), first.dtype)
    batch[...] = value[()] if isinstance(value, np.ndarray) else value
    for i, item in enumerate(column):
        if any(size > room for size, room in zip(item.shape, sizes, strict=True)):
            raise errors.DataLossError(
                None,
                None,
                "Attempted to pad to a smaller size than the input element: "
                f"{brackets(item.shape)} does not fit {brackets(sizes)}.",
            )
        place: Any = (i, *(slice(size) for size in item.shape))
        batch[place] = item[()] if not item.shape else item
    return batch


class Unbatch(Dataset):
    """The entries of dimension 0 of each element, one after the other."""

    __slots__ = ("_source",)

    def __init__(self, source: Dataset) -> None:
        self._source = source

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Unbatch(self._source.iterate(context))


class _Unbatch(Steps):
    __slots__ = ("_inner", "_source")

    def __init__(self, source: Iterator[Element]) -> None:
        self._source = source
        self._inner: Iterator[Element] = iter(())

    def __next__(self) -> Element:
        while True:
            try:
                return self._inner.__next__()
            except StopIteration:
                element = self._source.__next__()
            if any(not component.shape for component in element):
                raise invalid("Input element must have a non-scalar value in each component.")
            if len({len(component) for component in element}) > 1:
                raise invalid("Input element must have the same batch size in each component.")
            self._inner = zip(*[slices(component) for component in element])


class Window(Dataset):
    """Elements in windows of `size`, each a data set for each component; the next begins `shift` elements further."""

    __slots__ = ("_drops", "_shift", "_size", "_source", "_stride")

    def __init__(self, source: Dataset, size: int, shift: int, stride: int, drops: bool) -> None:
        for what, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value <= 0:
                raise invalid(f"Window {what} must be greater than zero.")
        self._source = source
        self._size, self._shift, self._stride = size, shift, stride
        self._drops = drops

    def iterate(self, context: Context) -> Iterator[Element]:
        return _Window(self._source.iterate(context), self._size, self._shift, self._stride, self._drops)

    def cardinality(self) -> int:
        size = self._source.cardinality()
        if size in (INFINITE, UNKNOWN):
            return size
        if self._drops:
            reach = (self._size - 1) * self._stride + 1
            return 0 if size < reach else (size - reach) // self._shift + 1
        return -(-size // self._shift)


class _Window(Steps):
    __slots__ = ("_buffer", "_drops", "_over", "_shift", "_size", "_source", "_stride")

    def __init__(self, source: Iterator[Element], size: int, shift: int, stride: int, drops: bool) -> None:
        self._source = source
        self._size, self._shift, self._stride = size, shift, stride
        self._drops = drops
        self._buffer: list[Element] = []
        self._over = False

    def __next__(self) -> Element:
        reach = (self._size - 1) * self._stride + 1
        buffer = self._buffer
        while len(buffer) < reach and not self._over:
            try:
                buffer.append(self._source.__next__())
            except StopIteration:
                self._over = True
            except errors.OpError:
                # The window that it would have been in is lost.
                pass_over(self._source, min(reach, self._shift) - len(buffer) - 1)
                del buffer[: self._shift]
                raise
        if not buffer or (self._drops and len(buffer) < reach):
            raise StopIteration
        window = buffer[: reach : self._stride]
        behind = self._shift - len(buffer)
        del buffer[: self._shift]
        if behind > 0 and not self._over:
            for _ in islice(self._source, behind):
                pass
        return tuple([Listed([(value,) for value in column]) for column in zip(*window, strict=True)])
