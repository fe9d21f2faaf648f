"""Shuffled orders and samples from categories, bit for bit those of TensorFlow's CPU kernels.

These two use words one after another and follow one another's results, so they are NumPy and Python only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernels.philox import PhiloxStream
from tfbench.engine.kernels.random_fill import RESERVED, unit_float64

_AT_ONCE = 1 << 20  # comparisons made in one go


def shuffled_order(stream: PhiloxStream, size: int) -> Any:
    """A permutation of range(size), as int64: entry i changes places with one of those from i on.

    The stream moves on by one word for each entry but the last, rounded up to whole counters.
    """
    order = list(range(size))
    if size > 1:
        start = stream.reserve((size - 1 + 3) // 4)
        words = start.words(size - 1)
        words %= np.arange(size, 1, -1, dtype=np.uint32)
        for place, step in enumerate(words.tolist()):
            other = place + step
            order[place], order[other] = order[other], order[place]
    return np.array(order, np.int64)


def multinomial(stream: PhiloxStream, logits: Any, samples: int, dtype: Any = np.int64, threads: int = 1) -> Any:
    """(rows, samples) category numbers; `logits` (rows, categories) are unnormalised log probabilities.

    A uniform float64 is looked up in the row's cumulated probabilities. Rows take their numbers from the stream
    one after another. TensorFlow starts anew, at an overlapping place, for each part of the rows that another
    thread may work on, so large results depend on its number of threads; by default this is what it gives on one.
    """
    rows, categories = logits.shape
    made = np.empty((rows, samples), dtype)
    if made.size == 0:
        return made
    start = stream.reserve(rows * (-(-samples // 4) * 4) * 2 * RESERVED)
    cost = int(50 * (samples * np.log(float(categories)) / np.log(2.0) + categories))
    for first, last in shards(rows, cost, threads):
        part = PhiloxStream.at(start.key, start.counter + first * (samples + 3) // 4)
        numbers = _unit_numbers(part, (last - first) * samples).reshape(last - first, samples)
        _look_up(logits[first:last], numbers, made[first:last])
    return made


def _unit_numbers(stream: PhiloxStream, size: int) -> Any:
    words = stream.words(2 * size).astype(np.uint64)
    return unit_float64(np, words[0::2], words[1::2])


def _look_up(logits: Any, numbers: Any, out: Any) -> None:
    """For each number, how many categories' cumulated shares are not above it."""
    samples, categories = out.shape[1], logits.shape[1]
    step = max(1, _AT_ONCE // max(categories, 1))
    for first in range(0, logits.shape[0], step):
        shares = _cumulated(logits[first : first + step])
        wanted = numbers[first : first + step] * shares[:, -1:]
        target = out[first : first + step]
        if samples * categories <= 4096:
            many = max(1, _AT_ONCE // (samples * categories))
            for row in range(0, shares.shape[0], many):
                below = shares[row : row + many, None, :] <= wanted[row : row + many, :, None]
                below.sum(axis=2, dtype=out.dtype, out=target[row : row + many])
        else:
            for row in range(shares.shape[0]):
                target[row] = shares[row].searchsorted(wanted[row], side="right")


def _cumulated(logits: Any) -> Any:
    """Cumulated exponentials of each row, scaled to the largest; what is not finite counts as impossible."""
    finite = np.isfinite(logits)
    largest = np.where(finite, logits, np.finfo(logits.dtype).min).max(axis=1, keepdims=True)
    shares = np.full(logits.shape, -np.inf)
    np.subtract(logits, largest.astype(np.float64), out=shares, where=finite)
    np.exp(shares, out=shares)
    return np.add.accumulate(shares, axis=1, out=shares)


def shards(total: int, cost: int, threads: int) -> list[tuple[int, int]]:
    """The parts [first, last) of a loop that TensorFlow's thread pool may hand to different threads.

    `cost` is its estimate of the cycles for one unit: a hundred thousand are worth another thread, forty thousand
    are the least to hand over; blocks are then made larger where that uses the threads more evenly.
    """
    if total <= 1 or threads <= 1 or _useful_threads(total * float(cost), threads) == 1:
        return [(0, total)]
    smallest = 40000.0 / max(cost, 1)
    block = int(min(total, max(-(-total // (4 * threads)), smallest)))
    largest = min(total, 2 * block)
    blocks = -(-total // block)
    efficiency = _efficiency(blocks, threads)
    previous = blocks
    while efficiency < 1.0 and previous > 1:
        coarser = -(-total // (previous - 1))
        if coarser > largest:
            break
        previous = -(-total // coarser)
        better = _efficiency(previous, threads)
        if better + 0.01 >= efficiency:
            block = coarser
            efficiency = max(efficiency, better)
    return [(first, min(first + block, total)) for first in range(0, total, block)]


def _useful_threads(cost: float, threads: int) -> int:
    return int(max(1.0, min(float(threads), (cost - 100000.0) / 100000.0 + 0.9)))


def _efficiency(blocks: int, threads: int) -> float:
    return blocks / (-(-blocks // threads) * threads)
