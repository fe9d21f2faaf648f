"""`tf.keras.preprocessing.sequence`: sequences made equally long, windows of series, pairs of words."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np

from tfbench.keras.utils.sequence import Sequence

__all__ = ["TimeseriesGenerator", "make_sampling_table", "pad_sequences", "skipgrams"]


def pad_sequences(
    sequences: Any,
    maxlen: int | None = None,
    dtype: Any = "int32",
    padding: str = "pre",
    truncating: str = "pre",
    value: Any = 0.0,
) -> np.ndarray[Any, Any]:
    """Sequences as one array [number, maxlen, …].

    Args:
      sequences: a list of sequences of numbers, or of arrays of one shape.
      maxlen: default: the length of the longest.
      padding, truncating: "pre" or "post": where shorter ones are filled, and longer ones are cut.
      value: what is filled in.

    Raises:
      ValueError: for anything but a list of sequences, other words, or elements of different shapes.
    """
    if not hasattr(sequences, "__len__"):
        raise ValueError("`sequences` must be iterable.")
    for one in sequences:
        if not hasattr(one, "__len__"):
            raise ValueError(f"`sequences` must be a list of iterables. Found non-iterable: {one!s}")
    filled = [one for one in sequences if len(one)]
    shape = np.asarray(filled[0]).shape[1:] if filled else ()
    if maxlen is None:
        maxlen = int(np.max([len(one) for one in sequences]))
    if isinstance(value, str) and np.dtype(dtype) != np.dtype(object) and not np.issubdtype(dtype, np.str_):
        raise ValueError(
            f"`dtype` {dtype} is not compatible with `value`'s type: {type(value)}\nYou should set `dtype=object` for "
            "variable length strings."
        )
    padded = np.full((len(sequences), maxlen, *shape), value, dtype=dtype)
    for row, one in enumerate(sequences):
        if not len(one):
            continue
        if truncating not in ("pre", "post"):
            raise ValueError(f'Truncating type "{truncating}" not understood')
        kept = np.asarray(one[-maxlen:] if truncating == "pre" else one[:maxlen], dtype=dtype)
        if kept.shape[1:] != shape:
            raise ValueError(
                f"Shape of sample {kept.shape[1:]} of sequence at position {row} is different from expected shape "
                f"{shape}"
            )
        if padding not in ("pre", "post"):
            raise ValueError(f'Padding type "{padding}" not understood')
        padded[(row, slice(len(kept)) if padding == "post" else slice(-len(kept), None))] = kept
    return padded


def make_sampling_table(size: int, sampling_factor: float = 1e-05) -> np.ndarray[Any, Any]:
    """For each rank of a word by frequency the probability to keep it, as word2vec does (Zipf's law assumed)."""
    rank = np.arange(size)
    rank[0] = 1
    inverse = rank * (np.log(rank) + 0.577) + 0.5 - 1.0 / (12.0 * rank)
    scaled = sampling_factor * inverse
    return np.asarray(np.minimum(1.0, scaled / np.sqrt(scaled)))


def skipgrams(
    sequence: Any,
    vocabulary_size: int,
    window_size: int = 4,
    negative_samples: float = 1.0,
    shuffle: bool = True,
    categorical: bool = False,
    sampling_table: Any = None,
    seed: int | None = None,
) -> tuple[list[list[int]], list[Any]]:
    """Pairs of words, labelled 1 where both are within `window_size` of each other, 0 where drawn at random.

    Words are numbers; 0 stands for none. `categorical` labels are [0, 1] and [1, 0].
    """
    pairs = []
    for at, word in enumerate(sequence):
        if not word or (sampling_table is not None and sampling_table[word] < random.random()):
            continue
        for near in range(max(0, at - window_size), min(len(sequence), at + window_size + 1)):
            if near != at and sequence[near]:
                pairs.append([word, sequence[near]])
    labels: list[Any] = [[0, 1] if categorical else 1 for _ in pairs]
    if negative_samples > 0:
        number = int(len(labels) * negative_samples)
        words = [pair[0] for pair in pairs]
        random.shuffle(words)
        pairs += [[words[at % len(words)], random.randint(1, vocabulary_size - 1)] for at in range(number)]
        labels += [[1, 0] if categorical else 0 for _ in range(number)]
    if shuffle:
        if seed is None:
            seed = random.randint(0, 10**7)
        for one in (pairs, labels):
            random.seed(seed)
            random.shuffle(one)
    return pairs, labels


class TimeseriesGenerator(Sequence):
    """Batches of windows of a series, each with the target of the step that follows.

    Args:
      data, targets: arrays of one length.
      length: steps in a window; of them each `sampling_rate`-th is taken.
      stride: steps between windows.
      start_index, end_index: the part of the series that is used.
      shuffle: draws windows at random.
      reverse: turns each window round.
      batch_size: windows in a batch; the last one may have fewer.

    Raises:
      ValueError: for different lengths, or if no window fits.
    """

    def __init__(
        self,
        data: Any,
        targets: Any,
        length: int,
        sampling_rate: int = 1,
        stride: int = 1,
        start_index: int = 0,
        end_index: int | None = None,
        shuffle: bool = False,
        reverse: bool = False,
        batch_size: int = 128,
    ) -> None:
        if len(data) != len(targets):
            raise ValueError(
                f"Data and targets have to be of same length. Data length is {len(data)} while target length is "
                f"{len(targets)}"
            )
        self.data, self.targets = data, targets
        self.length = length
        self.sampling_rate, self.stride = sampling_rate, stride
        self.start_index = start_index + length
        self.end_index = len(data) - 1 if end_index is None else end_index
        self.shuffle, self.reverse = shuffle, reverse
        self.batch_size = batch_size
        if self.start_index > self.end_index:
            raise ValueError(
                f"`start_index+length={self.start_index} > end_index={self.end_index}` is disallowed, as no part of "
                "the sequence would be left to be used as current step."
            )

    def __len__(self) -> int:
        step = self.batch_size * self.stride
        return (self.end_index - self.start_index + step) // step

    def __getitem__(self, index: int) -> Any:
        last = self.end_index + 1
        if self.shuffle:
            rows = np.random.randint(self.start_index, last, size=self.batch_size)
        else:
            step = self.batch_size * self.stride
            first = self.start_index + step * index
            rows = np.arange(first, min(first + step, last), self.stride)
        samples = np.array([self.data[row - self.length : row : self.sampling_rate] for row in rows])
        targets = np.array([self.targets[row] for row in rows])
        return (samples[:, ::-1, ...] if self.reverse else samples), targets

    def get_config(self) -> dict[str, Any]:
        """The arguments, arrays as JSON.

        Raises:
          TypeError: if the data cannot be JSON.
        """
        names = ("length", "sampling_rate", "stride", "start_index", "end_index", "shuffle", "reverse", "batch_size")
        return {
            "data": _as_json("Data", self.data),
            "targets": _as_json("Targets", self.targets),
            **{name: getattr(self, name) for name in names},
        }

    def to_json(self, **kwargs: Any) -> str:
        """The arguments as JSON; `kwargs` are those of `json.dumps`."""
        return json.dumps({"class_name": type(self).__name__, "config": self.get_config()}, **kwargs)


def _as_json(what: str, values: Any) -> str:
    plain = values.tolist() if isinstance(values, (np.ndarray, np.generic)) else values
    try:
        return json.dumps(plain)
    except TypeError:
        raise TypeError(f"{what} not JSON Serializable:", plain) from None
