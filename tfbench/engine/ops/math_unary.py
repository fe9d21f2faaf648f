"""Elementwise ops of one operand: arithmetic, exponentials, trigonometry, rounding and tests of numbers."""

from __future__ import annotations

from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.kernels.elementwise_compiled import compiled
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.math_common import (
    FLOATS,
    FLOATS_COMPLEX,
    NO_COMPLEX,
    NO_HALF,
    NO_INTEGERS,
    SIGNED,
    SIGNED_COMPLEX,
    as_tensor,
    is_sparse,
    on_values,
    unary,
)
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = [
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "floor",
    "is_finite", "is_inf", "is_nan", "log", "log1p", "log_sigmoid", "negative", "reciprocal", "rint", "round",
    "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
]  # fmt: skip

# -- arithmetic ----------------------------------------------------------------------------------------------

_neg = unary("Neg", SIGNED_COMPLEX, lambda xp, x: xp.negative(x), operator="-", doc="-x")
_abs = unary("Abs", SIGNED, lambda xp, x: xp.absolute(x), doc="|x|")
_sign = unary("Sign", SIGNED_COMPLEX, lambda xp, x: xp.sign(x), doc="-1, 0 or 1; x / |x| for complex numbers")
_square = unary(
    "Square",
    "bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128",
    lambda xp, x: xp.multiply(x, x),
    doc="x * x",
)
_reciprocal = unary("Reciprocal", SIGNED_COMPLEX, lambda xp, x: xp.reciprocal(x), refused=NO_INTEGERS, doc="1 / x")
unary("Inv", SIGNED_COMPLEX, lambda xp, x: xp.reciprocal(x), refused=NO_INTEGERS, doc="1 / x, under its first name")


def abs(x: Any, name: str | None = None) -> Any:
    """|x|, elementwise; real for complex numbers.

    Raises:
      TypeError: for unsigned integers, booleans and strings.
    """
    if isinstance(x, Tensor) and not x._dtype.is_complex:
        return _abs(x, name=name or "Abs")
    if is_sparse(x):
        return on_values(abs, x, name, "Abs")
    with name_scope(name, "Abs", [x]) as scope:
        x = as_tensor(x, "x")
        if x._dtype.is_complex:
            return lookup("ComplexAbs")(x, Tout=x._dtype.real_dtype, name=scope)
        return _abs(x, name=scope)


def negative(x: Any, name: str | None = None) -> Any:
    """-x, elementwise."""
    if is_sparse(x):
        return on_values(_neg, x, name, "Neg")
    return _neg(x, name=name)


def sign(x: Any, name: str | None = None) -> Any:
    """-1, 0 or 1 as x is negative, zero or positive; x / |x| for complex x other than 0."""
    if is_sparse(x):
        return on_values(sign, x, name, None)
    x = convert_to_tensor(x)
    if x._dtype.is_complex:
        size = lookup("ComplexAbs")(x, Tout=x._dtype.real_dtype)
        return lookup("DivNoNan")(x, lookup("Cast")(size, DstT=x._dtype.base_dtype), name=name)
    return _sign(x, name=name)


def square(x: Any, name: str | None = None) -> Any:
    """x * x, elementwise."""
    if is_sparse(x):
        return on_values(_square, x, name, "Square")
    return _square(x, name=name)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """1 / x, elementwise."""
    return _reciprocal(x, name=name)


# -- roots, exponentials, logarithms -------------------------------------------------------------------------


def _rsqrt_kernel(xp: Any, x: Any) -> Any:
    return xp.reciprocal(xp.sqrt(x))


def _exp_kernel(xp: Any, x: Any) -> Any:
    made = compiled("exp", xp, x, single=True)
    return xp.exp(x) if made is None else made


def _sigmoid_kernel(xp: Any, x: Any) -> Any:
    made = compiled("sigmoid", xp, x, single=True)
    if made is not None:
        return made
    result = xp.exp(xp.negative(x))
    if result.ndim == 0:
        return xp.reciprocal(xp.add(result, 1, dtype=result.dtype))
    xp.add(result, 1, out=result)
    return xp.reciprocal(result, out=result)


_sqrt = unary("Sqrt", FLOATS_COMPLEX, lambda xp, x: xp.sqrt(x), doc="square root")
_rsqrt = unary("Rsqrt", FLOATS_COMPLEX, _rsqrt_kernel, doc="1 / square root")
_exp = unary("Exp", FLOATS_COMPLEX, _exp_kernel, doc="e to the power x")
_expm1 = unary("Expm1", FLOATS_COMPLEX, lambda xp, x: xp.expm1(x), doc="exp(x) - 1, exact for small x")
_log = unary("Log", FLOATS_COMPLEX, lambda xp, x: xp.log(x), doc="natural logarithm")
_log1p = unary("Log1p", FLOATS_COMPLEX, lambda xp, x: xp.log1p(x), doc="log(1 + x), exact for small x")
_sigmoid = unary("Sigmoid", FLOATS_COMPLEX, _sigmoid_kernel, doc="1 / (1 + exp(-x))")


def sqrt(x: Any, name: str | None = None) -> Any:
    """The square root, elementwise; NaN for negative numbers."""
    if is_sparse(x):
        return on_values(_sqrt, x, name, "Sqrt")
    return _sqrt(x, name=name)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """1 / sqrt(x), elementwise."""
    return _rsqrt(x, name=name)


def exp(x: Any, name: str | None = None) -> Tensor:
    """e to the power x, elementwise."""
    return _exp(x, name=name)


