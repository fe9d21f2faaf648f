"""Truncated normal numbers, bit for bit those of TensorFlow's CPU kernel.

The numbers are made in groups: as many as one counter gives, four float32 or two float64. Each group starts
64 counters a number behind the one before it, and draws from there, one counter after another, until it has
enough that are nearer to the mean than two standard deviations. One counter is enough for five groups out of
six (float32), so every group gets one first; those that need more wait and are completed many at a time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfbench.engine.compiled.random_constants import RESERVED
from tfbench.engine.kernels import random_compiled, random_device
from tfbench.engine.kernels.philox import BLOCK, Block, Lanes, PhiloxStream, over_blocks
from tfbench.engine.kernels.random_fill import Shape, normal_float32, normal_float64
from tfbench.engine.kernels.random_math import scratch_for

_CUT = 2.0  # the numbers lie strictly inside


def truncated_normal(stream: PhiloxStream, shape: Shape, dtype: Any, xp: Any = np) -> Any:
    """Normal numbers of which those two deviations or more from the mean were drawn again.

    float64, or float32 and the 16-bit types that are made from it. The stream moves on by 256 counters a number.
    """
    dtype = np.dtype(dtype)
    drawn = random_compiled.numbers("truncated", stream, shape, dtype, xp)
    if drawn is not None:
        return drawn
    size = math.prod(shape)
    width = 2 if dtype == np.float64 else 4
    groups = -(-size // width)
    stride = width * RESERVED // 4
    start = stream.reserve(size * RESERVED)
    if random_device.compiles(xp):
        return random_device.normal(xp, start, shape, dtype, truncated=True)
    made = xp.empty((groups, width), dtype)

    def consume(blocks: Iterator[Block]) -> None:
        drawing = _Drawing(xp, made, start, stride)
        for first, even, odd in blocks:
            drawing.first(first, even, odd)
        drawing.finish()

    over_blocks(xp, start, groups, consume, stride)
    return made.reshape(-1)[:size].reshape(shape)


class _Drawing:
    """One thread's share of the groups.

    A group that waits is its row in the output, how many numbers that row has, and which counter comes next.
    """

    __slots__ = (
        "_all_inside", "_drawn", "_have", "_lanes", "_made", "_make", "_next", "_rows", "_scratch", "_start",
        "_stride", "_xp",
    )  # fmt: skip

    def __init__(self, xp: Any, made: Any, start: PhiloxStream, stride: int) -> None:
        groups, width = made.shape
        self._xp, self._made, self._start, self._stride = xp, made, start, stride
        self._make = normal_float64 if width == 2 else normal_float32
        self._all_inside = xp.uint16(0x0101) if width == 2 else xp.uint32(0x01010101)  # a row of True, as one number
        self._drawn = xp.empty((min(groups, BLOCK), width), np.float64 if width == 2 else np.float32)
        self._scratch = scratch_for(xp, min(groups, BLOCK))
        self._rows = self._have = self._next = xp.empty(0, xp.intp)
        self._lanes: Lanes | None = None

    def first(self, first: int, even: Any, odd: Any) -> None:
        """The first counters of a block of groups."""
        xp = self._xp
        drawn = self._drawn[: even.shape[1]]
        self._make(xp, even, odd, drawn, self._scratch)
        self._made[first : first + even.shape[1]] = drawn
        inside = (abs(drawn) < _CUT).view(self._all_inside.dtype).reshape(-1)
        rows = xp.nonzero(inside != self._all_inside)[0]
        self._place(rows + first, xp.zeros_like(rows), xp.zeros_like(rows), drawn[rows])
        while self._rows.size >= BLOCK:
            self._again(BLOCK)

    def finish(self) -> None:
        """Draws until every row is complete."""
        while self._rows.size:
            self._again(int(self._rows.size))

    def _again(self, count: int) -> None:
        """One more counter for each of the first `count` groups that wait."""
        xp = self._xp
        rows, have, following = self._rows[:count], self._have[:count], self._next[:count]
        self._rows, self._have, self._next = self._rows[count:], self._have[count:], self._next[count:]
        if self._lanes is None or self._lanes.size < count:
            self._lanes = Lanes(xp, self._start.key, count)
        offsets = (rows * self._stride + following).astype(xp.uint64)
        even, odd = self._lanes.words(self._start.counter, offsets, self._made.shape[0] * self._stride)
        drawn = self._drawn[:count]
        self._make(xp, even, odd, drawn, self._scratch)
        self._place(rows, have, following, drawn)

    def _place(self, rows: Any, have: Any, counter: Any, drawn: Any) -> None:
        """Puts the numbers inside the bounds where they belong; rows still not full wait for their next counter."""
        xp, width = self._xp, drawn.shape[1]
        inside = abs(drawn) < _CUT
        for column in range(width):
            good = inside[:, column] & (have < width)
            self._made[rows[good], have[good]] = drawn[good, column]
            have = have + good
        wanting = have < width
        self._rows = xp.concatenate([self._rows, rows[wanting]])
        self._have = xp.concatenate([self._have, have[wanting]])
        self._next = xp.concatenate([self._next, counter[wanting] + 1])
