"""Arithmetic on two operands that broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.math_common import ALL_NUMBERS, FLOATS, FLOATS_COMPLEX, NO_COMPLEX, NO_HALF, NO_INTEGERS, binary
from tfbench.engine.tensor import Tensor

__all__ = [
    "add", "atan2", "div", "div_no_nan", "divide", "floor_div", "floordiv", "floormod", "maximum", "minimum",
    "mod", "multiply", "pow", "realdiv", "squared_difference", "subtract", "truediv", "truncatediv", "truncatemod",
]  # fmt: skip


def _check_divisor(xp: Any, x: Any, y: Any) -> None:
    """Integers have no infinity: a divisor of zero is an error, if there is anything to divide.

    A GPU does not look: the host would wait for it, and TensorFlow's do not either. What comes out there is any number.
    """
    if xp is np and not (y.all() if y.ndim else y) and x.size:
        raise invalid("Integer division by zero")


def _concatenate_strings(xp: Any, x: Any, y: Any) -> Any:
    return np.asarray(np.add(x, y), object) if isinstance(x, np.ndarray) or isinstance(y, np.ndarray) else x + y


def _add_kernel(xp: Any, x: Any, y: Any) -> Any:
    return _concatenate_strings(xp, x, y) if not hasattr(x, "dtype") or x.dtype == object else xp.add(x, y)


def _real_div_kernel(xp: Any, x: Any, y: Any) -> Any:
    return xp.true_divide(x, y)


def _floor_div_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        _check_divisor(xp, x, y)
        return xp.floor_divide(x, y)
    return xp.floor(xp.true_divide(x, y))


def _check_truncated(xp: Any, x: Any, y: Any) -> None:
    """TensorFlow's error for truncating division by zero is another one, by accident."""
    if xp is np and not y.all() and x.size:
        raise errors.InternalError(
            None,
            None,
            "Integer division by zero: Unexpected error in binary operator "
            "(only integer div and mod should have errors)",
        )


def _truncate_div_kernel(xp: Any, x: Any, y: Any) -> Any:
    kind = x.dtype.kind
    if kind not in "iu":
        return xp.trunc(xp.true_divide(x, y))
    _check_truncated(xp, x, y)
    quotient, rest = xp.divmod(x, y)
    if kind == "u":
        return quotient
    # Floor division rounds down: where it left a rest and the signs differ, truncation gives one more.
    return xp.add(quotient, ((rest != 0) & ((x < 0) != (y < 0))).astype(x.dtype))


def _div_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        _check_divisor(xp, x, y)
        return _truncate_div_kernel(xp, x, y)
    return xp.true_divide(x, y)


def _floor_mod_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        _check_divisor(xp, x, y)
        return xp.remainder(x, y)
    rest = xp.remainder(x, y)
    # NumPy gives a rest of zero the divisor's sign, TensorFlow leaves it the dividend's.
    return xp.where(rest == 0, x * x.dtype.type(0), rest)


def _truncate_mod_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        _check_truncated(xp, x, y)
    return xp.fmod(x, y)


def _mod_kernel(xp: Any, x: Any, y: Any) -> Any:
    if x.dtype.kind in "iu":
        _check_divisor(xp, x, y)
    return xp.fmod(x, y)


