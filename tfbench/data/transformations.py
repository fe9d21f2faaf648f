"""Data sets made of other data sets' elements without a function. Each returns a handle and the elements' spec."""

from __future__ import annotations

from typing import Any

from tfbench.data import specs, structure
from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import dataset_transforms as ops
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.comparison import equal, logical_and
from tfbench.engine.ops.random_common import get_seed
from tfbench.engine.tensor import Tensor

Made = tuple[Tensor, Any]

#: as many as there are: a number that every element's is below
LARGEST = 2**63 - 1
#: let the runtime choose
AUTOTUNE = -1


def integer(value: Any, name: str) -> Tensor:
    """An int64 input."""
    return convert_to_tensor(value, dtype=dtypes.int64, name=name)


def described(element_spec: Any) -> dict[str, Any]:
    """The attributes that say what elements look like."""
    return {"output_types": specs.flat_types(element_spec), "output_shapes": specs.flat_shapes(element_spec)}


def counted(op: Any, source: Any, count: Any) -> Made:
    """`take`, `skip` and `repeat`."""
    count = integer(-1 if count is None else count, "count")
    return op(source._variant_tensor, count, **described(source.element_spec)), source.element_spec


def shard(source: Any, num_shards: Any, index: Any) -> Made:
    num_shards, index = integer(num_shards, "num_shards"), integer(index, "index")
    handle = ops.shard(source._variant_tensor, num_shards, index, **described(source.element_spec))
    return handle, source.element_spec


def concatenate(source: Any, other: Any) -> Made:
    spec = specs.most_specific(source.element_spec, other.element_spec)
    return ops.concatenate(source._variant_tensor, other._variant_tensor, **described(spec)), spec


def zip_datasets(datasets: Any) -> Made:
    if isinstance(datasets, list):
        raise TypeError(
            "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects. "
            "Python `list` is not supported and you should use `tuple` instead."
        )
    leaves = structure.flatten(datasets)
    for leaf in leaves:
        if not hasattr(leaf, "_variant_tensor"):
            raise TypeError(
                "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` objects "
                f"but encountered object of type {type(leaf)}."
            )
    spec = structure.pack(datasets, [leaf.element_spec for leaf in leaves])
    return ops.zipped([leaf._variant_tensor for leaf in leaves], **described(spec)), spec


