"""Pooling layers: the largest or the mean of each window, over one, two or three axes."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.layers import arguments
from tfbench.layers.base import Layer
from tfbench.layers.input_spec import InputSpec
from tfbench.nn.pooling import avg_pool, avg_pool3d, max_pool, max_pool3d


class _Pooling(Layer):
    """Pooling over `_axes` axes of space."""

    _axes: int
    _function: Any

    def __init__(
        self,
        pool_size: Any,
        strides: Any,
        padding: Any = "valid",
        data_format: Any = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = arguments.sizes(pool_size, self._axes, "pool_size")
        self.strides = arguments.sizes(pool_size if strides is None else strides, self._axes, "strides")
        self.padding = arguments.padding(padding)
        self.data_format = arguments.data_format(data_format)
        self.input_spec = InputSpec(ndim=self._axes + 2)

    def _windows(self, sizes: tuple[int, ...]) -> list[int]:
        return [1, *sizes, 1] if self.data_format == "channels_last" else [1, 1, *sizes]

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        return type(self)._function(
            inputs,
            ksize=self._windows(self.pool_size),
            strides=self._windows(self.strides),
            padding=self.padding.upper(),
            data_format=arguments.layout(self.data_format, self._axes + 2),
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        first = 1 if self.data_format == "channels_last" else 2
        for axis in range(self._axes):
            sizes[first + axis] = arguments.convolved_length(
                sizes[first + axis], self.pool_size[axis], self.padding, self.strides[axis]
            )
        return TensorShape(sizes)


class _Pooling1D(_Pooling):
    _axes = 1

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        # Pooled as images that are one pixel high (or wide, with the channels last).
        axis = 2 if self.data_format == "channels_last" else 3
        images = ops.expand_dims(inputs, axis)
        outputs = type(self)._function(
            images,
            ksize=self._windows((*self.pool_size, 1)),
            strides=self._windows((*self.strides, 1)),
            padding=self.padding.upper(),
            data_format=arguments.layout(self.data_format, 4),
        )
        return ops.squeeze(outputs, axis)


class AveragePooling1D(_Pooling1D):
    """The mean of each window of a sequence (batch, steps, channels)."""

    _function = staticmethod(avg_pool)


class MaxPooling1D(_Pooling1D):
    """The largest of each window of a sequence (batch, steps, channels)."""

    _function = staticmethod(max_pool)


class AveragePooling2D(_Pooling):
    """The mean of each window of images (batch, height, width, channels)."""

    _axes = 2
    _function = staticmethod(avg_pool)


class MaxPooling2D(_Pooling):
    """The largest of each window of images (batch, height, width, channels)."""

    _axes = 2
    _function = staticmethod(max_pool)


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes (batch, depth, height, width, channels)."""

    _axes = 3
    _function = staticmethod(avg_pool3d)


class MaxPooling3D(_Pooling):
    """The largest of each window of volumes (batch, depth, height, width, channels)."""

    _axes = 3
    _function = staticmethod(max_pool3d)
