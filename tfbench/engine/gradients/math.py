"""Gradients of arithmetic, of functions of single numbers, and of matrix products.

Where a gradient needs the function's argument again, its nodes wait for the incoming gradient
(`control_dependencies`): so does TensorFlow, lest they be computed long before they are of use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.broadcast import same_known_shape, summed, unwanted
from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor

# -- two operands -----------------------------------------------------------------------------------------


@gradient("Add", "AddV2")
def _add(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    if y._shape == () and 1 in unwanted(node):
        return dz, None
    return (dz, dz) if same_known_shape(dz, x, y) else summed(x, y, dz, dz)


@gradient("Sub")
def _sub(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    if y._shape == () and 1 in unwanted(node):
        return dz, None
    if same_known_shape(dz, x, y):
        return dz, -dz
    return summed(x, y, dz, None if 1 in unwanted(node) else -dz)


@gradient("Mul")
def _mul(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    multiply = lookup("Mul")
    if y._shape == () and 1 in unwanted(node):
        return multiply(dz, ops.conj(y)), None
    if same_known_shape(dz, x, y) and dz.dtype in (dtypes.int32, dtypes.float32):
        return multiply(dz, y), multiply(dz, x)
    dx = multiply(dz, ops.conj(y))
    return summed(x, y, dx, None if 1 in unwanted(node) else multiply(ops.conj(x), dz))


def _quotient(divide: Callable[[Any, Any], Tensor], of_conjugates: bool = False) -> Callable[..., Any]:
    """d(x/y) = dz/y, -x/y/y * dz. TensorFlow asks x and y for their sizes, or their conjugates."""

    def build(node: Operation, dz: Any) -> Any:
        x, y = node.inputs
        over, under = ops.conj(x), ops.conj(y)
        dx = divide(dz, under)
        if of_conjugates:
            x, y = over, under
        return summed(x, y, dx, dz * divide(divide(-over, under), under))

    return build


gradient("RealDiv")(_quotient(lambda x, y: lookup("RealDiv")(x, y)))
gradient("Div")(_quotient(lambda x, y: x / y))
gradient("DivNoNan")(_quotient(lambda x, y: ops.div_no_nan(x, y), of_conjugates=True))


@gradient("MulNoNan")
def _mul_no_nan(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    multiply = lookup("MulNoNan")
    dx = multiply(dz, y)
    dy = multiply(x, dz)
    return (dx, dy) if same_known_shape(dz, x, y) else summed(x, y, dx, dy)


@gradient("FloorDiv")
def _floor_div(node: Operation, dz: Any) -> Any:
    return None, None


@gradient("FloorMod")
def _floor_mod(node: Operation, dz: Any) -> Any:
    x, y = ops.conj(node.inputs[0]), ops.conj(node.inputs[1])
    times = ops.floor_div(x, y)
    return summed(x, y, dz, dz * ops.negative(times))


@gradient("Pow")
def _pow(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    base: Any = ops.conj(x)
    exponent: Any = ops.conj(y)
    dx = dz * exponent * ops.pow(base, exponent - 1)
    # Where the base is not positive, its logarithm counts as 0; `where` keeps NaN out of both sides.
    mask = ops.not_equal(base, 0) if x.dtype.is_complex else base > 0
    safe = ops.where(mask, base, ops.ones_like(x))
    log = ops.where(mask, ops.log(safe), ops.zeros_like(x))
    return summed(x, y, dx, dz * ops.conj(node.outputs_list[0]) * log)


def _chosen(first_wins: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """The whole gradient goes to the operand that was taken."""

    def build(node: Operation, dz: Any) -> Any:
        x, y = node.inputs
        nothing = ops.zeros_like(dz)
        mask = first_wins(x, y)
        dx = ops.where_v2(mask, dz, nothing)
        return summed(x, y, dx, ops.where_v2(mask, nothing, dz))

    return build


gradient("Maximum")(_chosen(lambda x, y: ops.greater_equal(x, y)))
gradient("Minimum")(_chosen(lambda x, y: ops.less_equal(x, y)))


@gradient("ClipByValue")
def _clip_by_value(node: Operation, dy: Any) -> Any:
    """What was clipped leaves its gradient to the bound."""
    x, low, high = node.inputs
    sizes = [ops.shape(tensor) for tensor in (x, low, high)]
    nothing = ops.zeros(ops.shape(dy), dtype=dy.dtype)
    below, above = ops.less(x, low), ops.greater(x, high)
    _, low_axes = lookup("BroadcastGradientArgs")(sizes[0], sizes[1])
    _, high_axes = lookup("BroadcastGradientArgs")(sizes[0], sizes[2])
    dx = ops.where(ops.logical_or(below, above), nothing, dy)
    dlow, dhigh = ops.where(below, dy, nothing), ops.where(above, dy, nothing)
    dlow = ops.reshape(ops.reduce_sum(dlow, low_axes), sizes[1])
    return dx, dlow, ops.reshape(ops.reduce_sum(dhigh, high_axes), sizes[2])


@gradient("Cross")
def _cross(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    dx = ops.cross(y, dz)
    return dx, ops.cross(dz, x)


@gradient("SquaredDifference")
def _squared_difference(node: Operation, dz: Any) -> Any:
    x, y = node.inputs
    with control_dependencies([dz]):
        dx = ops.scalar_mul(2.0, dz) * (x - y)
    if same_known_shape(dz, x, y):
        return dx, -dx
    return summed(x, y, dx, None if 1 in unwanted(node) else -dx)


# -- functions of one number --------------------------------------------------------------------------------


def _elementwise(type: str, slope: Callable[[Any, Any], Any], of_result: bool = False) -> None:
    """Declares `type`'s gradient as `slope(dy, x)`, or of y = f(x) where the slope follows from it."""

    @gradient(type)
    def build(node: Operation, dy: Any) -> Any:
        with control_dependencies([dy]):
            argument = ops.conj(node.outputs_list[0] if of_result else node.inputs[0])
            return [slope(dy, argument)]


