"""Philox 4x32-10: the counter-based generator under every random op.

A stream is a 64-bit key and a 128-bit counter. One counter value is scrambled by ten rounds of two
32x32-bit products into four random 32-bit words, so that any part of the stream can be computed directly,
in any order. An op with the seeds (seed, seed2) has the key `seed` and starts at the counter whose upper
half is `seed2`; each run *reserves* a number of counters that depends on the size of its output only, and
the next run goes on behind them.

Words are made a block at a time in 64-bit lanes, two of the four words in one array: `even` holds words 0
and 2 of each counter, `odd` words 1 and 3. A round is then ten short passes over arrays that stay in the
cache.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbench.engine.compiled.random_constants import MASK32, MULTIPLIER_0, MULTIPLIER_2, ROUNDS, WEYL_0, WEYL_1
from tfbench.engine.kernels.threads import parallel

#: Counters in a block. Half of it would stay in a smaller cache, but then threads, which take turns to begin an array
#: call, get into each other's way.
BLOCK = 32768
_SMALL = 7  # counters up to which plain integers beat a hundred array calls

_MASK64 = (1 << 64) - 1
_MASK128 = (1 << 128) - 1
_STATELESS_KEY = 0x02461E293EC8F720

#: (first counter of the block, even words, odd words); the words are scratch space until the next block
Block = tuple[int, Any, Any]


class PhiloxStream:
    """Where one random op is in its stream. `PhiloxStream(0, 0)` takes its seeds from the operating system.

    Seeds count modulo 2**64, as the bits of TensorFlow's int64 attributes do.
    """

    __slots__ = ("_counter", "_key", "_lock")

    def __init__(self, seed: int = 0, seed2: int = 0) -> None:
        if seed == 0 and seed2 == 0:
            seed = int.from_bytes(os.urandom(8), "little")
            seed2 = int.from_bytes(os.urandom(8), "little")
        self._key = seed & _MASK64
        self._counter = (seed2 & _MASK64) << 64
        self._lock = threading.Lock()

    @classmethod
    def at(cls, key: int, counter: int) -> PhiloxStream:
        """A stream with this key, standing at this 128-bit counter."""
        made = cls.__new__(cls)
        made._key = key & _MASK64
        made._counter = counter & _MASK128
        made._lock = threading.Lock()
        return made

    @property
    def key(self) -> int:
        """The 64-bit key."""
        return self._key

    @property
    def counter(self) -> int:
        """The 128-bit counter that the next words are made from."""
        return self._counter

    def snapshot(self) -> tuple[int, int]:
        """(key, counter): what `restore` and `PhiloxStream.at` take."""
        return self._key, self._counter

    def restore(self, state: tuple[int, int]) -> None:
        """Goes back to where `snapshot` was taken."""
        with self._lock:
            self._key, self._counter = state

    def clone(self) -> PhiloxStream:
        """An independent stream at the same position."""
        return PhiloxStream.at(self._key, self._counter)

    def reserve(self, counters: int) -> PhiloxStream:
        """A stream at the present position; this one moves on behind so many counters, in one step for all threads."""
        return PhiloxStream.at(*self.take(counters))

    def take(self, counters: int) -> tuple[int, int]:
        """`reserve`, as (key, counter): a small draw has no time for another stream."""
        with self._lock:
            start = self._counter
            self._counter = (start + counters) & _MASK128
            return self._key, start

    def words(self, count: int, xp: Any = np) -> Any:
        """The next `count` words from the present position, as uint32 in stream order. Does not move the stream."""
        counters = -(-count // 4)
        made = xp.empty((counters, 4), xp.uint32)

        def consume(blocks: Iterator[Block]) -> None:
            for first, even, odd in blocks:
                store(xp, made[first : first + even.shape[1]], even, odd)

        over_blocks(xp, self, counters, consume)
        return made.reshape(-1)[:count]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PhiloxStream) and self.snapshot() == other.snapshot()

    __hash__ = None  # type: ignore[assignment]  # it moves

    def __repr__(self) -> str:
        return f"PhiloxStream.at({self._key:#x}, {self._counter:#x})"


def scrambled(seed: int, seed2: int) -> PhiloxStream:
    """The stream of a *stateless* op with the seed tensor [seed, seed2]: both go through the generator once.

    int32 seeds count as the 64-bit numbers of the same value.
    """
    counter = (seed & _MASK64) | (seed2 & _MASK64) << 64
    word0, word1, word2, word3 = _four_words(_STATELESS_KEY, counter)
    return PhiloxStream.at(word0 | word1 << 32, (word2 | word3 << 32) << 64)


def over_blocks(
    xp: Any, start: PhiloxStream, count: int, consume: Callable[[Iterator[Block]], None], stride: int = 1
) -> None:
    """Makes the words of the counters `start.counter + stride * i`, i below `count`, a block at a time.

    `consume(blocks)` is called once for each thread that takes part. What it does with a block must not
    depend on which blocks it gets.
    """
    if count <= 0:
        return
    size = min(BLOCK, count)
    tasks = -(-count // size)

    def work(numbers: Iterator[int]) -> None:
        consume(_blocks(xp, start, count, stride, size, numbers))

    if tasks > 1 and xp is np:
        parallel(tasks, work)
    else:
        work(iter(range(tasks)))


def _blocks(
    xp: Any, start: PhiloxStream, count: int, stride: int, size: int, numbers: Iterator[int]
) -> Iterator[Block]:
    lanes = Lanes(xp, start.key, size)
    steps = xp.arange(0, stride * size, stride, dtype=xp.uint64)
    for number in numbers:
        first = number * size
        n = min(size, count - first)
        yield (first, *lanes.words(start.counter + stride * first, steps[:n], stride * n))


def store(xp: Any, rows: Any, even: Any, odd: Any) -> None:
    """Writes a block's words into `rows` (counters, 4) in stream order, cut to the type of `rows`."""
    xp.copyto(rows.T[0::2], even, casting="unsafe")
    xp.copyto(rows.T[1::2], odd, casting="unsafe")


