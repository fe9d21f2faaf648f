"""Arithmetic with its exceptions: products and quotients that say 0 where one factor is, however bad the other."""

from __future__ import annotations

from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_fill import zeros_like
from tfbench.engine.ops.math_common import FLOATS_COMPLEX, binary, broadcast_shape
from tfbench.engine.tensor import Tensor

__all__: list[str] = []  # tf.math has these names

_TYPES = "half, bfloat16, float, double, complex64, complex128"


def _zero_where(xp: Any, zero: Any, x: Any, value: Any) -> Any:
    return xp.where(zero, x.dtype.type(0), value)


_mul_no_nan = binary(
    "MulNoNan",
    FLOATS_COMPLEX,
    lambda xp, x, y: _zero_where(xp, y == 0, x, xp.multiply(x, y)),
    doc="x * y, but 0 where y is 0",
)
_xlogy = binary("Xlogy", _TYPES, lambda xp, x, y: _zero_where(xp, x == 0, x, xp.multiply(x, xp.log(y))))
_xlog1py = binary("Xlog1py", _TYPES, lambda xp, x, y: _zero_where(xp, x == 0, x, xp.multiply(x, xp.log1p(y))))
_xdivy = binary("Xdivy", _TYPES, lambda xp, x, y: _zero_where(xp, x == 0, x, xp.true_divide(x, y)))

_next_after = op("NextAfter", "x1: T, x2: T", "output: T", "T: {double, float} = float", fresh=True)
_next_after.shape(broadcast_shape)
_next_after.kernel(CPU, GPU)(lambda xp, x, y: xp.nextafter(x, y))


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x * y, elementwise, but 0 where y is 0, even if x is NaN or infinite."""
    with name_scope(name, "multiply_no_nan", [x, y]) as scope:
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, name="y", dtype=x._dtype.base_dtype)
        return _mul_no_nan(x, y, name=scope)


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(y), elementwise, but 0 where x is 0."""
    return _xlogy(x, y, name=name)


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x log(1 + y), elementwise, but 0 where x is 0."""
    with name_scope(name, "xlog1py", [x]):
        return _xlog1py(x, y)


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x / y, elementwise, but 0 where x is 0."""
    with name_scope(name, "xdivy", [x]):
        return _xdivy(x, y)


def reciprocal_no_nan(x: Any, name: str | None = None) -> Tensor:
    """1 / x, elementwise, but 0 where x is 0."""
    with name_scope(name, "reciprocal_no_nan", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        one = convert_to_tensor(1, dtype=x._dtype.base_dtype, name="one")
        return lookup("DivNoNan")(one, x, name=scope)


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The float next to x1 in the direction of x2, elementwise."""
    return _next_after(x1, x2, name=name)


def polyval(coeffs: Any, x: Any, name: str | None = None) -> Tensor:
    """The polynomial with these coefficients (the highest power's first) at x, by Horner's rule.

    Raises:
      ValueError: if `coeffs` is no list.
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"Argument coeffs must be list type. Received type {type(coeffs)}.")
    with name_scope(name, "polyval", [*coeffs, x]) as scope:
        x = convert_to_tensor(x, name="x")
        if not coeffs:
            return zeros_like(x, name=scope)
        tensors = [convert_to_tensor(value, name=f"coeff_{i}") for i, value in enumerate(coeffs)]
        result = tensors[0]
        for coefficient in tensors[1:]:
            result = coefficient + result * x
        return result
