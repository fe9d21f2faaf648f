"""Pooling in the plane: MaxPool and AvgPool."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import op
from tfbench.engine.ops.nn_common import (
    EXPLICIT,
    FLOATS,
    LAYOUT,
    PADDING,
    axes_of,
    check_count,
    check_padding,
    computed_by,
    laid_out,
    padding_of,
    per_axis,
    renamed_argument,
    window_size,
)
from tfbench.engine.shape_math import with_rank
from tfbench.engine.tensor import Tensor

__all__ = ["avg_pool", "max_pool"]

SLIDING = "ksize: list(int) >= 4; strides: list(int) >= 4"
_MAX_LAYOUT = "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'"
_MAX_TYPES = "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = DT_FLOAT"

max_pool_op = op(
    "MaxPool",
    "input: T",
    "output: T",
    f"{_MAX_TYPES}; {SLIDING}; {EXPLICIT}; {_MAX_LAYOUT}",
    fresh=True,
    doc="the largest value of each window",
)
avg_pool_op = op(
    "AvgPool",
    "value: T",
    "output: T",
    f"{SLIDING}; {PADDING}; {LAYOUT}; T: {FLOATS}",
    fresh=True,
    doc="the mean of each window",
)


@max_pool_op.shape
def _max_pool_shape(node: Operation, x: Any) -> Any:
    attrs = node.attrs
    data_format, ksize, strides = attrs["data_format"], attrs["ksize"], attrs["strides"]
    padding, explicit = attrs["padding"], attrs.get("explicit_paddings", ())
    rank = len(data_format)
    x = with_rank(x, rank)
    check_count(node.type, "stride", strides, rank)
    check_count(node.type, "ksize", ksize, rank)
    check_padding(padding, explicit, data_format)
    channels, axes = axes_of(data_format)
    space = [
        window_size(x[axis], ksize[axis], strides[axis], padding, explicit[2 * axis : 2 * axis + 2] or (0, 0))
        for axis in axes
    ]
    depth = window_size(x[channels], ksize[channels], strides[channels], "VALID" if explicit else padding)
    return [laid_out(x[0], depth, space, data_format)]


avg_pool_op.shape(_max_pool_shape)
computed_by(max_pool_op, "pool", "max_pool")
computed_by(avg_pool_op, "pool", "avg_pool")


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
