"""The largest entries of rows: TopK, InTopK, and the n-th smallest."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.named_outputs import named_outputs
from tfbench.engine.ops.nn_common import REALS
from tfbench.engine.shape_math import dim_merge, with_rank, with_rank_at_least
from tfbench.engine.tensor import Tensor

__all__ = ["in_top_k", "top_k"]

_INDEX = "{int16, int32, int64} = DT_INT32"

top_k_op = op(
    "TopKV2",
    "input: T, k: Tk",
    "values: T, indices: index_type",
    f"sorted: bool = true; T: {REALS}; Tk: {_INDEX}; index_type: {_INDEX}",
    fresh=True,
    doc="the k largest entries of each row and where they are",
)
top_k_v1_op = op(
    "TopK", "input: T", "values: T, indices: int32", f"k: int >= 0; sorted: bool = true; T: {REALS}", fresh=True
)
in_top_k_op = op(
    "InTopKV2",
    "predictions: float, targets: T, k: T",
    "precision: bool",
    "T: {int32, int64} = DT_INT32",
    fresh=True,
    doc="whether the target class is among the k most probable ones",
)
in_top_k_v1_op = op(
    "InTopK", "predictions: float, targets: T", "precision: bool", "k: int; T: {int32, int64} = DT_INT32", fresh=True
)
nth_element_op = op(
    "NthElement",
    "input: T, n: int32",
    "values: T",
    f"reverse: bool = false; T: {REALS}",
    fresh=True,
    doc="the n-th smallest entry of each row",
)


# -- shapes -----------------------------------------------------------------------------------------------------------


def _scalar_input(node: Operation, index: int, shape: Any) -> int | None:
    """The value of an input that says a size, where it is known."""
    if shape is not None and len(shape):
        raise ValueError(f"Input must be scalar but has rank {len(shape)}")
    value = constant_value(node._inputs[index])
    if value is None:
        return None
    if int(value) < 0:
        raise ValueError(f"Dimension size, given by scalar input {index}, must be non-negative but is {int(value)}")
    return int(value)


def _rows_of(x: Any, k: int | None) -> Any:
    x = with_rank_at_least(x, 1)
    if x is None:
        return [None, None]
    if k is not None and x[-1] is not None and x[-1] < k:
        raise ValueError(f"input must have last dimension >= k = {k} but is {x[-1]}")
    return [(*x[:-1], k)] * 2


@top_k_op.shape
def _top_k_shape(node: Operation, x: Any, k: Any) -> Any:
    with_rank_at_least(x, 1)
    return _rows_of(x, _scalar_input(node, 1, k))


@top_k_v1_op.shape
def _top_k_v1_shape(node: Operation, x: Any) -> Any:
    return _rows_of(x, node.attrs["k"])


def _in_top_k_shape(node: Operation, predictions: Any, targets: Any, *k: Any) -> Any:
    return [(dim_merge(with_rank(predictions, 2)[0], with_rank(targets, 1)[0]),)]


@nth_element_op.shape
def _nth_element_shape(node: Operation, x: Any, n: Any) -> Any:
    x = with_rank_at_least(x, 1)
    wanted = _scalar_input(node, 1, n)
    if x is None:
        return [None]
    if wanted is not None and x[-1] is not None and x[-1] <= wanted:
        raise ValueError(f"Input must have last dimension > n = {wanted} but is {x[-1]}")
    return [x[:-1]]


in_top_k_op.shape(_in_top_k_shape)
in_top_k_v1_op.shape(_in_top_k_shape)


# -- kernels ----------------------------------------------------------------------------------------------------------


def _largest(xp: Any, x: Any, k: int, index_type: Any) -> tuple[Any, Any]:
    """The k largest of each row, falling (any order would do for `sorted=False`); of equal ones the first."""
    if x.ndim < 1:
        raise invalid(f"input must be >= 1-D, got shape {list(x.shape)}")
    if k < 0:
        raise invalid(f"Need k >= 0, got {k}")
    size = x.shape[-1]
    if size < k:
        raise invalid(f"input must have at least k columns. Had {size}, needed {k}")
    if k == 1 and size and x.size:
        order = xp.argmax(x, axis=-1)[..., None]
    else:
        # A stable sort of the reversed rows, read from its end: equal values come in the order of their positions.
        order = (size - 1) - xp.argsort(x[..., ::-1], axis=-1, kind="stable")[..., ::-1][..., :k]
    return xp.take_along_axis(x, order, axis=-1), order.astype(index_type)


@top_k_op.kernel(CPU, GPU)
def _top_k_kernel(xp: Any, x: Any, k: Any, *, index_type: Any) -> Any:
    if np.ndim(k):
        raise invalid(f"k must be scalar, got shape {list(k.shape)}")
    return _largest(xp, x, int(k), index_type.as_numpy_dtype)


@top_k_v1_op.kernel(CPU, GPU)
def _top_k_v1_kernel(xp: Any, x: Any, *, k: int) -> Any:
    return _largest(xp, x, k, np.int32)


def _among(xp: Any, predictions: Any, targets: Any, k: Any) -> Any:
    """Rows with a number that is not finite, or a target that is no class, say no."""
    if predictions.ndim != 2:
        raise invalid("predictions must be 2-dimensional")
    if targets.ndim != 1:
        raise invalid("targets must be 1-dimensional")
    if len(predictions) != len(targets):
        raise invalid(f"First dimension of predictions {len(predictions)} must match length of targets {len(targets)}")
    classes = predictions.shape[1]
    inside = (targets >= 0) & (targets < classes)
    if not classes:
        return xp.zeros(len(targets), bool)
    own = xp.take_along_axis(predictions, xp.where(inside, targets, 0)[:, None], axis=1)
    better = (predictions > own).sum(axis=1)
    return inside & xp.isfinite(predictions).all(axis=1) & (better < k)


@in_top_k_op.kernel(CPU, GPU)
def _in_top_k_kernel(xp: Any, predictions: Any, targets: Any, k: Any) -> Any:
    if np.ndim(k):
        raise invalid("k must be 0-D, got shape " + str(list(k.shape)))
    return _among(xp, predictions, targets, k)


@in_top_k_v1_op.kernel(CPU)
def _in_top_k_v1_kernel(xp: Any, predictions: Any, targets: Any, *, k: int) -> Any:
    return _among(xp, predictions, targets, k)


@nth_element_op.kernel(CPU)
def _nth_element_kernel(xp: Any, x: Any, n: Any, *, reverse: bool) -> Any:
    if np.ndim(n):
        raise invalid(f"N must be scalar but has rank {np.ndim(n)}")
    if x.ndim < 1:
        raise invalid(f"Input must be at least rank 1 but is rank {x.ndim}")
    size = x.shape[-1]
    if int(n) < 0:
        raise invalid(f"n must be non-negative but is {int(n)}")
    if size <= int(n):
        raise invalid(f"Input must have at least n+1 columns: {size} <= {int(n)}")
    at = size - 1 - int(n) if reverse else int(n)
    return xp.array(xp.partition(x, at, axis=-1)[..., at])


for _declared in (in_top_k_op, in_top_k_v1_op):
    _declared.no_gradient("booleans have no gradient")


# -- public functions -------------------------------------------------------------------------------------------------


def top_k(input: Any, k: Any = 1, sorted: bool = True, index_type: Any = np.int32, name: str | None = None) -> Any:
    """(values, indices): the `k` largest entries along the last axis, largest first, and where they are.

    Raises:
      ValueError: for a scalar, a negative `k`, or one larger than the last axis.
    """
    return named_outputs(top_k_op, top_k_op(input, k, sorted=sorted, index_type=index_type, name=name))


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether each row of `predictions` has its `targets` class among the `k` largest; ties count as among them."""
    with name_scope(name, "in_top_k"):
        return in_top_k_op(predictions, targets, k, name=name)
