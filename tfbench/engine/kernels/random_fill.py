"""Uniform, normal and truncated normal numbers from a Philox stream, bit for bit TensorFlow's CPU kernels.

Each function takes the stream where it stands, makes `shape` numbers in row-major order, and moves the stream on by
what TensorFlow reserves for a run: 256 counters a number, whatever was used. (Ops with a seed tensor start a new stream
each time, so for them that does not matter.)

Which words make which number: uniform and normal numbers use the counters one after another, four float32 or two
float64 to a counter. Truncated normals are made in groups of as many; each group starts 64 counters a number after the
one before, and draws pairs from there until it has enough that are nearer to the mean than two standard deviations.
So no number depends on the others, or on how the work is divided.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine.kernels.philox import BLOCK, Lanes, PhiloxStream, blocks, store
from tfbench.engine.kernels.random_math import (
    Scratch,
    log_float32,
    log_float64,
    sincos_float32,
    sincos_float64,
)

RESERVED = 256  # counters a number
_SMALLEST = 1.0e-7  # uniform numbers below it are replaced by it before a logarithm is taken
_CUT = 2.0  # truncated normals lie strictly inside


def size_of(shape: tuple[int, ...]) -> int:
    """The number of elements of a shape."""
    size = 1
    for length in shape:
        size *= int(length)
    return size


def uniform(stream: PhiloxStream, shape: tuple[int, ...], dtype: Any, xp: Any = np) -> Any:
    """Numbers in [0, 1): every bit of the mantissa random."""
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        return _fill(stream, shape, dtype, 2, _uniform_float64, xp)
    if dtype == np.float32:
        return _fill_words(stream, shape, dtype, np.uint32, _unit_float32, xp)
    if dtype == np.float16:
        return _fill_words(stream, shape, dtype, np.uint16, _unit_float16, xp)
    if dtype.name == "bfloat16":
        return _fill_words(stream, shape, dtype, np.uint16, _unit_bfloat16, xp)
    raise TypeError(f"Random uniform numbers are float16, bfloat16, float32 or float64, not {dtype}.")


def uniform_int(stream: PhiloxStream, shape: tuple[int, ...], low: int, high: int, dtype: Any, xp: Any = np) -> Any:
    """Integers in [low, high): random bits modulo the range, so slightly uneven unless that is a power of two.

    ValueError unless low < high; both must be of the type.
    """
    dtype = np.dtype(dtype)
    low, high = int(low), int(high)
    if low >= high:
        raise ValueError(f"Need minval < maxval, got {low} >= {high}")
    span = high - low
    if dtype in (np.int32, np.uint32):

        def narrow(xp: Any, words: Any) -> None:
            words %= xp.uint32(span)
            words += xp.uint32(low & 0xFFFFFFFF)

        return _fill_words(stream, shape, dtype, np.uint32, narrow, xp)
    if dtype in (np.int64, np.uint64):

        def wide(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
            bits = _bits64(xp, even, odd)
            bits %= xp.uint64(span)
            bits += xp.uint64(low & 0xFFFFFFFFFFFFFFFF)
            out.T[...] = bits.view(dtype)

        return _fill(stream, shape, dtype, 2, wide, xp)
    raise TypeError(f"Random integers are int32, int64, uint32 or uint64, not {dtype}.")


def uniform_full_int(stream: PhiloxStream, shape: tuple[int, ...], dtype: Any, xp: Any = np) -> Any:
    """Integers over the whole range of their type: the random bits themselves."""
    dtype = np.dtype(dtype)
    if dtype in (np.int32, np.uint32):
        return _fill_words(stream, shape, dtype, np.uint32, lambda xp, words: None, xp)
    if dtype in (np.int64, np.uint64):

        def full(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
            out.T[...] = _bits64(xp, even, odd).view(dtype)

        return _fill(stream, shape, dtype, 2, full, xp)
    raise TypeError(f"Random integers are int32, int64, uint32 or uint64, not {dtype}.")


def standard_normal(stream: PhiloxStream, shape: tuple[int, ...], dtype: Any, xp: Any = np) -> Any:
    """Normal numbers, mean 0 and deviation 1, by Box and Muller's transform (float16 is made as float32)."""
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        return _fill(stream, shape, dtype, 2, normal_float64, xp)
    if dtype in (np.float32, np.float16) or dtype.name == "bfloat16":
        return _fill(stream, shape, dtype, 4, normal_float32, xp)
    raise TypeError(f"Random normal numbers are float16, bfloat16, float32 or float64, not {dtype}.")


