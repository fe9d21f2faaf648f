"""Convolutions over one, two and three axes, and the ops of their gradients as functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.nn_conv import conv2d_backprop_filter_op, conv2d_backprop_input_op, conv2d_op
from tfbench.engine.ops.nn_conv3d import conv3d_op
from tfbench.engine.ops.shape_ops import expand_dims, renamed, reshape, shape, squeeze
from tfbench.engine.shape_math import is_fully_defined
from tfbench.engine.tensor import Tensor
from tfbench.nn.arguments import padding_of, per_axis, rank_of


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = True,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Convolves images `(batch, height, width, channels)` with `(height, width, channels, filters)`.

    `padding` is "SAME", "VALID" or four pairs of sizes. `strides` and `dilations` are one number, two, or four in
    the order of `data_format` ("NHWC" or "NCHW"). Further axes before the batch count as batch.

    Raises:
      ValueError: for other ranks, channels that do not fit the filter, a filter larger than the input.
    """
    filter = renamed("filters", filters, "filter", filter)
    padding, explicit = padding_of(padding)
    data_format = "NHWC" if data_format is None else data_format
    channel_axis = 1 if data_format.startswith("NC") else 3
    attrs = {
        "strides": per_axis(strides, 2, channel_axis, "strides"),
        "dilations": per_axis(dilations, 2, channel_axis, "dilations"),
        "use_cudnn_on_gpu": use_cudnn_on_gpu,
        "padding": padding,
        "explicit_paddings": explicit,
        "data_format": data_format,
    }
    return _with_one_batch_axis(lambda x, name: conv2d_op(x, filter, name=name, **attrs), input, 3, name)


def _with_one_batch_axis(op: Callable[[Any, str | None], Any], input: Any, inner: int, name: str | None) -> Tensor:
    """`op` on `input`; where there are axes before the batch, they are taken together for it."""
    rank = rank_of(input)
    if rank is None or rank <= inner + 1:
        return op(input, name)
    return squeeze_batch_dims(input, lambda x: op(x, None), inner, name)


def squeeze_batch_dims(input: Any, op: Callable[[Any], Tensor], inner: int, name: str | None = None) -> Tensor:
    """Applies `op`, which wants one batch axis and `inner` others, to an input with several batch axes."""
    with name_scope(name, "squeeze_batch_dims", [input]):
        input = convert_to_tensor(input, name="input")
        known = input._shape
        inner_sizes = known[-inner:]
        own_sizes = None if is_fully_defined(inner_sizes) else shape(input)[-inner:]
        batch = _static_or_slice(input, slice(None, -inner))
        if own_sizes is None:
            flat = reshape(input, [-1, *inner_sizes])
        else:
            flat = reshape(input, concat(([-1], own_sizes), axis=-1))
        result = op(flat)
        inner_result = _static_or_slice(result, slice(-inner, None))
        whole = reshape(result, concat((batch, inner_result), axis=-1))
        whole.set_shape((*known[:-inner], *(whole._shape[-inner:] if whole._shape else (None,) * inner)))
        return whole


def _static_or_slice(x: Tensor, part: slice) -> Any:
    sizes = (x._shape or ())[part]
    return list(sizes) if None not in sizes else shape(x)[part]


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = True,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to an input of the shape `input_sizes`."""
    filter = renamed("filters", filters, "filter", filter)
    padding, explicit = padding_of(padding)
    return conv2d_backprop_input_op(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: Any = True,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `conv2d` with respect to a filter of the shape `filter_sizes`."""
    padding, explicit = padding_of(padding)
    return conv2d_backprop_filter_op(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: Any = None,
    data_format: Any = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Convolves `(batch, width, channels)` with `(width, channels, filters)`: as an image of height 1.

    `data_format` is "NWC" (the default) or "NCW".
    """
    value = renamed("input", input, "value", value)
    with name_scope(name, "conv1d", [value, filters]) as scope:
        layout, axis = _image_layout(data_format)
        channel_axis = 1 if layout == "NCHW" else 2
        attrs = {
            "strides": [1, *per_axis(stride, 1, channel_axis, "stride")],
            "dilations": [1, *per_axis(dilations, 1, channel_axis, "dilations")],
            "use_cudnn_on_gpu": use_cudnn_on_gpu,
            "padding": padding,
            "data_format": layout,
        }
        value = expand_dims(value, axis)
        filters = expand_dims(filters, 0)
        result = _with_one_batch_axis(lambda x, name: conv2d_op(x, filters, name=name, **attrs), value, 3, scope)
        return squeeze(result, [axis])


def _image_layout(data_format: Any) -> tuple[str, int]:
    """The layout of the image that a line becomes, and the axis that is added, counted from the back."""
    if data_format in (None, "NHWC", "NWC"):
        return "NHWC", -3
    if data_format in ("NCHW", "NCW"):
        return "NCHW", -2
    raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: Any = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """Convolves `(batch, depth, height, width, channels)` with `(depth, height, width, channels, filters)`."""
    filter = renamed("filters", filters, "filter", filter)
    return conv3d_op(
        input, filter, strides=strides, padding=padding, data_format=data_format, dilations=dilations, name=name
    )
