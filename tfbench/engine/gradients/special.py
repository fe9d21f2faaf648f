"""Gradients of special functions: the gamma function's family, Bessel functions, inverses of the error function, and
products that are zero where a factor is.

Operands that broadcast are always summed back, with nodes for it even where nothing was repeated, as in TensorFlow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.broadcast import summed
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.ops import math_no_nan, math_special
from tfbench.engine.tensor import Tensor

# -- one argument -------------------------------------------------------------------------------------------


def _unary(type: str, slope: Callable[[Any, Any], Any]) -> None:
    """Declares `type`'s gradient: `slope(x, y)` times what comes in."""

    @gradient(type)
    def build(node: Operation, dy: Any) -> Any:
        with control_dependencies([dy]):
            return [dy * slope(node.inputs[0], node.outputs_list[0])]


def _i0e(x: Any, y: Any) -> Any:
    return math_special.bessel_i1e(x) - ops.sign(x) * y


def _i1(x: Any, y: Any) -> Any:
    """i0(x) - i1(x) / x. At 0 TensorFlow says 1, though it is 1/2."""
    at_zero = ops.equal(x, 0.0)
    return ops.where_v2(at_zero, ops.cast(1.0, x.dtype), math_special.bessel_i0(x) - ops.div(y, x))


def _i1e(x: Any, y: Any) -> Any:
    at_zero = ops.equal(x, 0.0)
    half = ops.cast(0.5, x.dtype)
    return ops.where_v2(at_zero, half, math_special.bessel_i0e(x) - y * (ops.sign(x) + ops.reciprocal(x)))


_unary("BesselI0", lambda x, y: math_special.bessel_i1(x))
_unary("BesselI0e", _i0e)
_unary("BesselI1", _i1)
_unary("BesselI1e", _i1e)
_unary("Digamma", lambda x, y: ops.polygamma(ops.constant(1, dtype=x.dtype), x))


@gradient("Erfinv")
def _erfinv(node: Operation, dy: Any) -> Any:
    factor = ops.constant(math.sqrt(math.pi) / 2, dtype=dy.dtype)
    with control_dependencies([dy]):
        return [dy * factor * ops.exp(ops.square(node.outputs_list[0]))]


@gradient("Ndtri")
def _ndtri(node: Operation, dy: Any) -> Any:
    factor = ops.constant(math.sqrt(2 * math.pi), dtype=dy.dtype)
    with control_dependencies([dy]):
        return [dy * factor * ops.exp(ops.square(node.outputs_list[0]) / 2.0)]


# -- two arguments that broadcast ---------------------------------------------------------------------------


class Pair:
    """The shapes of two operands and the axes along which each was repeated, as nodes."""

    __slots__ = ("axes", "sizes")

    def __init__(self, x: Tensor, y: Tensor) -> None:
        self.sizes = ops.shape(x), ops.shape(y)
        self.axes = lookup("BroadcastGradientArgs")(*self.sizes)

    def sum(self, side: int, grad: Any) -> Tensor:
        """`grad` in the shape of the first (0) or second (1) operand."""
        return ops.reshape(ops.reduce_sum(grad, self.axes[side]), self.sizes[side])


def _with_zeros(type: str, d_first: Callable[[Any, Any], Any], d_second: Callable[[Any, Any], Any]) -> None:
    """x f(y), 0 where x is 0 whatever f(y) is: so are both derivatives."""

    @gradient(type)
    def build(node: Operation, dz: Any) -> Any:
        x, y = node.inputs
        pair = Pair(x, y)
        with control_dependencies([dz]):
            some = ops.cast(ops.not_equal(x, ops.cast(0.0, x.dtype)), x.dtype)
            dx = d_first(some, y)
            dy = d_second(x, y)
            return pair.sum(0, dx * dz), pair.sum(1, dy * dz)


_with_zeros("Xlogy", lambda some, y: lookup("Xlogy")(some, y), lambda x, y: lookup("Xdivy")(x, y))
_with_zeros("Xlog1py", lambda some, y: lookup("Xlog1py")(some, y), lambda x, y: lookup("Xdivy")(x, y + 1.0))
_with_zeros("Xdivy", lambda some, y: lookup("Xdivy")(some, y), lambda x, y: lookup("Xdivy")(-x, y**2))


@gradient("Atan2")
def _atan2(node: Operation, dz: Any) -> Any:
    y, x = node.inputs
    with control_dependencies([dz]):
        part = dz / (ops.square(y) + ops.square(x))
        dy = x * part
        return summed(y, x, dy, -y * part)


@gradient("NextAfter")
def _next_after(node: Operation, dz: Any) -> Any:
    """The result moves with the first operand, whatever the second is."""
    x, y = node.inputs
    pair = Pair(x, y)
    with control_dependencies([dz]):
        one = ops.ones(pair.sizes[0], dtype=x.dtype)
        nothing = ops.zeros(pair.sizes[1], dtype=y.dtype)
        return pair.sum(0, one * dz), pair.sum(1, nothing * dz)


@gradient("TruncateDiv")
def _truncate_div(node: Operation, dz: Any) -> Any:
    return None, None


@gradient("Igamma")
def _igamma(node: Operation, dz: Any) -> Any:
    a, x = node.inputs
    pair = Pair(a, x)
    with control_dependencies([dz]):
        da = lookup("IgammaGradA")(a, x)
        # in logarithms, since the factors alone are too large or too small
        dx = ops.exp(-x + (a - 1) * ops.log(x) - ops.lgamma(a))
        return pair.sum(0, da * dz), pair.sum(1, dx * dz)


@gradient("Igammac")
def _igammac(node: Operation, dz: Any) -> Any:
    da, dx = _igamma(node, dz)
    return -da, -dx


@gradient("Betainc")
def _betainc(node: Operation, dz: Any) -> Any:
    """Of x alone, as in TensorFlow."""
    a, b, x = node.inputs
    pair = Pair(a, x)
    log_beta = ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)
    dx = ops.exp(math_no_nan.xlog1py(b - 1, -x) + math_no_nan.xlogy(a - 1, x) - log_beta)
    return None, None, pair.sum(1, dx * dz)


def _of_second(type: str, slope: Callable[[Any, Any], Any]) -> None:
    """Differentiated with respect to the second argument alone, as in TensorFlow."""

    @gradient(type)
    def build(node: Operation, dz: Any) -> Any:
        x, y = node.inputs
        pair = Pair(x, y)
        with control_dependencies([dz]):
            return None, pair.sum(1, slope(x, y) * dz)


_of_second("Zeta", lambda x, q: -x * ops.zeta(x + 1, q))
_of_second("Polygamma", lambda n, x: ops.polygamma(n + 1, x))
