"""Convolutions of each channel by itself, followed or not by a mix of the channels."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.framework.variables import model_variable
from tfbench.contrib.layers.connected import finished
from tfbench.contrib.layers.initializers import xavier_initializer
from tfbench.contrib.layers.naming import (
    add_variable_to_collections,
    as_model_variables,
    check_data_format,
    get_variable_collections,
    layer_format,
)
from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.initializers import zeros_initializer
from tfbench.layers.convolutional import SeparableConv2D
from tfbench.nn.separable import depthwise_conv2d
from tfbench.variable_scope import variable_scope

_XAVIER, _ZEROS = xavier_initializer(), zeros_initializer()
_NAMES = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}


def _two(value: Any, name: str = "kernel_size") -> tuple[int, int]:
    """Height and width from one number, or from two."""
    if isinstance(value, int):
        return value, value
    sizes = tuple(int(size) for size in value)
    if len(sizes) not in (1, 2):
        raise ValueError(f"{name} must be an int or two of them. Found: {value}")
    return sizes[0], sizes[-1]


@add_arg_scope
def separable_convolution2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: dict[str, Any] | None = None,
    weights_initializer: Any = _XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = _ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Any:
    """Each channel convolved with `depth_multiplier` filters of its own, then mixed into `num_outputs` channels.

    With `num_outputs` None they are not mixed.

    Raises:
      ValueError: for another `data_format`.
    """
    check_data_format(data_format)
    getter = as_model_variables(_NAMES)
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        use_bias = not normalizer_fn and bool(biases_initializer)
        if num_outputs is None:
            outputs = _by_channel(
                inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate, weights_initializer,
                weights_regularizer, variables_collections, trainable,
            )  # fmt: skip
            if use_bias:
                outputs = _with_biases(
                    outputs, biases_initializer, biases_regularizer, variables_collections, trainable, data_format
                )
        else:
            layer = SeparableConv2D(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=layer_format(data_format),
                dilation_rate=_two(rate, "rate"),
                activation=None,
                depth_multiplier=depth_multiplier,
                use_bias=use_bias,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer,
                depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer,
                bias_regularizer=biases_regularizer,
                trainable=trainable,
                name=sc.name,
                dtype=inputs.dtype.base_dtype,
                _scope=sc,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs)
            add_variable_to_collections(layer.depthwise_kernel, variables_collections, "weights")
            add_variable_to_collections(layer.pointwise_kernel, variables_collections, "weights")
            if layer.bias is not None:
                add_variable_to_collections(layer.bias, variables_collections, "biases")
        return finished(outputs, normalizer_fn, normalizer_params, activation_fn, outputs_collections, sc.name)


separable_conv2d = separable_convolution2d


def _by_channel(
    inputs: Any,
    kernel_size: Any,
    multiplier: int,
    stride: Any,
    padding: str,
    data_format: str,
    rate: Any,
    initializer: Any,
    regularizer: Any,
    variables_collections: Any,
    trainable: bool,
) -> Any:
    kind = inputs.dtype.base_dtype
    height, width = _two(kernel_size)
    down, right = _two(stride, "stride")
    first = data_format.startswith("NC")
    channels = inputs.shape.as_list()[1 if first else -1]
    weights = model_variable(
        "depthwise_weights",
        shape=[height, width, channels, multiplier],
        dtype=kind,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=get_variable_collections(variables_collections, "weights"),
    )
    strides = [1, 1, down, right] if first else [1, down, right, 1]
    outputs = depthwise_conv2d(inputs, weights, strides, padding, rate=_two(rate, "rate"), data_format=data_format)
    shape = outputs.shape.as_list()
    shape[1 if first else -1] = multiplier * channels
    outputs.set_shape(shape)
    return outputs


def _with_biases(
    outputs: Any, initializer: Any, regularizer: Any, collections: Any, trainable: bool, data_format: str
) -> Any:
    biases = model_variable(
        "biases",
        shape=[outputs.shape.as_list()[1 if data_format.startswith("NC") else -1]],
        dtype=outputs.dtype.base_dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=get_variable_collections(collections, "biases"),
    )
    return bias_add(outputs, biases, data_format=data_format)


@add_arg_scope
def convolution2d_in_plane(
    inputs: Any,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    activation_fn: Any = relu,
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
    """One filter for all channels, each of which is convolved with it by itself."""
    with variable_scope(scope, "ConvInPlane", [inputs], reuse=reuse) as sc:
        kind = inputs.dtype.base_dtype
        height, width = _two(kernel_size)
        down, right = _two(stride, "stride")
        channels = inputs.shape.as_list()[-1]
        weights = model_variable(
            "weights",
            shape=[height, width, 1, 1],
            dtype=kind,
            initializer=weights_initializer,
            regularizer=weights_regularizer,
            collections=get_variable_collections(variables_collections, "weights"),
            trainable=trainable,
        )
        each = ops.tile(weights, [1, 1, channels, 1])
        outputs = depthwise_conv2d(inputs, each, [1, down, right, 1], padding)
        if not normalizer_fn and biases_initializer is not None:
            outputs = _with_biases(
                outputs, biases_initializer, biases_regularizer, variables_collections, trainable, "NHWC"
            )
        return finished(outputs, normalizer_fn, normalizer_params, activation_fn, outputs_collections, sc.name)


conv2d_in_plane = convolution2d_in_plane
