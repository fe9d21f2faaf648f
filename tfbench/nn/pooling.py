"""Pooling: the largest value or the mean of windows over one, two or three axes."""

from __future__ import annotations

from typing import Any

from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_common import renamed_argument
from tfbench.engine.ops.nn_pool import avg_pool_op, max_pool_op
from tfbench.engine.tensor import Tensor
from tfbench.nn.arguments import padding_of, per_axis


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any = None,
    data_format: Any = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The largest value of each window of `ksize` positions, windows `strides` apart.

    `padding` is "SAME", "VALID" or four pairs of sizes; `ksize` and `strides` are one number, two, or four in the
    order of `data_format`.
    """
    value = renamed_argument("input", input, "value", value)
    with name_scope(name, "MaxPool", [value]) as scope:
        data_format = "NHWC" if data_format is None else data_format
        channel_axis = 1 if data_format.startswith("NC") else 3
        ksize = per_axis(ksize, 2, channel_axis, "ksize")
        strides = per_axis(strides, 2, channel_axis, "strides")
        padding, explicit = padding_of(padding)
        if 0 in ksize:
            raise ValueError(f"`ksize` cannot be zero. Received: ksize={ksize}")
        return max_pool_op(  # type: ignore[no-any-return]
            value,
            ksize=ksize,
            strides=strides,
            padding=padding,
            explicit_paddings=explicit,
            data_format=data_format,
            name=scope,
        )


def avg_pool(
    value: Any = None,
    ksize: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: Any = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of each window of `ksize` positions, padding left out, windows `strides` apart."""
    value = renamed_argument("input", input, "value", value)
    with name_scope(name, "AvgPool", [value]) as scope:
        data_format = "NHWC" if data_format is None else data_format
        channel_axis = 1 if data_format.startswith("NC") else 3
        ksize = per_axis(ksize, 2, channel_axis, "ksize")
        strides = per_axis(strides, 2, channel_axis, "strides")
        return avg_pool_op(  # type: ignore[no-any-return]
            value, ksize=ksize, strides=strides, padding=padding, data_format=data_format, name=scope
        )
