"""Data that come batch by batch: data sets, Sequences, generators; and tensors."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isgenerator
from typing import Any

import numpy as np

from tfbench.data.dataset import Dataset
from tfbench.data.iterators import Iterator, make_initializable_iterator
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.state import get_session
from tfbench.keras.engine.loop import PREDICT, TRAIN, Data, with_phase
from tfbench.keras.utils.sequence import Sequence


def is_source(x: Any) -> bool:
    """Whether `x` gives inputs and targets batch by batch."""
    return isinstance(x, (Dataset, Sequence, Iterator)) or isgenerator(x) or hasattr(x, "__next__")


def has_tensors(x: Any) -> bool:
    """Whether `x` is a tensor of the graph, or has one in it."""
    values = x.values() if isinstance(x, dict) else x if isinstance(x, (list, tuple)) else [x]
    return any(isinstance(one, Tensor) for one in values)


def check_alone(x: Any, y: Any, sample_weight: Any, split: float) -> None:
    """ValueError for targets, weights or a split beside a source that gives them itself; and for an iterator."""
    if hasattr(x, "get_next"):
        raise ValueError(
            "For performance reasons Keras takes tf.data `Datasets`, not iterators made from them: `x` of `fit`, "
            f"`evaluate` or `predict` is an iterator ({type(x).__name__}). Pass the `Dataset` object itself, not "
            "`iter(dataset)`."
        )
    kind = type(x).__name__
    if y is not None:
        raise ValueError(
            f"`x` is a dataset or dataset iterator ({kind}), whose elements hold the targets, too: you should not "
            "specify a target (`y`) argument beside it. Leave `y` out, or give `x` as arrays."
        )
    if sample_weight is not None:
        raise ValueError(
            f"`sample_weight` argument is not supported when `x` is a dataset or a dataset iterator, found {kind}. "
            "Let each element be (inputs, targets, sample_weight) and leave `sample_weight` out."
        )
    if split:
        raise ValueError(
            f"`validation_split` argument is not supported when `x` is a dataset or a dataset iterator, found {kind}. "
            "Give another dataset as `validation_data`."
        )


def unpacked(validation_data: Any) -> tuple[Any, Any, Any]:
    """(x, y, weights) of what is given as `validation_data`. ValueError for another number of things."""
    if is_source(validation_data):
        return validation_data, None, None
    if len(validation_data) not in (2, 3):
        raise ValueError(
            "When passing a `validation_data` argument, it must contain either 2 items (x_val, y_val), or 3 items "
            "(x_val, y_val, val_sample_weights), or alternatively it could be a dataset or a dataset iterator. However "
            f"we received `validation_data={validation_data}`"
        )
    x, y, *weights = validation_data
    return x, y, weights[0] if weights else None


def _three(element: Any, mode: str) -> tuple[Any, Any, Any]:
    """(x, y, weights) of what a source gives."""
    if not isinstance(element, (list, tuple)) or (mode == PREDICT and len(element) == 1):
        return (element[0] if isinstance(element, (list, tuple)) else element), None, None
    if len(element) not in (2, 3):
        raise ValueError(
            "Each element of the data must be a list or tuple of 2 or 3 elements, (input, target) or (input, target, "
            f"sample_weights). Received {len(element)}: {element}"
        )
    x, y, *weights = element
    return x, (None if mode == PREDICT else y), (weights[0] if weights else None)


def batches(
    model: Any, source: Any, mode: str, steps: int | None, name: str, class_weight: Any, shuffle: bool
) -> Data:  # fmt: skip
    """The source as what the loop goes through.

    Raises:
      ValueError: for a generator without a number of steps.
    """
    weighted: list[bool] = []

    def fed(element: Any) -> list[Any]:
        x, y, weights = _three(element, mode)
        inputs, targets, weights = model._standardize(x, y, weights, class_weight)
        weighted.append(bool(weights))
        arrays = [*inputs, *targets, *weights]
        return with_phase(arrays) if mode == TRAIN else arrays

    if isinstance(source, (Dataset, Iterator)):
        iterator = source if isinstance(source, Iterator) else make_initializable_iterator(source)

        def restart() -> None:
            get_session().run(iterator.initializer)

        if isinstance(source, Dataset):
            restart()
        tensors = fed(iterator.get_next())
        again = restart if isinstance(source, Dataset) and steps is None else None
        return Data(next_batch=lambda: tensors, restart=again, steps=steps, steps_name=name, weighted=weighted[0])
    if isinstance(source, Sequence):
        give = _in_order(source, shuffle)
        first = _Ahead(lambda: fed(give()))
        return Data(next_batch=first, steps=steps or len(source), steps_name=name, sized=True, weighted=weighted[0])
    if steps is None:
        raise ValueError(
            f"When passing a generator, you must specify the `{name}` argument, since its length is not known."
        )
    first = _Ahead(lambda: fed(next(source)))
    return Data(next_batch=first, steps=steps, steps_name=name, sized=True, weighted=weighted[0])


class _Ahead:
    """What a function gives, the first of it now: only then is known whether there are weights."""

    def __init__(self, give: Callable[[], list[Any]]) -> None:
        self._give = give
        self._first: list[Any] | None = give()

    def __call__(self) -> list[Any]:
        first, self._first = self._first, None
        return self._give() if first is None else first


def _in_order(sequence: Any, shuffle: bool) -> Callable[[], Any]:
    """What gives a Sequence's batches, epoch after epoch."""
    order: list[int] = []

    def give() -> Any:
        if not order:
            order.extend(range(len(sequence)))
            if shuffle:
                np.random.shuffle(order)
        batch = sequence[order.pop(0)]
        if not order:
            sequence.on_epoch_end()
        return batch

    return give
