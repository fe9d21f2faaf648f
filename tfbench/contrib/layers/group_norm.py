"""Normalization within each element of the batch: over groups of channels, and over each channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.framework.variables import model_variable
from tfbench.contrib.layers.naming import check_data_format, collect_named_outputs, get_variable_collections
from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.math_unary import rsqrt
from tfbench.initializers import ones_initializer, zeros_initializer
from tfbench.nn.normalization import batch_normalization, moments, normalize_moments, sufficient_statistics
from tfbench.variable_scope import variable_scope

_DEFAULTS: dict[str, Any] = {"beta": zeros_initializer(), "gamma": ones_initializer()}


def _parameter(
    name: str, channels: int, inputs: Any, broadcast: list[int] | None, initializers: Any, collections: Any, train: bool
) -> Any:
    """beta or gamma, one for each channel, in a shape that broadcasts with the inputs."""
    variable = model_variable(
        name,
        shape=[channels],
        dtype=inputs.dtype.base_dtype,
        initializer=(initializers or {}).get(name, _DEFAULTS[name]),
        collections=get_variable_collections(collections, name),
        trainable=train,
    )
    return variable if broadcast is None else ops.reshape(variable, broadcast)


@add_arg_scope
def group_norm(
    inputs: Any,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    mean_close_to_zero: bool = False,
) -> Any:
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, with the statistics of each group of channels.

    Args:
      reduction_axes: the axes of space.
      mean_close_to_zero: whether the variance may be computed from sums of squares.

    Raises:
      ValueError: for axes that are none of the inputs', sizes that are not known, or groups that do not divide the
        channels.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    if not -rank <= channels_axis < rank:
        raise ValueError("Axis is out of bounds.")
    sizes = inputs.shape.as_list()
    axis = channels_axis % rank
    channels = sizes[axis]
    if channels is None:
        raise ValueError(f"Inputs {inputs.name} has undefined channel dimension: {axis}.")
    reduced = [one + rank if one < 0 else one for one in reduction_axes]
    for one in reduced:
        if not 0 <= one < rank:
            raise ValueError("Axis is out of bounds.")
        if sizes[one] is None:
            raise ValueError(f"Inputs {inputs.name} has undefined dimensions {one}.")
        if one == axis:
            raise ValueError(
                f"Axis {one} is the channels_axis and also a reduction axis: leave it out of reduction_axes"
            )
    if groups > channels:
        raise ValueError(f"Invalid groups {groups} for {channels} channels.")
    if channels % groups:
        raise ValueError(f"{channels} channels is not commensurate with {groups} groups.")
    split = [groups, channels // groups]
    shape: Any = ops.shape(inputs)
    full = [shape[i] if size is None else size for i, size in enumerate(sizes)]
    inputs = ops.reshape(inputs, [*full[:axis], *split, *full[axis + 1 :]])
    broadcast = [1] * axis + split + [1] * (rank - 1 - axis)
    over = [axis + 1, *(one + 1 if one > axis else one for one in reduced)]
    with variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as sc:
        shared = (channels, inputs, broadcast, param_initializers, variables_collections, trainable)
        beta = _parameter("beta", *shared) if center else None
        gamma = _parameter("gamma", *shared) if scale else None
        if mean_close_to_zero:
            counts, sums, squares, _ = sufficient_statistics(inputs, over, keep_dims=True)
            mean, variance = normalize_moments(counts, sums, squares, shift=None)
        else:
            mean, variance = moments(inputs, over, keep_dims=True)
        gain = rsqrt(variance + epsilon)
        offset = -mean * gain
        if gamma is not None:
            gain = gain * gamma
            offset = offset * gamma
        if beta is not None:
            offset = offset + beta
        outputs = ops.reshape(inputs * gain + offset, full)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def instance_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Any = None,
    param_initializers: dict[str, Any] | None = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, with the statistics of each channel of each element.

    Raises:
      ValueError: if the rank or the number of channels is not known.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    check_data_format(data_format)
    with variable_scope(scope, "InstanceNorm", [inputs], reuse=reuse) as sc:
        axis = 1 if data_format == "NCHW" else rank - 1
        channels = inputs.shape.as_list()[axis]
        if channels is None:
            raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {inputs.shape[axis : axis + 1]}.")
        broadcast = [1, channels] + [1] * (rank - 2) if data_format == "NCHW" else None
        shared = (channels, inputs, broadcast, param_initializers, variables_collections, trainable)
        beta = _parameter("beta", *shared) if center else None
        gamma = _parameter("gamma", *shared) if scale else None
        over = [one for one in range(1, rank) if one != axis]
        mean, variance = moments(inputs, over, keep_dims=True)
        outputs = batch_normalization(inputs, mean, variance, beta, gamma, epsilon, name="instancenorm")
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)