def _square(dy: Any, x: Any) -> Any:
    return ops.multiply(dy, ops.multiply(x, ops.constant(2.0, dtype=x.dtype)))


_elementwise("Square", _square)
_elementwise("Exp", lambda dy, y: dy * y, of_result=True)
_elementwise("Expm1", lambda dy, x: dy * ops.exp(x))
_elementwise("Log", lambda dy, x: dy * ops.reciprocal(x))
_elementwise("Log1p", lambda dy, x: dy * ops.reciprocal(1 + x))
_elementwise("Tanh", lambda dy, y: lookup("TanhGrad")(y, dy), of_result=True)
_elementwise("Sigmoid", lambda dy, y: lookup("SigmoidGrad")(y, dy), of_result=True)
_elementwise("Sin", lambda dy, x: dy * ops.cos(x))
_elementwise("Cos", lambda dy, x: -dy * ops.sin(x))


@gradient("Neg")
def _neg(node: Operation, dy: Any) -> Any:
    return [-dy]


@gradient("Abs")
def _abs(node: Operation, dy: Any) -> Any:
    return [dy * ops.sign(node.inputs[0])]


@gradient("Sign")
def _sign(node: Operation, dy: Any) -> Any:
    return [ops.zeros_like(node.inputs[0])]


@gradient("Sqrt")
def _sqrt(node: Operation, dy: Any) -> Any:
    return [lookup("SqrtGrad")(node.outputs_list[0], dy)]


@gradient("Rsqrt")
def _rsqrt(node: Operation, dy: Any) -> Any:
    return [lookup("RsqrtGrad")(node.outputs_list[0], dy)]


@gradient("Reciprocal", "Inv")
def _reciprocal(node: Operation, dy: Any) -> Any:
    return [lookup("ReciprocalGrad")(node.outputs_list[0], dy)]


@gradient("Cast")
def _cast(node: Operation, dy: Any) -> Any:
    source, target = node.inputs[0].dtype.base_dtype, dy.dtype.base_dtype
    if all(kind.is_floating or kind.is_complex for kind in (source, target)):
        return [ops.cast(dy, source)]
    return [None]


@gradient("AddN")
def _add_n(node: Operation, dy: Any) -> Any:
    return [dy] * len(node.inputs)


# -- matrix products ----------------------------------------------------------------------------------------

#: for (a transposed, b transposed): the factors of both gradients, in order, and which are transposed
PRODUCTS = {
    (False, False): (("dy", "b", False, True), ("a", "dy", True, False)),
    (False, True): (("dy", "b", False, False), ("dy", "a", True, False)),
    (True, False): (("b", "dy", False, True), ("a", "dy", False, False)),
    (True, True): (("b", "dy", True, True), ("dy", "a", True, True)),
}


@gradient("MatMul")
def _matmul(node: Operation, dy: Any) -> Any:
    matrices = {"a": ops.conj(node.inputs[0]), "b": ops.conj(node.inputs[1]), "dy": dy}
    product = lookup("MatMul")
    found = []
    for side, (first, second, transpose_a, transpose_b) in zip(
        ("grad_a", "grad_b"), PRODUCTS[node.attrs["transpose_a"], node.attrs["transpose_b"]]
    ):
        attrs: dict[str, Any] = {"transpose_a": transpose_a, "transpose_b": transpose_b, side: True}
        found.append(product(matrices[first], matrices[second], **attrs))
    return found


@gradient("BatchMatMulV2", "BatchMatMulV3")
def _batch_matmul(node: Operation, dy: Any) -> Any:
    x, y = node.inputs
    matrices = {"a": x, "b": y, "dy": dy}
    found = []
    for side, (first, second, adjoint_a, adjoint_b) in zip(
        ("grad_a", "grad_b"), PRODUCTS[node.attrs["adj_x"], node.attrs["adj_y"]]
    ):
        attrs: dict[str, Any] = {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b, side: True}
        found.append(ops.matmul(matrices[first], matrices[second], **attrs))
    shapes = [x._shape, y._shape]
    if all(shape is not None and len(shape) <= 2 for shape in shapes):
        return found
    batches = [None if shape is None else shape[:-2] for shape in shapes]
    if batches[0] is not None and batches[0] == batches[1] and None not in batches[0]:
        return found
    x_sizes, y_sizes = ops.shape(x), ops.shape(y)
    axes = lookup("BroadcastGradientArgs")(x_sizes[:-2], y_sizes[:-2])
    return [
        ops.reshape(ops.reduce_sum(grad, along), sizes) for grad, along, sizes in zip(found, axes, (x_sizes, y_sizes))
    ]
