"""`contrib.training`: examples kept or repeated by chance, so that their distribution is the one that is wanted.

Rejection throws examples away until what is left has it; resampling repeats an example as often as a Poisson
distribution of its rate says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import convert_to_tensor_or_indexed_slices
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.asserts import (
    assert_equal,
    assert_less,
    assert_less_equal,
    assert_non_negative,
    assert_positive,
)
from tfbench.engine.ops.asserts_static import assert_integer
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.tensor_array import TensorArray
from tfbench.engine.ops.while_loop import while_loop
from tfbench.train.batching import batch, maybe_batch
from tfbench.train.moving_averages import assign_moving_average
from tfbench.variable_scope import get_local_variable, variable_scope
from tfbench.variables import Variable

__all__ = ["rejection_sample", "resample_at_rate", "stratified_sample", "weighted_resample"]

#: how far a distribution may sum up to another number than 1
_TOLERANCE = 1e-6
#: how often each class is counted before there was one
_SEEN_BEFORE = 10


def rejection_sample(
    tensors: Sequence[Any],
    accept_prob_fn: Callable[[list[Any]], Any],
    batch_size: Any,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Batches of the examples that were accepted, each with the probability that a function of it gives.

    Args:
      enqueue_many: `tensors` are many examples each, along their first axis.
      runtime_checks: whether probabilities outside of [0, 1] are errors.
    """
    with name_scope(name, "rejection_sample", tensors):
        parts = [convert_to_tensor_or_indexed_slices(tensor) for tensor in tensors]
        if enqueue_many:
            taken = batch(
                parts, batch_size=1, num_threads=prebatch_threads, capacity=prebatch_capacity, enqueue_many=True
            )
            parts = [ops.squeeze(one, [0]) for one in _as_list(taken)]
        probability = accept_prob_fn(parts)
        if runtime_checks:
            checks = [assert_less_equal(0.0, probability), assert_less_equal(probability, 1.0)]
            probability = ops.identity(with_dependencies(checks, probability), name="prob_with_checks")
        return _accepted(parts, probability, batch_size, queue_threads)