_ADDABLE = "bfloat16, half, float, double, uint8, int8, int16, int32, int64, complex64, complex128, string"
_add = binary("Add", _ADDABLE, _add_kernel, doc="x + y; strings are joined")
_add_v2 = binary(
    "AddV2",
    "bfloat16, half, float, double, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128",
    lambda xp, x, y: xp.add(x, y),
    operator=" + ",
    doc="x + y",
)
_sub = binary(
    "Sub",
    "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64",
    lambda xp, x, y: xp.subtract(x, y),
    operator=" - ",
    doc="x - y",
)
_mul = binary(
    "Mul",
    "bfloat16, half, float, double, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128",
    lambda xp, x, y: xp.multiply(x, y),
    operator=" * ",
    doc="x * y",
)
_real_div = binary(
    "RealDiv", ALL_NUMBERS, _real_div_kernel, operator=" / ", refused=NO_INTEGERS, doc="x / y of real numbers"
)
_floor_div = binary("FloorDiv", ALL_NUMBERS, _floor_div_kernel, refused=NO_COMPLEX, doc="x / y, rounded down")
_truncate_div = binary(
    "TruncateDiv", ALL_NUMBERS, _truncate_div_kernel, refused=NO_COMPLEX, doc="x / y, rounded towards zero"
)
_div = binary("Div", ALL_NUMBERS, _div_kernel, doc="x / y; of integers, rounded towards zero")
_floor_mod = binary(
    "FloorMod",
    "int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, half, float, double",
    _floor_mod_kernel,
    doc="what floor division leaves: of the divisor's sign",
)
_truncate_mod = binary(
    "TruncateMod",
    "int32, int64, bfloat16, half, float, double",
    _truncate_mod_kernel,
    refused=NO_HALF,
    doc="what division towards zero leaves: of the dividend's sign",
)
_mod = binary("Mod", "int32, int64, half, bfloat16, float, double", _mod_kernel, doc="the same, under its first name")
for _rest in (_truncate_mod, _mod):
    _rest.no_gradient("TensorFlow has none, though it is differentiable; tf.math.floormod has one")
_maximum = binary(
    "Maximum",
    "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64",
    lambda xp, x, y: xp.maximum(x, y),
    doc="the larger of x and y",
)
_minimum = binary(
    "Minimum",
    "bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64",
    lambda xp, x, y: xp.minimum(x, y),
    doc="the smaller of x and y",
)
_pow = binary(
    "Pow",
    "bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128",
    lambda xp, x, y: xp.power(x, y),
    operator=" ** ",
    doc="x to the power y",
)


def _squared_difference_kernel(xp: Any, x: Any, y: Any) -> Any:
    difference = xp.subtract(x, y)
    if difference.dtype.kind == "c":
        return xp.multiply(xp.conj(difference), difference)
    return xp.multiply(difference, difference, out=difference if difference.ndim else None)


_squared_difference = binary(
    "SquaredDifference",
    "bfloat16, half, float, double, int32, int64, complex64, complex128",
    _squared_difference_kernel,
    doc="(x - y) * conj(x - y)",
)


def _atan2_kernel(xp: Any, y: Any, x: Any) -> Any:
    return xp.arctan2(y, x)


_atan2 = binary("Atan2", FLOATS, _atan2_kernel, inputs="y: T, x: T", doc="the angle of the point (x, y)")


def _div_no_nan_kernel(xp: Any, x: Any, y: Any) -> Any:
    return xp.where(y == 0, x.dtype.type(0), xp.true_divide(x, y))


_div_no_nan = binary("DivNoNan", FLOATS_COMPLEX, _div_no_nan_kernel, doc="x / y, but 0 where y is 0")


