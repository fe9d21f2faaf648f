"""`tf.estimator.inputs`: arrays and data frames as the input of an Estimator, through a queue that a thread feeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tfbench import errors, summary
from tfbench.engine import ops
from tfbench.engine.dtypes import as_dtype, float32, int64
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.queue_classes import FIFOQueue, RandomShuffleQueue
from tfbench.train.queue_runner import QueueRunner, add_queue_runner

__all__ = ["numpy_input_fn", "pandas_input_fn"]

Array = np.ndarray[Any, Any]
Columns = dict[str, Array]

#: the one column where the features, or the labels, are not named
_UNNAMED = "__direct_np_input__"


def numpy_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> Callable[[], Any]:
    """A function without arguments that makes tensors of batches of `x`, and of `y` if it is given.

    Args:
      x: an array, or arrays by name; the first axis counts examples.
      y: the labels: None, an array, or arrays by name.
      num_epochs: how often all examples are gone through; None: again and again.
      shuffle: whether in another order; must be said.
      queue_capacity: so many examples are read ahead.
      num_threads: so many threads read; with several, an epoch's examples may come more or less often.

    Raises:
      ValueError: if `shuffle` is not said; when it is called, if lengths differ or names are given twice.
      TypeError: when it is called, if `x` or `y` is neither.
    """
    mixed = _checked_shuffle(shuffle)

    def input_fn() -> Any:
        features = _columns(x, "x")
        labels = {} if y is None else _columns(y, "y")
        both = sorted(set(features) & set(labels) - {_UNNAMED})
        if both:
            raise ValueError(f"{len(both)} duplicate keys are found in both x and y: {set(both)}")
        lengths = {len(column) for column in (*features.values(), *labels.values())}
        if len(lengths) > 1:
            shapes = [{key: value.shape for key, value in columns.items()} for columns in (features, labels)]
            raise ValueError(
                "Length of tensors in x and y is mismatched. All elements in x and y must have the same length.\n"
                f"Shapes in x: {_said(shapes[0])}\nShapes in y: {_said(shapes[1])}\n"
            )
        columns = [*features.values(), *labels.values()]
        batch = _batch(columns, batch_size, num_epochs, mixed, queue_capacity, num_threads)[1:]
        made = _named(features, batch[: len(features)])
        return made if y is None else (made, _named(labels, batch[len(features) :]))

    return input_fn


def pandas_input_fn(
    x: Any,
    y: Any = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> Callable[[], Any]:
    """As `numpy_input_fn`, of a data frame `x` and a series `y` that have the same index.

    Raises:
      ValueError: if `shuffle` is not said, `target_column` is a column of `x`, or the indexes differ.
    """
    mixed = _checked_shuffle(shuffle)
    if y is not None and target_column in x:
        raise ValueError(
            f"Cannot use name {target_column} for target column: DataFrame already has a column with that name"
        )
    if y is not None and not np.array_equal(x.index, y.index):
        raise ValueError(f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n")

    def input_fn() -> Any:
        # The index is a column of its own in the queue, and not among the features.
        columns = {str(name): np.asarray(x[name]) for name in x.columns}
        arrays = [np.asarray(x.index), *columns.values()] + ([] if y is None else [np.asarray(y)])
        batch = _batch(arrays, batch_size, num_epochs, mixed, queue_capacity, num_threads)[2:]
        features = dict(zip(columns, batch, strict=False))
        return features if y is None else (features, batch[-1])

    return input_fn


def _checked_shuffle(shuffle: Any) -> bool:
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for "
            f"training); got {shuffle}"
        )
    return shuffle


def _columns(given: Any, name: str) -> Columns:
    if isinstance(given, Mapping):
        if not given:
            raise ValueError(f"{name} cannot be an empty dict")
        return {key: np.asarray(given[key]) for key in sorted(given)}
    if isinstance(given, np.ndarray):
        return {_UNNAMED: given}
    raise TypeError(f"{name} must be a dict or array; got {type(given).__name__}")


def _said(shapes: dict[str, Any]) -> Any:
    return shapes.get(_UNNAMED, shapes)


def _named(columns: Columns, tensors: list[Any]) -> Any:
    return tensors[0] if list(columns) == [_UNNAMED] else dict(zip(columns, tensors, strict=True))


# -- the queue -------------------------------------------------------------------------------------------------------


def _batch(
    columns: list[Array], batch_size: int, epochs: int | None, shuffle: bool, capacity: int, threads: int
) -> list[Any]:
    """Tensors of a batch: the numbers of the examples, and the columns."""
    types = [int64, *[as_dtype(column.dtype) for column in columns]]
    shapes: list[Any] = [(), *[column.shape[1:] for column in columns]]
    left = capacity // 4 if shuffle else 0
    with name_scope(None, "enqueue_input", []):
        queue: Any
        if shuffle:
            queue = RandomShuffleQueue(capacity, left, types, shapes)
        else:
            queue = FIFOQueue(capacity, types, shapes)
        enqueues, feeds = [], []
        for number in range(threads):
            placeholders = [ops.placeholder(kind) for kind in types]
            enqueues.append(queue.enqueue_many(placeholders))
            start = int(np.random.randint(len(columns[0]))) if shuffle and threads > 1 and number else 0
            feeds.append((placeholders, _Reader(columns, batch_size, epochs, start)))
        add_queue_runner(_FeedingRunner(queue, enqueues, feeds))
        full = ops.cast(ops.maximum(0, queue.size() - left), float32) * (1.0 / (capacity - left))
        summary.scalar(f"queue/{queue.name}fraction_over_{left}_of_{capacity - left}_full", full)
    taken: list[Any] = queue.dequeue_many(batch_size) if epochs is None else queue.dequeue_up_to(batch_size)
    return taken


class _Reader:
    """Where one thread is in the examples."""

    def __init__(self, columns: list[Array], size: int, epochs: int | None, start: int) -> None:
        self._columns = columns
        self._size = size
        self._numbers = self._all(len(columns[0]), epochs, start)

    @staticmethod
    def _all(count: int, epochs: int | None, start: int) -> Iterator[int]:
        done = 0
        while epochs is None or done < epochs:
            for number in range(count):
                yield (start + number) % count
            done += 1

    def values(self) -> list[Array]:
        """The next numbers and examples.

        Raises:
          OutOfRangeError: when all epochs are over.
        """
        numbers = [number for _, number in zip(range(self._size), self._numbers, strict=False)]
        if not numbers:
            raise errors.OutOfRangeError(None, None, "Already emitted all epochs.")
        return [np.array(numbers, np.int64), *[column[numbers] for column in self._columns]]


class _FeedingRunner(QueueRunner):
    """A QueueRunner whose threads each feed what they put into the queue."""

    def __init__(self, queue: Any, enqueues: list[Any], feeds: list[tuple[list[Any], _Reader]]) -> None:
        super().__init__(queue, enqueues)
        self._feeds = dict(zip(enqueues, feeds, strict=True))

    def _enqueuer(self, sess: Any, enqueue_op: Any) -> Callable[[], Any]:
        placeholders, reader = self._feeds[enqueue_op]
        run = sess.make_callable(enqueue_op, feed_list=placeholders)
        return lambda: run(*reader.values())
