"""Activations of one tensor, elementwise: Relu and its relatives, Softplus, Softsign, and their slopes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine import shape_math
from tfbench.engine.graph import Operation
from tfbench.engine.kernels.elementwise_compiled import compiled
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.array_fill import zeros_like
from tfbench.engine.ops.math_common import FLOATS_COMPLEX, same_shape
from tfbench.engine.ops.nn_common import FLOATS, REALS
from tfbench.engine.tensor import Tensor

__all__ = ["elu", "relu", "selu", "softplus", "softsign"]

_REALS_AND_QINT8 = "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8}"
_ALPHA = "alpha: float = 0.20000000298023224; "

_SELU_SCALE = 1.0507009873554804934193349852946
_SELU_SCALE_ALPHA = 1.7580993408473768599402175208123


def _activation(type: str, types: str, kernel: Callable[..., Any], *, attrs: str = "", doc: str = "") -> OpDef:
    opdef = op(type, "features: T", "activations: T", f"{attrs}T: {types}", fresh=True, doc=doc)
    opdef.shape(same_shape)
    opdef.kernel(CPU, GPU)(kernel)
    return opdef


def _in_one_pass(maker: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """`kernel`, or the compiled loop that does the same, once it is there."""

    def either(xp: Any, first: Any, second: Any) -> Any:
        made = compiled(maker, xp, first, second)
        return kernel(xp, first, second) if made is None else made

    return either


def _merged_shape(node: Operation, first: Any, second: Any) -> Any:
    return [shape_math.merge(first, second)]


def _slope(type: str, types: str, second: str, kernel: Callable[..., Any], *, attrs: str = "", doc: str = "") -> OpDef:
    """Declares the op that computes an activation's gradient from the features, or from the activations."""
    opdef = op(type, f"gradients: T, {second}: T", "backprops: T", f"{attrs}T: {types}", fresh=True, doc=doc)
    opdef.shape(_merged_shape)
    opdef.kernel(CPU, GPU)(kernel)
    return opdef


# -- clipped: Relu, Relu6, LeakyRelu ----------------------------------------------------------------------------------


def _relu_kernel(xp: Any, x: Any) -> Any:
    return xp.maximum(x, x.dtype.type(0))


def _relu6_kernel(xp: Any, x: Any) -> Any:
    return xp.minimum(_relu_kernel(xp, x), x.dtype.type(6))


def _leaky_relu_kernel(xp: Any, x: Any, *, alpha: float) -> Any:
    scaled = xp.multiply(x, x.dtype.type(alpha))
    return xp.maximum(x, scaled) if alpha <= 1 else xp.where(x > 0, x, scaled)


relu_op = _activation("Relu", _REALS_AND_QINT8, _relu_kernel, doc="max(x, 0)")
relu6_op = _activation("Relu6", REALS, _relu6_kernel, doc="min(max(x, 0), 6)")
leaky_relu_op = _activation(
    "LeakyRelu", f"{FLOATS} = DT_FLOAT", _leaky_relu_kernel, attrs=_ALPHA, doc="x where positive, else alpha * x"
)
# Multiplied, not chosen: an infinite gradient of a clipped feature is NaN, as in TensorFlow.
relu_grad = _slope("ReluGrad", REALS, "features", _in_one_pass("relu_grad", lambda xp, dy, x: xp.multiply(dy, x > 0)))
relu6_grad = _slope("Relu6Grad", REALS, "features", lambda xp, dy, x: xp.multiply(dy, (x > 0) & (x < 6)))


def _leaky_relu_grad_kernel(xp: Any, dy: Any, x: Any, *, alpha: float) -> Any:
    return xp.where(x > 0, dy, xp.multiply(dy, dy.dtype.type(alpha)))


leaky_relu_grad = _slope("LeakyReluGrad", f"{FLOATS} = DT_FLOAT", "features", _leaky_relu_grad_kernel, attrs=_ALPHA)


@relu_op.gradient
def _relu_gradient(node: Operation, dy: Any) -> Any:
    return [relu_grad(dy, node.outputs[0])]


@relu_grad.gradient
def _relu_grad_gradient(node: Operation, dy: Any) -> Any:
    x = node.inputs[1]
    return [relu_grad(dy, x), zeros_like(x)]


@relu6_op.gradient
def _relu6_gradient(node: Operation, dy: Any) -> Any:
    return [relu6_grad(dy, node.outputs[0])]


@relu6_grad.gradient
def _relu6_grad_gradient(node: Operation, dy: Any) -> Any:
    x = node.inputs[1]
    return [relu6_grad(dy, x), zeros_like(x)]


@leaky_relu_op.gradient
def _leaky_relu_gradient(node: Operation, dy: Any) -> Any:
    return [leaky_relu_grad(dy, node.inputs[0], alpha=node.attrs["alpha"])]


