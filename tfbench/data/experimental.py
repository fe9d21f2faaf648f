"""`tf.data.experimental`: transformations for `Dataset.apply`, and questions about data sets."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.data import calls, specs, structure
from tfbench.data import transformations as made
from tfbench.data.dataset import Dataset
from tfbench.data.options import (
    AutoShardPolicy,
    AutotuneAlgorithm,
    AutotuneOptions,
    DistributeOptions,
    ExternalStatePolicy,
    OptimizationOptions,
    ServiceOptions,
    ThreadingOptions,
)
from tfbench.data.readers import CsvDataset
from tfbench.data.transformations import AUTOTUNE
from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.ops import math_cast, reductions
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.comparison import logical_and
from tfbench.engine.ops.random_stateless import stateless_multinomial
from tfbench.engine.tensor import Tensor

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "AutoShardPolicy", "AutotuneAlgorithm",
    "AutotuneOptions", "Counter", "CsvDataset", "DistributeOptions", "ExternalStatePolicy", "OptimizationOptions",
    "ServiceOptions",
    "ThreadingOptions", "bucket_by_sequence_length", "cardinality", "choose_from_datasets",
    "enumerate_dataset", "get_single_element", "get_structure", "group_by_window",
    "ignore_errors", "map_and_batch", "map_and_batch_with_legacy_function", "parallel_interleave", "prefetch_to_device",
    "sample_from_datasets", "scan", "shuffle_and_repeat", "take_while", "unbatch", "unique",
]  # fmt: skip

INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2

Transformation = Callable[[Dataset], Dataset]


def cardinality(dataset: Dataset) -> Tensor:
    """How many elements there are, when it is run; INFINITE_CARDINALITY or UNKNOWN_CARDINALITY."""
    return dataset.cardinality()


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`shuffle`, then `repeat`, each time in another order."""
    return lambda dataset: dataset._then(made.shuffle_and_repeat(dataset, buffer_size, count, seed))


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: Any = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """`map`, then `batch`."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "`map_and_batch` allows only one of `num_parallel_batches` and `num_parallel_calls` to be set, but "
            f"`num_parallel_batches` was set to {num_parallel_batches} and `num_parallel_calls` as set to "
            f"{num_parallel_calls}."
        )
    if num_parallel_calls is None:
        num_parallel_calls = batch_size * (1 if num_parallel_batches is None else num_parallel_batches)
    count = num_parallel_calls
    return lambda dataset: dataset._then(calls.map_and_batch(dataset, map_func, batch_size, count, drop_remainder))


map_and_batch_with_legacy_function = map_and_batch


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: Any = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """`interleave`; what is fetched ahead changes nothing about the elements."""
    details = (cycle_length, block_length, sloppy, buffer_output_elements, prefetch_input_elements)
    return lambda dataset: dataset._then(calls.parallel_interleave(dataset, map_func, *details))


def unbatch() -> Transformation:
    """`Dataset.unbatch`."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """`Dataset.unique`."""
    return lambda dataset: dataset.unique()


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """`scan_func(state, element)` gives the next state and an element of the result."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """The elements before the first for which `predicate` returns False."""
    return lambda dataset: dataset.take_while(predicate)


def ignore_errors(log_warning: bool = False) -> Transformation:
    """The elements that can be computed."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """`Dataset.enumerate`."""
    return lambda dataset: dataset.enumerate(start)


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """`Dataset.prefetch`: there is one memory."""
    return lambda dataset: dataset.prefetch(buffer_size)


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """Elements with one key, `window_size` at a time, given to `reduce_func(key, data set)`, which makes a data set."""
    if (window_size is not None and window_size_func) or not (window_size is not None or window_size_func):
        raise ValueError("Either the `window_size` argument or the `window_size_func` argument must be specified.")
    size = window_size_func if window_size_func is not None else (lambda key: window_size)
    return lambda dataset: dataset._then(calls.group_by_window(dataset, key_func, reduce_func, size))


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Any,
    bucket_batch_sizes: Any,
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """Padded batches of elements whose lengths are between the same two boundaries."""
    if len(bucket_batch_sizes) != len(bucket_boundaries) + 1:
        raise ValueError(
            "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but there are "
            f"{len(bucket_batch_sizes)} sizes and {len(bucket_boundaries)} boundaries."
        )
    lowest = np.array([np.iinfo(np.int32).min, *bucket_boundaries], np.int32)
    highest = np.array([*bucket_boundaries, np.iinfo(np.int32).max], np.int32)
    sizes = np.array(bucket_batch_sizes, np.int64)

    def key(*components: Any) -> Any:
        length = math_cast.cast(element_length_func(*components), dtypes.int32)
        inside = logical_and(lowest <= length, length < highest)
        return reductions.reduce_min(math_cast.cast(where(inside)[:, 0], dtypes.int64))

    def window_size(bucket: Any) -> Any:
        return convert_to_tensor(sizes)[bucket]

    def batch(bucket: Any, group: Dataset) -> Dataset:
        size = window_size(bucket)
        if no_padding:
            return group.batch(size, drop_remainder=drop_remainder)
        shapes = padded_shapes if padded_shapes is not None else group.output_shapes
        if pad_to_bucket_boundary:
            limit = math_cast.cast(convert_to_tensor(highest)[bucket] - 1, dtypes.int64)
            shapes = structure.map_structure(lambda shape: _filled(shape, limit), shapes)
        return group.padded_batch(size, shapes, padding_values, drop_remainder=drop_remainder)

    return group_by_window(key, batch, window_size_func=window_size)


def _filled(shape: Any, limit: Tensor) -> Tensor:
    """A shape as a vector, with `limit` for the sizes that are not known."""
    return convert_to_tensor([limit if size is None else size for size in shape.as_list()], dtype=dtypes.int64)


def choose_from_datasets(datasets: Any, choice_dataset: Dataset, stop_on_empty_dataset: bool = False) -> Dataset:
    """From each data set the next element, in the order that the numbers in `choice_dataset` say."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if not specs.compatible(choice_dataset.element_spec, specs.TensorSpec([], dtypes.int64)):
        raise TypeError(
            "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
            f"{choice_dataset.element_spec}."
        )
    return Dataset(*made.directed(choice_dataset, datasets, stop_on_empty_dataset))


