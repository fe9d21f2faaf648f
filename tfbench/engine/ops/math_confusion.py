"""Confusion matrices, and the bin that each value falls into: compositions that check what they are given."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_fill import ones_like
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.array_scatter import scatter_nd
from tfbench.engine.ops.asserts import assert_less, assert_non_negative
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.comparison import equal, greater
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.math_binary import maximum, truediv
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_clip import clip_by_value
from tfbench.engine.ops.math_unary import floor
from tfbench.engine.ops.reductions import reduce_max
from tfbench.engine.ops.shape_ops import reshape, squeeze
from tfbench.engine.ops.shape_queries import rank as rank_of
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.tensor import Tensor

__all__ = ["confusion_matrix", "histogram_fixed_width_bins"]


def _is_one(shape: Any) -> bool:
    return shape[-1:] in ((1,), (None,))


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Both, without the last axis (of size 1) of one whose rank is one too high."""
    with name_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions = convert_to_tensor(predictions)
        labels = convert_to_tensor(labels)
        ours, theirs = predictions._shape, labels._shape
        if ours is not None and theirs is not None:
            difference = len(ours) - len(theirs)
            if difference == expected_rank_diff + 1 and _is_one(ours):
                predictions = squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1 and _is_one(theirs):
                labels = squeeze(labels, [-1])
            return labels, predictions
        gap: Any = rank_of(predictions) - rank_of(labels)
        if ours is None or _is_one(ours):
            predictions = _squeezed_if(equal(expected_rank_diff + 1, gap), predictions)
        if theirs is None or _is_one(theirs):
            labels = _squeezed_if(equal(expected_rank_diff - 1, gap), labels)
        return labels, predictions


def _squeezed_if(condition: Tensor, x: Tensor) -> Tensor:
    return cond(condition, lambda: squeeze(x, [-1]), lambda: x)


def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: Any = dtypes.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """How often (or with what total weight) label i was predicted as j, for each i and j.

    Raises:
      ValueError: if the shapes differ.
      InvalidArgumentError: if a class is negative, or not below `num_classes`: at once where that is known already.
    """
    with name_scope(name, "confusion_matrix", [predictions, labels, num_classes, weights]):
        labels, predictions = remove_squeezable_dimensions(
            convert_to_tensor(labels, name="labels"), convert_to_tensor(predictions, name="predictions")
        )
        predictions = cast(predictions, dtypes.int64)
        labels = cast(labels, dtypes.int64)
        negative = "contains negative values"
        labels = with_dependencies([assert_non_negative(labels, message=f"`labels` {negative}")], labels)
        predictions = with_dependencies(
            [assert_non_negative(predictions, message=f"`predictions` {negative}")], predictions
        )
        if num_classes is None:
            num_classes = maximum(reduce_max(predictions), reduce_max(labels)) + 1
        else:
            limit = cast(num_classes, dtypes.int64)
            labels = with_dependencies([assert_less(labels, limit, message="`labels` out of bound")], labels)
            predictions = with_dependencies(
                [assert_less(predictions, limit, message="`predictions` out of bound")], predictions
            )
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
            predictions.shape.assert_is_compatible_with(weights.shape)
            weights = cast(weights, dtype)
        shape = stack([num_classes, num_classes])
        places = stack([labels, predictions], axis=1)
        counted = ones_like(predictions, dtype) if weights is None else weights
        return scatter_nd(places, counted, cast(shape, dtypes.int64))


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """The number of the bin, of `nbins` of one width, that each value falls into; those beyond go to the ends.

    It is an int32 whatever `dtype` says, as in TensorFlow.
    """
    with name_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        shape = shape_of(values)
        values = reshape(values, [-1])
        limits: Any = convert_to_tensor(value_range, name="value_range")
        nbins = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        check = Assert(greater(nbins, 0), [f"nbins {nbins} must > 0"])
        count: Any = cast(with_dependencies([check], nbins), values._dtype)
        scaled = truediv(values - limits[0], limits[1] - limits[0], name="scaled_values")
        places = floor(count * scaled, name="indices")
        return reshape(cast(clip_by_value(places, 0, count - 1), dtypes.int32), shape)
