"""What gradients of broadcasting ops share: an operand's gradient is summed over the axes it was repeated along."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

_NONE: frozenset[int] = frozenset()

#: an operand's sizes (a tensor), the axes it was repeated along, whether there is anything to sum
_Operand = tuple[Tensor, Any, bool]


def summed(x: Tensor, y: Tensor, dx: Any, dy: Any) -> tuple[Any, Any]:
    """`dx` and `dy` in the shapes of `x` and `y`. None stays None."""
    if dx is None and dy is None:
        return None, None
    first, second = _operands(x, y)
    return _reduce(dx, first), _reduce(dy, second)


def _reduce(grad: Any, operand: _Operand) -> Any:
    sizes, axes, repeated = operand
    if grad is None or not repeated:
        return grad
    return ops.reshape(ops.reduce_sum(grad, axes, keepdims=True), sizes)


def _operands(x: Tensor, y: Tensor) -> tuple[_Operand, _Operand]:
    x_sizes, y_sizes = ops.shape(x), ops.shape(y)
    known = _static_axes(x._shape, y._shape)
    if known is None:
        x_axes, y_axes = lookup("BroadcastGradientArgs")(x_sizes, y_sizes)
        return (x_sizes, x_axes, True), (y_sizes, y_axes, True)
    left, right = known
    x_rank, y_rank = len(x._shape or ()), len(y._shape or ())
    return (x_sizes, left, bool(left) or x_rank < y_rank), (y_sizes, right, bool(right) or y_rank < x_rank)


def _static_axes(x: Shape, y: Shape) -> tuple[list[int], list[int]] | None:
    """The axes along which either is repeated, or None where that depends on sizes that only a run knows."""
    if x is None or y is None:
        return None
    rank = max(len(x), len(y))
    padded = zip((1,) * (rank - len(x)) + tuple(x), (1,) * (rank - len(y)) + tuple(y))
    axes: tuple[list[int], list[int]] = ([], [])
    for axis, (a, b) in enumerate(padded):
        if (a == 1) != (b == 1):
            axes[0 if a == 1 else 1].append(axis)
        elif a is None or b is None:
            return None
    return axes


def unwanted(node: Any) -> frozenset[int]:
    """Which inputs of an op need no gradient: only ops that a tape has recorded know (see `tape`)."""
    if type(node) is Operation:  # nearly always: the question is asked for every addition
        return _NONE
    found: frozenset[int] = node.unwanted
    return found


def same_known_shape(*values: Any) -> bool:
    """Whether all are tensors of one shape that is wholly known: then nothing was repeated."""
    first = None
    for value in values:
        if type(value) is not Tensor:
            return False
        shape = value._shape
        if first is None:
            first = shape
            if shape is None or None in shape:
                return False
        elif shape != first:
            return False
    return True
