"""A data set in random order, drawn from TensorFlow's stream of random words in TensorFlow's order of drawing.

Equal seeds give the orders that TensorFlow gives.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.datasets.base import UNKNOWN, Context, Dataset, Element, Mapped, Steps
from tfbench.engine.kernels.philox import PhiloxStream


class Words:
    """The words of a random stream one by one. Seeds (0, 0) are the operating system's."""

    __slots__ = ("_block", "_stream")

    def __init__(self, seed: int, seed2: int) -> None:
        if seed == 0 and seed2 == 0:
            seed, seed2 = int.from_bytes(os.urandom(8), "little"), int.from_bytes(os.urandom(8), "little")
        self._stream = PhiloxStream(seed, seed2)
        self._block: list[int] = []

    def __call__(self) -> int:
        if not self._block:
            self._block = self._stream.reserve(64).words(256).tolist()[::-1]
        return self._block.pop()


class Shuffle(Mapped):
    """The elements in an order that a buffer of `size` allows.

    With `reshuffles`, each iterator has seeds of its own, which a stream of the two seeds gives; else all have these.
    """

    __slots__ = ("_reshuffles", "_seeds", "_size", "_words")

    def __init__(self, source: Dataset, size: int, seed: int, seed2: int, reshuffles: bool) -> None:
        if size < 1 and size != UNKNOWN:
            raise invalid("buffer_size must be greater than zero or UNKNOWN_CARDINALITY")
        super().__init__(source)
        self._size = size
        self._words = Words(seed, seed2)
        self._reshuffles = reshuffles
        if not reshuffles and seed == 0 and seed2 == 0:
            seed, seed2 = self._words(), self._words()
        self._seeds = seed, seed2

    def iterate(self, context: Context) -> Iterator[Element]:
        seeds = (self._words(), self._words()) if self._reshuffles else self._seeds
        return _Shuffle(self.source.iterate(context), self._size, Words(*seeds))


class _Shuffle(Steps):
    """The elements in the buffer stand in a ring: the place of one that was drawn is taken by the ring's first."""

    __slots__ = ("_draw", "_over", "_ring", "_size", "_source", "_start", "_stop")

    def __init__(self, source: Iterator[Element], size: int, draw: Words) -> None:
        self._source = source
        self._size = size
        self._draw = draw
        self._ring: list[Element | None] = []
        #: elements that have left the ring, and that have entered it
        self._start = self._stop = 0
        self._over = False

    def __next__(self) -> Element:
        if not self._over:
            self._fill()
        count = self._stop - self._start
        if not count:
            raise StopIteration
        ring = self._ring
        first = self._start % len(ring)
        place = (self._start + self._draw() % count) % len(ring)
        element = ring[place]
        ring[place] = ring[first]
        ring[first] = None
        self._start += 1
        return element  # type: ignore[return-value]  # places in use are not empty

    def _fill(self) -> None:
        ring, size = self._ring, self._size
        try:
            while size < 0 or self._stop - self._start < size:
                element = self._source.__next__()
                if size < 0 or len(ring) < size:
                    ring.append(element)
                else:
                    ring[self._stop % size] = element
                self._stop += 1
        except StopIteration:
            self._over = True
