"""Convolution in the plane: Conv2D and the two ops of its gradient, one of which is the transposed convolution."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import OpDef, op
from tfbench.engine.ops.nn_common import (
    EXPLICIT,
    FLOATS,
    LAYOUT,
    axes_of,
    check_count,
    check_padding,
    computed_by,
    laid_out,
    window_size,
)
from tfbench.engine.ops.shape_ops import shape, shape_from_input, shape_n
from tfbench.engine.shape_math import dim_merge, with_rank

_CONV = f"strides: list(int); use_cudnn_on_gpu: bool = true; {EXPLICIT}; {LAYOUT}; dilations: list(int) = [1, 1, 1, 1]"
_TYPES = "T: {half, bfloat16, float, double, int32}; "

conv2d_op = op("Conv2D", "input: T, filter: T", "output: T", _TYPES + _CONV, fresh=True, doc="2-D convolution")
conv2d_backprop_input_op = op(
    "Conv2DBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T",
    "output: T",
    _TYPES + _CONV,
    fresh=True,
    doc="the gradient of a convolution with respect to its input; the transposed convolution",
)
conv2d_backprop_filter_op = op(
    "Conv2DBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T",
    "output: T",
    f"T: {FLOATS}; " + _CONV,
    fresh=True,
    doc="the gradient of a convolution with respect to its filter",
)


def check_depth(depth: int | None, filter: tuple[int | None, ...]) -> None:
    """ValueError unless the input's channels can be cut into groups as deep as the filter."""
    inner, outer = filter[-2:]
    if depth is None or inner is None:
        return
    if inner == 0:
        raise ValueError("Depth of filter must not be 0")
    if depth % inner:
        raise ValueError(f"Depth of input ({depth}) is not a multiple of input depth of filter ({inner})")
    if outer is not None:
        groups = depth // inner
        if groups == 0:
            raise ValueError("Number of groups must not be 0")
        if outer % groups:
            raise ValueError(f"Depth of output ({outer}) is not a multiple of the number of groups ({groups})")


@conv2d_op.shape
def _conv2d_shape(node: Operation, input: Any, filter: Any) -> Any:
    attrs = node.attrs
    data_format, strides, dilations = attrs["data_format"], attrs["strides"], attrs["dilations"]
    padding, explicit = attrs["padding"], attrs["explicit_paddings"]
    input, filter = with_rank(input, 4), with_rank(filter, 4)
    check_count("Conv2D", "dilation", dilations, 4)
    check_count(f"Conv2D on data format {data_format}", "stride", strides, 4)
    channels, axes = axes_of(data_format)
    check_depth(input[channels], filter)
    check_padding(padding, explicit, data_format)
    space = [
        window_size(
            input[axis], filter[i], strides[axis], padding, explicit[2 * axis : 2 * axis + 2] or (0, 0), dilations[axis]
        )
        for i, axis in enumerate(axes)
    ]
    return [laid_out(input[0], filter[3], space, data_format)]


@conv2d_backprop_input_op.shape
def _conv2d_backprop_input_shape(node: Operation, sizes: Any, filter: Any, dy: Any) -> Any:
    data_format = node.attrs["data_format"]
    channels, axes = axes_of(data_format)
    dy, filter = with_rank(dy, 4), with_rank(filter, 4)
    dim_merge(dy[channels], filter[3])
    wanted = shape_from_input(node, 0)
    batch = dy[0]
    if wanted is None:
        return [laid_out(batch, None, [None, None], data_format)]
    if len(wanted) == 2:
        return [laid_out(batch, filter[2], wanted, data_format)]
    if len(wanted) != 4:
        raise ValueError(
            f"Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: {len(wanted)}"
        )
    dim_merge(wanted[0], batch)
    return [laid_out(batch, wanted[channels], [wanted[axis] for axis in axes], data_format)]


@conv2d_backprop_filter_op.shape
def _conv2d_backprop_filter_shape(node: Operation, input: Any, sizes: Any, dy: Any) -> Any:
    return [with_rank(shape_from_input(node, 1), 4)]


computed_by(conv2d_op, "conv", "conv2d")
computed_by(conv2d_backprop_input_op, "conv", "conv2d_backprop_input")
computed_by(conv2d_backprop_filter_op, "conv", "conv2d_backprop_filter")


def conv_attrs(node: Operation) -> dict[str, Any]:
    """The attributes that a convolution and the ops of its gradient have in common."""
    return {
        name: value for name, value in node.attrs.items() if name in node.op_def.attrs and name not in ("T", "Tshape")
    }


@conv2d_op.gradient
def _conv2d_gradient(node: Operation, dy: Any) -> Any:
    x, w = node.inputs
    x_shape, w_shape = shape_n([x, w])
    attrs = conv_attrs(node)
    return [conv2d_backprop_input_op(x_shape, w, dy, **attrs), conv2d_backprop_filter_op(x, w_shape, dy, **attrs)]


def differentiate_backprops(forward: OpDef, by_input: OpDef, by_filter: OpDef) -> None:
    """Declares the gradients of both ops of a convolution's gradient. All three are linear in each of their inputs."""

    @by_input.gradient
    def _by_input_gradient(node: Operation, dx: Any) -> Any:
        _, w, dy = node.inputs
        attrs = conv_attrs(node)
        return [None, by_filter(dx, shape(w), dy, **attrs), forward(dx, w, **attrs)]

    @by_filter.gradient
    def _by_filter_gradient(node: Operation, dw: Any) -> Any:
        x, _, dy = node.inputs
        attrs = conv_attrs(node)
        return [by_input(shape(x), dw, dy, **attrs), None, forward(x, dw, **attrs)]


differentiate_backprops(conv2d_op, conv2d_backprop_input_op, conv2d_backprop_filter_op)
