"""Data sets that call a function for each element. Each returns a handle and the spec of the elements."""

from __future__ import annotations

from typing import Any

from tfbench.data import elements, specs, structure
from tfbench.data.functions import TracedFunction
from tfbench.data.transformations import AUTOTUNE, Made, batch_spec, described, deterministic_word, integer
from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import dataset_functions as ops


def map_elements(source: Any, function: Any, calls_at_once: Any, deterministic: Any) -> Made:
    traced = TracedFunction(function, "Dataset.map()", source.element_spec)
    spec = traced.output_spec
    handle, captured = source._variant_tensor, traced.captured
    attrs = {"f": traced.name, "Targuments": _types(captured), **described(spec)}
    if calls_at_once is None:
        return ops.map_elements(handle, captured, **attrs), spec
    calls_at_once = integer(calls_at_once, "num_parallel_calls")
    return ops.parallel_map(
        handle, captured, calls_at_once, deterministic=deterministic_word(deterministic), **attrs
    ), spec


def _types(captured: list[Any]) -> list[Any]:
    return [tensor.dtype.base_dtype for tensor in captured]


def _inner(traced: TracedFunction, what: str) -> Any:
    """The spec of the elements of the data set that a function returns."""
    spec = traced.output_spec
    if not isinstance(spec, specs.DatasetSpec):
        raise TypeError(
            f"The `map_func` argument of `{what}` must return a `Dataset` object. Got {specs.legacy_classes(spec)!r}."
        )
    return spec.element_spec


def flat_map(source: Any, function: Any) -> Made:
    traced = TracedFunction(function, "Dataset.flat_map()", source.element_spec)
    spec = _inner(traced, "Dataset.flat_map()")
    captured = traced.captured
    handle = ops.flat_map(
        source._variant_tensor, captured, f=traced.name, Targuments=_types(captured), **described(spec)
    )
    return handle, spec


def interleave(
    source: Any,
    function: Any,
    cycle_length: Any,
    block_length: Any,
    calls_at_once: Any,
    deterministic: Any,
) -> Made:
    traced = TracedFunction(function, "Dataset.interleave()", source.element_spec)
    spec = _inner(traced, "Dataset.interleave()")
    handle, captured = source._variant_tensor, traced.captured
    attrs = {"f": traced.name, "Targuments": _types(captured), **described(spec)}
    cycle = integer(AUTOTUNE if cycle_length is None else cycle_length, "cycle_length")
    block = integer(1 if block_length is None else block_length, "block_length")
    if calls_at_once is None:
        return ops.interleave(handle, captured, cycle, block, **attrs), spec
    buffered = integer(AUTOTUNE, "buffer_output_elements")
    prefetched = integer(AUTOTUNE, "prefetch_input_elements")
    calls_at_once = integer(calls_at_once, "num_parallel_calls")
    return ops.parallel_interleave(
        handle,
        captured,
        cycle,
        block,
        buffered,
        prefetched,
        calls_at_once,
        deterministic=deterministic_word(deterministic),
        **attrs,
    ), spec


def parallel_interleave(
    source: Any, function: Any, cycle_length: Any, block_length: Any, sloppy: Any, buffered: Any, prefetched: Any
) -> Made:
    """`tf.data.experimental.parallel_interleave`: elements are taken in turns; here one data set after the other."""
    traced = TracedFunction(function, "tf.data.experimental.parallel_interleave()", source.element_spec)
    spec = _inner(traced, "tf.data.experimental.parallel_interleave()")
    captured = traced.captured
    cycle, block = integer(cycle_length, "cycle_length"), integer(block_length, "block_length")
    buffered = integer(2 * block_length if buffered is None else buffered, "buffer_output_elements")
    prefetched = integer(2 * cycle_length if prefetched is None else prefetched, "prefetch_input_elements")
    handle = ops.legacy_parallel_interleave(
        source._variant_tensor,
        captured,
        cycle,
        block,
        buffered,
        prefetched,
        f=traced.name,
        Targuments=_types(captured),
        deterministic="default" if sloppy is None else "false" if sloppy else "true",
        **described(spec),
    )
    return handle, spec


def _predicate(source: Any, function: Any, transformation: str) -> TracedFunction:
    traced = TracedFunction(function, transformation, source.element_spec)
    spec = traced.output_spec
    if not isinstance(spec, specs.TensorSpec) or not spec.is_compatible_with(specs.TensorSpec([], dtypes.bool)):
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its return type is {spec!r}."
        )
    return traced


def filter_elements(source: Any, predicate: Any) -> Made:
    traced = _predicate(source, predicate, "Dataset.filter()")
    return _filtering(ops.filtered, source, traced)


def take_while(source: Any, predicate: Any) -> Made:
    traced = _predicate(source, predicate, "Dataset.take_while()")
    return _filtering(ops.take_while, source, traced)


def _filtering(op: Any, source: Any, traced: TracedFunction) -> Made:
    captured = traced.captured
    handle = op(
        source._variant_tensor,
        captured,
        predicate=traced.name,
        Targuments=_types(captured),
        **described(source.element_spec),
    )
    return handle, source.element_spec


