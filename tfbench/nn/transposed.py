"""Transposed convolutions: the gradient of a convolution with respect to its input, as a layer that enlarges."""

from __future__ import annotations

from typing import Any

from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.nn_conv import conv2d_backprop_input_op
from tfbench.engine.ops.nn_conv3d import conv3d_backprop_input_op
from tfbench.engine.ops.shape_ops import expand_dims, renamed, squeeze
from tfbench.engine.tensor import Tensor
from tfbench.nn.arguments import padding_of, per_axis


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: Any = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of `conv2d`: from what that would give for an input of `output_shape`, back to its shape.

    `filter` is `(height, width, channels of the output, channels of the input)`.
    """
    value = renamed("input", input, "value", value)
    filter = renamed("filters", filters, "filter", filter)
    with name_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        return _plane(value, filter, output_shape, strides, padding, data_format, dilations, scope)


def deconv2d(
    value: Any, filter: Any, output_shape: Any, strides: Any, padding: Any = "SAME", name: str | None = None
) -> Tensor:
    """What `conv2d_transpose` was called before TensorFlow 0.7; the node's default name is the one it had then."""
    with name_scope(name, "DeConv2D", [value, filter, output_shape]) as scope:
        return _plane(value, filter, output_shape, strides, padding, "NHWC", None, scope)


def _plane(
    value: Any, filter: Any, output_shape: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, scope: str
) -> Tensor:
    data_format = "NHWC" if data_format is None else data_format
    channel_axis = 1 if data_format.startswith("NC") else 3
    strides = per_axis(strides, 2, channel_axis, "strides")
    dilations = per_axis(dilations, 2, channel_axis, "dilations")
    padding, explicit = padding_of(padding)
    return conv2d_backprop_input_op(
        output_shape,
        filter,
        value,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=scope,
    )


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`; `filters` is `(width, channels of the output, channels of the input)`."""
    with name_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        if data_format not in (None, "NWC", "NCW"):
            raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")
        layout, axis, channel_axis = ("NCHW", 2, 1) if data_format == "NCW" else ("NHWC", 1, 2)
        strides = [1, *per_axis(strides, 1, channel_axis, "strides")]
        dilations = [1, *per_axis(dilations, 1, channel_axis, "dilations")]
        input = expand_dims(input, axis)
        filters = expand_dims(filters, 0)
        if not isinstance(output_shape, Tensor):
            output_shape = list(output_shape)
        sizes = concat([output_shape[:axis], [1], output_shape[axis:]], 0)
        result = conv2d_backprop_input_op(
            sizes,
            filters,
            input,
            strides=strides,
            padding=padding,
            data_format=layout,
            dilations=dilations,
            name=scope,
        )
        return squeeze(result, [axis])


def conv3d_transpose(
    value: Any,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: Any = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of `conv3d`; `filter` is `(depth, height, width, channels of the output, those of the input)`."""
    filter = renamed("filters", filters, "filter", filter)
    value = renamed("input", input, "value", value)
    with name_scope(name, "conv3d_transpose", [value, filter, output_shape]) as scope:
        return _space(value, filter, output_shape, strides, padding, data_format, dilations, scope)


def _space(
    value: Any, filter: Any, output_shape: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, scope: str
) -> Tensor:
    data_format = "NDHWC" if data_format is None else data_format
    channel_axis = 1 if data_format.startswith("NC") else 4
    return conv3d_backprop_input_op(
        output_shape,
        filter,
        value,
        strides=per_axis(strides, 3, channel_axis, "strides"),
        padding=padding,
        data_format=data_format,
        dilations=per_axis(dilations, 3, channel_axis, "dilations"),
        name=scope,
    )


def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: Any = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transposed convolution over as many axes as `output_shape` has sizes, less batch and channels."""
    with name_scope(name, "conv_transpose", [input, filters, output_shape]) as scope:
        count: Any
        if isinstance(output_shape, Tensor):
            known = output_shape._shape
            count = known[0] if known else None
        elif hasattr(output_shape, "__len__"):
            count = len(output_shape)
        else:
            raise ValueError(
                f"`output_shape` must be a tensor or sized collection. Received: output_shape={output_shape}"
            )
        if count not in (3, 4, 5):
            shown = "?" if count is None else count
            raise ValueError(
                f"`output_shape` must be of length 3, 4 or 5. Received: output_shape={output_shape} of length {shown}."
            )
        if count == 3:
            return conv1d_transpose(
                input, filters, output_shape, strides, padding, data_format or "NWC", dilations, name=scope
            )
        make = _plane if count == 4 else _space
        return make(input, filters, output_shape, strides, padding, data_format, dilations, scope)


__all__ = ["conv1d_transpose", "conv2d_transpose", "conv3d_transpose", "conv_transpose", "deconv2d"]
