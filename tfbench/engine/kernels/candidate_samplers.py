"""Samples of classes for losses that look at a few of them: TensorFlow's samplers, word for word of its stream.

A sampler draws one class after another, so that what is drawn does not depend on how many are drawn at a time. Words
are made in blocks and handed out in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.philox import PhiloxStream

#: words that TensorFlow reserves for each class that is to be drawn
_RESERVED = 2048
_MASK32, _MASK64 = 0xFFFFFFFF, (1 << 64) - 1


class Words:
    """The 32-bit words of a stream, one after another, and the numbers that are made of them."""

    __slots__ = ("_at", "_block", "_counter", "_key", "_next")

    def __init__(self, stream: PhiloxStream, samples: int) -> None:
        start = stream.reserve((_RESERVED * samples + 3) // 4)
        self._key, self._counter = start.key, start.counter
        self._block: list[int] = []
        self._at = 0
        self._next = max(16, 4 * samples)

    def word(self) -> int:
        if self._at == len(self._block):
            count = -(-self._next // 4) * 4
            self._block = PhiloxStream.at(self._key, self._counter).words(count).tolist()
            self._counter += count // 4
            self._at = 0
        self._at += 1
        return self._block[self._at - 1]

    def word64(self) -> int:
        low = self.word()
        return low | self.word() << 32

    def double(self) -> float:
        """[0, 1) in steps of 2**-52."""
        high = self.word() & 0xFFFFF
        return (high << 32 | self.word()) * 2.0**-52

    def single(self) -> float:
        """[0, 1) in steps of 2**-23."""
        return (self.word() & 0x7FFFFF) * 2.0**-23

    def below(self, limit: int) -> int:
        """A whole number below `limit` from 64 bits, each as likely as the others."""
        return self._exactly(limit, self.word64, _MASK64)

    def below32(self, limit: int) -> int:
        """The same from 32 bits."""
        return self._exactly(limit, self.word, _MASK32)

    @staticmethod
    def _exactly(limit: int, draw: Callable[[], int], largest: int) -> int:
        if limit & (limit - 1) == 0:
            return draw() & (limit - 1)
        skewed = largest % limit + 1
        while True:
            number = draw()
            if number >= skewed:
                return number % limit


class Sampler:
    """A distribution over the classes 0 … size-1."""

    def __init__(self, size: int) -> None:
        self.size = size

    def draw(self, words: Words) -> int:
        raise NotImplementedError

    def probability(self, classes: Any) -> Any:
        """The probabilities of an array of classes, as float32."""
        raise NotImplementedError

    def learn(self, classes: Any) -> None:
        """What the sampler makes of the true classes of a batch that it has sampled for."""


class Uniform(Sampler):
    """Every class is as likely as the others."""

    def draw(self, words: Words) -> int:
        return words.below(self.size)

    def probability(self, classes: Any) -> Any:
        return np.full(classes.shape, 1 / self.size, np.float32)


class LogUniform(Sampler):
    """Class c has the probability log((c + 2) / (c + 1)) / log(size + 1): Zipf's law for classes by frequency."""

    def draw(self, words: Words) -> int:
        return (int(math.exp(words.double() * math.log1p(self.size))) - 1) % self.size

    def probability(self, classes: Any) -> Any:
        return (np.log((classes + 2.0) / (classes + 1.0)) / math.log1p(self.size)).astype(np.float32)


class LearnedUnigram(Sampler):
    """Each class has been seen once, and once more for each time that it was a true class."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.counts = np.ones(size, np.int64)

    def draw(self, words: Words) -> int:
        ends = np.cumsum(self.counts)
        return int(np.searchsorted(ends, words.below32(int(ends[-1])), side="right"))

    def probability(self, classes: Any) -> Any:
        return self.counts[classes].astype(np.float32) / np.float32(self.counts.sum())

    def learn(self, classes: Any) -> None:
        np.add.at(self.counts, classes.reshape(-1), 1)


class FixedUnigram(Sampler):
    """Probabilities in proportion to given weights, by Walker's alias method."""

    def __init__(self, size: int, weights: Sequence[float]) -> None:
        super().__init__(size)
        self.weights = np.array(weights, np.float32)
        count = len(weights)
        total = 0.0
        for weight in self.weights:
            total += float(weight)
        self.total = total
        share = [float(np.float32(weight * np.float32(count))) / total for weight in self.weights]
        self.other = [-1] * count
        low = [i for i in range(count) if share[i] < 1]
        high = [i for i in range(count) if share[i] >= 1]
        while high and low:
            small, large = low.pop(), high.pop()
            self.other[small] = large
            share[large] -= 1.0 - share[small]
            (low if share[large] < 1 else high).append(large)
        for i in (*high, *low):
            share[i], self.other[i] = 1.0, i
        self.share = [float(np.float32(value)) for value in share]

    def draw(self, words: Words) -> int:
        number = words.single()
        bucket = words.below32(len(self.share))
        return bucket if number < self.share[bucket] else self.other[bucket]

    def probability(self, classes: Any) -> Any:
        inside = (classes >= 0) & (classes < len(self.weights))
        found = self.weights[np.where(inside, classes, 0)] / np.float32(self.total)
        return np.where(inside, found, np.float32(0))


