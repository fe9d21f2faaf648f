"""Local response normalisation and fused batch normalisation, with the ops of their gradients."""

from __future__ import annotations

import importlib
from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.nn_common import LAYOUT, computed_by
from tfbench.engine.shape_math import Shape, dim_merge, merge, with_rank

# -- local response normalisation -------------------------------------------------------------------------------------

_LRN = (
    "depth_radius: int = 5; bias: float = 1.0; alpha: float = 1.0; beta: float = 0.5; "
    "T: {half, bfloat16, float} = DT_FLOAT"
)

lrn_op = op("LRN", "input: T", "output: T", _LRN, fresh=True, doc="each value divided by a power of its neighbours")
lrn_grad_op = op("LRNGrad", "input_grads: T, input_image: T, output_image: T", "output: T", _LRN, fresh=True)


@lrn_op.shape
def _lrn_shape(node: Operation, input: Any) -> Any:
    return [with_rank(input, 4)]


@lrn_grad_op.shape
def _lrn_grad_shape(node: Operation, grads: Any, image: Any, output: Any) -> Any:
    return [merge(merge(with_rank(grads, 4), image), output)]


computed_by(lrn_op, "lrn", "lrn")
computed_by(lrn_grad_op, "lrn", "lrn_grad")
lrn_grad_op.no_gradient("TensorFlow has none, though it is differentiable")


@lrn_op.gradient
def _lrn_gradient(node: Operation, dy: Any) -> Any:
    attrs = {name: node.attrs[name] for name in ("depth_radius", "bias", "alpha", "beta")}
    return [lrn_grad_op(dy, node.inputs[0], node.outputs[0], **attrs)]


# -- fused batch normalisation ----------------------------------------------------------------------------------------

_EPSILON = "epsilon: float = 0.0001; exponential_avg_factor: float = 1.0"
_GRAD_EPSILON = "epsilon: float = 0.0001"
_TRAINING = "is_training: bool = true"
_LAYOUTS = "data_format: {'NHWC', 'NCHW', 'NDHWC', 'NCDHW'} = 'NHWC'"
_HALVES = "T: {half, bfloat16, float}; U: {float}"


def _forward(version: str, vector: str, types: str, layout: str, more: str = "") -> OpDef:
    vectors = ", ".join(f"{name}: {vector}" for name in ("scale", "offset", "mean", "variance"))
    results = ", ".join(
        f"{name}: {vector}" for name in ("batch_mean", "batch_variance", "reserve_space_1", "reserve_space_2")
    )
    return op(
        f"FusedBatchNorm{version}",
        f"x: T, {vectors}",
        f"y: T, {results}{more}",
        f"{types}; {_EPSILON}; {layout}; {_TRAINING}",
        fresh=True,
        doc="batch normalisation of images in one op",
    )


def _backward(version: str, scale: str, vector: str, types: str, layout: str, third: bool = False) -> OpDef:
    reserved = f"reserve_space_1: {vector}, reserve_space_2: {vector}"
    kept = "reserve_space_3", "reserve_space_4"
    if third:
        reserved += f", reserve_space_3: {vector}"
        kept = "reserve_space_4", "reserve_space_5"
    return op(
        f"FusedBatchNormGrad{version}",
        f"y_backprop: T, x: T, scale: {scale}, {reserved}",
        f"x_backprop: T, scale_backprop: {vector}, offset_backprop: {vector}, {kept[0]}: {vector}, {kept[1]}: {vector}",
        f"{types}; {_GRAD_EPSILON}; {layout}; {_TRAINING}",
        fresh=True,
    )


fused_batch_norm_op = _forward("", "T", "T: {float}", LAYOUT)
fused_batch_norm_v2_op = _forward("V2", "U", _HALVES, LAYOUT)
fused_batch_norm_v3_op = _forward(
    "V3", "U", "T: {half, bfloat16, float}; U: {bfloat16, float}", _LAYOUTS, ", reserve_space_3: U"
)
fused_batch_norm_grad_op = _backward("", "T", "T", "T: {float}", LAYOUT)
fused_batch_norm_grad_v2_op = _backward("V2", "float", "U", _HALVES, LAYOUT)
fused_batch_norm_grad_v3_op = _backward("V3", "float", "U", _HALVES, _LAYOUTS, third=True)


def _channels(node: Operation, x: Shape, vectors: Any) -> tuple[Shape, int | None]:
    """The shape of images and the number of channels that they and the vectors have."""
    data_format = node.attrs["data_format"]
    sizes = list(with_rank(x, len(data_format)))
    at = data_format.index("C")
    channels = sizes[at]
    for vector in vectors:
        channels = dim_merge(channels, with_rank(vector, 1)[0])
    sizes[at] = channels
    return tuple(sizes), channels


def _fused_batch_norm_shape(node: Operation, x: Any, *vectors: Any) -> Any:
    shape, channels = _channels(node, x, vectors if not node.attrs["is_training"] else vectors[:2])
    outputs: list[Shape] = [shape, *[(channels,)] * 4]
    return outputs if node.type != "FusedBatchNormV3" else [*outputs, None]


def _fused_batch_norm_grad_shape(node: Operation, dy: Any, x: Any, *vectors: Any) -> Any:
    data_format = node.attrs["data_format"]
    at = data_format.index("C")
    of_x = with_rank(x, len(data_format))[at]
    shape, channels = _channels(node, dy, [(of_x,), *vectors[:3]])
    return [shape, (channels,), (channels,), (0,), (0,)]


def _bind(context: Any) -> Any:
    kernels = importlib.import_module("tfbench.engine.kernels.norm")
    attrs, xp = context.attrs, context.xp
    training, third = attrs["is_training"], context.op.type == "FusedBatchNormV3"

    def normalise(x: Any, scale: Any, offset: Any, mean: Any, variance: Any) -> Any:
        outputs = kernels.fused_batch_norm(
            xp,
            x,
            scale,
            offset,
            mean,
            variance,
            epsilon=attrs["epsilon"],
            exponential_avg_factor=attrs["exponential_avg_factor"],
            data_format=attrs["data_format"],
            is_training=training,
        )
        # Given statistics come back as they are: as copies, since results are new arrays.
        outputs = (outputs[0], *(xp.array(vector) for vector in outputs[1:]))
        return (*outputs, xp.zeros(0, scale.dtype)) if third else outputs

    return normalise


def _bind_gradient(context: Any) -> Any:
    kernels = importlib.import_module("tfbench.engine.kernels.norm")
    attrs, xp = context.attrs, context.xp

    def differentiate(dy: Any, x: Any, scale: Any, mean: Any, variance: Any, *_: Any) -> Any:
        gradients = kernels.fused_batch_norm_grad(
            xp,
            dy,
            x,
            scale,
            mean,
            variance,
            epsilon=attrs["epsilon"],
            data_format=attrs["data_format"],
            is_training=attrs["is_training"],
        )
        return (*gradients, xp.zeros(0, mean.dtype), xp.zeros(0, mean.dtype))

    return differentiate


for _declared in (fused_batch_norm_op, fused_batch_norm_v2_op, fused_batch_norm_v3_op):
    _declared.shape(_fused_batch_norm_shape)
    _declared.bind(CPU, GPU)(_bind)
for _declared in (fused_batch_norm_grad_op, fused_batch_norm_grad_v2_op, fused_batch_norm_grad_v3_op):
    _declared.shape(_fused_batch_norm_grad_shape)
    _declared.bind(CPU, GPU)(_bind_gradient)
