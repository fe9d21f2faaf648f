"""`assert_equal` and its kin: operations that fail a run in which values do not compare as they must.

What is known while the graph is built is checked at once, and an InvalidArgumentError raised. The values that a
failing run reports, texts included, are inputs of the Assert node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.base import no_op
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.math_unary import abs
from tfbench.engine.ops.reductions import reduce_all
from tfbench.engine.ops.shape_ops import reshape, shape, size
from tfbench.engine.ops.slicing import strided_slice
from tfbench.engine.ops.static_value import get_static_value
from tfbench.engine.tensor import Tensor

__all__ = [
    "assert_equal", "assert_greater", "assert_greater_equal", "assert_less", "assert_less_equal", "assert_near",
    "assert_negative", "assert_non_negative", "assert_non_positive", "assert_none_equal", "assert_positive",
    "is_non_decreasing", "is_numeric_tensor", "is_strictly_increasing",
]  # fmt: skip


def prefix(message: str | None) -> str:
    """The user's message as the beginning of a longer one."""
    return f"{message}.  " if message else ""


def _text(item: Any) -> str:
    """What a static failure says of one piece of its data."""
    if not isinstance(item, Tensor):
        return str(item)
    value = get_static_value(item)
    return str(item) if value is None else str(value)


def _binary(
    sign: str,
    name: str,
    compare: Callable[..., Tensor],
    known: Callable[..., Any],
) -> Callable[..., Operation]:
    """The assertion that `compare` (`known` on arrays) holds for every pair of elements, once broadcast."""

    def check(x: Any, y: Any, data: Any, summarize: int | None, message: str | None, scope: str | None) -> Operation:
        with name_scope(scope, name, [x, y, data]):
            x = convert_to_tensor(x, name="x")
            y = convert_to_tensor(y, name="y")
            if data is None:
                data = [
                    f"Condition x {sign} y did not hold element-wise:",
                    f"x ({x.name}) = ",
                    x,
                    f"y ({y.name}) = ",
                    y,
                ]
            if message is not None:
                data = [message, *data]
            condition = reduce_all(compare(x, y))
            static = get_static_value(x), get_static_value(y)
            if static[0] is not None and static[1] is not None and not np.all(known(*static)):
                raise invalid("\n".join(_text(item) for item in data))
            return Assert(condition, data, summarize=summarize)

    return check


_equal = _binary("==", "assert_equal", equal, np.equal)
_none_equal = _binary("!=", "assert_none_equal", not_equal, np.not_equal)
_less = _binary("<", "assert_less", less, np.less)
_less_equal = _binary("<=", "assert_less_equal", less_equal, np.less_equal)
_greater = _binary(">", "assert_greater", greater, np.greater)
_greater_equal = _binary(">=", "assert_greater_equal", greater_equal, np.greater_equal)


def assert_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x == y element by element (shapes broadcast).

    Args:
      data: what a failing run prints (default: a text and both tensors).
      summarize: so many elements of each.
      message: put before `data`.

    Raises:
      InvalidArgumentError: if both are known and differ.
    """
    with name_scope(name, "assert_equal", [x, y, data]):
        if x is y:
            return no_op()
    return _equal(x, y, data, summarize, message, name)


def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x != y everywhere; as `assert_equal`."""
    return _none_equal(x, y, data, summarize, message, name)


