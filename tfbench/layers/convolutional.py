"""Convolution layers over one, two or three axes, transposed and separable ones too."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.initializers import zeros_initializer
from tfbench.layers import arguments, by_name
from tfbench.layers.base import Layer
from tfbench.layers.input_spec import InputSpec
from tfbench.nn.convolution import conv1d
from tfbench.nn.dilated import convolve_in_space, with_space_to_batch
from tfbench.nn.separable import separable_conv2d
from tfbench.nn.transposed import conv2d_transpose, conv3d_transpose

_ZEROS = zeros_initializer()


class _Conv(Layer):
    """What the convolutions share. `_axes` are the axes of space."""

    _axes: int

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = _ZEROS,
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters = filters
        self.kernel_size = arguments.sizes(kernel_size, self._axes, "kernel_size")
        self.strides = arguments.sizes(strides, self._axes, "strides")
        self.padding = arguments.padding(padding, causal=self._axes == 1)
        self.data_format = arguments.data_format(data_format)
        self.dilation_rate = arguments.sizes(dilation_rate, self._axes, "dilation_rate")
        self.activation = by_name.activation(activation)
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.input_spec = InputSpec(ndim=self._axes + 2)

    # -- variables ------------------------------------------------------------------------------------------------

    @property
    def _channel_axis(self) -> int:
        return 1 if self.data_format == "channels_first" else -1

    def _input_channels(self, input_shape: Any) -> int:
        size = as_shape(input_shape).as_list()[self._channel_axis]
        if size is None:
            raise ValueError("The channel dimension of the inputs should be defined. Found `None`.")
        self.input_spec = InputSpec(ndim=self._axes + 2, axes={self._channel_axis: size})
        return size

    def _add_kernel(self, shape: tuple[int, ...]) -> Any:
        return self.add_weight(
            name="kernel",
            shape=shape,
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
            trainable=True,
            dtype=self.dtype,
        )

    def _add_bias(self) -> Any:
        if not self.use_bias:
            return None
        return self.add_weight(
            name="bias",
            shape=(self.filters,),
            initializer=self.bias_initializer,
            regularizer=self.bias_regularizer,
            constraint=self.bias_constraint,
            trainable=True,
            dtype=self.dtype,
        )

    def build(self, input_shape: Any) -> None:
        channels = self._input_channels(input_shape)
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                f"strides > 1 not supported in conjunction with dilation_rate > 1: strides {self.strides}, "
                f"dilation_rate {self.dilation_rate}"
            )
        self.kernel = self._add_kernel((*self.kernel_size, channels, self.filters))
        self.bias = self._add_bias()
        self.built = True

    # -- computing ------------------------------------------------------------------------------------------------

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        layout = arguments.layout(self.data_format, self._axes + 2)
        padding = self.padding
        rate = ops.constant(np.array(self.dilation_rate, np.int32), name="dilation_rate")
        if padding == "causal":
            inputs = ops.pad(inputs, self._causal_padding())
            padding = "valid"

        def convolve(x: Any, _: Any, padding: Any) -> Any:
            if self._axes == 1:
                return conv1d(x, self.kernel, self.strides[0], padding, data_format=layout, name="conv1d")
            return convolve_in_space(x, self.kernel, list(self.strides), padding, layout, f"Conv{self._axes}D")

        outputs = with_space_to_batch(
            inputs,
            rate,
            padding.upper(),
            convolve,
            TensorShape(self.kernel.shape),
            None,
            layout,
        )
        return self._finished(outputs, layout)

    def _causal_padding(self) -> list[list[int]]:
        before = [self.dilation_rate[0] * (self.kernel_size[0] - 1), 0]
        return [[0, 0], before, [0, 0]] if self.data_format == "channels_last" else [[0, 0], [0, 0], before]

    def _finished(self, outputs: Any, layout: str) -> Any:
        """With the bias and the activation."""
        if self.use_bias:
            if self.data_format == "channels_first" and self._axes == 1:
                outputs = outputs + ops.reshape(self.bias, (1, self.filters, 1))
            else:
                outputs = bias_add(outputs, self.bias, data_format="NCHW" if layout[1] == "C" else "NHWC")
        return outputs if self.activation is None else self.activation(outputs)

    def _space(self) -> slice:
        return slice(1, -1) if self.data_format == "channels_last" else slice(2, None)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        lengths = [
            arguments.convolved_length(length, size, self.padding, stride, rate)
            for length, size, stride, rate in zip(
                sizes[self._space()], self.kernel_size, self.strides, self.dilation_rate, strict=True
            )
        ]
        if self.data_format == "channels_last":
            return TensorShape([sizes[0], *lengths, self.filters])
        return TensorShape([sizes[0], self.filters, *lengths])


class Conv1D(_Conv):
    """Convolution of sequences (batch, steps, channels); `padding` may be 'causal' too."""

    _axes = 1


class Conv2D(_Conv):
    """Convolution of images (batch, height, width, channels)."""

    _axes = 2


class Conv3D(_Conv):
    """Convolution of volumes (batch, depth, height, width, channels)."""

    _axes = 3


class _Transposed(_Conv):
    """The transpose of a convolution: from its outputs' shape to its inputs'."""

    def __init__(self, filters: int, kernel_size: Any, strides: Any = 1, padding: Any = "valid",
                 data_format: Any = "channels_last", **kwargs: Any) -> None:  # fmt: skip
        super().__init__(filters, kernel_size, strides=strides, padding=padding, data_format=data_format, **kwargs)

    def build(self, input_shape: Any) -> None:
        rank = as_shape(input_shape).ndims
        if rank != self._axes + 2:
            raise ValueError(f"Inputs should have rank {self._axes + 2}. Received input shape: {input_shape}")
        channels = self._input_channels(input_shape)
        self.kernel = self._add_kernel((*self.kernel_size, self.filters, channels))
        self.bias = self._add_bias()
        self.built = True

    def _lengths(self, lengths: list[Any]) -> list[Any]:
        """How long the axes of space become: numbers, or tensors from tensors."""
        result: list[Any] = []
        for length, size, stride in zip(lengths, self.kernel_size, self.strides, strict=True):
            if length is None:
                result.append(None)
                continue
            longer = length * stride
            if self.padding == "valid":
                # In three dimensions the node is there also where it adds nothing, as in TensorFlow.
                longer = longer + max(size - stride, 0)
            result.append(longer)
        return result

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        shape = ops.shape(inputs)
        batch = shape[0]
        first = 1 if self.data_format == "channels_last" else 2
        lengths = self._lengths([shape[first + axis] for axis in range(self._axes)])
        last = self.data_format == "channels_last"
        wanted = ops.stack([batch, *lengths, self.filters] if last else [batch, self.filters, *lengths])
        steps = [1, *self.strides, 1] if last else [1, 1, *self.strides]
        outputs = self._transposed(inputs, wanted, steps, arguments.layout(self.data_format, self._axes + 2))
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._finished(outputs, arguments.layout(self.data_format, self._axes + 2))

    def _transposed(self, inputs: Any, shape: Any, strides: list[int], layout: str) -> Any:
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        lengths = self._lengths(sizes[self._space()])
        if self.data_format == "channels_last":
            return TensorShape([sizes[0], *lengths, self.filters])
        return TensorShape([sizes[0], self.filters, *lengths])


class Conv2DTranspose(_Transposed):
    """Transposed convolution of images."""

    _axes = 2

    def _transposed(self, inputs: Any, shape: Any, strides: list[int], layout: str) -> Any:
        return conv2d_transpose(inputs, self.kernel, shape, strides, padding=self.padding.upper(), data_format=layout)


class Conv3DTranspose(_Transposed):
    """Transposed convolution of volumes."""

    _axes = 3

    def _transposed(self, inputs: Any, shape: Any, strides: list[int], layout: str) -> Any:
        return conv3d_transpose(inputs, self.kernel, shape, strides, data_format=layout, padding=self.padding.upper())


class _Separable(_Conv):
    """A convolution of each channel by itself, then one across channels."""

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: Any = "valid",
        data_format: Any = "channels_last",
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = _ZEROS,
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=data_format,
            dilation_rate=dilation_rate,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            trainable=trainable,
            name=name,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.pointwise_initializer = pointwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.pointwise_regularizer = pointwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self.pointwise_constraint = pointwise_constraint

    def build(self, input_shape: Any) -> None:
        channels = self._input_channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            name="depthwise_kernel",
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self.pointwise_kernel = self.add_weight(
            name="pointwise_kernel",
            shape=(1,) * self._axes + (self.depth_multiplier * channels, self.filters),
            initializer=self.pointwise_initializer,
            regularizer=self.pointwise_regularizer,
            constraint=self.pointwise_constraint,
            trainable=True,
            dtype=self.dtype,
        )
        self.bias = self._add_bias()
        self.built = True


class SeparableConv1D(_Separable):
    """Separable convolution of sequences (batch, steps, channels)."""

    _axes = 1

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        padding = self.padding
        if padding == "causal":
            inputs = ops.pad(inputs, self._causal_padding())
            padding = "valid"
        last = self.data_format == "channels_last"
        axis = 1 if last else 2
        # As images that are one pixel high, with the same step along both axes, as the op asks for.
        steps = [1, *self.strides * 2, 1] if last else [1, 1, *self.strides * 2]
        images = ops.expand_dims(inputs, axis)
        outputs = separable_conv2d(
            images,
            ops.expand_dims(self.depthwise_kernel, 0),
            ops.expand_dims(self.pointwise_kernel, 0),
            strides=steps,
            padding=padding.upper(),
            rate=(1, *self.dilation_rate),
            data_format=arguments.layout(self.data_format, 4),
        )
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=arguments.layout(self.data_format, 4))
        outputs = ops.squeeze(outputs, [axis])
        return outputs if self.activation is None else self.activation(outputs)


class SeparableConv2D(_Separable):
    """Separable convolution of images (batch, height, width, channels)."""

    _axes = 2

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        layout = arguments.layout(self.data_format, 4)
        steps = [1, *self.strides, 1] if self.data_format == "channels_last" else [1, 1, *self.strides]
        outputs = separable_conv2d(
            inputs,
            self.depthwise_kernel,
            self.pointwise_kernel,
            strides=steps,
            padding=self.padding.upper(),
            rate=self.dilation_rate,
            data_format=layout,
        )
        return self._finished(outputs, layout)
