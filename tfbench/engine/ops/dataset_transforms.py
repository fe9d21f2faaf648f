"""Ops of data sets made of other data sets' elements, without a function: counts, orders, batches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.dataset_common import ELEMENTS, NOTE, dataset_op, keeper, plain, simple

__all__: list[str] = []  # known by op type; `tf.data` makes them

_SOURCE = "input_dataset: variant"
_SEEDED = f"{_SOURCE}, buffer_size: int64, seed: int64, seed2: int64"


def _order() -> Any:
    from tfbench.engine.kernels.datasets import order

    return order


def _shuffle() -> Any:
    from tfbench.engine.kernels.datasets import shuffle

    return shuffle


def _batching() -> Any:
    from tfbench.engine.kernels.datasets import batching

    return batching


take = simple(
    dataset_op("TakeDataset", f"{_SOURCE}, count: int64", ELEMENTS + NOTE),
    lambda attrs, source, count: _order().Take(source, count),
)
skip = simple(
    dataset_op("SkipDataset", f"{_SOURCE}, count: int64", ELEMENTS + NOTE),
    lambda attrs, source, count: _order().Skip(source, count),
)
repeat = simple(
    dataset_op("RepeatDataset", f"{_SOURCE}, count: int64", ELEMENTS + NOTE),
    lambda attrs, source, count: _order().Repeat(source, count),
)
shard = simple(
    dataset_op(
        "ShardDataset",
        f"{_SOURCE}, num_shards: int64, index: int64",
        f"require_non_empty: bool = false; {ELEMENTS}{NOTE}",
    ),
    lambda attrs, source, count, index: _order().Shard(source, count, index),
)
concatenate = simple(
    dataset_op("ConcatenateDataset", f"{_SOURCE}, another_dataset: variant", ELEMENTS + NOTE),
    lambda attrs, source, other: _order().Concatenated(source, other),
)
zipped = simple(
    dataset_op("ZipDataset", "input_datasets: N * variant", f"{ELEMENTS}; N: int >= 1{NOTE}"),
    lambda attrs, *sources: _order().Zipped(sources),
)
directed = simple(
    dataset_op(
        "DirectedInterleaveDataset",
        "selector_input_dataset: variant, data_input_datasets: N * variant",
        f"{ELEMENTS}; N: int >= 1; stop_on_empty_dataset: bool = false",
    ),
    lambda attrs, selector, *sources: _order().Directed(selector, sources, attrs["stop_on_empty_dataset"]),
)
shuffle = simple(
    dataset_op("ShuffleDataset", _SEEDED, f"reshuffle_each_iteration: bool = true; {ELEMENTS}{NOTE}"),
    lambda attrs, source, size, seed, seed2: _shuffle().Shuffle(
        source, size, seed, seed2, attrs["reshuffle_each_iteration"]
    ),
)
shuffle_and_repeat = simple(
    dataset_op(
        "ShuffleAndRepeatDataset",
        f"{_SEEDED}, count: int64",
        f"{ELEMENTS}; reshuffle_each_iteration: bool = true{NOTE}",
    ),
    lambda attrs, source, size, seed, seed2, count: _order().Repeat(
        _shuffle().Shuffle(source, size, seed, seed2, attrs["reshuffle_each_iteration"]), count
    ),
)
batch = simple(
    dataset_op(
        "BatchDatasetV2",
        f"{_SOURCE}, batch_size: int64, drop_remainder: bool",
        f"parallel_copy: bool = false; {ELEMENTS}{NOTE}",
    ),
    lambda attrs, source, count, drops: _batching().Batch(source, count, drops),
)
parallel_batch = simple(
    dataset_op(
        "ParallelBatchDataset",
        f"{_SOURCE}, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
        f"parallel_copy: bool = false; {ELEMENTS}; deterministic: string = 'default'{NOTE}",
    ),
    lambda attrs, source, count, calls, drops: _batching().Batch(source, count, drops),
)
unbatch = simple(
    dataset_op("UnbatchDataset", _SOURCE, ELEMENTS + NOTE),
    lambda attrs, source: _batching().Unbatch(source),
)
window = simple(
    dataset_op(
        "WindowDataset", f"{_SOURCE}, size: int64, shift: int64, stride: int64, drop_remainder: bool", ELEMENTS + NOTE
    ),
    lambda attrs, source, size, shift, stride, drops: _batching().Window(source, size, shift, stride, drops),
)
ignore_errors = simple(
    dataset_op("IgnoreErrorsDataset", _SOURCE, f"{ELEMENTS}; log_warning: bool = false"),
    lambda attrs, source: _order().IgnoreErrors(source),
)
unique = simple(
    dataset_op("UniqueDataset", _SOURCE, ELEMENTS + NOTE),
    lambda attrs, source: _order().Unique(source),
)

# What only says how something is computed: elements are computed when they are asked for, one after the other.
prefetch = simple(
    dataset_op(
        "PrefetchDataset",
        f"{_SOURCE}, buffer_size: int64",
        f"{ELEMENTS}; slack_period: int = 0; legacy_autotune: bool = true; buffer_size_min: int = 0{NOTE}",
    ),
    lambda attrs, source, size: _prefetched(source, size),
)
options = simple(
    dataset_op("OptionsDataset", _SOURCE, f"serialized_options: string; {ELEMENTS}{NOTE}"),
    lambda attrs, source: source,
)
rewrite = simple(
    dataset_op("RewriteDataset", f"{_SOURCE}, rewrite_name: string", ELEMENTS),
    lambda attrs, source, name: source,
)


def _prefetched(source: Any, size: int) -> Any:
    if size < -1:
        raise invalid(f"buffer_size must be >= 0 or -1 (autotune), but is {size}.")
    return source


cache = dataset_op("CacheDataset", f"{_SOURCE}, filename: string", ELEMENTS + NOTE)


@cache.bind(CPU)
def _cache_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.cache import Cache, FileCache

    dtypes = context.attrs["output_types"]

    def make(source: Any, filename: Any) -> Any:
        prefix = plain(filename)
        return FileCache(source, prefix.decode(), dtypes) if prefix else Cache(source)

    return make


padded_batch = dataset_op(
    "PaddedBatchDatasetV2",
    f"{_SOURCE}, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types, drop_remainder: bool",
    "parallel_copy: bool = false; Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1; N: int >= 1" + NOTE,
)


@padded_batch.bind(CPU)
def _padded_batch_bind(context: Any) -> Callable[..., Any]:
    count = context.attrs["N"]
    keep = keeper(context.op._inputs[2 + count : 2 + 2 * count])

    def make(source: Any, size: Any, *rest: Any) -> Any:
        shapes = [tuple(shape.tolist()) for shape in rest[:count]]
        return _batching().PaddedBatch(source, plain(size), shapes, keep(rest[count : 2 * count]), plain(rest[-1]))

    return make


# -- questions ---------------------------------------------------------------------------------------------------------

cardinality = op("DatasetCardinality", _SOURCE, "cardinality: int64", "cardinality_options: string = ''")
cardinality.no_gradient("integers have no gradient")


@cardinality.shape
def _cardinality_shape(node: Any, source: Any) -> Any:
    return [()]


@cardinality.bind(CPU)
def _cardinality_bind(context: Any) -> Callable[..., Any]:
    import numpy as np

    return lambda source: np.int64(source.cardinality())
