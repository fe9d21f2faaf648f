"""Cross entropies: of distributions, of class numbers, of independent yes-or-no questions; and the Poisson loss."""

from __future__ import annotations

import math
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_fill import ones_like, zeros_like
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.asserts import assert_equal
from tfbench.engine.ops.base import stop_gradient
from tfbench.engine.ops.comparison import logical_and
from tfbench.engine.ops.math_binary import add, subtract
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_range import range as range_of
from tfbench.engine.ops.math_unary import abs as absolute
from tfbench.engine.ops.math_unary import exp, log, log1p
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.ops.nn_loss import softmax_cross_entropy_op, sparse_softmax_cross_entropy_op
from tfbench.engine.ops.shape_ops import rank, renamed, reshape, shape
from tfbench.engine.ops.slicing import slice as slice_of
from tfbench.engine.shape_math import is_fully_defined
from tfbench.engine.tensor import Tensor


def _need_both(function: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(
            f"Both `labels` and `logits` must be provided for {function}. Received: labels={labels} and logits={logits}"
        )


def _precise(x: Tensor) -> Tensor:
    """Half precision as single."""
    return cast(x, dtypes.float32) if x.dtype in (dtypes.float16, dtypes.bfloat16) else x


# -- of distributions -------------------------------------------------------------------------------------------------


def softmax_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, dim: Any = -1, name: str | None = None, axis: Any = None
) -> Tensor:
    """The cross entropy of softmax(logits) with `labels`, whose gradient does not reach the labels.

    `labels` holds a distribution along `dim` for each example; the result has the other axes.
    """
    dim = renamed("axis", axis, "dim", dim)
    _need_both("softmax_cross_entropy_with_logits", labels, logits)
    with name_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = stop_gradient(labels, name="labels_stop_gradient")
        return softmax_cross_entropy_with_logits_v2(labels, logits, axis=dim, name=scope)


def softmax_cross_entropy_with_logits_v2(
    labels: Any, logits: Any, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """The cross entropy of softmax(logits) with `labels`: a distribution along `axis` (default: the last)."""
    axis = renamed("axis", axis, "dim", dim)
    axis = -1 if axis is None else axis
    _need_both("softmax_cross_entropy_with_logits", labels, logits)
    with name_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        precise = _precise(logits)
        labels = cast(labels, precise.dtype)
        own_rank = rank(precise)
        known = logits._shape
        if axis != -1:
            precise, labels = (_with_last_axis(x, axis, own_rank) for x in (precise, labels))
        own_shape = shape(precise)
        precise, labels = _rows(precise), _rows(labels)
        cost = softmax_cross_entropy_op(precise, labels, name=scope)[0]
        cost = reshape(cost, slice_of(own_shape, [0], [subtract(own_rank, 1)]))
        if known is not None:
            rest = list(known)
            if not rest:
                raise IndexError("list index out of range: logits must have at least one axis")
            del rest[axis]
            cost.set_shape(rest)
        return cast(cost, logits.dtype)


def _with_last_axis(x: Tensor, axis: Any, own_rank: Tensor) -> Tensor:
    return transpose(x, concat([range_of(axis), range_of(axis + 1, own_rank), [axis]], 0))


def _rows(x: Tensor) -> Tensor:
    """All axes but the last taken together."""
    own_rank = rank(x)
    last = slice_of(shape(x), [subtract(own_rank, 1)], [1])
    rows = reshape(x, concat([[-1], last], 0))
    known = x._shape
    if known == ():
        raise IndexError(f"list index out of range: {x.name} is a scalar, and must have an axis of classes")
    if known is not None and None not in known[:-1]:
        rows.set_shape([math.prod(known[:-1]), known[-1]])
    return rows


# -- of class numbers -------------------------------------------------------------------------------------------------


def sparse_softmax_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """The cross entropy of softmax(logits) with `labels`: class numbers, one for each row of `logits`.

    Raises:
      ValueError: if `labels` does not have the axes of `logits` but the last.
    """
    _need_both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    with name_scope(name, "SparseSoftmaxCrossEntropyWithLogits", [labels, logits]):
        labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
        precise = _precise(logits)
        labels_shape = shape(labels)
        all_known = _check_shapes(labels, logits)
        if logits._shape is not None and len(logits._shape) == 2:
            cost = sparse_softmax_cross_entropy_op(precise, labels, name=name)[0]
            return cast(cost, logits.dtype)
        checks = [] if all_known else [assert_equal(shape(labels), shape(logits)[:-1])]
        with control_dependencies(checks):
            sizes, axes = shape(logits), rank(logits)
            classes = sizes[axes - 1]
            flat = reshape(precise, [-1, classes])
            numbers = reshape(labels, [-1])
            cost = sparse_softmax_cross_entropy_op(flat, numbers, name=name)[0]
            cost = reshape(cost, labels_shape)
            cost.set_shape(labels.shape)
            return cast(cost, logits.dtype)


def _check_shapes(labels: Tensor, logits: Tensor) -> bool:
    """Whether all sizes that must agree are known. ValueError if they do not agree."""
    own, wanted = labels._shape, logits._shape
    if wanted is not None and not wanted:
        raise ValueError(f"`logits` cannot be a scalar. Received logits={logits}")
    if own is not None and wanted is not None and len(own) != len(wanted) - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={labels.shape} of rank {len(own)} and logits.shape={logits.shape} of rank {len(wanted)}"
        )
    all_known = is_fully_defined(own) and wanted is not None and is_fully_defined(wanted[:-1])
    if all_known and own != wanted[:-1]:  # type: ignore[index]
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. "
            f"Received: labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    return all_known


