"""Precision and recall of the k best of many classes, where several may be right.

Labels and predictions are sets of class numbers along the last axis, so a true positive is an element of an
intersection, and a mistake one of a difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import float64, int64
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_top import top_k
from tfbench.engine.ops.set_operations import set_difference, set_intersection, set_size
from tfbench.engine.ops.sparse import sparse_retain
from tfbench.engine.ops.sparse_shapes import sparse_reshape
from tfbench.engine.ops.weights_broadcast import assert_broadcastable
from tfbench.engine.tensor import Tensor
from tfbench.metrics.means import Metric
from tfbench.metrics.state import kept, metric_variable
from tfbench.variables import assign_add


def at_k_name(what: str, k: int | None = None, class_id: int | None = None) -> str:
    name = f"{what}_at_k" if k is None else f"{what}_at_{k}"
    return name if class_id is None else f"{name}_class{class_id}"


# -- sets of classes -----------------------------------------------------------------------------------------------


def with_last_axis(labels: Any, predictions: Any) -> Any:
    """The labels with a last axis, where there is one label each and no axis for it."""
    with name_scope(None, "expand_labels", [labels, predictions]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            lacks_one = ops.equal(ops.rank(predictions), ops.size(labels.dense_shape) + 1)
            return ops.cond(
                lacks_one,
                lambda: sparse_reshape(labels, ops.concat((labels.dense_shape, (1,)), axis=0), name=scope),
                lambda: labels,
            )
        ours, theirs = labels.shape.ndims, predictions.shape.ndims
        if ours is None or theirs is None:
            lacks_one = ops.equal(ops.rank(predictions), ops.rank(labels) + 1)
            return ops.cond(lacks_one, lambda: ops.expand_dims(labels, -1, name=scope), lambda: labels)
        if theirs == ours + 1:
            return ops.expand_dims(labels, -1, name=scope)
        if ours != theirs:
            raise ValueError(f"Unexpected labels shape {labels.shape} for predictions shape {predictions.shape}.")
        return labels


def _only(ids: Any, class_id: int) -> SparseTensor:
    """What is `class_id` in each set."""
    ids = convert_to_tensor_or_sparse_tensor(ids)
    if isinstance(ids, SparseTensor):
        return sparse_retain(ids, ops.equal(ids.values, class_id))
    shape = ops.shape(ids, out_type=int64)
    last = ops.size(shape) - 1
    sets_of_one = ops.fill(_with_ones_at(shape, ops.reshape(last, [1])), ops.cast(class_id, int64))
    found = set_intersection(sets_of_one, ids)
    return SparseTensor(found.indices, found.values, shape)


def _with_ones_at(shape: Tensor, axes: Tensor) -> Tensor:
    """The shape, with the size 1 on these axes."""
    rank = ops.size(shape)
    axes = (axes + rank) % rank
    ones_shape = ops.shape(axes)
    return ops.dynamic_stitch([ops.range(rank), axes], [shape, ops.ones(ones_shape, dtype=shape.dtype)])


def _sizes(what: str, combine: Callable[[Any, Any], Any]) -> Callable[..., Tensor]:
    """A function that says how many elements a combination of predictions and labels has, for each pair of sets."""

    def sizes(
        labels: Any, predictions_idx: Any, class_id: int | None = None, weights: Any = None, name: str | None = None
    ) -> Tensor:
        with name_scope(name, what, [predictions_idx, labels, weights]):
            if class_id is not None:
                labels, predictions_idx = _only(labels, class_id), _only(predictions_idx, class_id)
            found = ops.cast(set_size(combine(predictions_idx, labels)), float64)
            if weights is None:
                return found
            with control_dependencies([assert_broadcastable(weights, found)]):
                weights = ops.cast(weights, float64)
                return ops.multiply(found, weights)

    return sizes


sizes_true_positive = _sizes("true_positives", set_intersection)
_sizes_false_positive = _sizes("false_positives", set_difference)
_sizes_false_negative = _sizes(
    "false_negatives", lambda predictions, labels: set_difference(predictions, labels, False)
)


def _streaming(
    what: str, sizes: Callable[..., Tensor], labels: Any, idx: Any, k: int | None, class_id: int | None, weights: Any
) -> tuple[Any, Any]:
    """A variable with the sum of all sizes, and its update."""
    with name_scope(None, at_k_name(what, k, class_id), [idx, labels, weights]) as scope:
        found = sizes(labels, idx, class_id=class_id, weights=weights)
        batch = ops.cast(ops.reduce_sum(found), float64)
        total = metric_variable([], float64, name=scope)
        return total, assign_add(total, batch, name="update")


# -- metrics -------------------------------------------------------------------------------------------------------


def _at_top_k(
    what: str,
    wrong: str,
    wrong_sizes: Callable[..., Tensor],
    labels: Any,
    predictions_idx: Any,
    k: int | None,
    class_id: int | None,
    weights: Any,
    metrics_collections: Any,
    updates_collections: Any,
    name: str | None,
) -> Metric:
    with name_scope(name, at_k_name(what, k, class_id), [predictions_idx, labels, weights]) as scope:
        labels = with_last_axis(labels, predictions_idx)
        idx = ops.cast(predictions_idx, int64)
        hits, new_hits = _streaming("true_positive", sizes_true_positive, labels, idx, k, class_id, weights)
        misses, new_misses = _streaming(wrong, wrong_sizes, labels, idx, k, class_id, weights)
        value = ops.divide(hits, ops.add(hits, misses), name=scope)
        update = ops.divide(new_hits, ops.add(new_hits, new_misses), name="update")
        return kept(value, update, metrics_collections, updates_collections)


def precision_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the predicted classes `predictions_idx` is among the labels; with `class_id`, of that class."""
    given = (labels, predictions_idx, k, class_id, weights, metrics_collections, updates_collections, name)
    return _at_top_k("precision", "false_positive", _sizes_false_positive, *given)


def recall_at_top_k(
    labels: Any,
    predictions_idx: Any,
    k: int | None = None,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """What part of the labels is among the predicted classes `predictions_idx`; with `class_id`, of that class."""
    given = (labels, predictions_idx, k, class_id, weights, metrics_collections, updates_collections, name)
    return _at_top_k("recall", "false_negative", _sizes_false_negative, *given)


def precision_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """`precision_at_top_k` of the k classes with the highest of the scores `predictions`."""
    with name_scope(name, at_k_name("precision", k, class_id), [predictions, labels, weights]) as scope:
        _, best = top_k(predictions, k)
        return precision_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


def recall_at_k(
    labels: Any,
    predictions: Any,
    k: int,
    class_id: int | None = None,
    weights: Any = None,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    name: str | None = None,
) -> Metric:
    """`recall_at_top_k` of the k classes with the highest of the scores `predictions`."""
    with name_scope(name, at_k_name("recall", k, class_id), [predictions, labels, weights]) as scope:
        _, best = top_k(predictions, k)
        return recall_at_top_k(labels, best, k, class_id, weights, metrics_collections, updates_collections, scope)


def sparse_precision_at_k(*args: Any, **kwargs: Any) -> Metric:
    """The old name of `precision_at_k`."""
    return precision_at_k(*args, **kwargs)