def add(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x + y, elementwise with broadcasting; strings are joined."""
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        return (_add if x._dtype.base_dtype is dtypes.string else _add_v2)(x, y, name=name or "Add")
    with name_scope(name, "Add", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype_hint=x._dtype.base_dtype, name="y")
        return (_add if x._dtype.base_dtype is dtypes.string else _add_v2)(x, y, name=scope)


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x - y, elementwise with broadcasting."""
    return _sub(x, y, name=name)


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y, elementwise with broadcasting."""
    return _mul(x, y, name=name)


def divide(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python divides; integers become float64 (small ones float32)."""
    if name is not None:
        return truediv(x, y, name)
    if not _in_graph(x):
        x = convert_to_tensor(x, dtype=y.dtype.base_dtype if _in_graph(y) else None)
    return x / y


def _in_graph(value: Any) -> bool:
    """Whether it is a tensor or a variable."""
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element")


#: what integers become before a true division
_DIVIDED_AS = {
    dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32, dtypes.uint16: dtypes.float32,
    dtypes.int16: dtypes.float32, dtypes.int32: dtypes.float64, dtypes.int64: dtypes.float64,
    dtypes.uint32: dtypes.float64, dtypes.uint64: dtypes.float64, dtypes.float16: None, dtypes.bfloat16: None,
    dtypes.float32: None, dtypes.float64: None, dtypes.complex64: None, dtypes.complex128: None,
}  # fmt: skip


def truediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python divides; integers become float64 (those of 8 and 16 bits float32).

    Raises:
      TypeError: if the operands have different types, or types that do not divide.
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        kind = x._dtype.base_dtype
        if kind is y._dtype.base_dtype and _DIVIDED_AS.get(kind, kind) is None:
            return _real_div(x, y, name=name or "truediv")
    with name_scope(name, "truediv", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype_hint=x._dtype.base_dtype, name="y")
        x, y = _as_divided(x, y, "__truediv__")
        return _real_div(x, y, name=scope)


def _as_divided(x: Tensor, y: Tensor, where: str) -> tuple[Tensor, Tensor]:
    """The operands as numbers that can be divided exactly."""
    kind = x._dtype.base_dtype
    if kind is not y._dtype.base_dtype:
        raise TypeError(f"`x` and `y` must have the same dtype, got {kind!r} != {y._dtype.base_dtype!r}.")
    if kind not in _DIVIDED_AS:
        choices = ", ".join(repr(dtype) for dtype in _DIVIDED_AS)
        raise TypeError(f"Invalid dtype {kind!r} in {where}. Expected one of {{{choices}}}.")
    wanted = _DIVIDED_AS[kind]
    if wanted is None:
        return x, y
    cast = lookup("Cast")
    return cast(x, DstT=wanted), cast(y, DstT=wanted)


def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y as Python 2 divides: of integers, rounded down.

    Raises:
      TypeError: if the operands have different types.
    """
    with name_scope(name, "div", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x._dtype.base_dtype)
        kind = x._dtype.base_dtype
        if kind is not y._dtype.base_dtype:
            raise TypeError(f"`x` and `y` must have the same dtype, got {kind!r} != {y._dtype.base_dtype!r}.")
        if kind.is_floating or kind.is_complex:
            return _real_div(x, y, name=scope)
        return _floor_div(x, y, name=scope)


def div_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, but 0 where y is 0.

    Raises:
      TypeError: if the operands have different types.
    """
    with name_scope(name, "div_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x", dtype_hint=y._dtype.base_dtype if isinstance(y, Tensor) else None)
        y = convert_to_tensor(y, name="y", dtype_hint=x._dtype.base_dtype)
        x, y = _as_divided(x, y, "tf.math.divide_no_nan")
        return _div_no_nan(x, y, name=scope)


def floordiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y rounded down, elementwise."""
    with name_scope(name, "floordiv", [x, y]) as scope:
        return _floor_div(x, y, name=scope)


def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y rounded down, elementwise."""
    return _floor_div(x, y, name=name)


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y of real numbers, elementwise."""
    return _real_div(x, y, name=name)


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y rounded towards zero, elementwise."""
    return _truncate_div(x, y, name=name)


def mod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """What floor division leaves, elementwise: it has the sign of the divisor, as in Python."""
    return _floor_mod(x, y, name=name)


floormod = mod


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """What division towards zero leaves, elementwise: it has the sign of the dividend, as in C."""
    return _truncate_mod(x, y, name=name)


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of x and y, elementwise; NaN if either is."""
    return _maximum(x, y, name=name)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of x and y, elementwise; NaN if either is."""
    return _minimum(x, y, name=name)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x to the power y, elementwise."""
    if name is None and isinstance(x, Tensor):
        return _pow(x, y, name="Pow")
    with name_scope(name, "Pow", [x]) as scope:
        return _pow(x, y, name=scope)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """(x - y)^2, elementwise with broadcasting."""
    return _squared_difference(x, y, name=name)


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle in radians of the point (x, y), in (-pi, pi]."""
    return _atan2(y, x, name=name)