def seeds(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of a data set, as tensors: (0, 0) asks for any."""
    first, second = get_seed(seed)
    if first is None:
        first = constant(0, dtype=dtypes.int64, name="seed")
    else:
        first = integer(first, "seed")
    if second is None:
        return first, constant(0, dtype=dtypes.int64, name="seed2")
    with name_scope("seed2") as scope:
        second = convert_to_tensor(second, dtype=dtypes.int64)
        both = logical_and(equal(first, 0), equal(second, 0))
        return first, where_v2(both, constant(2**31 - 1, dtype=dtypes.int64), second, name=scope)


def shuffle(source: Any, buffer_size: Any, seed: Any, reshuffle_each_iteration: Any) -> Made:
    buffer_size = integer(buffer_size, "buffer_size")
    first, second = seeds(seed)
    handle = ops.shuffle(
        source._variant_tensor,
        buffer_size,
        first,
        second,
        reshuffle_each_iteration=True if reshuffle_each_iteration is None else reshuffle_each_iteration,
        **described(source.element_spec),
    )
    return handle, source.element_spec


def shuffle_and_repeat(source: Any, buffer_size: Any, count: Any, seed: Any) -> Made:
    buffer_size = integer(buffer_size, "buffer_size")
    count = integer(-1 if count is None else count, "count")
    first, second = seeds(seed)
    handle = ops.shuffle_and_repeat(
        source._variant_tensor, buffer_size, first, second, count, **described(source.element_spec)
    )
    return handle, source.element_spec


def batch_spec(source: Any, batch_size: Tensor, drop_remainder: Tensor) -> Any:
    """The spec of batches: their size is known if none may be smaller."""
    size = None
    if constant_value(drop_remainder):
        known = constant_value(batch_size)
        size = None if known is None else int(known)
    return specs.batched(source.element_spec, size)


def batch(source: Any, batch_size: Any, drop_remainder: Any, num_parallel_calls: Any, deterministic: Any) -> Made:
    size = integer(batch_size, "batch_size")
    handle = source._variant_tensor
    if num_parallel_calls is None:
        drops = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
        spec = batch_spec(source, size, drops)
        return ops.batch(handle, size, drops, **described(spec)), spec
    drops = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    calls = integer(num_parallel_calls, "num_parallel_calls")
    spec = batch_spec(source, size, drops)
    return ops.parallel_batch(
        handle, size, calls, drops, deterministic=deterministic_word(deterministic), **described(spec)
    ), spec


def deterministic_word(deterministic: Any) -> str:
    """The attribute for an argument `deterministic`: None leaves it to the options."""
    return "default" if deterministic is None else "true" if deterministic else "false"


def prefetch(source: Any, buffer_size: Any) -> Made:
    size = integer(-1 if buffer_size is None else buffer_size, "buffer_size")
    with get_default_graph().colocate_with(source._variant_tensor.op):
        handle = ops.prefetch(
            source._variant_tensor,
            size,
            legacy_autotune=isinstance(buffer_size, int) and buffer_size == AUTOTUNE,
            **described(source.element_spec),
        )
    return handle, source.element_spec


def cache(source: Any, filename: Any) -> Made:
    prefix = convert_to_tensor(filename, dtype=dtypes.string, name="filename")
    handle = ops.cache(source._variant_tensor, prefix, **described(source.element_spec))
    return handle, source.element_spec


def unbatch(handle: Tensor, spec: Any) -> Made:
    """`handle` is of a data set whose components have one entry of dimension 0 for each element of `spec`."""
    return ops.unbatch(handle, **described(spec)), spec


def unique(source: Any) -> Made:
    for spec in structure.flatten(source.element_spec):
        if not isinstance(spec, specs.TensorSpec) or spec.dtype not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                "`tf.data.Dataset.unique` does not support type, only `tf.int32`, `tf.int64`, and `tf.string` are "
                f"supported: {spec!r}."
            )
    return ops.unique(source._variant_tensor, **described(source.element_spec)), source.element_spec


def window(source: Any, size: Any, shift: Any, stride: Any, drop_remainder: Any) -> Made:
    shift = size if shift is None else shift
    size = integer(size, "size")
    shift = integer(shift, "shift")
    stride = integer(stride, "stride")
    drops = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    spec = structure.map_structure(specs.DatasetSpec, source.element_spec)
    return ops.window(source._variant_tensor, size, shift, stride, drops, **described(spec)), spec


def with_options(source: Any, serialized: bytes) -> Made:
    with get_default_graph().colocate_with(source._variant_tensor.op):
        handle = ops.options(source._variant_tensor, serialized_options=serialized, **described(source.element_spec))
    return handle, source.element_spec


def rewrite(source: Any, what: str) -> Made:
    handle = ops.rewrite(source._variant_tensor, what, **described(source.element_spec))
    return handle, source.element_spec


def ignore_errors(source: Any, log_warning: bool) -> Made:
    handle = ops.ignore_errors(source._variant_tensor, log_warning=log_warning, **described(source.element_spec))
    return handle, source.element_spec


def directed(selector: Any, datasets: Any, stops: bool) -> Made:
    spec = datasets[0].element_spec
    for other in datasets[1:]:
        spec = specs.most_specific(spec, other.element_spec)
    handles = [dataset._variant_tensor for dataset in datasets]
    chosen, _ = rewrite(selector, "replicate_on_split")
    return ops.directed(chosen, handles, stop_on_empty_dataset=stops, **described(spec)), spec


# -- padded batches ------------------------------------------------------------------------------------------


def padded_batch(source: Any, batch_size: Any, padded_shapes: Any, padding_values: Any, drop_remainder: Any) -> Made:
    from tfbench.data.padding import padding_of, shapes_of, spec_of

    element_spec = source.element_spec
    size = integer(batch_size, "batch_size")
    shapes = shapes_of(element_spec, padded_shapes)
    values = padding_of(element_spec, padding_values)
    drops = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    known = constant_value(size) if constant_value(drops) else None
    spec = spec_of(element_spec, shapes, None if known is None else int(known))
    handle = ops.padded_batch(
        source._variant_tensor,
        size,
        shapes,
        values,
        drops,
        output_shapes=specs.flat_shapes(spec),
    )
    return handle, spec