def map_and_batch(source: Any, function: Any, batch_size: Any, calls_at_once: Any, drop_remainder: Any) -> Made:
    traced = TracedFunction(function, "tf.data.experimental.map_and_batch()", source.element_spec)
    size = integer(batch_size, "batch_size")
    calls_at_once = integer(calls_at_once, "num_parallel_calls")
    drops = convert_to_tensor(drop_remainder, dtype=dtypes.bool, name="drop_remainder")
    spec = batch_spec(_Described(traced.output_spec), size, drops)
    captured = traced.captured
    handle = ops.map_and_batch(
        source._variant_tensor,
        captured,
        size,
        calls_at_once,
        drops,
        f=traced.name,
        Targuments=_types(captured),
        preserve_cardinality=True,
        **described(spec),
    )
    return handle, spec


class _Described:
    """What has elements of a known spec."""

    def __init__(self, element_spec: Any) -> None:
        self.element_spec = element_spec


def group_by_window(source: Any, key: Any, reduce: Any, size: Any) -> Made:
    what = "tf.data.experimental.group_by_window()"
    keys = TracedFunction(key, what, source.element_spec)
    if not keys.output_spec.is_compatible_with(specs.TensorSpec([], dtypes.int64)):
        raise ValueError(
            f"Invalid `key_func`. `key_func` must return a single `tf.int64` scalar tensor, not {keys.output_spec}."
        )
    group = (specs.TensorSpec([], dtypes.int64), specs.DatasetSpec(source.element_spec))
    reduced = TracedFunction(reduce, what, group)
    spec = _inner(reduced, what)

    def as_int64(number: Any) -> Any:
        return convert_to_tensor(size(number), dtype=dtypes.int64)

    sizes = TracedFunction(as_int64, what, specs.TensorSpec([], dtypes.int64))
    handle = ops.group_by_window(
        source._variant_tensor,
        keys.captured,
        reduced.captured,
        sizes.captured,
        key_func=keys.name,
        reduce_func=reduced.name,
        window_size_func=sizes.name,
        Tkey_func_other_arguments=_types(keys.captured),
        Treduce_func_other_arguments=_types(reduced.captured),
        Twindow_size_func_other_arguments=_types(sizes.captured),
        **described(spec),
    )
    return handle, spec


# -- functions with a state ----------------------------------------------------------------------------------


def _traced_with_state(function: Any, what: str, state_spec: Any, source: Any, results: bool) -> tuple[Any, Any]:
    """A function of (state, element): traced until the shapes of the state it returns are those that it takes."""
    while True:
        traced = TracedFunction(function, what, (state_spec, source.element_spec))
        found = traced.output_spec
        if results:
            if not (isinstance(found, tuple) and len(found) == 2):
                raise TypeError(
                    f"Invalid `scan_func`. It should return a pair of a new state and an output, not {found}."
                )
            found = found[0]
        _check_state(state_spec, found)
        relaxed = structure.map_structure(_relaxed, state_spec, found)
        if structure.flatten(relaxed) == structure.flatten(state_spec):
            return traced, state_spec
        state_spec = relaxed


def _relaxed(before: Any, after: Any) -> Any:
    return type(before)(specs.common_shape(before.shape, after.shape), before.dtype)


def _check_state(before: Any, after: Any) -> None:
    try:
        structure.assert_same(before, after)
    except (TypeError, ValueError):
        raise TypeError(
            f"The element structure for the new state must match the initial state. Expected {before} but got {after}."
        ) from None
    kinds, found = specs.legacy_classes(before), specs.legacy_classes(after)
    if structure.flatten(kinds) != structure.flatten(found):
        raise TypeError(
            f"The element classes for the new state must match the initial state. Expected {kinds} but got {found}."
        )
    types, found = specs.legacy_types(before), specs.legacy_types(after)
    if structure.flatten(types) != structure.flatten(found):
        expected, got = (repr(t) if structure.is_nested(t) else str(t) for t in (types, found))
        raise TypeError(
            f"The element types for the new state must match the initial state. Expected {expected} but got {got}."
        )


def reduce(source: Any, initial_state: Any, function: Any) -> Any:
    """The last state, as tensors."""
    with name_scope("initial_state"):
        state = elements.normalized(initial_state)
    traced, spec = _traced_with_state(function, "reduce()", elements.spec_of(state), source, results=False)
    captured = traced.captured
    flat = ops.reduce(
        source._variant_tensor,
        specs.to_flat(state),
        captured,
        f=traced.name,
        Tstate=specs.flat_types(spec),
        Targuments=_types(captured),
        **described(spec),
    )
    return specs.from_flat(spec, flat)


def scan(source: Any, initial_state: Any, function: Any) -> Made:
    state = elements.normalized(initial_state)
    traced, state_spec = _traced_with_state(function, "Dataset.scan()", elements.spec_of(state), source, results=True)
    spec = traced.output_spec[1]
    captured = traced.captured
    handle = ops.scan(
        source._variant_tensor,
        specs.to_flat(state),
        captured,
        f=traced.name,
        Tstate=specs.flat_types(state_spec),
        Targuments=_types(captured),
        preserve_cardinality=True,
        use_default_device=True,
        **described(spec),
    )
    return handle, spec
