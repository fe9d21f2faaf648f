"""Normalization within each element of the batch."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.framework.variables import model_variable
from tfbench.contrib.layers.naming import collect_named_outputs, get_variable_collections
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import float16
from tfbench.initializers import ones_initializer, zeros_initializer
from tfbench.nn.normalization import batch_normalization, moments
from tfbench.variable_scope import variable_scope


@add_arg_scope
def layer_norm(
    inputs: Any,
    center: bool = True,
    scale: bool = True,
    activation_fn: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: Any = None,
) -> Any:
    """Mean 0 and variance 1 over the axes from `begin_norm_axis` on, then gamma and beta over those from
    `begin_params_axis` on.

    Raises:
      ValueError: if an axis is none of the inputs', or the shape of gamma and beta is not known.
    """
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if begin_norm_axis < 0:
            begin_norm_axis += rank
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis ({begin_norm_axis}) must be < "
                f"rank(inputs) ({rank})"
            )
        shape = inputs.shape[begin_params_axis:]
        if not shape.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully defined: {inputs.shape}"
            )
        kind = inputs.dtype.base_dtype

        def parameter(name: str, initializer: Any) -> Any:
            collections = get_variable_collections(variables_collections, name)
            return model_variable(
                name, shape=shape, dtype=kind, initializer=initializer, collections=collections, trainable=trainable
            )

        beta = parameter("beta", zeros_initializer()) if center else None
        gamma = parameter("gamma", ones_initializer()) if scale else None
        mean, variance = moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        epsilon = 1e-3 if kind == float16 else 1e-12
        outputs = batch_normalization(inputs, mean, variance, offset=beta, scale=gamma, variance_epsilon=epsilon)
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)