class _Kept(threading.local):
    """Each thread's scratch memory: fresh pages for every small draw would cost more than the numbers."""

    buffers: Any = None


_kept = _Kept()


def _scratch_buffers(xp: Any, size: int) -> Any:
    if xp is not np or size > BLOCK:
        return xp.empty((3, 2, size), xp.uint64)
    if _kept.buffers is None:
        _kept.buffers = np.empty((3, 2, BLOCK), np.uint64)
    return _kept.buffers


class Lanes:
    """The words of up to `size` counters of one key at once, in scratch memory that a thread's Lanes share."""

    __slots__ = ("_buffers", "_key", "_xp", "size")

    # NumPy takes its own scalars faster than Python's.
    _constants = (np.uint64(MULTIPLIER_0), np.uint64(MULTIPLIER_2), np.uint64(MASK32), np.uint64(32))

    def __init__(self, xp: Any, key: int, size: int) -> None:
        self._xp = xp
        self._key = key
        self.size = size
        self._buffers = _scratch_buffers(xp, size)

    def words(self, counter: int, offsets: Any, span: int) -> tuple[Any, Any]:
        """(even, odd), (2, n) uint64 each, for the counters `counter + offsets`; the offsets are uint64 below `span`.

        The arrays are overwritten when this thread makes words again.
        """
        xp, n = self._xp, offsets.shape[0]
        if n <= _SMALL and xp is np:
            made = np.array([_four_words(self._key, counter + i) for i in offsets.tolist()], np.uint64)
            made = made.reshape(n, 4).T
            return made[0::2].copy(), made[1::2].copy()
        even, first, second = self._buffers[:, :, :n]
        odd = self._place_counters(counter & _MASK128, offsets, span, even, first[0])
        # One-dimensional calls: with two rows at once, NumPy's iterator costs more than the arithmetic.
        multiplier0, multiplier2, mask, half = self._constants
        even0, even1 = even
        odd0, odd1 = odd
        for key0, key1 in _round_keys(self._key):
            product2, product0 = first
            xp.multiply(even0, multiplier0, out=product0)
            xp.multiply(even1, multiplier2, out=product2)
            xp.right_shift(product2, half, out=even0)
            xp.right_shift(product0, half, out=even1)
            xp.bitwise_xor(even0, odd0, out=even0)  # the upper halves of `odd` fall to the mask below
            xp.bitwise_xor(even1, odd1, out=even1)
            xp.bitwise_xor(even0, key0, out=even0)
            xp.bitwise_xor(even1, key1, out=even1)
            xp.bitwise_and(even0, mask, out=even0)
            xp.bitwise_and(even1, mask, out=even1)
            odd0, odd1 = product2, product0
            first, second = second, first
        xp.bitwise_and(second, mask, out=second)
        return even, second

    def _place_counters(self, counter: int, offsets: Any, span: int, even: Any, position: Any) -> Any:
        """Writes words 0 and 2 of the counters into `even`; returns words 1 and 3, one column if all have the same."""
        xp, n = self._xp, offsets.shape[0]
        low, high = counter & _MASK64, counter >> 64
        xp.add(offsets, xp.uint64(low), out=position)  # wraps where the sum passes 2**64
        carries = (low & MASK32) + span > MASK32
        odd = xp.empty((2, n if carries else 1), xp.uint64)
        if low + span <= _MASK64:
            even[1] = high & MASK32
            odd[1] = high >> 32
        else:
            upper = (position < xp.uint64(low)).astype(xp.uint64)
            upper += xp.uint64(high)
            xp.bitwise_and(upper, MASK32, out=even[1])
            xp.right_shift(upper, 32, out=odd[1])
        xp.bitwise_and(position, MASK32, out=even[0])
        xp.right_shift(position[: odd.shape[1]], 32, out=odd[0])
        return odd


def _round_keys(key: int) -> list[tuple[Any, Any]]:
    key0, key1 = key & MASK32, key >> 32
    keys0 = [np.uint64((key0 + i * WEYL_0) & MASK32) for i in range(ROUNDS)]
    keys1 = [np.uint64((key1 + i * WEYL_1) & MASK32) for i in range(ROUNDS)]
    return list(zip(keys0, keys1))


def _four_words(key: int, counter: int) -> list[int]:
    """The four words of one counter, in plain integers."""
    counter &= _MASK128
    word0, word1, word2, word3 = (counter >> shift & MASK32 for shift in (0, 32, 64, 96))
    key0, key1 = key & MASK32, key >> 32
    for _ in range(ROUNDS):
        product0 = word0 * MULTIPLIER_0
        product2 = word2 * MULTIPLIER_2
        word0, word1 = (product2 >> 32) ^ word1 ^ key0, product2 & MASK32
        word2, word3 = (product0 >> 32) ^ word3 ^ key1, product0 & MASK32
        key0 = (key0 + WEYL_0) & MASK32
        key1 = (key1 + WEYL_1) & MASK32
    return [word0, word1, word2, word3]
