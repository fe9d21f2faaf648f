"""Special functions: the gamma function's family, the error function and its inverses, Bessel functions.

The numerics are in `kernels/special_*.py`; here they become ops. float16 is computed as float32, float32 as float64
(but the error function in its own type), and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import shape_math
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.math_common import FLOATS, broadcast_shape, is_sparse, on_values, same_shape
from tfbench.engine.ops.reductions import reduce_sum
from tfbench.engine.tensor import Tensor

__all__ = ["betainc", "digamma", "erf", "erfc", "igamma", "igammac", "lbeta", "lgamma", "polygamma", "zeta"]


def _rounded_once(module: str, function: str, *, own_type: bool = False) -> Callable[..., Any]:
    """A kernel: the function of `kernels/<module>.py`, loaded when first used, on wide enough floats."""

    def kernel(xp: Any, *arrays: Any) -> Any:
        from importlib import import_module

        if xp is not np:
            return import_module("tfbench.engine.kernels.special_device").compute(function, *arrays)
        compute = getattr(import_module(f"tfbench.engine.kernels.{module}"), function)
        dtype = arrays[0].dtype
        wide = np.float32 if own_type and dtype.itemsize <= 4 else np.float64
        shape = np.broadcast_shapes(*[array.shape for array in arrays])
        with np.errstate(all="ignore"):
            result = compute(*[np.atleast_1d(array).astype(wide, copy=False) for array in arrays])
        return result.astype(dtype, copy=False).reshape(shape)

    return kernel


def _unary(type: str, module: str, function: str, doc: str, *, own_type: bool = False) -> OpDef:
    opdef = op(type, "x: T", "y: T", f"T: {{{FLOATS}}}", fresh=True, doc=doc)
    opdef.shape(same_shape)
    opdef.kernel(CPU, GPU)(_rounded_once(module, function, own_type=own_type))
    return opdef


def _binary(
    type: str, inputs: str, types: str, module: str, function: str, doc: str, devices: tuple[str, ...] = (CPU, GPU)
) -> OpDef:
    opdef = op(type, inputs, "z: T", f"T: {{{types}}}", fresh=True, doc=doc)
    opdef.shape(broadcast_shape)
    opdef.kernel(*devices)(_rounded_once(module, function))
    return opdef


_lgamma = _unary("Lgamma", "special_gamma", "lgamma", "log |gamma(x)|")
_digamma = _unary("Digamma", "special_gamma", "digamma", "the derivative of lgamma")
_erf = _unary("Erf", "special_erf", "erf", "the error function", own_type=True)
_erfc = _unary("Erfc", "special_erf", "erfc", "1 - erf(x), exact where it is small", own_type=True)
_erfinv = _unary("Erfinv", "special_erf", "erfinv", "the inverse of erf")
_ndtri = _unary("Ndtri", "special_erf", "ndtri", "the quantile of the standard normal distribution")
_i0 = _unary("BesselI0", "special_bessel", "i0", "modified Bessel function of the first kind, order 0")
_i0e = _unary("BesselI0e", "special_bessel", "i0e", "the same times exp(-|x|)")
_i1 = _unary("BesselI1", "special_bessel", "i1", "modified Bessel function of the first kind, order 1")
_i1e = _unary("BesselI1e", "special_bessel", "i1e", "the same times exp(-|x|)")
_igamma = _binary("Igamma", "a: T, x: T", FLOATS, "special_incomplete", "igamma", "lower incomplete gamma, regularised")
_igammac = _binary("Igammac", "a: T, x: T", FLOATS, "special_incomplete", "igammac", "upper incomplete gamma")
_igamma_grad_a = _binary(
    "IgammaGradA", "a: T, x: T", "float, double", "special_incomplete_slopes", "igamma_slope", "igamma's slope in a",
    devices=(CPU,),
)  # fmt: skip
_igamma_grad_a.no_gradient("TensorFlow has none, though it is differentiable")
_zeta = _binary("Zeta", "x: T, q: T", "float, double", "special_gamma", "zeta", "Hurwitz's zeta function")
_polygamma = _binary("Polygamma", "a: T, x: T", "float, double", "special_gamma", "polygamma", "derivatives of digamma")

_betainc = op("Betainc", "a: T, b: T, x: T", "z: T", "T: {float, double}", fresh=True, doc="incomplete beta function")
_betainc.kernel(CPU, GPU)(_rounded_once("special_incomplete", "betainc"))

_random_gamma_grad = op(
    "RandomGammaGrad",
    "alpha: T, sample: T",
    "output: T",
    "T: {float, double}",
    fresh=True,
    doc="How a sample of the gamma distribution moves with its shape parameter.",
)
_random_gamma_grad.shape(broadcast_shape)
_random_gamma_grad.kernel(CPU)(_rounded_once("special_incomplete_slopes", "gamma_sample_slope"))
_random_gamma_grad.no_gradient("TensorFlow has none, though it is differentiable")


@_betainc.shape
def _betainc_shape(node: Operation, *shapes: Any) -> Any:
    # Scalars go with anything; all others have one shape.
    result: Any = ()
    unknown = False
    for shape in shapes:
        if shape is None:
            unknown = True
        elif shape:
            result = shape_math.merge(result, shape) if result else shape
    return [None if unknown and not result else result]


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of |gamma(x)|, elementwise."""
    return _lgamma(x, name=name)