def sample_from_datasets(
    datasets: Any, weights: Any = None, seed: Any = None, stop_on_empty_dataset: bool = False
) -> Dataset:
    """From each data set the next element, at random, as often as `weights` say (default: equally often)."""
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    if weights is None:
        weights = [1.0] * len(datasets)
    if len(weights) != len(datasets):
        raise ValueError(
            "Invalid `datasets` and `weights`. `weights` should have the same length as `datasets` but got "
            f"{len(weights)} weights for {len(datasets)} datasets."
        )
    logits = np.log(np.asarray(weights, np.float64) + np.finfo(np.float64).tiny)[None]
    if seed is None:
        seed = int.from_bytes(os.urandom(4), "little")

    def draw(number: Any) -> Any:
        sample = stateless_multinomial(logits, 1, seed=[number, np.int64(seed)])
        return sample[0, 0]

    choices = Dataset.range(made.LARGEST).map(draw)
    return Dataset(*made.directed(choices, datasets, stop_on_empty_dataset))


def Counter(start: Any = 0, step: Any = 1, dtype: Any = dtypes.int64) -> Dataset:
    """Numbers from `start` on, for ever."""
    start = np.int64(start)
    numbers = Dataset.range(start, made.LARGEST if step > 0 else -made.LARGEST, step)
    kind = as_dtype(dtype)
    return numbers if kind is dtypes.int64 else numbers.map(lambda number: math_cast.cast(number, kind))


def get_single_element(dataset: Dataset) -> Any:
    """The one element of a data set, as tensors."""
    return dataset.get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The `element_spec`."""
    try:
        return dataset_or_iterator.element_spec
    except AttributeError:
        raise TypeError(
            f"Invalid `dataset_or_iterator`. It must be a data set or an iterator, but got {dataset_or_iterator!r}."
        ) from None
