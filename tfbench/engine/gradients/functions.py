"""Gradients of further functions of one number, of the slopes that first gradients are made of, and of segments.

They wait for the incoming gradient as those in `math` do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.cumulative import cumulative_logsumexp


def _elementwise(type: str, slope: Callable[[Any, Any], Any], of_result: bool = False) -> None:
    """Declares `type`'s gradient as `slope(dy, x)`, or of y = f(x) where the slope follows from it."""

    @gradient(type)
    def build(node: Operation, dy: Any) -> Any:
        with control_dependencies([dy]):
            return [slope(dy, ops.conj(node.outputs_list[0] if of_result else node.inputs[0]))]


def _one_minus_square(x: Any) -> Any:
    squared = ops.square(x)
    return ops.subtract(ops.constant(1, dtype=x.dtype), squared)


def _tan(dy: Any, x: Any) -> Any:
    return ops.square(ops.reciprocal(ops.cos(x))) * dy


def _acos(dy: Any, x: Any) -> Any:
    slope = ops.reciprocal(ops.sqrt(_one_minus_square(x)))
    return -dy * slope


def _atan(dy: Any, x: Any) -> Any:
    squared = ops.square(x)
    return dy * ops.reciprocal(ops.add(ops.constant(1, dtype=x.dtype), squared))


_elementwise("Tan", _tan)
_elementwise("Sinh", lambda dy, x: dy * ops.cosh(x))
_elementwise("Cosh", lambda dy, x: dy * ops.sinh(x))
_elementwise("Asin", lambda dy, x: dy * ops.reciprocal(ops.sqrt(_one_minus_square(x))))
_elementwise("Acos", _acos)
_elementwise("Atan", _atan)
_elementwise("Asinh", lambda dy, y: dy / ops.cosh(y), of_result=True)
_elementwise("Acosh", lambda dy, y: dy / ops.sinh(y), of_result=True)
_elementwise("Atanh", lambda dy, x: dy * ops.reciprocal(_one_minus_square(x)))
_elementwise("Lgamma", lambda dy, x: dy * ops.digamma(x))


def _error_function(type: str, sign: int) -> None:
    @gradient(type)
    def build(node: Operation, dy: Any) -> Any:
        x = node.inputs[0]
        factor = ops.constant(sign * 2 / math.sqrt(math.pi), dtype=dy.dtype)
        with control_dependencies([dy]):
            x = ops.conj(x)
            return [dy * factor * ops.exp(-ops.square(x))]


_error_function("Erf", 1)
_error_function("Erfc", -1)

# -- slopes -------------------------------------------------------------------------------------------------


@gradient("TanhGrad")
def _tanh_grad(node: Operation, dz: Any) -> Any:
    with control_dependencies([dz]):
        y, dy = ops.conj(node.inputs[0]), ops.conj(node.inputs[1])
        return dz * -2.0 * dy * y, lookup("TanhGrad")(y, dz)


@gradient("SigmoidGrad")
def _sigmoid_grad(node: Operation, dz: Any) -> Any:
    with control_dependencies([dz]):
        y, dy = ops.conj(node.inputs[0]), ops.conj(node.inputs[1])
        both = dz * dy
        return both - 2.0 * both * y, lookup("SigmoidGrad")(y, dz)


@gradient("SqrtGrad")
def _sqrt_grad(node: Operation, dz: Any) -> Any:
    y, z = node.inputs[0], node.outputs_list[0]
    with control_dependencies([dz]):
        quotient = dz / y
        return -ops.conj(quotient) * z, 0.5 * quotient


@gradient("RsqrtGrad")
def _rsqrt_grad(node: Operation, dz: Any) -> Any:
    with control_dependencies([dz]):
        y, dy, dz_conj = ops.conj(node.inputs[0]), node.inputs[1], ops.conj(dz)
        return -1.5 * dz_conj * dy * ops.square(y), lookup("RsqrtGrad")(y, dz)


@gradient("ReciprocalGrad", "InvGrad")
def _reciprocal_grad(node: Operation, dz: Any) -> Any:
    with control_dependencies([dz]):
        y, dy = ops.conj(node.inputs[0]), node.inputs[1]
        return ops.conj(dz) * -2.0 * dy * y, lookup("ReciprocalGrad")(y, dz)


def _exponential_slope(type: str) -> None:
    """Of dy and the result y: where y is negative the slope is y and a constant, so it changes with y there."""

    @gradient(type)
    def build(node: Operation, dz: Any) -> Any:
        dy: Any = node.inputs[0]
        y: Any = node.inputs[1]
        first = lookup(type)(dz, y)
        return first, ops.where(y < 0, dz * dy, ops.zeros_like(y))


_exponential_slope("EluGrad")
_exponential_slope("SeluGrad")


@gradient("BiasAddGrad")
def _bias_add_grad(node: Operation, dz: Any) -> Any:
    """The bias's gradient, spread over everything that was summed."""
    sizes, channels = ops.shape(node.inputs[0]), ops.shape(dz)
    if node.attrs["data_format"] == "NCHW":
        before, after = ops.ones_like(sizes[:1]), ops.ones_like(sizes[2:])
        shape = ops.concat([before, channels, after], 0)
        times = ops.concat([sizes[:1], [1], sizes[2:]], 0)
    else:
        shape = ops.concat([ops.ones_like(sizes[:-1]), channels], 0)
        times = ops.concat([sizes[:-1], [1]], 0)
    return [ops.tile(ops.reshape(dz, shape), times)]


# -- running products -----------------------------------------------------------------------------------------


@gradient("Cumprod")
def _cumprod(node: Operation, dy: Any) -> Any:
    x, axis = node.inputs
    exclusive, reverse = node.attrs["exclusive"], node.attrs["reverse"]
    product = ops.cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    total = ops.cumsum(product * dy, axis, exclusive=exclusive, reverse=not reverse)
    return [ops.div_no_nan(total, x), None]


@gradient("CumulativeLogsumexp")
def _cumulative_logsumexp(node: Operation, dy: Any) -> Any:
    """In logarithms, those of the positive and of the negative gradients apart, so that no exponential overflows."""
    x, axis = node.inputs
    y = node.outputs_list[0]
    exclusive, reverse = node.attrs["exclusive"], node.attrs["reverse"]
    lowest = dy.dtype.min
    positive = ops.where_v2(ops.greater(dy, 0.0), ops.log(dy), lowest)
    negative = ops.where_v2(ops.less(dy, 0.0), ops.log(-dy), lowest)

    def part(logarithm: Any) -> Any:
        total: Any = cumulative_logsumexp(logarithm - y, axis, exclusive=exclusive, reverse=not reverse)
        return ops.exp(total + x)

    return [part(positive) - part(negative), None]
