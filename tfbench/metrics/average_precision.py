"""The mean, over ranked predictions, of the precision at each place where a right class stands."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from tfbench.engine.dtypes import float64, int64
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.nn_top import top_k
from tfbench.engine.ops.set_operations import set_size
from tfbench.engine.ops.sparse_shapes import sparse_concat, sparse_reshape
from tfbench.engine.ops.weights_broadcast import broadcast_weights
from tfbench.engine.tensor import Tensor
from tfbench.metrics.means import Metric
from tfbench.metrics.state import kept, metric_variable
from tfbench.metrics.top_k import at_k_name, sizes_true_positive, with_last_axis
from tfbench.variables import assign_add


def average_precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """The mean average precision of the k classes with the highest of the scores `predictions`.

    Labels are class numbers along the last axis of a tensor or a sparse tensor; those out of range do not count.
    """
    with name_scope(name, at_k_name("average_precision", k), [predictions, labels, weights]) as scope:
        _, best = top_k(predictions, k)
        classes = ops.cast(ops.shape(predictions)[-1], int64)
        labels = _only_known(labels, classes)
        return _mean(labels, best, weights, metrics_collections, updates_collections, scope)


def sparse_average_precision_at_k(*args: Any, **kwargs: Any) -> Metric:
    """The old name of `average_precision_at_k`."""
    return average_precision_at_k(*args, **kwargs)


def _only_known(labels: Any, classes: Tensor) -> Any:
    """The labels, with -1 for each that is no class."""
    labels = convert_to_tensor_or_sparse_tensor(labels)
    numbers = labels.values if isinstance(labels, SparseTensor) else labels

    def cleaned() -> Any:
        known = where_v2(ops.greater_equal(numbers, classes), -1 * ops.ones_like(numbers), numbers)
        return SparseTensor(labels.indices, known, labels.dense_shape) if labels is not numbers else known

    return ops.cond(ops.greater_equal(ops.reduce_max(numbers), classes), cleaned, lambda: labels)


def _mean(
    labels: Any, idx: Any, weights: Any, metrics_collections: Any, updates_collections: Any, scope: str
) -> Metric:
    with name_scope(scope, "average_precision_at_top_k", [idx, labels, weights]) as scope:
        found = _average_precision(labels, idx)
        if weights is not None:
            weights = broadcast_weights(ops.cast(weights, float64), found)
            found = ops.multiply(found, weights)
        # The largest sum that is possible is the number of predictions, or their weight.
        with name_scope(None, "max", [found]) as max_scope:
            most = metric_variable([], float64, name=max_scope)
            if weights is None:
                batch = ops.cast(ops.size(found, name="batch_max"), float64)
            else:
                batch = ops.reduce_sum(weights, name="batch_max")
            new_most = assign_add(most, batch, name="update")
        with name_scope(None, "total", [found]) as total_scope:
            total = metric_variable([], float64, name=total_scope)
            new_total = assign_add(total, ops.reduce_sum(found, name="batch_total"), name="update")
        divide = lookup("DivNoNan")
        value, update = divide(total, most, name="mean"), divide(new_total, new_most, name=scope)
        return kept(value, update, metrics_collections, updates_collections)


def _average_precision(labels: Any, idx: Any) -> Tensor:
    """For each row of ranked classes: the sum of the precisions at right ones, over how many could be right."""
    with name_scope(None, "average_precision", [idx, labels]) as scope:
        idx = ops.cast(idx, int64, name="predictions_idx")
        if idx.shape.ndims == 0:
            raise ValueError("The rank of `predictions_idx` must be at least 1.")
        labels = with_last_axis(labels, idx)
        k = idx.shape.as_list()[-1]
        each = ops.expand_dims(idx, -1, name="predictions_idx_per_k")
        labels_of_each = _repeated(labels, k)
        right = sizes_true_positive(labels_of_each, each, name="relevant_per_k")
        so_far = ops.cumsum(right, axis=-1, name="tp_per_k")
        place = ops.cumsum(ops.ones_like(right), axis=-1, name="retrieved_per_k")
        precision = ops.divide(ops.cast(so_far, float64), ops.cast(place, float64), name="precision_per_k")
        counted = ops.multiply(precision, ops.cast(right, float64), name="relevant_precision_per_k")
        total = ops.reduce_sum(counted, axis=(-1,), name="precision_sum")
        return ops.divide(total, ops.cast(_possible(labels, k), float64), name=scope)


def _repeated(labels: Any, count: int) -> Any:
    """The labels `count` times along a new axis before the last one."""
    with name_scope("labels_per_k", "expand_and_tile", [labels, count, -1]) as scope:
        if isinstance(labels, SparseTensor):
            shape = labels.dense_shape
            last = ops.reshape(ops.size(shape) + (-1), [1])
            parts = (ops.slice(shape, [0], last), [1], ops.slice(shape, last, [-1]))
            expanded = sparse_reshape(labels, ops.concat(parts, 0, name="expanded_shape"), name="expand")
            return expanded if count == 1 else sparse_concat(-2, [expanded] * count, name=scope)
        one = ops.expand_dims(labels, -2, name="expand")
        if count == 1:
            return one
        ones = ops.ones_like(ops.shape(labels))
        return ops.tile(one, ops.concat((ones[:-1], (count,), ones[-1:]), axis=0, name="multiples"), name=scope)


def _possible(labels: Any, k: int) -> Tensor:
    """How many of k predictions can be right."""
    with name_scope(None, "num_relevant", [labels]) as scope:
        if isinstance(labels, SparseTensor):
            return ops.minimum(set_size(labels), k, name=scope)
        counted = where_v2(ops.greater_equal(labels, 0), ops.ones_like(labels), ops.zeros_like(labels))
        return ops.minimum(ops.reduce_sum(counted, axis=-1), k, name=scope)
