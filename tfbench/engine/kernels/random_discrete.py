"""Shuffled orders and samples from categories, bit for bit those of TensorFlow's CPU kernels.

These two use words one after another and follow one another's results, so they are NumPy and Python only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.compiled.random_constants import RESERVED
from tfbench.engine.kernels.philox import PhiloxStream
from tfbench.engine.kernels.random_fill import unit_float64

_AT_ONCE = 1 << 20  # comparisons made in one go
_MANY = 1000  # entries from which on swaps are worked out together


def shuffled_order(stream: PhiloxStream, size: int) -> Any:
    """A permutation of range(size), as int64: entry i changes places with one of those from i on.

    The stream moves on by one word for each entry but the last, rounded up to whole counters.
    """
    if size <= 1:
        return np.arange(size, dtype=np.int64)
    start = stream.reserve((size - 1 + 3) // 4)
    partners = start.words(size - 1)
    partners %= np.arange(size, 1, -1, dtype=np.uint32)
    partners = partners + np.arange(size - 1)
    return _swapped_one_by_one(partners) if size < _MANY else _swapped(partners)


def _swapped_one_by_one(partners: Any) -> Any:
    """The order of range(size) after entry i has changed places with entry `partners[i]`, for one i after another."""
    order = list(range(partners.size + 1))
    for place, other in enumerate(partners.tolist()):
        order[place], order[other] = order[other], order[place]
    return np.array(order, np.int64)


def _swapped(partners: Any) -> Any:
    """The same without a loop over the swaps.

    What step i takes from its partner's place is what the last earlier step with that partner left there, or the
    number of the place itself. What step i leaves there is what it found in place i: again the number that the last
    step with partner i left, and so on back to a place that was untouched.
    """
    steps = partners.size
    # Steps with the same partner side by side, in the order in which they are made.
    sequence = np.sort(partners * (steps + 1) + np.arange(steps))
    place, step = np.divmod(sequence, steps + 1)
    same = place[1:] == place[:-1]
    before = np.full(steps, -1)  # the last earlier step with the same partner
    before[step[1:][same]] = step[:-1][same]
    # The last step before i with partner i: the last of all that is not step i itself, which comes last.
    origin = np.arange(steps + 1)
    last = np.append(~same, True)
    final_step = step[last]
    itself = final_step == place[last]
    final_step = np.where(itself, before[final_step], final_step)
    known = final_step >= 0
    origin[place[last][known]] = final_step[known]
    while True:  # follow the chains, doubling the stride
        further = origin[origin]
        if np.array_equal(further, origin):
            break
        origin = further
    taken = np.where(before >= 0, origin[before], partners)
    taken = np.where(partners == np.arange(steps), origin[:-1], taken)
    return np.append(taken, origin[-1])


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
