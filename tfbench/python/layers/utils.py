"""`tensorflow.python.layers.utils`: arguments of layers, for programs that write layers of their own."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.tools import smart_cond
from tfbench.contrib.framework.tools import smart_constant_value as constant_value
from tfbench.layers.arguments import convolved_length, layout
from tfbench.layers.arguments import data_format as normalize_data_format
from tfbench.layers.arguments import padding as normalize_padding
from tfbench.layers.arguments import sizes as normalize_tuple

__all__ = [
    "constant_value", "conv_input_length", "conv_output_length", "convert_data_format", "deconv_output_length",
    "normalize_data_format", "normalize_padding", "normalize_tuple", "smart_cond",
]  # fmt: skip


def convert_data_format(data_format: Any, ndim: int) -> str:
    """The kernels' name for a layer's data format: NWC, NHWC, NDHWC, or with the channels first.

    Raises:
      ValueError: for another data format, or a rank without one.
    """
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Invalid data_format:", data_format)
    if ndim not in (3, 4, 5):
        raise ValueError("Input rank not supported:", ndim)
    return layout(data_format, ndim)


def conv_output_length(
    input_length: int | None, filter_size: int, padding: str, stride: int, dilation: int = 1
) -> int | None:
    """How long an axis is after a convolution."""
    if padding == "full" and input_length is not None:
        window = filter_size + (filter_size - 1) * (dilation - 1)
        return (input_length + window - 2 + stride) // stride
    return convolved_length(input_length, filter_size, padding, stride, dilation)


def conv_input_length(output_length: int | None, filter_size: int, padding: str, stride: int) -> int | None:
    """How long an axis was before a convolution."""
    if output_length is None:
        return None
    border = {"same": filter_size // 2, "valid": 0, "full": filter_size - 1}[padding]
    return (output_length - 1) * stride - 2 * border + filter_size


def deconv_output_length(input_length: int | None, filter_size: int, padding: str, stride: int) -> int | None:
    """How long an axis is after a transposed convolution."""
    if input_length is None:
        return None
    return (
        input_length * stride
        + {"same": 0, "valid": max(filter_size - stride, 0), "full": 2 - stride - filter_size}[padding]
    )