# -- of yes or no -----------------------------------------------------------------------------------------------------


def _same_shapes(first: str, logits: Tensor, second: str, labels: Tensor) -> None:
    if not labels.shape.is_compatible_with(logits.shape):
        raise ValueError(
            f"`{first}` and `{second}` must have the same shape, received ({logits.shape} vs {labels.shape})."
        )


def sigmoid_cross_entropy_with_logits(labels: Any = None, logits: Any = None, name: str | None = None) -> Tensor:
    """The cross entropy of sigmoid(logits) with `labels`, elementwise, without overflow."""
    _need_both("sigmoid_cross_entropy_with_logits", labels, logits)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _same_shapes("logits", logits, "labels", labels)
        # max(x, 0) - x * z + log(1 + exp(-|x|)), with choices that have a gradient of their own at 0.
        zeros = zeros_like(logits, dtype=logits.dtype)
        positive = logits >= zeros
        clipped = where(positive, logits, zeros)
        falling = where(positive, -logits, logits)
        return add(clipped - logits * labels, log1p(exp(falling)), name=scope)


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None, targets: Any = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` in which positive labels weigh `pos_weight`."""
    labels = renamed("labels", labels, "targets", targets)
    with name_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _same_shapes("logits", logits, "labels", labels)
        # (1 - z) * x + l * (log(1 + exp(-|x|)) + max(-x, 0)) with l = 1 + (q - 1) * z
        weight = 1 + (pos_weight - 1) * labels
        easy = (1 - labels) * logits
        size: Any = absolute(logits)
        softplus: Any = log1p(exp(-size))
        return add(easy, weight * (softplus + relu(-logits)), name=scope)


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """The negative log likelihood of counts `targets` under a Poisson distribution of rate exp(log_input).

    Without `compute_full_loss`, the logarithm of the factorial, which depends on `targets` alone, is left out.
    """
    with name_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        _same_shapes("log_input", log_input, "targets", targets)
        result: Any = exp(log_input) - log_input * targets
        if compute_full_loss:
            half: Any = constant(0.5, dtype=targets.dtype)
            two_pi: Any = constant(2 * math.pi, dtype=targets.dtype)
            stirling = (targets * log(targets)) - targets + half * log(two_pi * targets)
            zeros, ones = zeros_like(targets, dtype=targets.dtype), ones_like(targets, dtype=targets.dtype)
            small = logical_and(targets >= zeros, targets <= ones)
            result += where(small, zeros, stirling)
        return result
