"""Gradients of softmax and of the losses that contain it, and of the softplus."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.gradients.registry import gradient
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


def _batch_norm(type: str, slope: str) -> None:
    """In training the op's own statistics are differentiated through; given ones count as constants."""

    @gradient(type)
    def build(node: Operation, dy: Any, *others: Any) -> Any:
        x, scale, _, mean, variance = node.inputs
        statistics = list(node.outputs_list[3:])
        attrs = {name: node.attrs[name] for name in ("epsilon", "data_format", "is_training")}
        channels_first = attrs["data_format"] == "NCHW"
        if not attrs["is_training"]:
            statistics[:2] = [mean, variance]
            if channels_first:
                # With given statistics TensorFlow has this gradient for channels at the end only.
                x, dy = ops.transpose(x, [0, 2, 3, 1]), ops.transpose(dy, [0, 2, 3, 1])
                attrs["data_format"] = "NHWC"
        dx, dscale, doffset, _, _ = lookup(slope)(dy, x, scale, *statistics, **attrs)
        if not attrs["is_training"] and channels_first:
            dx = ops.transpose(dx, [0, 3, 1, 2])
        return dx, dscale, doffset, None, None


_batch_norm("FusedBatchNorm", "FusedBatchNormGrad")
_batch_norm("FusedBatchNormV2", "FusedBatchNormGradV2")
_batch_norm("FusedBatchNormV3", "FusedBatchNormGradV3")
