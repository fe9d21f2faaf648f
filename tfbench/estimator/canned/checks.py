"""What a head demands of labels, logits and weights: shapes, and that they fit each other."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.name_scope import name_scope
from tfbench.feature_column.columns import Transformed
from tfbench.feature_column.numeric import NumericColumn, numeric_column


def checked_labels(labels: Any, logits: Any, width: int) -> Any:
    """The labels, as [batch, width]; labels without a last axis get one.

    Raises:
      ValueError: if there are none, they are sparse, or their shape is known to be another.
    """
    check_given(labels)
    with name_scope(None, "labels", [labels, logits]) as scope:
        labels = convert_to_tensor_or_sparse_tensor(labels)
        if isinstance(labels, SparseTensor):
            raise ValueError(
                "SparseTensor labels are not supported. labels must be a Tensor of shape "
                f"[D0, D1, ..., DN, {width}], e.g. [batch_size, {width}]: use tf.sparse_tensor_to_dense() in the input "
                "function, if each example has as many."
            )
        if None not in (labels.shape.ndims, logits.shape.ndims) and labels.shape.ndims == logits.shape.ndims - 1:
            labels = ops.expand_dims(labels, -1)
        found, given = ops.shape(labels), ops.shape(logits)
        message = (
            f"labels shape must be [D0, D1, ... DN, {width}]. Suggested Fix: check your n_classes argument to the "
            "estimator and/or the shape of your label."
        )
        with control_dependencies([ops.assert_rank_at_least(labels, 2, message=message)]):
            if labels.shape.ndims is not None:
                last = labels.shape[-1].value
                if last is not None and last != width:
                    raise ValueError(
                        f"Mismatched label shape. Expected labels dimension={width}.  Received {last}. Check n_classes "
                        "of the estimator and the shape of the label; a label is a class's number, not one-hot."
                    )
            wanted = ops.concat([given[:-1], [width]], axis=0)
            data = ["expected_labels_shape: ", wanted, "labels_shape: ", found]
            with control_dependencies([ops.assert_equal(wanted, found, message=message, data=data)]):
                return ops.identity(labels, name=scope)


def checked_logits(logits: Any, width: int) -> Any:
    """The logits as floats [batch, width].

    Raises:
      ValueError: if their shape is known to be another.
    """
    with name_scope(None, "logits", [logits]) as scope:
        logits = ops.to_float(logits)
        sizes = ops.shape(logits)
        message = "logits shape must be [D0, D1, ... DN, logits_dimension]"
        with control_dependencies([ops.assert_rank_at_least(logits, 2, data=[sizes], message=message)]):
            known = logits.shape
            if known.ndims is not None and known[-1].value is not None:
                if known[-1].value != width:
                    raise ValueError(f"{message}, got {known}.")
                return logits
            with control_dependencies([ops.assert_equal(width, sizes[-1], data=[sizes], message=message)]):
                return ops.identity(logits, name=scope)


def checked_weights(features: Any, weight_column: Any, logits: Any, for_each_logit: bool = False) -> Any:
    """The examples' weights: 1.0, or floats [batch, 1] (or, where there may be one for each logit, as the logits).

    Raises:
      TypeError: if the column is neither a key nor numeric.
    """
    message = "weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]"
    if for_each_logit:
        message = "weights shape must be [D0, D1, ... DN], [D0, D1, ... DN, 1] or [D0, D1, ... DN, logits_dimension]"
    with name_scope(None, "weights", [*features.values(), logits]) as scope:
        if weight_column is None:
            return 1.0
        if isinstance(weight_column, str):
            weight_column = numeric_column(weight_column)
        if not isinstance(weight_column, NumericColumn):
            raise TypeError(
                f"Weight column must be either a string or _NumericColumn. Given type: {type(weight_column)}."
            )
        weights = Transformed(features).get(weight_column)
        weights = ops.to_float(weights, name="weights")
        found = ops.shape(weights, name="weights_shape")
        given = ops.shape(logits, name="logits_shape")
        data = ["logits_shape: ", given, "weights_shape: ", found]
        if None not in (weights.shape.ndims, logits.shape.ndims) and weights.shape.ndims == logits.shape.ndims - 1:
            with control_dependencies([ops.assert_equal(given[:-1], found, message=message, data=data)]):
                return ops.expand_dims(weights, -1, name=scope)
        wanted = ops.concat([given[:-1], [1]], axis=0)
        if for_each_logit:
            fits = [ops.reduce_all(ops.equal(given, found)), ops.reduce_all(ops.equal(wanted, found))]
            check = ops.Assert(condition=ops.reduce_any(fits), data=[message, *data])
        else:
            check = ops.assert_equal(wanted, found, message=message, data=data)
        with control_dependencies([check]):
            return ops.identity(weights, name=scope)


def check_given(labels: Any) -> None:
    """Raises ValueError if there are no labels."""
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Does the input function parse the label and return it as "
            "the second of a pair?"
        )


def in_range(labels: Any, classes: int, message: str | None = None) -> Any:
    """The labels, once they are seen to be numbers of classes."""
    with name_scope(None, "assert_range", [labels]):
        highest = convert_to_tensor(classes - 1, dtype=labels.dtype)
        below = ops.assert_less_equal(labels, highest, message=message or "Labels must <= n_classes - 1")
        above = ops.assert_non_negative(labels, message=message or "Labels must >= 0")
        with control_dependencies([below, above]):
            return ops.identity(labels)
