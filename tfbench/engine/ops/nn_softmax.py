"""Softmax and its logarithm, over the last axis or, with the axes swapped before and after, over another one."""

from __future__ import annotations

from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import OpDef, lookup, op
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.array_order import transpose
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.math_binary import subtract
from tfbench.engine.ops.math_range import range
from tfbench.engine.ops.nn_common import FLOATS, computed_by
from tfbench.engine.ops.shape_ops import rank as rank_of
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.shape_math import with_rank_at_least
from tfbench.engine.tensor import Tensor

__all__ = ["log_softmax", "softmax"]

softmax_op = op("Softmax", "logits: T", "softmax: T", f"T: {FLOATS}", fresh=True, doc="exp(x) / sum(exp(x))")
log_softmax_op = op("LogSoftmax", "logits: T", "logsoftmax: T", f"T: {FLOATS}", fresh=True, doc="log(softmax(x))")


def _softmax_shape(node: Operation, logits: Any) -> Any:
    return [with_rank_at_least(logits, 1)]


softmax_op.shape(_softmax_shape)
log_softmax_op.shape(_softmax_shape)
computed_by(softmax_op, "softmax", "softmax")
computed_by(log_softmax_op, "softmax", "log_softmax")


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """exp(logits) divided by its sum over `axis` (default: the last; `dim` is its older name)."""
    axis = renamed("axis", axis, "dim", dim)
    return over_axis(softmax_op, logits, -1 if axis is None else axis, name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """logits minus the logarithm of the sum of exp(logits) over `axis` (default: the last)."""
    axis = renamed("axis", axis, "dim", dim)
    return over_axis(log_softmax_op, logits, -1 if axis is None else axis, name)


def over_axis(opdef: OpDef, logits: Any, dim: Any, name: str | None) -> Tensor:
    """An op of the last axis, applied along `dim`.

    Raises:
      TypeError: if the rank is not known, which is needed to find another axis than -1.
      InvalidArgumentError: if there is no such axis.
    """
    logits = convert_to_tensor(logits)
    shape = logits._shape
    if isinstance(dim, int) and dim == -1:
        return opdef(logits, name=name)
    if shape is None:
        raise TypeError(f"The rank of {logits.name} must be known for softmax along axis {dim}; axis -1 needs no rank.")
    rank = len(shape)
    known = constant_value(dim) if isinstance(dim, Tensor) else dim
    if not isinstance(dim, Tensor) and dim == rank - 1:
        return opdef(logits, name=name)
    if known is not None and not -rank <= known < rank:
        raise invalid(
            f"`dim` must be in the range [{-rank}, {rank}) where {rank} is the number of dimensions in the input. "
            f"Received: dim={known}"
        )
    own_rank = rank_of(logits)
    if isinstance(dim, Tensor):
        dim = where(lookup("Less")(dim, 0), dim + own_rank, dim)
    elif dim < 0:
        dim = dim + own_rank
    input_rank = rank_of(logits)
    axis = dim % rank
    swapped = _swap_axes(logits, axis, subtract(input_rank, 1))
    output = _swap_axes(opdef(swapped), axis, subtract(input_rank, 1), name)
    output.set_shape(logits.shape)
    return output


def _swap_axes(x: Tensor, axis: Any, last: Tensor, name: str | None = None) -> Tensor:
    order = concat([range(axis), [last], range(axis + 1, last), [axis]], 0)
    return transpose(x, order, name=name or "transpose")