@leaky_relu_grad.gradient
def _leaky_relu_grad_gradient(node: Operation, dy: Any) -> Any:
    x = node.inputs[1]
    return [leaky_relu_grad(dy, x, alpha=node.attrs["alpha"]), zeros_like(x)]


# -- with an exponential for negative numbers: Elu, Selu --------------------------------------------------------------


def _elu_kernel(xp: Any, x: Any) -> Any:
    return xp.where(x < 0, xp.expm1(xp.minimum(x, x.dtype.type(0))), x)


def _elu_grad_kernel(xp: Any, dy: Any, y: Any) -> Any:
    return xp.where(y < 0, dy * (y + y.dtype.type(1)), dy)


def _selu_kernel(xp: Any, x: Any) -> Any:
    kind = x.dtype.type
    low = xp.expm1(xp.minimum(x, kind(0))) * kind(_SELU_SCALE_ALPHA)
    return xp.where(x < 0, low, x * kind(_SELU_SCALE))


def _selu_grad_kernel(xp: Any, dy: Any, y: Any) -> Any:
    kind = y.dtype.type
    return xp.where(y < 0, dy * (y + kind(_SELU_SCALE_ALPHA)), dy * kind(_SELU_SCALE))


elu_op = _activation("Elu", FLOATS, _elu_kernel, doc="x where positive, else exp(x) - 1")
elu_grad = _slope("EluGrad", FLOATS, "outputs", _elu_grad_kernel)
selu_op = _activation("Selu", FLOATS, _selu_kernel, doc="Elu, scaled so that mean 0 and variance 1 stay")
selu_grad = _slope("SeluGrad", FLOATS, "outputs", _selu_grad_kernel)


@elu_op.gradient
def _elu_gradient(node: Operation, dy: Any) -> Any:
    return [elu_grad(dy, node.outputs[0])]


@selu_op.gradient
def _selu_gradient(node: Operation, dy: Any) -> Any:
    return [selu_grad(dy, node.outputs[0])]


# -- smooth: Softplus, Softsign ---------------------------------------------------------------------------------------


def _softplus_kernel(xp: Any, x: Any) -> Any:
    return xp.logaddexp(x, x.dtype.type(0))


def _softplus_grad_kernel(xp: Any, dy: Any, x: Any) -> Any:
    return dy / (xp.exp(xp.negative(x)) + x.dtype.type(1))


def _softsign_grad_kernel(xp: Any, dy: Any, x: Any) -> Any:
    return dy / xp.square(xp.absolute(x) + x.dtype.type(1))


softplus_op = _activation("Softplus", FLOATS, _softplus_kernel, doc="log(exp(x) + 1), without overflow")
softplus_grad = _slope("SoftplusGrad", FLOATS, "features", _softplus_grad_kernel)
softsign_op = _activation("Softsign", FLOATS, lambda xp, x: x / (xp.absolute(x) + x.dtype.type(1)), doc="x / (|x| + 1)")
softsign_grad = _slope("SoftsignGrad", FLOATS, "features", _softsign_grad_kernel)
softsign_grad.no_gradient("TensorFlow has none, though it is differentiable")


@softsign_op.gradient
def _softsign_gradient(node: Operation, dy: Any) -> Any:
    return [softsign_grad(dy, node.inputs[0])]


# -- the slopes of Sigmoid and Tanh, from their results ---------------------------------------------------------------


def _from_result(type: str, kernel: Callable[..., Any]) -> OpDef:
    opdef = op(type, "y: T, dy: T", "z: T", f"T: {{{FLOATS_COMPLEX}}}", fresh=True)
    opdef.shape(same_shape)
    opdef.kernel(CPU, GPU)(kernel)
    return opdef


sigmoid_grad = _from_result(
    "SigmoidGrad", _in_one_pass("sigmoid_grad", lambda xp, y, dy: dy * y * (y.dtype.type(1) - y))
)
tanh_grad = _from_result("TanhGrad", _in_one_pass("tanh_grad", lambda xp, y, dy: dy * (y.dtype.type(1) - y * y)))


# -- public functions -------------------------------------------------------------------------------------------------


def relu(features: Any, name: str | None = None) -> Tensor:
    """max(features, 0), elementwise."""
    return relu_op(features, name=name)


def elu(features: Any, name: str | None = None) -> Tensor:
    """exp(features) - 1 where negative, features elsewhere."""
    return elu_op(features, name=name)


def selu(features: Any, name: str | None = None) -> Tensor:
    """The scaled exponential linear unit: keeps activations of mean 0 and variance 1 so."""
    return selu_op(features, name=name)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(exp(features) + 1), elementwise, without overflow."""
    return softplus_op(features, name=name)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """features / (|features| + 1), elementwise."""
    return softsign_op(features, name=name)
