"""Other colour spaces."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import float32
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.image_color import hsv_to_rgb_op, rgb_to_hsv_op
from tfbench.engine.ops.math_tensordot import tensordot
from tfbench.engine.tensor import Tensor
from tfbench.image.types import convert_image_dtype

__all__ = [
    "grayscale_to_rgb", "hsv_to_rgb", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv", "yiq_to_rgb",
    "yuv_to_rgb",
]  # fmt: skip

#: how bright red, green and blue look
_LUMINANCE = [0.2989, 0.5870, 0.1140]

_Matrix = list[list[float]]
_FROM_YIQ: _Matrix = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_TO_YIQ: _Matrix = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_FROM_YUV: _Matrix = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]
_TO_YUV: _Matrix = [
    [0.299, -0.14714119, 0.61497538],
    [0.587, -0.28886916, -0.51496512],
    [0.114, 0.43601035, -0.10001026],
]


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """One channel: how bright each pixel looks."""
    with name_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        single = convert_image_dtype(images, float32)
        gray = ops.expand_dims(tensordot(single, _LUMINANCE, [-1, -1]), -1)
        return convert_image_dtype(gray, images.dtype, name=scope)


def _asserting_gray(image: Tensor) -> list[Operation]:
    shape = image._shape
    few = "A grayscale image must be at least two-dimensional."
    many = "Last dimension of a grayscale image should be size 1."
    if shape is not None and len(shape) < 2:
        raise ValueError(few)
    if shape is not None and shape[-1] not in (1, None):
        raise ValueError(many)
    if shape is not None and None not in shape:
        return []
    return [
        ops.assert_equal(ops.shape(image)[-1], 1, message=many),
        ops.assert_greater_equal(ops.rank(image), 3, message=few),
    ]


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Three channels that are all the one of `images`."""
    with name_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        images = with_dependencies(_asserting_gray(images), images)
        others = ops.ones(ops.expand_dims(ops.rank(images) - 1, 0), dtype=np.int32)
        multiples = ops.concat([others, ops.expand_dims(3, 0)], 0)
        rgb = ops.tile(images, multiples, name=scope)
        if images._shape is not None:
            rgb.set_shape([*images._shape[:-1], 3])
        return rgb


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value, all from 0 to 1, of RGB from 0 to 1."""
    return rgb_to_hsv_op(images, name=name)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """RGB from 0 to 1 of hue, saturation and value."""
    return hsv_to_rgb_op(images, name=name)


def _transformed(images: Any, matrix: _Matrix) -> Tensor:
    images = convert_to_tensor(images, name="images")
    kernel = convert_to_tensor(matrix, dtype=images.dtype, name="kernel")
    return tensordot(images, kernel, axes=[[images.shape.ndims - 1], [0]])


def rgb_to_yiq(images: Any) -> Tensor:
    """Brightness, orange to blue, purple to green."""
    return _transformed(images, _TO_YIQ)


def yiq_to_rgb(images: Any) -> Tensor:
    """The inverse of `rgb_to_yiq`."""
    return _transformed(images, _FROM_YIQ)


def rgb_to_yuv(images: Any) -> Tensor:
    """Brightness, and how much more blue and red there is."""
    return _transformed(images, _TO_YUV)


def yuv_to_rgb(images: Any) -> Tensor:
    """The inverse of `rgb_to_yuv`."""
    return _transformed(images, _FROM_YUV)
