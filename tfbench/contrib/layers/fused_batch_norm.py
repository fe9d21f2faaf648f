"""Batch normalization in one op. A matrix goes in as images of one pixel."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.layers.moving_statistics import MovingStatistics, parameter
from tfbench.contrib.layers.naming import check_data_format, collect_named_outputs
from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import float32
from tfbench.initializers import ones_initializer, zeros_initializer
from tfbench.layers.core import smart_cond
from tfbench.nn.normalization import fused_batch_norm as fused_op
from tfbench.variable_scope import variable_scope


def fused_batch_norm(
    inputs: Any,
    *,
    decay: float,
    center: bool,
    scale: bool,
    epsilon: float,
    activation_fn: Any,
    initializers: dict[str, Any],
    regularizers: dict[str, Any],
    updates_collections: Any,
    is_training: Any,
    reuse: Any,
    variables_collections: Any,
    outputs_collections: Any,
    trainable: bool,
    data_format: str,
    zero_debias_moving_mean: bool,
    scope: Any,
) -> Any:
    """`batch_norm` of a matrix or of images.

    Raises:
      ValueError: if the number of channels is not known.
    """
    check_data_format(data_format)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse) as sc:
        given = convert_to_tensor(inputs)
        images = _as_images(given, data_format)
        shape = images.shape[-1:] if data_format == "NHWC" else images.shape[1:2]
        if not shape.is_fully_defined():
            raise ValueError(f"Inputs {given.name} has undefined `C` dimension {shape}.")

        def make(name: str, default: Any) -> Any:
            return parameter(
                name, shape, float32, default, initializers, regularizers, variables_collections, trainable
            )

        beta = make("beta", zeros_initializer()) if center else ops.constant(0.0, dtype=float32, shape=shape)
        gamma = make("gamma", ones_initializer()) if scale else ops.constant(1.0, dtype=float32, shape=shape)
        moving = MovingStatistics(shape, float32, initializers, variables_collections, decay, zero_debias_moving_mean)

        def of_batch() -> Any:
            return fused_op(images, gamma, beta, epsilon=epsilon, data_format=data_format)

        def of_averages() -> Any:
            return fused_op(
                images,
                gamma,
                beta,
                mean=moving.mean,
                variance=moving.variance,
                epsilon=epsilon,
                is_training=False,
                data_format=data_format,
            )

        outputs, mean, variance = smart_cond(is_training, of_batch, of_averages)
        if moving.needed(is_training):
            if updates_collections is None:
                before = outputs
                found = moving.update_before(is_training, mean, variance, [before], lambda: [before])
                outputs = found[0] if isinstance(found, list) else found
            else:
                moving.update_later(is_training, mean, variance, updates_collections)
        outputs.set_shape(images.shape)
        if given.shape.ndims == 2:
            outputs = ops.reshape(outputs, ops.shape(given))
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def _as_images(inputs: Any, data_format: str) -> Any:
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank")
    if rank not in (2, 4):
        raise ValueError(f"Inputs {inputs.name} has unsupported rank. Expected 2 or 4 but got {rank}")
    if rank == 4:
        return inputs
    channels = inputs.shape.as_list()[-1]
    if channels is None:
        raise ValueError("`C` dimension must be known but is None")
    return ops.reshape(inputs, [-1, 1, 1, channels] if data_format == "NHWC" else [-1, channels, 1, 1])
