"""Ops of data sets that call a function for each element."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, OpDef, op
from tfbench.engine.ops.dataset_common import (
    ELEMENTS,
    NOTE,
    BoundFunction,
    dataset_op,
    element_shapes,
    keeper,
    plain,
)

__all__: list[str] = []  # known by op type; `tf.data` makes them

_SOURCE = "input_dataset: variant, other_arguments: Targuments"
_CALLS = f"f: func; Targuments: list(type) >= 0; {ELEMENTS}"


def _functional() -> Any:
    from tfbench.engine.kernels.datasets import functional

    return functional


def _calling(definition: OpDef, make: Callable[..., Any], attr: str = "f") -> OpDef:
    """Binds an op to `make(attrs, input data set, call, scalars …)`."""

    @definition.bind(CPU)
    def _(context: Any) -> Callable[..., Any]:
        attrs, function = context.attrs, BoundFunction(context, attr)
        count = len(attrs["Targuments"])
        keep = keeper(context.op._inputs[1 : 1 + count])

        def kernel(source: Any, *inputs: Any) -> Any:
            rest = [plain(value) for value in inputs[count:]]
            return make(attrs, source, function.call(keep(inputs[:count])), *rest)

        return kernel

    return definition


def _map(attrs: Any, source: Any, call: Any, *calls_at_once: Any) -> Any:
    return _functional().Map(source, call, attrs["preserve_cardinality"])


def _interleave(attrs: Any, source: Any, call: Any, cycle: int, block: int, *details: Any) -> Any:
    if cycle == -1:  # as many as there are processors
        cycle = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for what, value in (("cycle_length", cycle), ("block_length", block)):
        if value <= 0:
            raise invalid(f"{what} must be greater than zero.")
    return _functional().Interleave(source, call, cycle, block)


def _map_and_batch(attrs: Any, source: Any, call: Any, count: int, calls_at_once: int, drops: bool) -> Any:
    from tfbench.engine.kernels.datasets.batching import Batch

    return Batch(_map(attrs, source, call), count, drops)


map_elements = _calling(
    dataset_op(
        "MapDataset",
        _SOURCE,
        f"{_CALLS}; use_inter_op_parallelism: bool = true; preserve_cardinality: bool = false; "
        f"force_synchronous: bool = false{NOTE}",
    ),
    _map,
)
parallel_map = _calling(
    dataset_op(
        "ParallelMapDatasetV2",
        f"{_SOURCE}, num_parallel_calls: int64",
        f"{_CALLS}; use_inter_op_parallelism: bool = true; deterministic: string = 'default'; "
        f"preserve_cardinality: bool = false; use_unbounded_threadpool: bool = false{NOTE}",
    ),
    _map,
)
flat_map = _calling(
    dataset_op("FlatMapDataset", _SOURCE, _CALLS + NOTE),
    lambda attrs, source, call: _functional().FlatMap(source, call),
)
interleave = _calling(
    dataset_op("InterleaveDataset", f"{_SOURCE}, cycle_length: int64, block_length: int64", _CALLS + NOTE), _interleave
)
parallel_interleave = _calling(
    dataset_op(
        "ParallelInterleaveDatasetV4",
        f"{_SOURCE}, cycle_length: int64, block_length: int64, buffer_output_elements: int64, "
        "prefetch_input_elements: int64, num_parallel_calls: int64",
        f"f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; {ELEMENTS}{NOTE}",
    ),
    _interleave,
)
legacy_parallel_interleave = _calling(
    dataset_op(
        "LegacyParallelInterleaveDatasetV2",
        f"{_SOURCE}, cycle_length: int64, block_length: int64, buffer_output_elements: int64, "
        "prefetch_input_elements: int64",
        f"f: func; deterministic: string = 'default'; Targuments: list(type) >= 0; {ELEMENTS}{NOTE}",
    ),
    _interleave,
)
filtered = _calling(
    dataset_op("FilterDataset", _SOURCE, f"predicate: func; Targuments: list(type) >= 0; {ELEMENTS}{NOTE}"),
    lambda attrs, source, call: _functional().Filter(source, call),
    "predicate",
)
take_while = _calling(
    dataset_op("TakeWhileDataset", _SOURCE, f"predicate: func; Targuments: list(type) >= 0; {ELEMENTS}{NOTE}"),
    lambda attrs, source, call: _functional().Filter(source, call, ends=True),
    "predicate",
)
map_and_batch = _calling(
    dataset_op(
        "MapAndBatchDataset",
        f"{_SOURCE}, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool",
        f"{_CALLS}; preserve_cardinality: bool = false{NOTE}",
    ),
    _map_and_batch,
)

# -- functions with a state -------------------------------------------------------------------------------------------

scan = dataset_op(
    "ScanDataset",
    "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
    f"f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; {ELEMENTS}; preserve_cardinality: bool = false; "
    f"use_default_device: bool = true{NOTE}",
)
reduce = op(
    "ReduceDataset",
    "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
    "components: output_types",
    f"f: func; Tstate: list(type) >= 1; Targuments: list(type) >= 0; {ELEMENTS}; "
    f"use_inter_op_parallelism: bool = true{NOTE}",
    stateful=True,
)
reduce.shape(element_shapes)
reduce.no_gradient("data sets have no gradient")


@scan.bind(CPU)
def _scan_bind(context: Any) -> Callable[..., Any]:
    function, count = BoundFunction(context), len(context.attrs["Tstate"])
    keep = keeper(context.op._inputs[1:])

    def make(source: Any, *inputs: Any) -> Any:
        kept = keep(inputs)
        return _functional().Scan(source, tuple(kept[:count]), function.call(kept[count:]))

    return make


@reduce.bind(CPU)
def _reduce_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.base import Context

    function, count = BoundFunction(context), len(context.attrs["Tstate"])
    keep = keeper(context.op._inputs[1:])

    def run(source: Any, *inputs: Any) -> tuple[Any, ...]:
        kept = keep(inputs)
        one_run = Context()
        call = function.call(kept[count:])(one_run)
        state = tuple(kept[:count])
        for element in source.iterate(one_run):
            state = call(*state, *element)
        return state

    return run


group_by_window = dataset_op(
    "GroupByWindowDataset",
    "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, reduce_func_other_arguments: "
    "Treduce_func_other_arguments, window_size_func_other_arguments: Twindow_size_func_other_arguments",
    "key_func: func; reduce_func: func; window_size_func: func; Tkey_func_other_arguments: list(type) >= 0; "
    "Treduce_func_other_arguments: list(type) >= 0; Twindow_size_func_other_arguments: list(type) >= 0; "
    + ELEMENTS
    + NOTE,
)


@group_by_window.bind(CPU)
def _group_by_window_bind(context: Any) -> Callable[..., Any]:
    names = ("key_func", "reduce_func", "window_size_func")
    functions = [BoundFunction(context, name) for name in names]
    counts = [len(context.attrs[f"T{name}_other_arguments"]) for name in names]
    keep = keeper(context.op._inputs[1:])

    def make(source: Any, *inputs: Any) -> Any:
        kept = keep(inputs)
        calls = []
        for function, count in zip(functions, counts, strict=True):
            calls.append(function.call(kept[:count]))
            del kept[:count]
        return _functional().GroupByWindow(source, *calls)

    return make
