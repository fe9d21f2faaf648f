"""Losses that are one op: the two fused cross entropies (each gives its gradient along) and half a sum of squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.nn_common import FLOATS, computed_by
from tfbench.engine.shape_math import broadcast, dim_merge, merge, with_rank
from tfbench.engine.tensor import Tensor

__all__ = ["l2_loss"]

softmax_cross_entropy_op = op(
    "SoftmaxCrossEntropyWithLogits",
    "features: T, labels: T",
    "loss: T, backprop: T",
    f"T: {FLOATS}",
    fresh=True,
    doc="cross entropy of softmax(features) with labels, which are distributions",
)
sparse_softmax_cross_entropy_op = op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels",
    "loss: T, backprop: T",
    f"T: {FLOATS}; Tlabels: {{int32, int64}} = DT_INT64",
    fresh=True,
    doc="cross entropy of softmax(features) with labels, which are class numbers",
)


@softmax_cross_entropy_op.shape
def _softmax_cross_entropy_shape(node: Operation, features: Any, labels: Any) -> Any:
    try:
        both = merge(with_rank(features, 2), labels)
    except ValueError:
        both = broadcast(features, labels)
        if both is None or len(both) != 2:
            rank = "unknown" if both is None else len(both)
            raise ValueError(f"Shape must be broadcasted with rank 2, but is rank {rank}") from None
    assert both is not None
    return [(both[0],), both]


@sparse_softmax_cross_entropy_op.shape
def _sparse_softmax_cross_entropy_shape(node: Operation, features: Any, labels: Any) -> Any:
    features, labels = with_rank(features, 2), with_rank(labels, 1)
    batch = dim_merge(features[0], labels[0])
    return [(batch,), (batch, features[1])]


computed_by(softmax_cross_entropy_op, "softmax", "softmax_cross_entropy_with_logits")
computed_by(sparse_softmax_cross_entropy_op, "softmax", "sparse_softmax_cross_entropy_with_logits")

l2_loss_op = op("L2Loss", "t: T", "output: T", f"T: {FLOATS}", fresh=True, doc="sum(t ** 2) / 2")


@l2_loss_op.shape
def _l2_loss_shape(node: Operation, t: Any) -> Any:
    return [()]


@l2_loss_op.kernel(CPU, GPU)
def _l2_loss_kernel(xp: Any, t: Any) -> Any:
    flat = t.reshape(-1)
    if t.dtype == np.float16:
        flat = flat.astype(np.float32)
    return (xp.dot(flat, flat) / flat.dtype.type(2)).astype(t.dtype)


@l2_loss_op.gradient
def _l2_loss_gradient(node: Operation, dy: Any) -> Any:
    return [node.inputs[0] * dy]


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """Half the sum of the squares of all elements."""
    return l2_loss_op(t, name=name)
