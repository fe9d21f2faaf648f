"""Gradients of softmax and of the losses that contain it, of the softplus, of biases and of fractional pooling."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.gradients.registry import RegisterGradient, gradient
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


@gradient("Softmax")
def _softmax(node: Operation, dy: Any) -> Any:
    y = node.outputs_list[0]
    return [(dy - ops.reduce_sum(dy * y, -1, keepdims=True)) * y]


@gradient("LogSoftmax")
def _log_softmax(node: Operation, dy: Any) -> Any:
    softmax = ops.exp(node.outputs_list[0])
    return [dy - ops.reduce_sum(dy, -1, keepdims=True) * softmax]


def _per_row(weights: Any, matrix: Tensor) -> Tensor:
    return ops.expand_dims(weights, -1) * matrix


def _features_gradient(node: Operation, dloss: Any, dbackprop: Any) -> Tensor:
    """The op's second output is the gradient already; being differentiated itself, it adds a second term."""
    features = node.inputs[0]
    grad = _per_row(dloss, node.outputs_list[1])
    if dbackprop is not None and dbackprop.op.type != "ZerosLike":
        softmax = lookup("Softmax")(features)
        inner = ops.matmul(ops.expand_dims(dbackprop, 1), ops.expand_dims(softmax, 2))
        grad += (dbackprop - ops.squeeze(inner, axis=1)) * softmax
    return grad


@gradient("SoftmaxCrossEntropyWithLogits")
def _softmax_cross_entropy(node: Operation, dloss: Any, dbackprop: Any) -> Any:
    grad = _features_gradient(node, dloss, dbackprop)
    return grad, _per_row(dloss, -lookup("LogSoftmax")(node.inputs[0]))


@gradient("SparseSoftmaxCrossEntropyWithLogits")
def _sparse_softmax_cross_entropy(node: Operation, dloss: Any, dbackprop: Any) -> Any:
    return _features_gradient(node, dloss, dbackprop), None


@gradient("Softplus")
def _softplus(node: Operation, dy: Any) -> Any:
    return [dy * ops.sigmoid(node.inputs[0])]


@RegisterGradient("CustomGradient-swish")
def _swish(node: Operation, dy: Any, *others: Any) -> Any:
    """Of x * sigmoid(beta * x), which is worked out again, so that only x is kept."""
    _, x, beta = node.inputs
    with control_dependencies([dy]):
        gate = ops.sigmoid(beta * x)
    slope = gate * (1.0 + (beta * x) * (1.0 - gate))
    dbeta = ops.reduce_sum(dy * ops.square(x) * gate * (1.0 - gate))
    return None, dy * slope, dbeta


@gradient("SoftplusGrad")
def _softplus_grad(node: Operation, dz: Any) -> Any:
    dy, x = node.inputs
    with control_dependencies([dz]):
        first = lookup("SoftplusGrad")(dz, x)
        both: Any = dz * dy
        return first, both / (ops.exp(-x) + 2.0 + ops.exp(x))


@gradient("BiasAddV1")
def _bias_add_v1(node: Operation, dy: Any) -> Any:
    axes = ops.range(ops.rank(dy) - 1)
    return dy, ops.reduce_sum(dy, axes)


# -- pooling over regions of random sizes -----------------------------------------------------------------------


@gradient("FractionalMaxPool")
def _fractional_max_pool(node: Operation, dy: Any, *others: Any) -> Any:
    y, rows, columns = node.outputs_list
    attrs = {"overlapping": node.attrs["overlapping"]}
    return [lookup("FractionalMaxPoolGrad")(node.inputs[0], y, dy, rows, columns, **attrs)]


@gradient("FractionalAvgPool")
def _fractional_avg_pool(node: Operation, dy: Any, *others: Any) -> Any:
    _, rows, columns = node.outputs_list
    x = node.inputs[0]
    # TensorFlow refuses images whose size is not known yet.
    sizes = x.shape if x.shape.is_fully_defined() else ops.shape(x, out_type=dtypes.int64)
    return [lookup("FractionalAvgPoolGrad")(sizes, dy, rows, columns, overlapping=node.attrs["overlapping"])]
