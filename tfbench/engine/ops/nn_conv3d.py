"""Convolution in space: Conv3D and the two ops of its gradient, one of which is the transposed convolution."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import op
from tfbench.engine.ops.nn_common import (
    FLOATS,
    LAYOUT_3D,
    PADDING,
    axes_of,
    check_count,
    computed_by,
    laid_out,
    window_size,
)
from tfbench.engine.ops.nn_conv import check_depth, conv_attrs, differentiate_backprops
from tfbench.engine.ops.shape_ops import shape_from_input, shape_n
from tfbench.engine.shape_math import with_rank
from tfbench.engine.tensor import Tensor

_CONV = f"T: {FLOATS}; strides: list(int) >= 5; {PADDING}; {LAYOUT_3D}; dilations: list(int) = [1, 1, 1, 1, 1]"

conv3d_op = op("Conv3D", "input: T, filter: T", "output: T", _CONV, fresh=True, doc="3-D convolution")
conv3d_backprop_input_op = op(
    "Conv3DBackpropInputV2",
    "input_sizes: Tshape, filter: T, out_backprop: T",
    "output: T",
    _CONV + "; Tshape: {int32, int64} = DT_INT32",
    fresh=True,
    doc="the gradient of a 3-D convolution with respect to its input; the transposed convolution",
)
conv3d_backprop_filter_op = op(
    "Conv3DBackpropFilterV2",
    "input: T, filter_sizes: int32, out_backprop: T",
    "output: T",
    _CONV,
    fresh=True,
    doc="the gradient of a 3-D convolution with respect to its filter",
)


@conv3d_op.shape
def _conv3d_shape(node: Operation, input: Any, filter: Any) -> Any:
    attrs = node.attrs
    data_format, strides, dilations = attrs["data_format"], attrs["strides"], attrs["dilations"]
    input, filter = with_rank(input, 5), with_rank(filter, 5)
    check_count("Conv3D", "dilation", dilations, 5)
    check_count("Conv3D", "stride", strides, 5)
    channels, axes = axes_of(data_format)
    check_depth(input[channels], filter)
    space = [
        window_size(input[axis], filter[i], strides[axis], attrs["padding"], dilation=dilations[axis])
        for i, axis in enumerate(axes)
    ]
    return [laid_out(input[0], filter[4], space, data_format)]


@conv3d_backprop_input_op.shape
def _conv3d_backprop_input_shape(node: Operation, sizes: Any, filter: Any, dy: Any) -> Any:
    return [with_rank(shape_from_input(node, 0), 5)]


@conv3d_backprop_filter_op.shape
def _conv3d_backprop_filter_shape(node: Operation, input: Any, sizes: Any, dy: Any) -> Any:
    return [with_rank(shape_from_input(node, 1), 5)]


computed_by(conv3d_op, "conv", "conv3d")
computed_by(conv3d_backprop_input_op, "conv", "conv3d_backprop_input")
computed_by(conv3d_backprop_filter_op, "conv", "conv3d_backprop_filter")


@conv3d_op.gradient
def _conv3d_gradient(node: Operation, dy: Any) -> Any:
    x, w = node.inputs
    x_shape, w_shape = shape_n([x, w])
    attrs = conv_attrs(node)
    return [conv3d_backprop_input_op(x_shape, w, dy, **attrs), conv3d_backprop_filter_op(x, w_shape, dy, **attrs)]


differentiate_backprops(conv3d_op, conv3d_backprop_input_op, conv3d_backprop_filter_op)


def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: str,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv3d` with respect to a filter of the shape `filter_sizes`."""
    return conv3d_backprop_filter_op(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )
