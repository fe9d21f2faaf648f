"""Weights of values: a scalar, or an array of the values' rank whose sizes are 1 or the values' own.

That is narrower than NumPy's broadcasting, so that weights for the batch are not taken for weights for the last axis.
What is not known while the graph is built is checked when it runs.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.set_operations import set_difference
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor

__all__: list[str] = []

_REFUSED = "weights can not be broadcast to values."


def assert_broadcastable(weights: Any, values: Any) -> Operation:
    """An operation that fails where `weights` do not fit `values`.

    Raises:
      ValueError: where that is known now.
    """
    with name_scope(None, "assert_broadcastable", [weights, values]) as scope:
        weights, weights_shape, weights_rank = _described(weights, "weights")
        values, values_shape, values_rank = _described(values, "values")
        found = _static_check(weights, weights_shape, weights_rank, values, values_shape, values_rank)
        if found is not None:
            return found
        is_scalar = ops.equal(0, weights_rank, name="is_scalar")
        told = [_REFUSED, "weights.shape=", weights.name, weights_shape, "values.shape=", values.name, values_shape]
        told += ["is_scalar=", is_scalar]
        fits = ops.cond(
            is_scalar,
            lambda: is_scalar,
            lambda: _has_fitting_shape(weights_rank, weights_shape, values_rank, values_shape),
            name="is_valid_shape",
        )
        return ops.Assert(fits, told, name=scope)


def _described(x: Any, what: str) -> tuple[Tensor, Tensor, Tensor]:
    """The tensor, its shape and its rank."""
    with name_scope(None, what, [x]) as scope:
        x = convert_to_tensor(x, name=scope)
        return x, ops.shape(x, name="shape"), ops.rank(x, name="rank")


def _static_check(
    weights: Tensor, weights_shape: Tensor, weights_rank: Tensor, values: Tensor, values_shape: Tensor, rank: Tensor
) -> Operation | None:
    """A NoOp if it is known now that they fit, None if it is not known."""
    ours, theirs = get_static_value(weights_rank), get_static_value(rank)
    if ours is None or theirs is None:
        return None
    if ours == 0:
        return ops.no_op(name="static_scalar_check_success")
    shapes = f"values.shape={values.shape}. weights.shape={weights.shape}."
    if ours != theirs:
        raise ValueError(
            f"{_REFUSED} values.rank={theirs}. weights.rank={ours}. {shapes} Received weights={weights}, "
            f"values={values}"
        )
    sizes, wanted = get_static_value(weights_shape), get_static_value(values_shape)
    if sizes is None or wanted is None:
        return None
    for axis, (size, want) in enumerate(zip(sizes.tolist(), wanted.tolist())):
        if size not in (1, want):
            raise ValueError(f"{_REFUSED} Mismatch at dim {axis}. {shapes} Received weights={weights}, values={values}")
    return ops.no_op(name="static_dims_check_success")


def _has_fitting_shape(weights_rank: Tensor, weights_shape: Tensor, rank: Tensor, shape: Tensor) -> Tensor:
    with name_scope(None, "has_valid_nonscalar_shape", [weights_rank, weights_shape, rank, shape]) as scope:
        same = ops.equal(rank, weights_rank, name="is_same_rank")
        return ops.cond(same, lambda: _has_fitting_sizes(weights_shape, shape), lambda: same, name=scope)


def _has_fitting_sizes(weights_shape: Tensor, shape: Tensor) -> Tensor:
    """Whether each size is one of the set {1, the values' size}."""
    with name_scope(None, "has_invalid_dims", [weights_shape, shape]) as scope:
        wanted = ops.expand_dims(shape, -1)
        allowed = ops.concat((wanted, ops.ones_like(wanted)), axis=1)
        wrong = set_difference(ops.expand_dims(weights_shape, -1), allowed)
        return ops.equal(0, ops.size(wrong.values, name="num_invalid_dims"), name=scope)


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """`weights` in the shape of `values`.

    Raises:
      ValueError: if they do not fit, where that is known now.
    """
    with name_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        known = weights.shape.is_fully_defined() and values.shape.is_fully_defined()
        if known and weights.shape.is_compatible_with(values.shape):
            return weights
        with control_dependencies([assert_broadcastable(weights, values)]):
            return ops.multiply(weights, ops.ones_like(values), name=scope)