def digamma(x: Any, name: str | None = None) -> Tensor:
    """The derivative of lgamma, elementwise."""
    return _digamma(x, name=name)


def erf(x: Any, name: str | None = None) -> Any:
    """The error function, elementwise."""
    if is_sparse(x):
        return on_values(_erf, x, name, "Erf")
    return _erf(x, name=name)


def erfc(x: Any, name: str | None = None) -> Tensor:
    """1 - erf(x), elementwise, exact where it is small."""
    return _erfc(x, name=name)


def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularised lower incomplete gamma function P(a, x), elementwise."""
    return _igamma(a, x, name=name)


def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularised upper incomplete gamma function Q(a, x), elementwise."""
    return _igammac(a, x, name=name)


def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """Hurwitz's zeta function, the sum of (q + k)^-x, elementwise."""
    return _zeta(x, q, name=name)


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The a-th derivative of digamma at x, elementwise."""
    return _polygamma(a, x, name=name)


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularised incomplete beta function, elementwise; a, b and x have one shape or are scalars."""
    return _betainc(a, b, x, name=name)


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """log |Beta(x)| over the last axis: the sum of lgamma(x), less lgamma of the sum."""
    with name_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        logs = reduce_sum(_lgamma(x), [-1])
        return logs - _lgamma(reduce_sum(x, [-1]))


# -- tf.math has these -------------------------------------------------------------------------------------------


def erfinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the error function, elementwise."""
    with name_scope(name, "erfinv", [x]):
        return _erfinv(x)


def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The quantile of the standard normal distribution, elementwise."""
    with name_scope(name, "ndtri", [x]):
        return _ndtri(x)


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of erfc, elementwise."""
    with name_scope(name, "erfcinv", [x]):
        x = convert_to_tensor(x, name="start")
        quantile: Any = ndtri(0.5 * x)
        return -quantile * math.sqrt(0.5)


def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 0, elementwise."""
    with name_scope(name, "bessel_i0", [x]):
        return _i0(x)


def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """exp(-|x|) bessel_i0(x), elementwise."""
    with name_scope(name, "bessel_i0e", [x]):
        return _i0e(x)


def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of the first kind and order 1, elementwise."""
    with name_scope(name, "bessel_i1", [x]):
        return _i1(x)


def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """exp(-|x|) bessel_i1(x), elementwise."""
    with name_scope(name, "bessel_i1e", [x]):
        return _i1e(x)
