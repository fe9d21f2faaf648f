"""`slim.dataset_data_provider`: the items of a `slim.dataset.Dataset`, read by several readers at once."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.slim.data import parallel_reader
from tfbench.contrib.slim.data.data_provider import DataProvider

__all__ = ["DatasetDataProvider"]


class DatasetDataProvider(DataProvider):
    """Each run takes the next record.

    Args:
      record_key: the item that holds the record's own name.
      The others: see `parallel_reader.parallel_read`.

    Raises:
      ValueError: if an item is called like `record_key`.
    """

    def __init__(
        self,
        dataset: Any,
        num_readers: int = 1,
        reader_kwargs: Any = None,
        shuffle: bool = True,
        num_epochs: int | None = None,
        common_queue_capacity: int = 256,
        common_queue_min: int = 128,
        record_key: str = "record_key",
        seed: int | None = None,
        scope: str | None = None,
    ) -> None:
        key, data = parallel_reader.parallel_read(
            dataset.data_sources,
            reader_class=dataset.reader,
            num_epochs=num_epochs,
            num_readers=num_readers,
            reader_kwargs=reader_kwargs,
            shuffle=shuffle,
            capacity=common_queue_capacity,
            min_after_dequeue=common_queue_min,
            seed=seed,
            scope=scope,
        )
        items = dataset.decoder.list_items()
        tensors = dataset.decoder.decode(data, items)
        if record_key in items:
            raise ValueError(
                f"The item name used for `record_key` cannot also be used for a dataset item: {record_key}"
            )
        super().__init__({**dict(zip(items, tensors)), record_key: key}, dataset.num_samples)
