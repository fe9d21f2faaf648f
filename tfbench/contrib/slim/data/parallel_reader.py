"""`slim.parallel_reader`: several readers that fill one queue, each with files of its own."""

from __future__ import annotations

from typing import Any

from tfbench import gfile
from tfbench.engine import dtypes
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_sums import add_n
from tfbench.engine.ops.queue_classes import FIFOQueue, RandomShuffleQueue
from tfbench.engine.ops.readers import ReaderBase
from tfbench.summary import scalar
from tfbench.train.input_producers import string_input_producer
from tfbench.train.queue_runner import QueueRunner, add_queue_runner

__all__ = ["ParallelReader", "get_data_files", "parallel_read", "single_pass_read"]


class ParallelReader(ReaderBase):
    """`num_readers` readers; what they read goes through `common_queue`.

    Raises:
      TypeError: if the queue does not hold two strings.
    """

    def __init__(self, reader_class: Any, common_queue: Any, num_readers: int = 4, reader_kwargs: Any = None) -> None:
        if len(common_queue.dtypes) != 2:
            raise TypeError(f"common_queue.dtypes must be [tf.string, tf.string], found {common_queue.dtypes}")
        for dtype in common_queue.dtypes:
            if not dtype.is_compatible_with(dtypes.string):
                raise TypeError(f"common_queue.dtypes must be [tf.string, tf.string], found {common_queue.dtypes}")
        self._readers = [reader_class(**(reader_kwargs or {})) for _ in range(num_readers)]
        self._common_queue = common_queue

    @property
    def num_readers(self) -> int:
        return len(self._readers)

    @property
    def common_queue(self) -> Any:
        return self._common_queue

    def read(self, queue: Any, name: str | None = None) -> Any:
        """(key, value): the next record of any of them; the files come from `queue`."""
        self._fill_from(queue)
        return self._common_queue.dequeue(name=name)

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> Any:
        """(keys, values): up to so many records."""
        self._fill_from(queue)
        return self._common_queue.dequeue_up_to(num_records, name)

    def _fill_from(self, queue: Any) -> None:
        enqueues = [self._common_queue.enqueue(reader.read(queue)) for reader in self._readers]
        add_queue_runner(QueueRunner(self._common_queue, enqueues))

    def num_records_produced(self, name: str | None = None) -> Any:
        """How many records all of them have read."""
        return add_n([reader.num_records_produced() for reader in self._readers], name=name)

    def num_work_units_completed(self, name: str | None = None) -> Any:
        """How many files all of them are done with."""
        return add_n([reader.num_work_units_completed() for reader in self._readers], name=name)


def parallel_read(
    data_sources: Any,
    reader_class: Any,
    num_epochs: int | None = None,
    num_readers: int = 4,
    reader_kwargs: Any = None,
    shuffle: bool = True,
    dtypes: Any = None,
    capacity: int = 256,
    min_after_dequeue: int = 128,
    seed: int | None = None,
    scope: str | None = None,
) -> Any:
    """(key, value) of the next record of some files.

    Args:
      data_sources: paths or patterns of paths.
      reader_class: e.g. `tf.TFRecordReader`; `reader_kwargs` are for it.
      num_epochs: how often each file is read; None: again and again.
      shuffle: files and records in an order of chance.

    Raises:
      ValueError: if there are no such files.
    """
    from tfbench.engine.dtypes import float32, string

    files = get_data_files(data_sources)
    with name_scope(scope, "parallel_read"):
        names = string_input_producer(files, num_epochs=num_epochs, shuffle=shuffle, seed=seed, name="filenames")
        kinds = dtypes or [string, string]
        queue: Any
        if shuffle:
            queue = RandomShuffleQueue(capacity, min_after_dequeue, kinds, seed=seed, name="common_queue")
        else:
            queue = FIFOQueue(capacity, kinds, name="common_queue")
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), float32) * (1.0 / capacity))
        return ParallelReader(reader_class, queue, num_readers=num_readers, reader_kwargs=reader_kwargs).read(names)


def single_pass_read(data_sources: Any, reader_class: Any, reader_kwargs: Any = None, scope: str | None = None) -> Any:
    """(key, value) of the next record, of each file once, in order."""
    files = get_data_files(data_sources)
    with name_scope(scope, "single_pass_read"):
        names = string_input_producer(files, num_epochs=1, shuffle=False, capacity=1, name="filenames")
        return reader_class(**(reader_kwargs or {})).read(names)


def get_data_files(data_sources: Any) -> list[str]:
    """The paths that paths and patterns of paths mean.

    Raises:
      ValueError: if there are none.
    """
    if isinstance(data_sources, (list, tuple)):
        found = [path for source in data_sources for path in get_data_files(source)]
    elif any(mark in data_sources for mark in "*?["):
        found = gfile.Glob(data_sources)
    else:
        found = [data_sources]
    if not found:
        raise ValueError(f"No data files found in {data_sources}")
    return found
