"""The ops that compute gradients of pooling, and those gradients' own."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import OpDef, op
from tfbench.engine.ops.array_fill import zeros_like
from tfbench.engine.ops.base import stop_gradient
from tfbench.engine.ops.nn_common import EXPLICIT, FLOATS, LAYOUT, LAYOUT_3D, PADDING, REALS, computed_by
from tfbench.engine.ops.nn_pool import (
    FLOATS_3D,
    SLIDING,
    SLIDING_3D,
    avg_pool3d_op,
    avg_pool_op,
    max_pool3d_op,
    max_pool_op,
    max_pool_with_argmax_op,
    pooled_shape,
)
from tfbench.engine.ops.shape_ops import shape, shape_from_input
from tfbench.engine.shape_math import merge, with_rank

_TRIPLE = "orig_input: T, orig_output: T, grad: T"
_ARGMAX = f"{SLIDING}; {PADDING}; include_batch_in_index: bool = false; Targmax: {{int32, int64}}; T: {REALS}"

max_pool_grad_op = op(
    "MaxPoolGrad", _TRIPLE, "output: T", f"{SLIDING}; {EXPLICIT}; {LAYOUT}; T: {REALS} = DT_FLOAT", fresh=True
)
max_pool_grad_grad_op = op(
    "MaxPoolGradGrad", _TRIPLE, "output: T", f"{SLIDING}; {PADDING}; {LAYOUT}; T: {REALS}", fresh=True
)
avg_pool_grad_op = op(
    "AvgPoolGrad",
    "orig_input_shape: int32, grad: T",
    "output: T",
    f"{SLIDING}; {PADDING}; {LAYOUT}; T: {FLOATS}",
    fresh=True,
)
max_pool3d_grad_op = op(
    "MaxPool3DGrad",
    "orig_input: TInput, orig_output: TInput, grad: T",
    "output: T",
    f"{SLIDING_3D}; {PADDING}; {LAYOUT_3D}; T: {FLOATS_3D} = DT_FLOAT; TInput: {FLOATS_3D} = DT_FLOAT",
    fresh=True,
)
max_pool3d_grad_grad_op = op(
    "MaxPool3DGradGrad", _TRIPLE, "output: T", f"{SLIDING_3D}; {PADDING}; {LAYOUT_3D}; T: {REALS}", fresh=True
)
avg_pool3d_grad_op = op(
    "AvgPool3DGrad",
    "orig_input_shape: int32, grad: T",
    "output: T",
    f"{SLIDING_3D}; {PADDING}; {LAYOUT_3D}; T: {FLOATS}",
    fresh=True,
)
max_pool_grad_with_argmax_op = op(
    "MaxPoolGradWithArgmax", "input: T, grad: T, argmax: Targmax", "output: T", _ARGMAX, fresh=True
)
max_pool_grad_grad_with_argmax_op = op(
    "MaxPoolGradGradWithArgmax", "input: T, grad: T, argmax: Targmax", "output: T", _ARGMAX, fresh=True
)
for _declared in (max_pool_grad_with_argmax_op, max_pool_grad_grad_with_argmax_op):
    _declared.no_gradient("TensorFlow has none, though it is differentiable in grad")


# -- shapes -----------------------------------------------------------------------------------------------------------


def _rank(node: Operation) -> int:
    return len(node.attrs.get("data_format", "NHWC"))


def _like_input(node: Operation, input: Any, *others: Any) -> Any:
    return [with_rank(input, _rank(node))]


def _from_sizes(node: Operation, *inputs: Any) -> Any:
    return [with_rank(shape_from_input(node, 0), _rank(node))]


def _like_pooled(node: Operation, input: Any, output: Any, grad: Any) -> Any:
    pooled = pooled_shape(node, input)
    merge(input, grad)
    merge(output, pooled)
    return [pooled]


def _like_pooled_with_argmax(node: Operation, input: Any, grad: Any, argmax: Any) -> Any:
    pooled = pooled_shape(node, input)
    merge(input, grad)
    merge(argmax, pooled)
    return [pooled]


for _declared, _shape, _module, _kernel in (
    (max_pool_grad_op, _like_input, "pool_argmax", "max_pool_grad"),
    (max_pool3d_grad_op, _like_input, "pool_argmax", "max_pool3d_grad"),
    (max_pool_grad_with_argmax_op, _like_input, "pool_argmax", "max_pool_grad_with_argmax"),
    (avg_pool_grad_op, _from_sizes, "pool", "avg_pool_grad"),
    (avg_pool3d_grad_op, _from_sizes, "pool", "avg_pool3d_grad"),
    (max_pool_grad_grad_op, _like_pooled, "pool_argmax", "max_pool_grad_grad"),
    (max_pool3d_grad_grad_op, _like_pooled, "pool_argmax", "max_pool3d_grad_grad"),
    (max_pool_grad_grad_with_argmax_op, _like_pooled_with_argmax, "pool_argmax", "max_pool_grad_grad_with_argmax"),
):
    _declared.shape(_shape)
    computed_by(_declared, _module, _kernel)


# -- gradients --------------------------------------------------------------------------------------------------------


def _attrs(node: Operation, to: OpDef) -> dict[str, Any]:
    """The attributes of `node` that the op `to` has as well, other than types."""
    return {
        name: value
        for name, value in node.attrs.items()
        if name in to.attrs and name not in ("T", "TInput", "Targmax") and value != []
    }


@max_pool_op.gradient
def _max_pool_gradient(node: Operation, dy: Any) -> Any:
    return [max_pool_grad_op(node.inputs[0], node.outputs[0], dy, **_attrs(node, max_pool_grad_op))]


@max_pool3d_op.gradient
def _max_pool3d_gradient(node: Operation, dy: Any) -> Any:
    return [max_pool3d_grad_op(node.inputs[0], node.outputs[0], dy, **_attrs(node, max_pool3d_grad_op))]


@max_pool_with_argmax_op.gradient
def _max_pool_with_argmax_gradient(node: Operation, dy: Any, unused: Any) -> Any:
    attrs = _attrs(node, max_pool_grad_with_argmax_op)
    return [max_pool_grad_with_argmax_op(node.inputs[0], dy, node.outputs[1], **attrs)]


@avg_pool_op.gradient
def _avg_pool_gradient(node: Operation, dy: Any) -> Any:
    return [avg_pool_grad_op(shape(node.inputs[0]), dy, **_attrs(node, avg_pool_grad_op))]


@avg_pool3d_op.gradient
def _avg_pool3d_gradient(node: Operation, dy: Any) -> Any:
    return [avg_pool3d_grad_op(shape(node.inputs[0]), dy, **_attrs(node, avg_pool3d_grad_op))]


@avg_pool_grad_op.gradient
def _avg_pool_grad_gradient(node: Operation, dx: Any) -> Any:
    return [stop_gradient(node.inputs[0]), avg_pool_op(dx, **_attrs(node, avg_pool_op))]


@avg_pool3d_grad_op.gradient
def _avg_pool3d_grad_gradient(node: Operation, dx: Any) -> Any:
    return [stop_gradient(node.inputs[0]), avg_pool3d_op(dx, **_attrs(node, avg_pool3d_op))]


def _zeros_and(node: Operation, dx: Any, opdef: OpDef) -> Any:
    """No gradient for the pooled tensors; that of the gradient is looked up where the maxima were."""
    x, y = node.inputs[:2]
    return [zeros_like(x), zeros_like(y), opdef(x, y, dx, **_attrs(node, opdef))]


@max_pool_grad_op.gradient
def _max_pool_grad_gradient(node: Operation, dx: Any) -> Any:
    return _zeros_and(node, dx, max_pool_grad_grad_op)


@max_pool_grad_grad_op.gradient
def _max_pool_grad_grad_gradient(node: Operation, dy: Any) -> Any:
    return _zeros_and(node, dy, max_pool_grad_op)


@max_pool3d_grad_op.gradient
def _max_pool3d_grad_gradient(node: Operation, dx: Any) -> Any:
    return _zeros_and(node, dx, max_pool3d_grad_grad_op)


@max_pool3d_grad_grad_op.gradient
def _max_pool3d_grad_grad_gradient(node: Operation, dy: Any) -> Any:
    return _zeros_and(node, dy, max_pool3d_grad_op)