def expm1(x: Any, name: str | None = None) -> Tensor:
    """exp(x) - 1, elementwise, exact for small x."""
    return _expm1(x, name=name)


def log(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm, elementwise."""
    return _log(x, name=name)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """log(1 + x), elementwise, exact for small x."""
    return _log1p(x, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), elementwise."""
    return _sigmoid(x, name=name)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), elementwise, without overflow."""
    with name_scope(name, "LogSigmoid", [x]) as scope:
        x = as_tensor(x, "x")
        return _neg(lookup("Softplus")(_neg(x)), name=scope)


# -- trigonometry ----------------------------------------------------------------------------------------------

_sin = unary("Sin", FLOATS_COMPLEX, lambda xp, x: xp.sin(x))
_cos = unary("Cos", FLOATS_COMPLEX, lambda xp, x: xp.cos(x))
_tan = unary("Tan", FLOATS_COMPLEX, lambda xp, x: xp.tan(x))
_asin = unary("Asin", FLOATS_COMPLEX, lambda xp, x: xp.arcsin(x))
_acos = unary("Acos", FLOATS_COMPLEX, lambda xp, x: xp.arccos(x))
_atan = unary("Atan", FLOATS_COMPLEX, lambda xp, x: xp.arctan(x))
_sinh = unary("Sinh", FLOATS_COMPLEX, lambda xp, x: xp.sinh(x))
_cosh = unary("Cosh", FLOATS_COMPLEX, lambda xp, x: xp.cosh(x))
_tanh = unary("Tanh", FLOATS_COMPLEX, lambda xp, x: xp.tanh(x))
_asinh = unary("Asinh", FLOATS_COMPLEX, lambda xp, x: xp.arcsinh(x))
_acosh = unary("Acosh", FLOATS_COMPLEX, lambda xp, x: xp.arccosh(x))
_atanh = unary("Atanh", FLOATS_COMPLEX, lambda xp, x: xp.arctanh(x))


def sin(x: Any, name: str | None = None) -> Tensor:
    """The sine of x radians, elementwise."""
    return _sin(x, name=name)


def cos(x: Any, name: str | None = None) -> Tensor:
    """The cosine of x radians, elementwise."""
    return _cos(x, name=name)


def tan(x: Any, name: str | None = None) -> Tensor:
    """The tangent of x radians, elementwise."""
    return _tan(x, name=name)


def asin(x: Any, name: str | None = None) -> Tensor:
    """The angle in radians whose sine is x, elementwise."""
    return _asin(x, name=name)


def acos(x: Any, name: str | None = None) -> Tensor:
    """The angle in radians whose cosine is x, elementwise."""
    return _acos(x, name=name)


def atan(x: Any, name: str | None = None) -> Tensor:
    """The angle in radians whose tangent is x, elementwise."""
    return _atan(x, name=name)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic sine, elementwise."""
    return _sinh(x, name=name)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic cosine, elementwise."""
    return _cosh(x, name=name)


def tanh(x: Any, name: str | None = None) -> Any:
    """The hyperbolic tangent, elementwise."""
    if is_sparse(x):
        return on_values(_tanh, x, name, "Tanh")
    return _tanh(x, name=name)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sine, elementwise."""
    return _asinh(x, name=name)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosine, elementwise."""
    return _acosh(x, name=name)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangent, elementwise."""
    return _atanh(x, name=name)


# -- rounding, and tests of numbers ------------------------------------------------------------------------------


def _round_kernel(xp: Any, x: Any) -> Any:
    return xp.array(x) if x.dtype.kind in "iu" else xp.rint(x)


_round = unary(
    "Round", SIGNED_COMPLEX, _round_kernel, refused=NO_COMPLEX, doc="the nearest whole number, halves to the even one"
)
_rint = unary("Rint", FLOATS, lambda xp, x: xp.rint(x), refused=NO_HALF, doc="the nearest whole number, as C finds it")
_floor = unary("Floor", FLOATS, lambda xp, x: xp.floor(x), doc="the largest whole number that is not larger")
_ceil = unary("Ceil", FLOATS, lambda xp, x: xp.ceil(x), doc="the smallest whole number that is not smaller")
_is_nan = unary("IsNan", FLOATS, lambda xp, x: xp.isnan(x), output="y: bool")
_is_inf = unary("IsInf", FLOATS, lambda xp, x: xp.isinf(x), output="y: bool")
_is_finite = unary("IsFinite", FLOATS, lambda xp, x: xp.isfinite(x), output="y: bool")


def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, halves to the even one; integers come back as they are."""
    tensor = as_tensor(x, "x")
    if tensor._dtype.is_integer:
        return tensor
    return _round(tensor, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, halves to the even one."""
    return _rint(x, name=name)


def floor(x: Any, name: str | None = None) -> Tensor:
    """The largest whole number that is not larger than x, elementwise."""
    return _floor(x, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """The smallest whole number that is not smaller than x, elementwise."""
    return _ceil(x, name=name)


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Whether each element is not a number."""
    return _is_nan(x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Whether each element is infinite."""
    return _is_inf(x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Whether each element is neither infinite nor NaN."""
    return _is_finite(x, name=name)


for _declared in (_floor, _ceil, _round, _rint):
    _declared.no_gradient("a step function is constant almost everywhere")
for _declared in (_is_nan, _is_inf, _is_finite):
    _declared.no_gradient("booleans have no gradient")

OPERATORS["abs"] = lambda x: abs(as_tensor(x, "x"))
OPERATORS["neg"] = lambda x: negative(as_tensor(x, "x"))
