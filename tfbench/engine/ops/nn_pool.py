"""Pooling in the plane: MaxPool and AvgPool."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
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
    window_size,
)
from tfbench.engine.shape_math import with_rank

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
