"""Uniform and normal numbers from a Philox stream, bit for bit those of TensorFlow's CPU kernels.

Each function takes the stream where it stands, makes `shape` numbers in row-major order, and moves the
stream on by what TensorFlow reserves for a run: 256 counters a number, whatever was used. (Ops with a seed
tensor start a new stream each time, so for them that does not matter.)

Which words make which number: the counters are used one after another, four float32 or two float64 to a
counter. So no number depends on the others, or on how the work is divided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfbench.engine.compiled.random_constants import RESERVED, SMALLEST
from tfbench.engine.kernels import random_compiled, random_device
from tfbench.engine.kernels.philox import BLOCK, Block, PhiloxStream, over_blocks, store
from tfbench.engine.kernels.random_math import (
    Scratch,
    log_float32,
    log_float64,
    scratch_for,
    sincos_float32,
    sincos_float64,
)

Shape = tuple[int, ...]


def uniform(stream: PhiloxStream, shape: Shape, dtype: Any, xp: Any = np) -> Any:
    """Numbers in [0, 1) of float16, bfloat16, float32 or float64: every bit of the mantissa random."""
    dtype = np.dtype(dtype)
    if random_device.compiles(xp):
        return random_device.uniform(xp, stream.reserve(math.prod(shape) * RESERVED), shape, dtype)
    made = random_compiled.numbers("uniform", stream, shape, dtype, xp)
    if made is not None:
        return made
    if dtype == np.float64:
        return _fill(stream, shape, dtype, 2, _uniform_float64, xp)
    if dtype == np.float32:
        return _fill_words(stream, shape, dtype, np.uint32, _unit_float32, xp)
    if dtype == np.float16:
        return _fill_words(stream, shape, dtype, np.uint16, _unit_float16, xp)
    if dtype.name == "bfloat16":
        return _fill_words(stream, shape, dtype, np.uint16, _unit_bfloat16, xp)
    raise TypeError(f"Random uniform numbers are float16, bfloat16, float32 or float64, not {dtype}.")


def uniform_int(stream: PhiloxStream, shape: Shape, low: int, high: int, dtype: Any, xp: Any = np) -> Any:
    """Integers in [low, high): random bits modulo the range, so slightly uneven unless that is a power of two.

    ValueError unless low < high (an empty result needs no range).
    """
    dtype = np.dtype(dtype)
    low, high = int(low), int(high)
    if low >= high and math.prod(shape) > 0:
        raise ValueError(f"Need minval < maxval, got {low} >= {high}")
    span = max(high - low, 1)
    if random_device.compiles(xp):
        return random_device.integers(xp, stream.reserve(math.prod(shape) * RESERVED), shape, dtype, span, low)
    made = random_compiled.numbers("integers", stream, shape, dtype, xp, span, low)
    if made is not None:
        return made
    if dtype.itemsize == 4:

        def narrow(xp: Any, words: Any) -> None:
            words %= xp.uint32(span)
            words += xp.uint32(low & 0xFFFFFFFF)

        return _fill_words(stream, shape, dtype, np.uint32, narrow, xp)

    def wide(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
        bits = _bits64(xp, even, odd)
        bits %= xp.uint64(span)
        bits += xp.uint64(low & 0xFFFFFFFFFFFFFFFF)
        out.T[...] = bits.view(out.dtype)

    return _fill(stream, shape, dtype, 2, wide, xp)


def uniform_full_int(stream: PhiloxStream, shape: Shape, dtype: Any, xp: Any = np) -> Any:
    """Integers over the whole range of int32, uint32, int64 or uint64: the random bits themselves."""
    dtype = np.dtype(dtype)
    if random_device.compiles(xp):
        return random_device.integers(xp, stream.reserve(math.prod(shape) * RESERVED), shape, dtype, 0, 0)
    made = random_compiled.numbers("bits", stream, shape, dtype, xp)
    if made is not None:
        return made
    if dtype.itemsize == 4:
        return _fill_words(stream, shape, dtype, np.uint32, lambda xp, words: None, xp)

    def full(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
        out.T[...] = _bits64(xp, even, odd).view(out.dtype)

    return _fill(stream, shape, dtype, 2, full, xp)


def standard_normal(stream: PhiloxStream, shape: Shape, dtype: Any, xp: Any = np) -> Any:
    """Normal numbers of mean 0 and deviation 1 by Box and Muller's transform (16-bit ones made as float32)."""
    dtype = np.dtype(dtype)
    if random_device.compiles(xp):
        return random_device.normal(xp, stream.reserve(math.prod(shape) * RESERVED), shape, dtype)
    made = random_compiled.numbers("normal", stream, shape, dtype, xp)
    if made is not None:
        return made
    if dtype == np.float64:
        return _fill(stream, shape, dtype, 2, normal_float64, xp)
    return _fill(stream, shape, dtype, 4, normal_float32, xp)