def truncated_normal(stream: PhiloxStream, shape: tuple[int, ...], dtype: Any, xp: Any = np) -> Any:
    """Normal numbers of which those two deviations or more from the mean were drawn again."""
    dtype = np.dtype(dtype)
    if dtype == np.float64:
        width, make = 2, normal_float64
    elif dtype in (np.float32, np.float16) or dtype.name == "bfloat16":
        width, make = 4, normal_float32
    else:
        raise TypeError(f"Random normal numbers are float16, bfloat16, float32 or float64, not {dtype}.")
    size = size_of(shape)
    groups = -(-size // width)
    start = stream.reserve(size * RESERVED)
    made = xp.empty((groups, width), dtype)
    stride = width * RESERVED // 4
    drawn = xp.empty((min(groups, BLOCK), width), np.float64 if width == 2 else np.float32)
    scratch = Scratch(xp, min(groups, BLOCK))
    word, all_inside = (xp.uint16, 0x0101) if width == 2 else (xp.uint32, 0x01010101)
    late = _Unfinished(xp, made, start, stride, make, scratch)
    for first, even, odd in blocks(xp, start.key, start.counter, groups, stride):
        numbers = drawn[: even.shape[1]]
        make(xp, even, odd, numbers, scratch)
        made[first : first + even.shape[1]] = numbers
        rows = xp.nonzero((abs(numbers) < _CUT).view(word).reshape(-1) != all_inside)[0]
        late.add(rows + first, numbers[rows])
    late.finish()
    return made.reshape(-1)[:size].reshape(shape)


class _Unfinished:
    """The groups of truncated normals that need more counters than one, completed many at a time.

    A group that waits is its row in the output, how many numbers that row has, and which counter comes next.
    """

    __slots__ = ("_have", "_lanes", "_made", "_make", "_next", "_rows", "_scratch", "_start", "_stride", "_xp")

    def __init__(
        self, xp: Any, made: Any, start: PhiloxStream, stride: int, make: Callable[..., None], scratch: Scratch
    ) -> None:
        self._xp, self._made, self._start, self._stride = xp, made, start, stride
        self._make, self._scratch = make, scratch
        self._rows = self._have = self._next = xp.empty(0, xp.intp)
        self._lanes: Lanes | None = None

    def add(self, rows: Any, drawn: Any) -> None:
        """Takes in rows whose first counter gave `drawn`; when a block of them waits, draws once more for each."""
        rows, have = self._place(rows, self._xp.zeros_like(rows), drawn)
        self._wait(rows, have, self._xp.ones_like(rows))
        while self._rows.size >= BLOCK:
            self._draw(BLOCK)

    def finish(self) -> None:
        """Draws until every row is complete."""
        while self._rows.size:
            self._draw(int(self._rows.size))

    def _wait(self, rows: Any, have: Any, following: Any) -> None:
        xp = self._xp
        self._rows = xp.concatenate([self._rows, rows])
        self._have = xp.concatenate([self._have, have])
        self._next = xp.concatenate([self._next, following])

    def _draw(self, count: int) -> None:
        """One more counter for each of the first `count` that wait."""
        xp = self._xp
        rows, have, following = self._rows[:count], self._have[:count], self._next[:count]
        self._rows, self._have, self._next = self._rows[count:], self._have[count:], self._next[count:]
        if self._lanes is None or self._lanes.size < count:
            self._lanes = Lanes(xp, self._start.key, count)
        offsets = (rows * self._stride + following).astype(xp.uint64)
        even, odd = self._lanes.words(self._start.counter, offsets, self._made.shape[0] * self._stride)
        drawn = xp.empty((count, self._made.shape[1]), np.float64 if self._make is normal_float64 else np.float32)
        self._make(xp, even, odd, drawn, self._scratch)
        rows, have, following = self._place(rows, have, drawn, following)
        self._wait(rows, have, following + 1)

    def _place(self, rows: Any, have: Any, drawn: Any, *following: Any) -> list[Any]:
        """Puts the numbers that are inside the bounds where they belong; what is left of the arguments."""
        width = drawn.shape[1]
        inside = abs(drawn) < _CUT
        for column in range(width):
            good = inside[:, column]
            good &= have < width
            self._made[rows[good], have[good]] = drawn[good, column]
            have += good
        open_rows = have < width
        return [part[open_rows] for part in (rows, have, *following)]


# -- words to numbers --------------------------------------------------------------------------------------------


def _unit_float32(xp: Any, words: Any) -> None:
    """[0, 1) from the lower 23 bits of uint32 words, in place."""
    words &= xp.uint32(0x7FFFFF)
    words |= xp.uint32(127 << 23)  # the mantissa of a number in [1, 2)
    made = words.view(xp.float32)
    made -= xp.float32(1.0)


def _unit_float16(xp: Any, words: Any) -> None:
    words &= xp.uint16(0x3FF)
    words |= xp.uint16(15 << 10)
    made = words.view(xp.float16)
    made -= xp.float16(1.0)


def _unit_bfloat16(xp: Any, words: Any) -> None:
    words &= xp.uint16(0x7F)
    exact = words.astype(xp.float32)
    exact *= xp.float32(2.0**-7)
    words[...] = exact.view(xp.uint32) >> 16  # seven bits of mantissa: the upper half of the float32 is all of it


def _bits64(xp: Any, even: Any, odd: Any) -> Any:
    """Each pair of words as one 64-bit number, the first word in the lower half."""
    bits = odd << xp.uint64(32)
    bits |= even
    return bits


def _unit_float64(xp: Any, high: Any, low: Any) -> Any:
    """[0, 1) from 20 bits of one word above the 32 of another."""
    bits = high & xp.uint64(0xFFFFF)
    bits |= xp.uint64(1023 << 20)
    bits <<= xp.uint64(32)
    bits |= low
    made = bits.view(xp.float64)
    made -= 1.0
    return made


def normal_float32(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
    """Each counter's four numbers into `out` (n, 4): two pairs of words, and from each pair two numbers."""
    n = even.shape[1]
    radius, angle = scratch.row(7, n, xp.float32), scratch.row(8, n, xp.float32)
    wide = scratch.row(0, n, xp.float64)
    for pair in range(2):
        xp.copyto(radius.view(xp.uint32), even[pair], casting="unsafe")
        _unit_float32(xp, radius.view(xp.uint32))
        xp.maximum(radius, xp.float32(_SMALLEST), out=radius)
        log_float32(xp, radius, scratch)
        radius *= xp.float32(-2.0)
        xp.sqrt(radius, out=radius)
        xp.copyto(angle.view(xp.uint32), odd[pair], casting="unsafe")
        _unit_float32(xp, angle.view(xp.uint32))
        xp.copyto(wide, angle)
        wide *= 2.0 * np.pi
        xp.copyto(angle, wide, casting="unsafe")
        sine, cosine = sincos_float32(xp, angle, scratch)
        xp.multiply(sine, radius, out=out[:, 2 * pair], casting="unsafe")
        xp.multiply(cosine, radius, out=out[:, 2 * pair + 1], casting="unsafe")


def normal_float64(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
    """Each counter's two numbers into `out` (n, 2), made from its four words."""
    chance = _unit_float64(xp, even[0], odd[0])
    xp.maximum(chance, _SMALLEST, out=chance)
    radius = log_float64(xp, chance)
    radius *= -2.0
    xp.sqrt(radius, out=radius)
    angle = _unit_float64(xp, even[1], odd[1])
    angle *= 2.0 * np.pi
    sine, cosine = sincos_float64(xp, angle)
    xp.multiply(sine, radius, out=out[:, 0])
    xp.multiply(cosine, radius, out=out[:, 1])


def _uniform_float64(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
    out.T[...] = _unit_float64(xp, even, odd)


# -- filling -----------------------------------------------------------------------------------------------------


def _fill(
    stream: PhiloxStream, shape: tuple[int, ...], dtype: Any, width: int, make: Callable[..., None], xp: Any
) -> Any:
    """`make(xp, even, odd, out, scratch)` writes `width` numbers for each counter."""
    size = size_of(shape)
    counters = -(-size // width)
    start = stream.reserve(size * RESERVED)
    made = xp.empty((counters, width), dtype)
    scratch = Scratch(xp, min(counters, BLOCK))
    for first, even, odd in blocks(xp, start.key, start.counter, counters):
        make(xp, even, odd, made[first : first + even.shape[1]], scratch)
    return made.reshape(-1)[:size].reshape(shape)


def _fill_words(
    stream: PhiloxStream, shape: tuple[int, ...], dtype: Any, word: Any, finish: Callable[..., Any], xp: Any
) -> Any:
    """One number a word, cut to the type `word`; `finish(xp, words)` makes numbers of a block of them, in place."""
    size = size_of(shape)
    counters = -(-size // 4)
    start = stream.reserve(size * RESERVED)
    made = xp.empty((counters, 4), word)
    for first, even, odd in blocks(xp, start.key, start.counter, counters):
        store(xp, made, first, even, odd)
        finish(xp, made[first : first + even.shape[1]])
    return made.view(dtype).reshape(-1)[:size].reshape(shape)
