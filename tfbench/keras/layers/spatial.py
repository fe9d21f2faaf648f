"""Layers that make sequences, images and volumes larger or smaller without computing: padding, cropping, repeating."""

from __future__ import annotations

from typing import Any

from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.keras.backend import arrays
from tfbench.keras.backend.config import normalized_data_format
from tfbench.keras.engine.base_layer import InputSpec, Layer
from tfbench.keras.layers.core import lengths_around
from tfbench.layers.arguments import sizes


class _Spatial(Layer):
    """What they share: how many axes of space, where they begin, and how long each becomes."""

    _axes: int

    def __init__(self, data_format: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = normalized_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._axes + 2)

    @property
    def _first(self) -> int:
        return 1 if self.data_format == "channels_last" else 2

    def _length(self, axis: int, length: int) -> int:
        raise NotImplementedError

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        shape = as_shape(input_shape).as_list()
        for axis in range(self._axes):
            length = shape[self._first + axis]
            shape[self._first + axis] = None if length is None else self._length(axis, length)
        return TensorShape(shape)


class UpSampling1D(_Spatial):
    """Each step `size` times."""

    _axes = 1
    _config = ("size",)

    def __init__(self, size: int = 2, **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)
        self.size = int(size)

    def _length(self, axis: int, length: int) -> int:
        return length * self.size

    def call(self, inputs: Any) -> Any:
        return arrays.repeat_elements(inputs, self.size, axis=1)


class UpSampling2D(_Spatial):
    """Images `size` times as large.

    Raises:
      ValueError: for an interpolation other than 'nearest' and 'bilinear'.
    """

    _axes = 2
    _config = ("size", "data_format", "interpolation")

    def __init__(
        self, size: Any = (2, 2), data_format: Any = None, interpolation: str = "nearest", **kwargs: Any
    ) -> None:
        super().__init__(data_format, **kwargs)
        self.size = sizes(size, 2, "size")
        if interpolation not in ("nearest", "bilinear"):
            raise ValueError(f'UpSampling2D: `interpolation` must be "nearest" or "bilinear", got {interpolation!r}')
        self.interpolation = interpolation

    def _length(self, axis: int, length: int) -> int:
        return length * self.size[axis]

    def call(self, inputs: Any) -> Any:
        return arrays.resize_images(inputs, self.size[0], self.size[1], self.data_format, self.interpolation)


class UpSampling3D(_Spatial):
    """Volumes `size` times as large."""

    _axes = 3
    _config = ("size", "data_format")

    def __init__(self, size: Any = (2, 2, 2), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.size = sizes(size, 3, "size")

    def _length(self, axis: int, length: int) -> int:
        return length * self.size[axis]

    def call(self, inputs: Any) -> Any:
        return arrays.resize_volumes(inputs, self.size[0], self.size[1], self.size[2], self.data_format)


class ZeroPadding1D(_Spatial):
    """Zeros before and behind the steps."""

    _axes = 1
    _config = ("padding",)

    def __init__(self, padding: Any = 1, **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)
        self.padding = sizes(padding, 2, "padding")

    def _length(self, axis: int, length: int) -> int:
        return length + sum(self.padding)

    def call(self, inputs: Any) -> Any:
        return arrays.temporal_padding(inputs, padding=self.padding)


class _ZeroPadding(_Spatial):
    _config = ("padding", "data_format")

    def __init__(self, padding: Any = 1, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.padding = lengths_around(padding, self._axes, "padding")

    def _length(self, axis: int, length: int) -> int:
        return length + sum(self.padding[axis])


class ZeroPadding2D(_ZeroPadding):
    """Zeros around images: one number, one for each axis, or two (before, behind) for each."""

    _axes = 2

    def call(self, inputs: Any) -> Any:
        return arrays.spatial_2d_padding(inputs, padding=self.padding, data_format=self.data_format)


class ZeroPadding3D(_ZeroPadding):
    """Zeros around volumes: one number, one for each axis, or two (before, behind) for each."""

    _axes = 3

    def call(self, inputs: Any) -> Any:
        return arrays.spatial_3d_padding(inputs, padding=self.padding, data_format=self.data_format)


class Cropping1D(_Spatial):
    """Without the first and last steps."""

    _axes = 1
    _config = ("cropping",)

    def __init__(self, cropping: Any = (1, 1), **kwargs: Any) -> None:
        super().__init__("channels_last", **kwargs)
        self.cropping = sizes(cropping, 2, "cropping")

    def _length(self, axis: int, length: int) -> int:
        return length - sum(self.cropping)

    def call(self, inputs: Any) -> Any:
        return inputs[:, _kept(self.cropping), :]


class _Cropping(_Spatial):
    _config = ("cropping", "data_format")

    def __init__(self, cropping: Any, data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(data_format, **kwargs)
        self.cropping = lengths_around(cropping, self._axes, "cropping")

    def _length(self, axis: int, length: int) -> int:
        return length - sum(self.cropping[axis])

    def call(self, inputs: Any) -> Any:
        whole, space = slice(None), tuple(_kept(cut) for cut in self.cropping)
        return inputs[(whole, *space, whole) if self._first == 1 else (whole, whole, *space)]


def _kept(cut: Any) -> slice:
    return slice(cut[0], -cut[1] if cut[1] else None)


class Cropping2D(_Cropping):
    """Without the borders of images: one number, one for each axis, or two (before, behind) for each."""

    _axes = 2

    def __init__(self, cropping: Any = ((0, 0), (0, 0)), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)


class Cropping3D(_Cropping):
    """Without the borders of volumes: one number, one for each axis, or two (before, behind) for each."""

    _axes = 3

    def __init__(self, cropping: Any = ((1, 1), (1, 1), (1, 1)), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(cropping, data_format, **kwargs)
