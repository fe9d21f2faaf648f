"""Pipelines of small elements: what an element costs on its way through functions, shuffles and batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Case, Suite, session

_ELEMENTS = 10_000


def _all(tf: Any, threads: int, dataset: Any) -> Callable[[], object]:
    """Goes through the data set, in 100 batches, from the beginning."""
    iterator = tf.data.make_initializable_iterator(dataset.batch(100))
    element, running = iterator.get_next(), session(tf, threads)

    def run() -> None:
        running.run(iterator.initializer)
        for _ in range(_ELEMENTS // 100):
            running.run(element)

    return run


def _pairs(tf: Any) -> Any:
    import numpy as np

    return tf.data.Dataset.from_tensor_slices((np.ones((_ELEMENTS, 8), np.float32), np.arange(_ELEMENTS)))


def _numbers(tf: Any, threads: int) -> Callable[[], object]:
    return _all(tf, threads, tf.data.Dataset.range(_ELEMENTS).map(lambda x: x * 2 + 1))


def _mapped(tf: Any, threads: int) -> Callable[[], object]:
    def change(features: Any, label: Any) -> Any:
        return features / 2.0 + 1.0, tf.one_hot(tf.cast(label % 10, tf.int32), 10)

    return _all(tf, threads, _pairs(tf).map(change))


def _shuffled(tf: Any, threads: int) -> Callable[[], object]:
    return _all(tf, threads, _pairs(tf).shuffle(1_000, seed=1))


def _generated(tf: Any, threads: int) -> Callable[[], object]:
    return _all(tf, threads, tf.data.Dataset.from_generator(lambda: range(_ELEMENTS), tf.int32, []))


SUITE = Suite(
    "Data sets of 10,000 elements, in batches of 100",
    [
        Case("numbers, mapped", _numbers, target=2.0, work=_ELEMENTS, unit="elements"),
        Case("pairs of 8 floats and a label, mapped", _mapped, target=2.0, work=_ELEMENTS, unit="elements"),
        Case("the same, shuffled", _shuffled, target=2.0, work=_ELEMENTS, unit="elements"),
        Case("from a generator", _generated, target=2.0, work=_ELEMENTS, unit="elements"),
    ],
)
