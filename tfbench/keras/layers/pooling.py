"""Pooling layers: of windows, and of all places."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras.backend.config import floatx, normalized_data_format
from tfbench.keras.engine.base_layer import InputSpec, Layer
from tfbench.layers import pooling

_SPACE = ("pool_size", "padding", "strides", "data_format")


class _Pool(pooling._Pooling, Layer):
    """Windows of `pool_size`, as far apart as they are large unless `strides` says otherwise."""

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", data_format: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(pool_size, strides, padding, normalized_data_format(data_format), **kwargs)


class _Pool1D(_Pool):
    _config: tuple[str, ...] = ("strides", "pool_size", "padding", "data_format")

    def __init__(
        self, pool_size: Any = 2, strides: Any = None, padding: str = "valid", data_format: Any = "channels_last",
        **kwargs: Any,
    ) -> None:  # fmt: skip
        super().__init__(pool_size, strides, padding, data_format, **kwargs)


class MaxPooling1D(_Pool1D, pooling.MaxPooling1D):
    """The largest of each window of a sequence (batch, steps, channels)."""


class AveragePooling1D(_Pool1D, pooling.AveragePooling1D):
    """The mean of each window of a sequence (batch, steps, channels)."""


class MaxPooling2D(_Pool, pooling.MaxPooling2D):
    """The largest of each window of images (batch, height, width, channels)."""

    _config = _SPACE


class AveragePooling2D(_Pool, pooling.AveragePooling2D):
    """The mean of each window of images (batch, height, width, channels)."""

    _config = _SPACE


class MaxPooling3D(_Pool, pooling.MaxPooling3D):
    """The largest of each window of volumes (batch, depth, height, width, channels)."""

    _config = _SPACE


class AveragePooling3D(_Pool, pooling.AveragePooling3D):
    """The mean of each window of volumes (batch, depth, height, width, channels)."""

    _config = _SPACE


class _Global(Layer):
    """Over all places of each channel."""

    _axes: int
    _config = ("data_format",)

    def __init__(self, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalized_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._axes + 2)

    @property
    def _space(self) -> Any:
        """The axes of the places: one number, or a list."""
        first = 1 if self.data_format == "channels_last" else 2
        axes = list(range(first, first + self._axes))
        return axes[0] if len(axes) == 1 else axes

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        sizes = as_shape(input_shape).as_list()
        return TensorShape([sizes[0], sizes[-1 if self.data_format == "channels_last" else 1]])


class _GlobalMean(_Global):
    def call(self, inputs: Any) -> Any:
        return ops.reduce_mean(inputs, axis=self._space)


class _GlobalMax(_Global):
    def call(self, inputs: Any) -> Any:
        return ops.reduce_max(inputs, axis=self._space)


class GlobalAveragePooling1D(_Global):
    """The mean of all steps that are not masked."""

    _axes = 1
    supports_masking = True

    def __init__(self, data_format: Any = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is None:
            return ops.reduce_mean(inputs, axis=self._space)
        kept = ops.cast(mask, floatx())
        kept = ops.reshape(kept, [-1, inputs.shape.as_list()[self._space], 1])
        inputs = inputs * kept
        return ops.reduce_sum(inputs, axis=self._space) / ops.reduce_sum(kept, axis=self._space)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        return None


class GlobalMaxPooling1D(_GlobalMax):
    """The largest of all steps."""

    _axes = 1

    def __init__(self, data_format: Any = "channels_last", **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)


class GlobalAveragePooling2D(_GlobalMean):
    """The mean of each channel of images."""

    _axes = 2


class GlobalMaxPooling2D(_GlobalMax):
    """The largest of each channel of images."""

    _axes = 2


class GlobalAveragePooling3D(_GlobalMean):
    """The mean of each channel of volumes."""

    _axes = 3


class GlobalMaxPooling3D(_GlobalMax):
    """The largest of each channel of volumes."""

    _axes = 3