def _as_list(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _accepted(parts: list[Any], probability: Any, batch_size: Any, threads: int) -> list[Any]:
    keep = ops.random_uniform([]) < probability
    return _as_list(maybe_batch(parts, keep_input=keep, batch_size=batch_size, num_threads=threads))


def stratified_sample(
    tensors: Sequence[Any],
    labels: Any,
    target_probs: Any,
    batch_size: Any,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> tuple[list[Any], Any]:
    """(batches, labels) in which each class comes as often as `target_probs` say.

    Args:
      labels: the class of the example.
      init_probs: how often each class comes; default: it is estimated from the labels so far.
      enqueue_many: `tensors` and `labels` are many examples each.

    Raises:
      ValueError: if a distribution is no vector, or the two have different lengths.
    """
    with name_scope(name, "stratified_sample", [*tensors, labels]):
        parts = [convert_to_tensor_or_indexed_slices(tensor) for tensor in tensors]
        labels = convert_to_tensor(labels)
        target = convert_to_tensor(target_probs, dtype=dtypes.float32)
        if not enqueue_many:
            parts = [ops.expand_dims(tensor, 0) for tensor in parts]
            labels = ops.expand_dims(labels, 0)
        if init_probs is None:
            target.get_shape().assert_is_fully_defined()
            initial = _estimated(labels, target.get_shape().num_elements() or 0)
        else:
            initial = convert_to_tensor(init_probs, dtype=dtypes.float32)
        parts, labels, initial, target = _checked(parts, labels, initial, target)
        possible = ops.reduce_all(ops.logical_or(ops.not_equal(initial, 0), ops.equal(target, 0)))
        what = "All classes with zero initial probability must also have zero target probability: "
        initial = with_dependencies([Assert(possible, [what, initial, target])], initial)
        accept = _accept_probabilities(initial, target)
        accept = _warned(accept, ops.reduce_sum((1 - accept) * initial))
        taken = batch(
            [*parts, labels],
            batch_size=1,
            num_threads=threads_per_queue,
            capacity=queue_capacity,
            enqueue_many=True,
        )
        *values, label = [ops.squeeze(one, [0]) for one in taken]
        found = _accepted([*values, label], ops.gather(accept, label), batch_size, threads_per_queue)
        return found[:-1], found[-1]


def _accept_probabilities(initial: Any, target: Any) -> Any:
    """How often to accept each class: in proportion to what is wanted of it, the rarest always."""
    ratio = target / initial
    ratio = ops.where_v2(ops.is_nan(ratio), ops.zeros_like(ratio), ratio)
    return ratio / ops.reduce_max(ratio)


def _warned(accept: Any, rejected: Any) -> Any:
    """`accept`; a run says when most examples are rejected."""
    message = "Proportion of examples rejected by sampler is high."
    return cond(ops.less(rejected, 0.5), lambda: accept, lambda: ops.Print(accept, [accept], message, first_n=10))


def _estimated(labels: Any, classes: int) -> Any:
    """How often each class has come so far."""
    counts: Any = Variable([_SEEN_BEFORE] * classes, trainable=False, name="class_count", dtype=dtypes.int64)
    seen = counts.assign_add(ops.reduce_sum(ops.one_hot(labels, classes, dtype=dtypes.int64), 0))
    seen = seen + 0  # a copy: another thread may count in between
    return ops.cast(ops.truediv(seen, ops.reduce_sum(seen)), dtypes.float32)


def _checked(parts: list[Any], labels: Any, initial: Any, target: Any) -> tuple[list[Any], Any, Any, Any]:
    """All of them, which wait for checks that they fit each other."""
    distributions = []
    for given in (initial, target):
        given.get_shape().assert_is_fully_defined()
        given.get_shape().assert_has_rank(1)
        total = ops.reduce_sum(given)
        checks = [
            assert_non_negative(given), assert_less(total, 1.0 + _TOLERANCE), assert_less(1.0 - _TOLERANCE, total)
        ]  # fmt: skip
        distributions.append(with_dependencies(checks, given))
    classes = distributions[0].get_shape().num_elements()
    if distributions[1].get_shape().num_elements() != classes:
        raise ValueError(
            "Both distributions need one probability for each class, but they do not have the same length."
        )
    labels.get_shape().assert_has_rank(1)
    for tensor in parts:
        tensor.get_shape().with_rank_at_least(1)[:1].assert_is_compatible_with(labels.get_shape()[:1])
    count = ops.shape(labels)[0]
    labels = with_dependencies([assert_positive(count)], labels)
    parts = [with_dependencies([assert_equal(ops.shape(one)[0], count)], one) for one in parts]
    labels = with_dependencies(
        [assert_integer(labels), assert_non_negative(labels), assert_less(labels, ops.cast(classes, labels.dtype))],
        labels,
    )
    return parts, labels, distributions[0], distributions[1]


def resample_at_rate(
    inputs: Sequence[Any], rates: Any, scope: Any = None, seed: int | None = None, back_prop: bool = False
) -> list[Any]:
    """The examples of `inputs` (along their first axis), each as often as a Poisson distribution of its rate says."""
    with name_scope(scope, "resample_at_rate", [*inputs, rates]):
        rates = convert_to_tensor(rates, name="rates")
        counts = ops.cast(ops.random_poisson(rates, (), rates.dtype, seed=seed), dtypes.int32)
        indices = _repeated_range(counts)
        if not back_prop:
            indices = ops.stop_gradient(indices)
        return [ops.gather(one, indices) for one in inputs]


def weighted_resample(
    inputs: Sequence[Any],
    weights: Any,
    overall_rate: float,
    scope: Any = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> tuple[list[Any], Any]:
    """(examples, their rates): `resample_at_rate` with rates in proportion to weights, `overall_rate` for the mean one.

    The mean weight is a moving average, a local variable.
    """
    with name_scope(scope, "weighted_resample", inputs) as opened:
        with variable_scope(scope, "estimate_mean", inputs):
            estimated = get_local_variable(
                "estimated_mean", initializer=ops.cast(0, weights.dtype), dtype=weights.dtype
            )
            mean = assign_moving_average(estimated, ops.reduce_mean(weights), mean_decay)
        rates = weights * overall_rate / mean
        rates_found, *found = resample_at_rate([rates, *inputs], rates, scope=opened, seed=seed, back_prop=False)
        return found, rates_found


def _repeated_range(counts: Any) -> Any:
    """0, 1, 2, … each as often as its count says."""
    with name_scope(None, "repeat_range", [counts]) as scope:
        counts = convert_to_tensor(counts, name="counts")
        size = ops.shape(counts)[0]
        array = TensorArray(dtype=dtypes.int32, size=size, infer_shape=False)
        array, written = while_loop(
            lambda _, i: i < size,
            lambda found, i: (found.write(i, ops.fill(counts[i : i + 1], i)), i + 1),
            loop_vars=[array, 0],
        )
        return cond(written > 0, array.concat, lambda: ops.zeros(shape=[0], dtype=dtypes.int32), name=scope)
