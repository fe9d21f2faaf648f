"""Comparisons, and logic on booleans. `==` on tensors is identity; `tf.equal` compares values."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import shape_math
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.math_common import binary, same_shape
from tfbench.engine.tensor import Tensor

__all__ = [
    "approximate_equal", "equal", "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_not",
    "logical_or", "logical_xor", "not_equal",
]  # fmt: skip

_ORDERED = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"

_less = binary("Less", _ORDERED, lambda xp, x, y: xp.less(x, y), output="z: bool", operator=" < ")
_less_equal = binary("LessEqual", _ORDERED, lambda xp, x, y: xp.less_equal(x, y), output="z: bool", operator=" <= ")
_greater = binary("Greater", _ORDERED, lambda xp, x, y: xp.greater(x, y), output="z: bool", operator=" > ")
_greater_equal = binary(
    "GreaterEqual", _ORDERED, lambda xp, x, y: xp.greater_equal(x, y), output="z: bool", operator=" >= "
)

_EQUALITY = "T: type; incompatible_shape_error: bool = true"
_equal = op("Equal", "x: T, y: T", "z: bool", _EQUALITY, fresh=True, operator=" == ")
_not_equal = op("NotEqual", "x: T, y: T", "z: bool", _EQUALITY, fresh=True, operator=" != ")


def _equality_shape(node: Operation, x: Any, y: Any) -> Any:
    if node.attrs["incompatible_shape_error"]:
        return [shape_math.broadcast(x, y)]
    try:
        return [shape_math.broadcast(x, y)]
    except ValueError:
        return [()]  # shapes that do not fit make one answer: not equal


_equal.shape(_equality_shape)
_not_equal.shape(_equality_shape)


@_equal.kernel(CPU, GPU)
def _equal_kernel(xp: Any, x: Any, y: Any, *, incompatible_shape_error: bool = True) -> Any:
    try:
        return _as_bool(xp, xp.equal(x, y))
    except ValueError:
        if incompatible_shape_error:
            raise
        return xp.zeros((), bool)


@_not_equal.kernel(CPU, GPU)
def _not_equal_kernel(xp: Any, x: Any, y: Any, *, incompatible_shape_error: bool = True) -> Any:
    try:
        return _as_bool(xp, xp.not_equal(x, y))
    except ValueError:
        if incompatible_shape_error:
            raise
        return xp.ones((), bool)


def _as_bool(xp: Any, result: Any) -> Any:
    """Strings are Python objects, and comparing them may give Python's booleans."""
    return result if getattr(result, "dtype", None) == np.bool_ else xp.asarray(result, bool)


_approximate_equal = op(
    "ApproximateEqual", "x: T, y: T", "z: bool", "T: numbertype; tolerance: float = 9.999999747378752e-06", fresh=True
)


@_approximate_equal.shape
def _approximate_equal_shape(node: Operation, x: Any, y: Any) -> Any:
    return [shape_math.merge(x, y)]


@_approximate_equal.kernel(CPU, GPU)
def _approximate_equal_kernel(xp: Any, x: Any, y: Any, *, tolerance: float) -> Any:
    return xp.less(xp.absolute(xp.subtract(x, y)), tolerance)


_logical_and = op("LogicalAnd", "x: bool, y: bool", "z: bool", fresh=True, operator=" & ")
_logical_or = op("LogicalOr", "x: bool, y: bool", "z: bool", fresh=True, operator=" | ")
_logical_not = op("LogicalNot", "x: bool", "y: bool", fresh=True, operator="~")


def _logical_shape(node: Operation, x: Any, y: Any) -> Any:
    return [shape_math.broadcast(x, y)]


_logical_and.shape(_logical_shape)
_logical_or.shape(_logical_shape)
_logical_not.shape(same_shape)
_logical_and.kernel(CPU, GPU)(lambda xp, x, y: xp.logical_and(x, y))
_logical_or.kernel(CPU, GPU)(lambda xp, x, y: xp.logical_or(x, y))
_logical_not.kernel(CPU, GPU)(lambda xp, x: xp.logical_not(x))
for _declared in (_less, _less_equal, _greater, _greater_equal, _equal, _not_equal, _approximate_equal):
    _declared.no_gradient("a comparison is constant almost everywhere")
for _declared in (_logical_and, _logical_or, _logical_not):
    _declared.no_gradient("booleans have no gradient")


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x < y, elementwise with broadcasting."""
    return _less(x, y, name=name)


def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x <= y, elementwise with broadcasting."""
    return _less_equal(x, y, name=name)


def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x > y, elementwise with broadcasting."""
    return _greater(x, y, name=name)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x >= y, elementwise with broadcasting."""
    return _greater_equal(x, y, name=name)


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x and y are equal, elementwise with broadcasting."""
    return _equal(x, y, name=name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x and y differ, elementwise with broadcasting."""
    return _not_equal(x, y, name=name)


def approximate_equal(x: Any, y: Any, tolerance: float = 1e-05, name: str | None = None) -> Tensor:
    """Whether |x - y| < tolerance, elementwise; the shapes must be the same."""
    return _approximate_equal(x, y, tolerance=tolerance, name=name)


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x and y, elementwise with broadcasting."""
    return _logical_and(x, y, name=name)


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x or y, elementwise with broadcasting."""
    return _logical_or(x, y, name=name)


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """not x, elementwise."""
    return _logical_not(x, name=name)


def logical_xor(x: Any, y: Any, name: str = "LogicalXor") -> Tensor:
    """Whether just one of x and y is true, elementwise: made of `or`, `and` and `not`."""
    either = _logical_or(x, y)
    return _logical_and(either, _logical_not(_logical_and(x, y)), name=name)
