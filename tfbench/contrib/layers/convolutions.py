"""Convolutions over one, two or three axes, and their transposes."""

from __future__ import annotations

from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.contrib.layers.connected import WEIGHTS_AND_BIASES, finished
from tfbench.contrib.layers.initializers import xavier_initializer
from tfbench.contrib.layers.naming import (
    add_variable_to_collections,
    as_model_variables,
    check_data_format,
    layer_format,
)
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.nn_activations import relu
from tfbench.initializers import zeros_initializer
from tfbench.layers.convolutional import Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
from tfbench.variable_scope import variable_scope

_XAVIER, _ZEROS = xavier_initializer(), zeros_initializer()
_LAYERS: dict[int | None, Any] = {3: Conv1D, 4: Conv2D, 5: Conv3D}
_FORMATS = ("NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
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
    conv_dims: int | None = None,
) -> Any:
    """activation(convolution + biases), or activation(normalizer(convolution)), over as many axes as inputs have.

    Args:
      stride, rate: of the window's steps, of the elements in it; one of them is 1.
      conv_dims: the number of axes of space that the inputs must have.

    Raises:
      ValueError: for another number of axes, or another format.
    """
    if data_format is not None and data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    getter = as_model_variables(WEIGHTS_AND_BIASES)
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if conv_dims is not None and conv_dims + 2 != rank:
            raise ValueError(f"Convolution expects input with rank {conv_dims + 2}, got {rank}")
        if rank not in _LAYERS:
            raise ValueError(f"Convolution: an input of rank {rank} is not supported; give one with rank 3, 4 or 5")
        layer = _LAYERS[rank](
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=layer_format(data_format),
            dilation_rate=rate,
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
        if layer.use_bias:
            add_variable_to_collections(layer.bias, variables_collections, "biases")
        return finished(outputs, normalizer_fn, normalizer_params, activation_fn, outputs_collections, sc.name)


def _over(axes: int) -> Any:
    def convolve(
        inputs: Any,
        num_outputs: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str | None = None,
        rate: Any = 1,
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
        return convolution(
            inputs,
            num_outputs,
            kernel_size,
            stride,
            padding,
            data_format,
            rate,
            activation_fn,
            normalizer_fn,
            normalizer_params,
            weights_initializer,
            weights_regularizer,
            biases_initializer,
            biases_regularizer,
            reuse,
            variables_collections,
            outputs_collections,
            trainable,
            scope,
            conv_dims=axes,
        )

    convolve.__name__ = convolve.__qualname__ = f"convolution{axes}d"
    convolve.__doc__ = f"`convolution` of inputs with {axes} ax{'i' if axes == 1 else 'e'}s of space."
    return add_arg_scope(convolve)


convolution1d = conv1d = _over(1)
convolution2d = conv2d = _over(2)
convolution3d = conv3d = _over(3)


def _transposed(axes: int, kind: Any, formats: tuple[str, ...]) -> Any:
    def convolve(
        inputs: Any,
        num_outputs: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: str = "SAME",
        data_format: str = formats[1],
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
        check_data_format(data_format, formats)
        getter = as_model_variables(WEIGHTS_AND_BIASES)
        name = f"Conv{axes}d_transpose"
        with variable_scope(scope, name, [inputs], reuse=reuse, custom_getter=getter) as sc:
            inputs = convert_to_tensor(inputs)
            layer = kind(
                filters=num_outputs,
                kernel_size=kernel_size,
                strides=stride,
                padding=padding,
                data_format=layer_format(data_format),
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

    convolve.__name__ = convolve.__qualname__ = f"convolution{axes}d_transpose"
    convolve.__doc__ = f"The transpose of `convolution{axes}d`: a stride makes the outputs larger."
    return add_arg_scope(convolve)


convolution2d_transpose = conv2d_transpose = _transposed(2, Conv2DTranspose, ("NCHW", "NHWC"))
convolution3d_transpose = conv3d_transpose = _transposed(3, Conv3DTranspose, ("NCDHW", "NDHWC"))