def assert_less(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x < y everywhere; as `assert_equal`."""
    return _less(x, y, data, summarize, message, name)


def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x <= y everywhere; as `assert_equal`."""
    return _less_equal(x, y, data, summarize, message, name)


def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x > y everywhere; as `assert_equal`."""
    return _greater(x, y, data, summarize, message, name)


def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x >= y everywhere; as `assert_equal`."""
    return _greater_equal(x, y, data, summarize, message, name)


# -- against zero --------------------------------------------------------------------------------------------------


def _unary(sign: str, name: str, compare: Callable[..., Operation], zero_first: bool) -> Callable[..., Operation]:
    def check(x: Any, data: Any, summarize: int | None, message: str | None, scope: str | None) -> Operation:
        with name_scope(scope, name, [x, data]):
            x = convert_to_tensor(x, name="x")
            if data is None:
                text, value = f"Condition x {sign} 0 did not hold element-wise:", f"x ({x.name}) = "
                # Of these four, TensorFlow runs the two texts of this one together.
                texts = [text + value] if sign == "<=" else [text, value]
                data = [prefix(message), *texts, x]
            zero = convert_to_tensor(0, dtype=x.dtype)
            first, second = (zero, x) if zero_first else (x, zero)
            return compare(first, second, data=data, summarize=summarize)

    return check


_negative = _unary("<", "assert_negative", assert_less, False)
_positive = _unary(">", "assert_positive", assert_less, True)
_non_negative = _unary(">=", "assert_non_negative", assert_less_equal, True)
_non_positive = _unary("<=", "assert_non_positive", assert_less_equal, False)


def assert_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x < 0 everywhere; as `assert_equal`."""
    return _negative(x, data, summarize, message, name)


def assert_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x > 0 everywhere; as `assert_equal`."""
    return _positive(x, data, summarize, message, name)


def assert_non_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x >= 0 everywhere; as `assert_equal`."""
    return _non_negative(x, data, summarize, message, name)


def assert_non_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that fails unless x <= 0 everywhere; as `assert_equal`."""
    return _non_positive(x, data, summarize, message, name)


def assert_near(
    x: Any,
    y: Any,
    rtol: Any = None,
    atol: Any = None,
    data: Any = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Operation:
    """An operation that fails unless |x - y| < atol + rtol |y| everywhere.

    Both tolerances are ten times the machine epsilon of the type, unless given.
    """
    text = prefix(message)
    with name_scope(name, "assert_near", [x, y, rtol, atol, data]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x.dtype)
        kind = x.dtype.real_dtype if x.dtype.is_complex else x.dtype
        eps = np.finfo(kind.as_numpy_dtype).eps
        rtol = convert_to_tensor(10 * eps if rtol is None else rtol, name="rtol", dtype=kind)
        atol = convert_to_tensor(10 * eps if atol is None else atol, name="atol", dtype=kind)
        if data is None:
            data = [
                text,
                f"x and y not equal to tolerance rtol = {rtol}, atol = {atol}",
                f"x ({x.name}) = ",
                x,
                f"y ({y.name}) = ",
                y,
            ]
        tolerance = atol + rtol * abs(y)
        difference = abs(x - y)
        return Assert(reduce_all(less(difference, tolerance)), data, summarize=summarize)


# -- questions -----------------------------------------------------------------------------------------------------

_NUMERIC = {
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
    "qint8", "qint16", "qint32", "quint8", "quint16", "complex64", "complex128", "bfloat16",
}  # fmt: skip


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether this is a tensor of numbers."""
    return isinstance(tensor, Tensor) and tensor.dtype.name in _NUMERIC


def _neighbours(x: Any, compare: Callable[..., Tensor]) -> Any:
    """`compare` of each element (but the first) with the one before it."""
    x = reshape(x, [-1])
    if not is_numeric_tensor(x):
        raise TypeError(f"Expected x to be numeric, instead found: {x}")
    short = less(size(x), 2)
    last: Any = shape(x)
    last = last - 1
    one = [1]
    return cond(
        short,
        lambda: convert_to_tensor([], dtype=dtypes.bool),
        lambda: compare(strided_slice(x, [1], one + last), strided_slice(x, [0], last)),
    )


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element of `x`, read row by row, is less than the one before it."""
    with name_scope(name, "is_non_decreasing", [x]):
        return reduce_all(_neighbours(x, greater_equal))


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether every element of `x`, read row by row, is greater than the one before it."""
    with name_scope(name, "is_strictly_increasing", [x]):
        return reduce_all(_neighbours(x, greater))