def unigram_weights(
    unigrams: Sequence[float], vocab_file: str, distortion: float, num_reserved_ids: int, num_shards: int, shard: int
) -> list[float]:
    """The weights of `FixedUnigram`: those of this shard, to the power `distortion`, behind zeros for reserved ids."""
    if vocab_file and unigrams:
        raise invalid("Must only provide one of vocab_file and unigrams.")
    if vocab_file:
        with open(vocab_file, encoding="utf-8") as file:
            # The weight is what stands behind the last comma of a line.
            given = [float(line.rsplit(",", 1)[1]) for line in file if line.strip()]
    elif unigrams:
        given = list(unigrams)
    else:
        raise invalid("Must provide either vocab_file or unigrams.")
    everything = [0.0] * num_reserved_ids + [math.pow(weight, distortion) for weight in given]
    return everything[shard::num_shards]


def sample(
    sampler: Sampler, stream: PhiloxStream, classes: Any, num_true: int, count: int, unique: bool
) -> tuple[Any, Any, Any]:
    """Sampled classes, how often each true class is expected among them, and how often each sampled one is."""
    _check_classes(classes, num_true, sampler.size)
    if unique and count > sampler.size:
        raise invalid("Sampler's range is too small.")
    words = Words(stream, count)
    drawn: list[int] = []
    if unique:
        seen: set[int] = set()
        tries = 0
        while len(drawn) < count:
            tries += 1
            one = sampler.draw(words)
            if one not in seen:
                seen.add(one)
                drawn.append(one)
    else:
        drawn = [sampler.draw(words) for _ in range(count)]
        tries = count
    sampled = np.array(drawn, np.int64)
    expected = (
        _expected(sampler.probability(classes), count, tries),
        _expected(sampler.probability(sampled), count, tries),
    )
    sampler.learn(classes)
    return sampled, *expected


def _expected(probability: Any, count: int, tries: int) -> Any:
    """How often a class of this probability is expected in `count` samples that took so many tries."""
    if tries == count:
        return probability * np.float32(count)
    with np.errstate(divide="ignore"):
        return (-np.expm1(np.float32(tries) * np.log1p(-probability))).astype(np.float32)


def _check_classes(classes: Any, num_true: int, size: int | None = None) -> None:
    if classes.ndim != 2:
        raise invalid("true_classes must be a matrix")
    if classes.shape[1] != num_true:
        raise invalid(f"true_classes must have num_true columns, expected: {classes.shape[1]} was: {num_true}")
    if size is None:
        return
    outside = classes[(classes < 0) | (classes >= size)]
    if outside.size:
        raise invalid(f"`true_candidate` out of range [0, {size}), received {int(outside[0])}")


def every_class(classes: Any, num_true: int, count: int) -> tuple[Any, Any, Any]:
    """All classes, each expected once."""
    _check_classes(classes, num_true, count)
    return np.arange(count, dtype=np.int64), np.ones(classes.shape, np.float32), np.ones(count, np.float32)


def accidental_hits(classes: Any, sampled: Any, num_true: int) -> tuple[Any, Any, Any]:
    """Where a sampled class is a true one: row, position in the sample, and the most negative weight."""
    _check_classes(classes, num_true)
    if sampled.ndim != 1:
        raise invalid("sampled_candidates must be a vector, which is typically an output from CandidateSampler")
    places = {one: place for place, one in enumerate(sampled.tolist())}
    rows, found = [], []
    for row, own in enumerate(classes.tolist()):
        for one in own:
            if one in places:
                rows.append(row)
                found.append(places[one])
    weights = np.full(len(rows), np.finfo(np.float32).min, np.float32)
    return np.array(rows, np.int32), np.array(found, np.int64), weights
