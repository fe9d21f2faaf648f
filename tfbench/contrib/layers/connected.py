"""`fully_connected` and what stands on a layer of weights: linear, relu, bias_add, embed_sequence."""

from __future__ import annotations

from functools import partial
from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.framework.variables import model_variable
from tfbench.contrib.layers.initializers import xavier_initializer
from tfbench.contrib.layers.naming import (
    add_variable_to_collections,
    as_model_variables,
    check_data_format,
    collect_named_outputs,
    get_variable_collections,
)
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops import nn_bias
from tfbench.engine.ops.nn_activations import elu as elu_op
from tfbench.engine.ops.nn_activations import relu as relu_op
from tfbench.initializers import zeros_initializer
from tfbench.layers.core import Dense
from tfbench.nn.activations import relu6 as relu6_op
from tfbench.variable_scope import variable_scope

_XAVIER, _ZEROS = xavier_initializer(), zeros_initializer()
WEIGHTS_AND_BIASES = {"bias": "biases", "kernel": "weights"}


def finished(
    outputs: Any,
    normalizer_fn: Any,
    normalizer_params: dict[str, Any] | None,
    activation_fn: Any,
    outputs_collections: Any,
    name: str,
) -> Any:
    """What comes after the weights: normalizer, activation, the collections of outputs."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_named_outputs(outputs_collections, name, outputs)


@add_arg_scope
def fully_connected(
    inputs: Any,
    num_outputs: int,
    activation_fn: Any = relu_op,
    normalizer_fn: Any = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = _XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """activation(inputs weights + biases), or activation(normalizer(inputs weights)), along the last axis.

    Raises:
      ValueError: if `num_outputs` is no integer, or the size of the last axis is not known.
    """
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs type should be one of int, got {type(num_outputs)}.")
    getter = as_model_variables(WEIGHTS_AND_BIASES)
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        layer = Dense(
            units=num_outputs,
            activation=None,
            use_bias=not normalizer_fn and bool(biases_initializer),
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=sc.name,
            dtype=inputs.dtype.base_dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        add_variable_to_collections(layer.kernel, variables_collections, "weights")
        if layer.bias is not None:
            add_variable_to_collections(layer.bias, variables_collections, "biases")
        return finished(outputs, normalizer_fn, normalizer_params, activation_fn, outputs_collections, sc.name)


linear = partial(fully_connected, activation_fn=None)
relu = partial(fully_connected, activation_fn=relu_op)
relu6 = partial(fully_connected, activation_fn=relu6_op)
elu = partial(fully_connected, activation_fn=elu_op)


@add_arg_scope
def bias_add(
    inputs: Any,
    activation_fn: Any = None,
    initializer: Any = _ZEROS,
    regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    data_format: str = "NHWC",
    scope: Any = None,
) -> Any:
    """activation(inputs + biases), one for each channel.

    Raises:
      ValueError: if the rank or the number of channels is not known.
    """
    check_data_format(data_format)
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError("Dims of shape must be known but is None")
        if rank != 4 and data_format == "NCHW":
            raise ValueError("Data format NCHW only supports 4D Tensor")
        channels = inputs.shape.as_list()[1 if data_format == "NCHW" else -1]
        if channels is None:
            raise ValueError("`C` dimension must be known but is None")
        biases = model_variable(
            "biases",
            shape=[channels],
            dtype=inputs.dtype.base_dtype,
            initializer=initializer,
            regularizer=regularizer,
            collections=get_variable_collections(variables_collections, "biases"),
            trainable=trainable,
        )
        outputs = nn_bias.bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, sc.name, outputs)
