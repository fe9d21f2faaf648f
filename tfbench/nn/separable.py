"""Convolutions by channel, separable ones, and grey-scale dilation and erosion."""

from __future__ import annotations

import warnings
from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_order import reverse
from tfbench.engine.ops.math_unary import negative
from tfbench.engine.ops.nn_conv import conv2d_op
from tfbench.engine.ops.nn_depthwise import (
    depthwise_backprop_filter_op,
    depthwise_backprop_input_op,
    depthwise_op,
    dilation2d_op,
)
from tfbench.engine.ops.shape_ops import renamed, shape
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.nn.arguments import padding_of
from tfbench.nn.dilated import with_space_to_batch


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Convolves each channel with its own filters: `(height, width, channels, q)` gives `channels * q` channels.

    `rate` (or `dilations`) is a pair: how far apart the filter's values are.
    """
    rate = renamed("dilations", dilations, "rate", rate)
    with name_scope(name, "depthwise", [input, filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(filter, name="filter_in")
        return _with_rate(input, filter, strides, padding, rate, data_format, scope)


def _with_rate(
    input: Tensor, filter: Tensor, strides: Any, padding: Any, rate: Any, data_format: Any, name: str
) -> Tensor:
    rate = [1, 1] if rate is None else rate
    if any(value != 1 for value in rate) and any(value != 1 for value in strides):
        warnings.warn(
            "When dilation rate is greater than 1, then all values of strides must be 1. Received: "
            f"`dilation rate` {rate} and `strides` {strides}",
            stacklevel=3,
        )

    def convolve(x: Tensor, _: int, padding: Any) -> Tensor:
        return depthwise_conv2d_native(x, filter, strides, padding, data_format, name=name)

    return with_space_to_batch(input, rate, padding, convolve, shape(filter), None, data_format)


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """One DepthwiseConv2dNative: `(n, h, w, c)` with `(kh, kw, c, q)` gives `(n, oh, ow, c * q)`."""
    padding, explicit = padding_of(padding)
    return depthwise_op(
        input,
        filter,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_native_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to an input of the shape `input_sizes`."""
    padding, explicit = padding_of(padding)
    return depthwise_backprop_input_op(
        input_sizes,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def depthwise_conv2d_native_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: Any = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of `depthwise_conv2d_native` with respect to a filter of the shape `filter_sizes`."""
    padding, explicit = padding_of(padding)
    return depthwise_backprop_filter_op(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        explicit_paddings=explicit,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: Any = None,
    dilations: Any = None,
) -> Tensor:
    """A depthwise convolution, then one with the filter `(1, 1, channels * q, filters)` that mixes the channels."""
    rate = renamed("dilations", dilations, "rate", rate)
    with name_scope(name, "separable_conv2d", [input, depthwise_filter, pointwise_filter]) as scope:
        input = convert_to_tensor(input, name="tensor_in")
        depthwise_filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise_filter = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        point = TensorShape(pointwise_filter.shape).with_rank(4)
        point[0].assert_is_compatible_with(1)
        point[1].assert_is_compatible_with(1)
        depthwise = _with_rate(input, depthwise_filter, strides, padding, rate, data_format, "depthwise")
        return conv2d_op(
            depthwise,
            pointwise_filter,
            strides=[1, 1, 1, 1],
            padding="VALID",
            data_format=data_format,
            name=scope,
        )


def dilation2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """Grey-scale dilation: the largest `input + filter` of each window; `filter` is `(height, width, channels)`."""
    filter = renamed("filters", filters, "filter", filter)
    rates = renamed("dilations", dilations, "rates", rates)
    return dilation2d_op(input, filter, strides=strides, rates=rates, padding=padding, name=name)


def erosion2d(value: Any, kernel: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """Grey-scale erosion: the smallest `value - kernel` of each window."""
    with name_scope(name, "erosion2d", [value, kernel]) as scope:
        flipped = dilation2d_op(
            negative(value), reverse(kernel, [0, 1]), strides=strides, rates=rates, padding=padding, name=scope
        )
        return negative(flipped)
