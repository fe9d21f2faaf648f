"""`tf.contrib.data`: where `tf.data.experimental` was before, and a few names that did not go on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.data.dataset import Dataset
from tfbench.data.experimental import (
    AUTOTUNE,
    Counter,
    bucket_by_sequence_length,
    choose_from_datasets,
    enumerate_dataset,
    get_single_element,
    group_by_window,
    ignore_errors,
    map_and_batch,
    parallel_interleave,
    prefetch_to_device,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    unbatch,
    unique,
)

__all__ = [
    "AUTOTUNE", "Counter", "batch_and_drop_remainder", "bucket_by_sequence_length", "choose_from_datasets",
    "enumerate_dataset", "get_single_element", "group_by_window", "ignore_errors", "map_and_batch",
    "padded_batch_and_drop_remainder", "parallel_interleave", "prefetch_to_device", "sample_from_datasets", "scan",
    "shuffle_and_repeat", "sloppy_interleave", "unbatch", "unique",
]  # fmt: skip

Transformation = Callable[[Dataset], Dataset]


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """`Dataset.batch` without a smaller batch at the end."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Transformation:
    """`Dataset.padded_batch` without a smaller batch at the end."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def sloppy_interleave(map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1) -> Transformation:
    """`parallel_interleave` that may change the order; here it does not."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)
