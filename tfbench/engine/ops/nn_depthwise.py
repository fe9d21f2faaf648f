"""Filters for each channel on its own: depthwise convolutions, and grey-scale dilation (the largest `x + filter`)."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import OpDef, op
from tfbench.engine.ops.nn_common import (
    EXPLICIT,
    FLOATS,
    LAYOUT,
    PADDING,
    REALS,
    axes_of,
    check_count,
    check_padding,
    computed_by,
    laid_out,
    window_size,
)
from tfbench.engine.ops.nn_conv import conv_attrs, differentiate_backprops
from tfbench.engine.ops.shape_ops import shape, shape_from_input
from tfbench.engine.shape_math import dim_merge, dim_mul, with_rank

_DEPTHWISE = f"T: {FLOATS}; strides: list(int); {EXPLICIT}; {LAYOUT}; dilations: list(int) = [1, 1, 1, 1]"

depthwise_op = op(
    "DepthwiseConv2dNative",
    "input: T, filter: T",
    "output: T",
    _DEPTHWISE,
    fresh=True,
    doc="a convolution of each channel with filters of its own",
)
depthwise_backprop_input_op = op(
    "DepthwiseConv2dNativeBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T",
    "output: T",
    _DEPTHWISE,
    fresh=True,
)
depthwise_backprop_filter_op = op(
    "DepthwiseConv2dNativeBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T",
    "output: T",
    _DEPTHWISE,
    fresh=True,
)


@depthwise_op.shape
def _depthwise_shape(node: Operation, input: Any, filter: Any) -> Any:
    attrs = node.attrs
    data_format, strides, dilations = attrs["data_format"], attrs["strides"], attrs["dilations"]
    padding, explicit = attrs["padding"], attrs["explicit_paddings"]
    input, filter = with_rank(input, 4), with_rank(filter, 4)
    check_count("DepthwiseConv2D", "stride", strides, 4)
    check_count("DepthwiseConv2D", "dilations", dilations, 4)
    channels, axes = axes_of(data_format)
    depth = dim_merge(input[channels], filter[2])
    check_padding(padding, explicit, data_format)
    space = [
        window_size(
            input[axis], filter[i], strides[axis], padding, explicit[2 * axis : 2 * axis + 2] or (0, 0), dilations[axis]
        )
        for i, axis in enumerate(axes)
    ]
    return [laid_out(input[0], dim_mul(depth, filter[3]), space, data_format)]


@depthwise_backprop_input_op.shape
def _depthwise_backprop_input_shape(node: Operation, sizes: Any, filter: Any, dy: Any) -> Any:
    return [with_rank(shape_from_input(node, 0), 4)]


@depthwise_backprop_filter_op.shape
def _depthwise_backprop_filter_shape(node: Operation, input: Any, sizes: Any, dy: Any) -> Any:
    return [with_rank(shape_from_input(node, 1), 4)]


computed_by(depthwise_op, "depthwise", "depthwise_conv2d_native")
computed_by(depthwise_backprop_input_op, "depthwise", "depthwise_conv2d_native_backprop_input")
computed_by(depthwise_backprop_filter_op, "depthwise", "depthwise_conv2d_native_backprop_filter")


@depthwise_op.gradient
def _depthwise_gradient(node: Operation, dy: Any) -> Any:
    x, w = node.inputs
    attrs = conv_attrs(node)
    dx = depthwise_backprop_input_op(shape(x), w, dy, **attrs)
    return [dx, depthwise_backprop_filter_op(x, shape(w), dy, **attrs)]


differentiate_backprops(depthwise_op, depthwise_backprop_input_op, depthwise_backprop_filter_op)


# -- morphology -------------------------------------------------------------------------------------------------------

_DILATION = f"T: {REALS}; strides: list(int) >= 4; rates: list(int) >= 4; {PADDING}"

dilation2d_op = op("Dilation2D", "input: T, filter: T", "output: T", _DILATION, fresh=True, doc="grey-scale dilation")


def _backprop(type: str, output: str) -> OpDef:
    return op(type, "input: T, filter: T, out_backprop: T", output, _DILATION, fresh=True)


dilation2d_backprop_input_op = _backprop("Dilation2DBackpropInput", "in_backprop: T")
dilation2d_backprop_filter_op = _backprop("Dilation2DBackpropFilter", "filter_backprop: T")
for _declared in (dilation2d_backprop_input_op, dilation2d_backprop_filter_op):
    _declared.no_gradient("TensorFlow has none, though it is differentiable in out_backprop")


@dilation2d_op.shape
def _dilation2d_shape(node: Operation, input: Any, filter: Any) -> Any:
    attrs = node.attrs
    strides, rates = attrs["strides"], attrs["rates"]
    input, filter = with_rank(input, 4), with_rank(filter, 3)
    check_count("Dilation2D", "stride", strides, 4)
    check_count("Dilation2D", "rates", rates, 4)
    dim_merge(input[3], filter[2])
    depth = filter[2]
    if None in (*input[1:3], *filter[:2]):
        return [(input[0], None, None, depth)]
    space = []
    for i in (0, 1):
        size, extent, stride = input[i + 1], filter[i] + (filter[i] - 1) * (rates[i + 1] - 1), strides[i + 1]
        if stride <= 0:
            raise ValueError(f"Stride must be > 0, but got {stride}")
        if attrs["padding"] == "VALID" and size - extent + stride < 0:
            raise ValueError(
                f"Computed output size would be negative: {-((extent - size - stride) // stride)} "
                f"[input_size: {size}, effective_filter_size: {extent}, stride: {stride}]"
            )
        space.append(window_size(size, extent, stride, attrs["padding"]))
    return [(input[0], *space, depth)]


@dilation2d_backprop_input_op.shape
def _dilation2d_backprop_input_shape(node: Operation, input: Any, filter: Any, dy: Any) -> Any:
    return [input]


@dilation2d_backprop_filter_op.shape
def _dilation2d_backprop_filter_shape(node: Operation, input: Any, filter: Any, dy: Any) -> Any:
    return [filter]


computed_by(dilation2d_op, "dilation", "dilation2d")
computed_by(dilation2d_backprop_input_op, "dilation", "dilation2d_backprop_input")
computed_by(dilation2d_backprop_filter_op, "dilation", "dilation2d_backprop_filter")


@dilation2d_op.gradient
def _dilation2d_gradient(node: Operation, dy: Any) -> Any:
    x, w = node.inputs
    attrs = {name: node.attrs[name] for name in ("strides", "rates", "padding")}
    return [dilation2d_backprop_input_op(x, w, dy, **attrs), dilation2d_backprop_filter_op(x, w, dy, **attrs)]
