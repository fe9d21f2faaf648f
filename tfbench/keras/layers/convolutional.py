"""Convolution layers over one, two or three axes, transposed, separable and depthwise ones."""

from __future__ import annotations

from typing import Any

from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras import activations
from tfbench.keras.backend.config import normalized_data_format
from tfbench.keras.backend.convolution import bias_add, depthwise_conv2d
from tfbench.keras.engine.base_layer import InputSpec, Layer
from tfbench.layers import arguments, convolutional

_SHARED = (
    "filters", "kernel_size", "strides", "padding", "data_format", "dilation_rate", "activation", "use_bias",
    "kernel_initializer", "bias_initializer", "kernel_regularizer", "bias_regularizer", "activity_regularizer",
    "kernel_constraint", "bias_constraint",
)  # fmt: skip


class _Convolution(convolutional._Conv, Layer):
    """What the convolutions share: the arguments, as Keras has them."""

    _config: tuple[str, ...] = _SHARED

    def __init__(
        self,
        filters: Any,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = None,
        dilation_rate: Any = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides=strides,
            padding=padding,
            data_format=normalized_data_format(data_format),
            dilation_rate=dilation_rate,
            activation=activations.get(activation),
            use_bias=use_bias,
            kernel_initializer=kernel_initializer,
            bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        self._interpret()


class Conv1D(_Convolution, convolutional.Conv1D):
    """Convolution of sequences (batch, steps, channels); `padding` may be 'causal' too."""

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid",
        data_format: Any = "channels_last", *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(filters, kernel_size, strides, padding, data_format, *args, **kwargs)


class Conv2D(_Convolution, convolutional.Conv2D):
    """Convolution of images (batch, height, width, channels)."""


class Conv3D(_Convolution, convolutional.Conv3D):
    """Convolution of volumes (batch, depth, height, width, channels)."""


class _TransposedConvolution(_Convolution, convolutional._Transposed):
    """The transpose of a convolution; `output_padding` says which of the shapes that led to the inputs' is meant."""

    _config = ("output_padding",)

    def __init__(
        self, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", output_padding: Any = None,
        data_format: Any = None, *args: Any, **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(filters, kernel_size, strides, padding, data_format, *args, **kwargs)
        self.output_padding = None if output_padding is None else (
            arguments.sizes(output_padding, self._axes, "output_padding")
        )  # fmt: skip
        if any(more >= step for step, more in zip(self.strides, self.output_padding or (), strict=False)):
            raise ValueError(f"Stride {self.strides} must be greater than output padding {self.output_padding}")

    def _lengths(self, lengths: list[Any]) -> list[Any]:
        if self.output_padding is None:
            return super()._lengths(lengths)
        result: list[Any] = []
        for axis, length in enumerate(lengths):
            size = self.kernel_size[axis] + (self.kernel_size[axis] - 1) * (self.dilation_rate[axis] - 1)
            pad = size // 2 if self.padding == "same" else 0
            step, more = self.strides[axis], self.output_padding[axis]
            result.append(None if length is None else (length - 1) * step + size - 2 * pad + more)
        return result


class Conv2DTranspose(_TransposedConvolution, convolutional.Conv2DTranspose):
    """Transposed convolution of images."""


class Conv3DTranspose(_TransposedConvolution, convolutional.Conv3DTranspose):
    """Transposed convolution of volumes."""

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["dilation_rate"]
        return config


class _SeparableConvolution(convolutional._Separable, Layer):
    """A convolution of each channel by itself, then one across channels."""

    _config = (
        *_SHARED, "depth_multiplier", "depthwise_initializer", "pointwise_initializer", "depthwise_regularizer",
        "pointwise_regularizer", "depthwise_constraint", "pointwise_constraint",
    )  # fmt: skip

    def __init__(
        self,
        filters: int,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        data_format: Any = None,
        dilation_rate: Any = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        pointwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            filters,
            kernel_size,
            strides,
            padding,
            normalized_data_format(data_format),
            dilation_rate,
            depth_multiplier,
            activations.get(activation),
            use_bias,
            depthwise_initializer,
            pointwise_initializer,
            bias_initializer,
            depthwise_regularizer,
            pointwise_regularizer,
            bias_regularizer,
            activity_regularizer,
            depthwise_constraint,
            pointwise_constraint,
            bias_constraint,
            **{"kernel_initializer": "glorot_uniform", **kwargs},
        )
        self._interpret()


class SeparableConv1D(_SeparableConvolution, convolutional.SeparableConv1D):
    """Separable convolution of sequences (batch, steps, channels)."""


class SeparableConv2D(_SeparableConvolution, convolutional.SeparableConv2D):
    """Separable convolution of images (batch, height, width, channels)."""


class DepthwiseConv2D(Conv2D):
    """A convolution of each channel of images by itself, `depth_multiplier` times.

    Raises:
      ValueError: when called, if the number of channels is not known.
    """

    _config = ("depth_multiplier", "depthwise_initializer", "depthwise_regularizer", "depthwise_constraint")

    def __init__(
        self,
        kernel_size: Any,
        strides: Any = 1,
        padding: str = "valid",
        depth_multiplier: int = 1,
        data_format: Any = None,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = "glorot_uniform",
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        bias_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            None,
            kernel_size,
            strides,
            padding,
            data_format,
            activation=activation,
            use_bias=use_bias,
            bias_initializer=bias_initializer,
            bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint,
            **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer = depthwise_initializer
        self.depthwise_regularizer = depthwise_regularizer
        self.depthwise_constraint = depthwise_constraint
        self._interpret()

    def build(self, input_shape: Any) -> None:
        if len(input_shape) < 4:
            raise ValueError(
                f"DepthwiseConv2D takes images of rank 4 (batch, two of space, channels); got shape {input_shape}"
            )
        channels = self._input_channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            shape=(*self.kernel_size, channels, self.depth_multiplier),
            initializer=self.depthwise_initializer,
            name="depthwise_kernel",
            regularizer=self.depthwise_regularizer,
            constraint=self.depthwise_constraint,
        )
        self.bias: Any = None
        if self.use_bias:
            self.bias = self.add_weight(
                shape=(channels * self.depth_multiplier,),
                initializer=self.bias_initializer,
                name="bias",
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.input_spec = InputSpec(ndim=4, axes={self._channel_axis: channels})
        self.built = True

    def call(self, inputs: Any) -> Any:
        outputs = depthwise_conv2d(
            inputs,
            self.depthwise_kernel,
            strides=self.strides,
            padding=self.padding,
            dilation_rate=self.dilation_rate,
            data_format=self.data_format,
        )
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=self.data_format)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        given = as_shape(input_shape).as_list()
        channels = given[self._channel_axis]
        shape = Conv2D.compute_output_shape(self, input_shape).as_list()
        shape[self._channel_axis] = None if channels is None else channels * self.depth_multiplier
        return TensorShape(shape)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        for name in ("filters", "kernel_initializer", "kernel_regularizer", "kernel_constraint"):
            del config[name]
        return config
