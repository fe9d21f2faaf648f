"""Pooling: MaxPool and AvgPool over two and three axes, and MaxPoolWithArgmax. Gradients: `nn_pool_grad`."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import op
from tfbench.engine.ops.nn_common import (
    EXPLICIT,
    FLOATS,
    LAYOUT,
    LAYOUT_3D,
    PADDING,
    REALS,
    axes_of,
    check_count,
    check_padding,
    computed_by,
    laid_out,
    window_size,
)
from tfbench.engine.shape_math import Shape, with_rank

SLIDING = "ksize: list(int) >= 4; strides: list(int) >= 4"
SLIDING_3D = "ksize: list(int) >= 5; strides: list(int) >= 5"
FLOATS_3D = "{half, bfloat16, float}"
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
max_pool3d_op = op(
    "MaxPool3D",
    "input: T",
    "output: T",
    f"{SLIDING_3D}; {PADDING}; {LAYOUT_3D}; T: {FLOATS_3D}",
    fresh=True,
    doc="the largest value of each window",
)
avg_pool3d_op = op(
    "AvgPool3D",
    "input: T",
    "output: T",
    f"{SLIDING_3D}; {PADDING}; {LAYOUT_3D}; T: {FLOATS}",
    fresh=True,
    doc="the mean of each window",
)
max_pool_with_argmax_op = op(
    "MaxPoolWithArgmax",
    "input: T",
    "output: T, argmax: Targmax",
    f"{SLIDING}; Targmax: {{int32, int64}} = DT_INT64; {PADDING}; include_batch_in_index: bool = false; T: {REALS}",
    fresh=True,
    doc="the largest value of each window and where it was",
)


def pooled_shape(node: Operation, x: Shape) -> Shape:
    """The shape that the windows of `node` make of images, or of volumes."""
    attrs = node.attrs
    data_format = attrs.get("data_format", "NHWC")
    ksize, strides, padding = attrs["ksize"], attrs["strides"], attrs["padding"]
    explicit = attrs.get("explicit_paddings", ())
    rank = len(data_format)
    sizes = with_rank(x, rank)
    name = "MaxPool" if rank == 4 else "Pool3D"
    check_count(name, "stride", strides, rank)
    check_count(name, "ksize", ksize, rank)
    check_padding(padding, explicit, data_format)
    channels, axes = axes_of(data_format)
    space = [
        window_size(sizes[axis], ksize[axis], strides[axis], padding, explicit[2 * axis : 2 * axis + 2] or (0, 0))
        for axis in axes
    ]
    depth = sizes[channels]
    if rank == 4:
        depth = window_size(depth, ksize[channels], strides[channels], "VALID" if explicit else padding)
    return laid_out(sizes[0], depth, space, data_format)


def _pool_shape(node: Operation, x: Shape) -> list[Shape]:
    return [pooled_shape(node, x)]


@max_pool_with_argmax_op.shape
def _max_pool_with_argmax_shape(node: Operation, x: Any) -> Any:
    return [pooled_shape(node, x)] * 2


for _declared, _kernel in (
    (max_pool_op, "max_pool"),
    (avg_pool_op, "avg_pool"),
    (max_pool3d_op, "max_pool3d"),
    (avg_pool3d_op, "avg_pool3d"),
):
    _declared.shape(_pool_shape)
    computed_by(_declared, "pool", _kernel)
computed_by(max_pool_with_argmax_op, "pool_argmax", "max_pool_with_argmax")
