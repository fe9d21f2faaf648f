"""Convolution in the plane: Conv2D and the two ops of its gradient, one of which is the transposed convolution."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.opdef import op
from tfbench.engine.ops.nn_common import (
    EXPLICIT,
    LAYOUT,
    axes_of,
    check_count,
    check_padding,
    computed_by,
    laid_out,
    padding_of,
    per_axis,
    rank_of,
    renamed_argument,
    window_size,
)
from tfbench.engine.shape_math import Shape, with_rank
from tfbench.engine.tensor import Tensor

__all__ = ["conv2d"]

_CONV = (
    "strides: list(int); use_cudnn_on_gpu: bool = true; "
    f"{EXPLICIT}; {LAYOUT}; dilations: list(int) = [1, 1, 1, 1]"
)
_TYPES = "T: {half, bfloat16, float, double, int32}; "

conv2d_op = op("Conv2D", "input: T, filter: T", "output: T", _TYPES + _CONV, fresh=True, doc="2-D convolution")
conv2d_backprop_input_op = op(
    "Conv2DBackpropInput", "input_sizes: int32, filter: T, out_backprop: T", "output: T", _TYPES + _CONV, fresh=True
)
conv2d_backprop_filter_op = op(
    "Conv2DBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T",
    "output: T",
    "T: {half, bfloat16, float, double}; " + _CONV,
    fresh=True,
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
    data_format = attrs["data_format"]
    input, filter = with_rank(input, 4), with_rank(filter, 4)
    dilations, strides, padding, explicit = (
        attrs[name] for name in ("dilations", "strides", "padding", "explicit_paddings")
    )
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


computed_by(conv2d_op, "conv", "conv2d")
computed_by(conv2d_backprop_input_op, "conv", "conv2d_backprop_input")
computed_by(conv2d_backprop_filter_op, "conv", "conv2d_backprop_filter")


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Convolves images `(batch, height, width, channels)` with `(height, width, channels, filters)`.

    `padding` is "SAME", "VALID" or four pairs of sizes. `strides` and `dilations` are one number, two, or four in
    the order of `data_format` ("NHWC" or "NCHW").

    Raises:
      ValueError: for ranks other than 4, channels that do not fit the filter, a filter larger than the input.
    """
    filter = renamed_argument("filters", filters, "filter", filter)
    padding, explicit = padding_of(padding)
    data_format = "NHWC" if data_format is None else data_format
    channel_axis = 1 if data_format.startswith("NC") else 3
    strides = per_axis(strides, 2, channel_axis, "strides")
    dilations = per_axis(dilations, 2, channel_axis, "dilations")
    return conv2d_op(  # type: ignore[no-any-return]
        input,
        filter,
        strides=strides,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )
