"""BiasAdd: one number for each channel, added along the last axis or along the second."""

from __future__ import annotations

from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import op
from tfbench.engine.ops.nn_common import LAYOUT, computed_by
from tfbench.engine.shape_math import dim_merge, with_rank, with_rank_at_least
from tfbench.engine.tensor import Tensor

__all__ = ["bias_add"]

bias_add_op = op(
    "BiasAdd", "value: T, bias: T", "output: T", f"T: numbertype; {LAYOUT}", fresh=True, doc="value + bias"
)
bias_add_v1_op = op("BiasAddV1", "value: T, bias: T", "output: T", "T: numbertype", fresh=True, doc="value + bias")
bias_add_grad = op("BiasAddGrad", "out_backprop: T", "output: T", f"T: numbertype; {LAYOUT}", fresh=True)


def _channel_axis(node: Operation) -> int:
    """Where the channels are: with NCHW (of any rank) the second axis, else the last."""
    return 1 if node.attrs.get("data_format") == "NCHW" else -1


@bias_add_op.shape
def _bias_add_shape(node: Operation, value: Any, bias: Any) -> Any:
    value = with_rank_at_least(value, 2)
    size = with_rank(bias, 1)[0]
    if value is None:
        return [None]
    sizes = list(value)
    axis = _channel_axis(node)
    sizes[axis] = dim_merge(sizes[axis], size)
    return [tuple(sizes)]


bias_add_v1_op.shape(_bias_add_shape)


@bias_add_grad.shape
def _bias_add_grad_shape(node: Operation, dy: Any) -> Any:
    dy = with_rank_at_least(dy, 2)
    return [(None if dy is None else dy[_channel_axis(node)],)]


computed_by(bias_add_op, "norm", "bias_add")
computed_by(bias_add_v1_op, "norm", "bias_add")
computed_by(bias_add_grad, "norm", "bias_add_grad")


@bias_add_op.gradient
def _bias_add_gradient(node: Operation, dy: Any) -> Any:
    return [dy, bias_add_grad(dy, data_format=node.attrs["data_format"])]


def layout_of(data_format: Any) -> Any:
    """NHWC or NCHW for any format that has its channels last or second. ValueError for another."""
    if data_format is None or not isinstance(data_format, str):
        return data_format
    if data_format.startswith("NC"):
        return "NCHW"
    if data_format.startswith("N") and data_format.endswith("C"):
        return "NHWC"
    raise ValueError(f"`data_format` must be of the form `N...C` or `NC...`. Received: data_format={data_format}")


def bias_add(value: Any, bias: Any, data_format: Any = None, name: str | None = None) -> Tensor:
    """`value` plus the vector `bias` along the channels: the last axis, or the second for `NC...`.

    Raises:
      ValueError: for a `value` of rank below 2, or a `bias` that is no vector of as many channels.
    """
    with name_scope(name, "BiasAdd", [value, bias]) as scope:
        layout = layout_of(data_format)
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value._dtype.base_dtype, name="bias")
        return bias_add_op(value, bias, data_format=layout or "NHWC", name=scope)