# -- filling: the output is made a little too long, so that every block is whole --------------------------------


def _fill(stream: PhiloxStream, shape: Shape, dtype: Any, width: int, make: Callable[..., None], xp: Any) -> Any:
    """`make(xp, even, odd, out, scratch)` writes `width` numbers for each counter of a block."""
    size = math.prod(shape)
    counters = -(-size // width)
    made = xp.empty((counters, width), dtype)

    def consume(blocks: Iterator[Block]) -> None:
        scratch = scratch_for(xp, min(counters, BLOCK))
        for first, even, odd in blocks:
            make(xp, even, odd, made[first : first + even.shape[1]], scratch)

    over_blocks(xp, stream.reserve(size * RESERVED), counters, consume)
    return made.reshape(-1)[:size].reshape(shape)


def _fill_words(stream: PhiloxStream, shape: Shape, dtype: Any, word: Any, finish: Callable[..., None], xp: Any) -> Any:
    """One number a word, cut to the type `word`; `finish(xp, words)` makes numbers of a block, in place."""
    size = math.prod(shape)
    counters = -(-size // 4)
    made = xp.empty((counters, 4), word)

    def consume(blocks: Iterator[Block]) -> None:
        for first, even, odd in blocks:
            part = made[first : first + even.shape[1]]
            store(xp, part, even, odd)
            finish(xp, part)

    over_blocks(xp, stream.reserve(size * RESERVED), counters, consume)
    return made.view(dtype).reshape(-1)[:size].reshape(shape)


# -- words to numbers -------------------------------------------------------------------------------------------


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
    # With seven bits of mantissa, the upper half of the float32 is all of it.
    xp.copyto(words, exact.view(xp.uint32) >> 16, casting="unsafe")


def unit_float64(xp: Any, high: Any, low: Any) -> Any:
    """[0, 1) from 20 bits of one word above the 32 of another."""
    bits = high & xp.uint64(0xFFFFF)
    bits |= xp.uint64(1023 << 20)
    bits <<= xp.uint64(32)
    bits |= low
    made = bits.view(xp.float64)
    made -= 1.0
    return made


def _uniform_float64(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
    out.T[...] = unit_float64(xp, even, odd)


def _bits64(xp: Any, even: Any, odd: Any) -> Any:
    """Each pair of words as one 64-bit number, the first word in the lower half."""
    bits = odd << xp.uint64(32)
    bits |= even
    return bits


def normal_float32(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
    """Each counter's four numbers into `out` (n, 4): two pairs of words, and from each pair two numbers."""
    n = even.shape[1]
    together = 2 if 2 * n <= scratch.size else 1  # pairs worked on at a time: fewer calls where there is room
    size = together * n
    radius, angle = scratch.row(7, size, xp.float32), scratch.row(8, size, xp.float32)
    wide = scratch.row(0, size, xp.float64)
    for pair in range(0, 2, together):
        xp.copyto(radius.view(xp.uint32).reshape(together, n), even[pair : pair + together], casting="unsafe")
        _unit_float32(xp, radius.view(xp.uint32))
        xp.maximum(radius, xp.float32(SMALLEST), out=radius)
        log_float32(xp, radius, scratch)
        radius *= xp.float32(-2.0)
        xp.sqrt(radius, out=radius)
        xp.copyto(angle.view(xp.uint32).reshape(together, n), odd[pair : pair + together], casting="unsafe")
        _unit_float32(xp, angle.view(xp.uint32))
        xp.copyto(wide, angle)
        wide *= 2.0 * math.pi
        xp.copyto(angle, wide, casting="unsafe")
        sine, cosine = sincos_float32(xp, angle, scratch)
        sine *= radius
        cosine *= radius
        columns = out.T[2 * pair : 2 * (pair + together)]
        xp.copyto(columns[0::2], sine.reshape(together, n), casting="unsafe")
        xp.copyto(columns[1::2], cosine.reshape(together, n), casting="unsafe")


def normal_float64(xp: Any, even: Any, odd: Any, out: Any, scratch: Scratch) -> None:
    """Each counter's two numbers into `out` (n, 2), made from its four words."""
    radius = unit_float64(xp, even[0], odd[0])
    xp.maximum(radius, SMALLEST, out=radius)
    radius = log_float64(xp, radius)
    radius *= -2.0
    xp.sqrt(radius, out=radius)
    angle = unit_float64(xp, even[1], odd[1])
    angle *= 2.0 * math.pi
    sine, cosine = sincos_float64(xp, angle)
    xp.multiply(sine, radius, out=out[:, 0])
    xp.multiply(cosine, radius, out=out[:, 1])
