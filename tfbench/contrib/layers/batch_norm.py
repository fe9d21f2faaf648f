"""`batch_norm`: three ways to build it, as TensorFlow 1.15 chooses between them.

Where the updates go into UPDATE_OPS and nothing special is asked for, it is the layer of `tf.layers`. Otherwise it is
the fused op where that can be (`fused_batch_norm`), and else a composition: moments, moving averages, normalization.
"""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.layers.fused_batch_norm import fused_batch_norm
from tfbench.contrib.layers.moving_statistics import MovingStatistics, parameter
from tfbench.contrib.layers.naming import (
    add_variable_to_collections,
    as_model_variables,
    check_data_format,
    collect_named_outputs,
)
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.initializers import ones_initializer, zeros_initializer
from tfbench.layers.normalization import BatchNormalization
from tfbench.nn.normalization import batch_normalization, moments, weighted_moments
from tfbench.variable_scope import variable_scope

_ONES, _ZEROS = ones_initializer(), zeros_initializer()


@add_arg_scope
def batch_norm(
    inputs: Any,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Any = None,
    param_initializers: dict[str, Any] | None = None,
    param_regularizers: dict[str, Any] | None = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS,
    is_training: Any = True,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    batch_weights: Any = None,
    fused: bool | None = None,
    data_format: str = "NHWC",
    zero_debias_moving_mean: bool = False,
    scope: Any = None,
    renorm: bool = False,
    renorm_clipping: Any = None,
    renorm_decay: float = 0.99,
    adjustment: Any = None,
) -> Any:
    """gamma (inputs - mean) / sqrt(variance + epsilon) + beta, with the statistics of each channel.

    Args:
      center, scale: whether there is a beta, a gamma.
      param_initializers, param_regularizers: by the variable's name: beta, gamma, moving_mean, moving_variance.
      updates_collections: where the updates of the moving averages go; None: they are made as part of the output.
      is_training: True, False or a bool tensor: the batch's statistics, or the moving ones.
      batch_weights: how much each element of the batch counts in the statistics.
      fused: one op for it all, where that can be; the default.

    Raises:
      ValueError: for inputs whose rank or number of channels is not known, and for options that exclude each other.
      NotImplementedError: for `renorm` and `adjustment`.
    """
    inputs = convert_to_tensor(inputs)
    rank = inputs.shape.ndims
    initializers = param_initializers or {}
    regularizers = param_regularizers or {}
    usual = updates_collections == GraphKeys.UPDATE_OPS
    can_be_fused = batch_weights is None and not renorm and adjustment is None and rank in (2, 4)
    fused = fused is None or fused
    if fused and can_be_fused and (zero_debias_moving_mean or rank == 2 or not usual):
        return fused_batch_norm(
            inputs,
            decay=decay,
            center=center,
            scale=scale,
            epsilon=epsilon,
            activation_fn=activation_fn,
            initializers=initializers,
            regularizers=regularizers,
            updates_collections=updates_collections,
            is_training=is_training,
            reuse=reuse,
            variables_collections=variables_collections,
            outputs_collections=outputs_collections,
            trainable=trainable,
            data_format=data_format,
            zero_debias_moving_mean=zero_debias_moving_mean,
            scope=scope,
        )
    check_data_format(data_format)
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=as_model_variables()) as sc:
        inputs = convert_to_tensor(inputs)
        if batch_weights is None and usual and not zero_debias_moving_mean:
            layer = BatchNormalization(
                axis=1 if data_format == "NCHW" else -1,
                momentum=decay,
                epsilon=epsilon,
                center=center,
                scale=scale,
                beta_initializer=initializers.get("beta", _ZEROS),
                gamma_initializer=initializers.get("gamma", _ONES),
                moving_mean_initializer=initializers.get("moving_mean", _ZEROS),
                moving_variance_initializer=initializers.get("moving_variance", _ONES),
                beta_regularizer=regularizers.get("beta"),
                gamma_regularizer=regularizers.get("gamma"),
                trainable=trainable,
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                adjustment=adjustment,
                name=sc.name,
                _scope=sc,
                _reuse=reuse,
                fused=fused,
            )
            outputs = layer.apply(inputs, training=is_training)
            for name in ("moving_mean", "moving_variance", "beta", "gamma"):
                asked = name.startswith("moving") or (center if name == "beta" else scale)
                if asked:
                    add_variable_to_collections(getattr(layer, name), variables_collections, name)
        else:
            if renorm:
                raise ValueError(
                    "renorm is not supported with these: batch_weights, updates_collections, zero_debias_moving_mean"
                )
            outputs = _composed(
                inputs, decay, center, scale, epsilon, initializers, regularizers, updates_collections, is_training,
                variables_collections, trainable, batch_weights, data_format, zero_debias_moving_mean,
            )  # fmt: skip
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)


def _composed(
    inputs: Any,
    decay: float,
    center: bool,
    scale: bool,
    epsilon: float,
    initializers: dict[str, Any],
    regularizers: dict[str, Any],
    updates_collections: Any,
    is_training: Any,
    variables_collections: Any,
    trainable: bool,
    batch_weights: Any,
    data_format: str,
    zero_debias: bool,
) -> Any:
    rank = inputs.shape.ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    kind = inputs.dtype.base_dtype
    if batch_weights is not None:
        batch_weights = convert_to_tensor(batch_weights)
        inputs.shape[:1].assert_is_compatible_with(batch_weights.shape[:1])
        # Each weight stands for a whole element of the batch.
        batch_weights = ops.reshape(batch_weights, [-1] + [1] * (rank - 1))
    by_channel = data_format == "NCHW"
    if by_channel:
        axes = [0, *range(2, rank)]
        shape = inputs.shape[1:2]
        broadcast = [1, inputs.shape.as_list()[1]] + [1] * (rank - 2)
    else:
        axes = list(range(rank - 1))
        shape = inputs.shape[-1:]
        broadcast = None
    if not shape.is_fully_defined():
        raise ValueError(f"Inputs {inputs.name} has undefined channels dimension {shape}.")

    def make(name: str, default: Any) -> Any:
        return parameter(name, shape, kind, default, initializers, regularizers, variables_collections, trainable)

    beta = make("beta", _ZEROS) if center else None
    gamma = make("gamma", _ONES) if scale else None
    moving = MovingStatistics(shape, kind, initializers, variables_collections, decay, zero_debias)
    mean, variance = moving.mean, moving.variance
    if moving.needed(is_training):
        if batch_weights is not None:
            mean, variance = weighted_moments(inputs, axes, batch_weights, keep_dims=by_channel)
        else:
            mean, variance = moments(inputs, axes, keep_dims=by_channel)
        if by_channel:
            mean, variance = ops.reshape(mean, [-1]), ops.reshape(variance, [-1])
        mean, variance = moving.chosen(is_training, mean, variance, updates_collections)
    if by_channel:
        mean, variance = ops.reshape(mean, broadcast), ops.reshape(variance, broadcast)
        beta = None if beta is None else ops.reshape(beta, broadcast)
        gamma = None if gamma is None else ops.reshape(gamma, broadcast)
    outputs = batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
    outputs.set_shape(inputs.shape)
    return outputs
