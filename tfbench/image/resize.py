"""Images in another size."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import float32, int32
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.image_resize import (
    resize_area_op,
    resize_bicubic_op,
    resize_bilinear_op,
    resize_nearest_neighbor_op,
)
from tfbench.engine.tensor import Tensor
from tfbench.image.checks import as_batch, asserting, asserting_3d, sizes_of
from tfbench.image.crops import pad_to_bounding_box

__all__ = [
    "ResizeMethod", "resize", "resize_area", "resize_bicubic", "resize_bilinear", "resize_image_with_pad",
    "resize_images", "resize_nearest_neighbor",
]  # fmt: skip


class ResizeMethod:
    """How `resize_images` finds the new pixels."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


_METHODS = {
    ResizeMethod.BILINEAR: resize_bilinear_op,
    ResizeMethod.NEAREST_NEIGHBOR: resize_nearest_neighbor_op,
    ResizeMethod.BICUBIC: resize_bicubic_op,
    ResizeMethod.AREA: resize_area_op,
    # TensorFlow 2's names for them
    "bilinear": resize_bilinear_op,
    "nearest": resize_nearest_neighbor_op,
    "bicubic": resize_bicubic_op,
    "area": resize_area_op,
}


def resize_images(
    images: Any,
    size: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
    preserve_aspect_ratio: bool = False,
    name: str | None = None,
) -> Tensor:
    """`images`, one or a batch, as images of `size` (height, width).

    With `preserve_aspect_ratio` they are as large as fits into `size`. Images that have the size already come back as
    they are; those that are resized by another method than NEAREST_NEIGHBOR are float32.

    Raises:
      ValueError: for other ranks, methods and sizes.
    """
    with name_scope(name, "resize", [images, size]):
        images = convert_to_tensor(images, name="images")
        rank = images._rank
        if rank is None:
            raise ValueError("'images' contains no shape.")
        if rank not in (3, 4):
            raise ValueError("'images' must have either 3 or 4 dimensions.")
        images, was_batch = as_batch(images)
        height, width = images.static_shape[1:3]
        try:
            size = convert_to_tensor(size, int32, name="size")
        except (TypeError, ValueError):
            raise ValueError("'size' must be a 1-D int32 Tensor") from None
        if size._shape is not None and size._shape != (2,):
            raise ValueError("'size' must be a 1-D Tensor of 2 elements: new_height, new_width")
        if preserve_aspect_ratio:
            size = _fitting(images, size)
        new = constant_value_as_shape(size)
        if new is not None and None not in new and new == (height, width):
            return images if was_batch else ops.squeeze(images, axis=[0])
        opdef = _METHODS.get(method) if isinstance(method, (int, float, str)) else None
        if opdef is None:
            raise ValueError(f"Resize method is not implemented: {method}")
        resized = opdef(images, size, align_corners=align_corners)
        resized.set_shape([None, *(new or (None, None)), None])
        return resized if was_batch else ops.squeeze(resized, axis=[0])


resize = resize_images


def _fitting(images: Tensor, size: Tensor) -> Tensor:
    """The largest size of the images' proportions that fits into `size`."""
    _, height, width, _ = sizes_of(images, 4)
    by_height = ops.cast(size[0], float32) / ops.cast(height, float32)
    by_width = ops.cast(size[1], float32) / ops.cast(width, float32)
    factor = ops.minimum(by_height, by_width)
    high = ops.cast(ops.round(factor * ops.cast(height, float32)), int32)
    wide = ops.cast(ops.round(factor * ops.cast(width, float32)), int32)
    return convert_to_tensor([high, wide], int32, name="size")


def resize_image_with_pad(
    image: Any,
    target_height: Any,
    target_width: Any,
    method: Any = ResizeMethod.BILINEAR,
    align_corners: bool = False,
) -> Tensor:
    """The image, in its proportions as large as fits, in the middle of zeros."""
    with name_scope(None, "resize_image_with_pad", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        waiting = asserting_3d(image)
        waiting += asserting(target_width > 0, "target_width must be > 0.")
        waiting += asserting(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(waiting, image)
        _, height, width, _ = sizes_of(image, 4)
        high, wide, target_high, target_wide = (
            ops.cast(number, float32) for number in (height, width, target_height, target_width)
        )
        ratio = ops.maximum(wide / target_wide, high / target_high)
        new_high, new_wide = high / ratio, wide / ratio
        new_height = ops.cast(ops.floor(new_high), int32)
        new_width = ops.cast(ops.floor(new_wide), int32)
        top, left = (target_high - new_high) / 2, (target_wide - new_wide) / 2
        top, left = ops.floor(top), ops.floor(left)
        above = ops.maximum(0, ops.cast(top, int32))
        before = ops.maximum(0, ops.cast(left, int32))
        resized = resize_images(image, [new_height, new_width], method, align_corners)
        padded = pad_to_bounding_box(resized, above, before, target_height, target_width)
        sizes_of(padded, 4)  # TensorFlow looks at them, and leaves a Shape behind where they are not known
        return padded if was_batch else ops.squeeze(padded, axis=[0])


# -- the ops themselves -----------------------------------------------------------------------------------------------


def resize_bilinear(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """A batch of images as float32 of `size`, between the four nearest pixels."""
    return resize_bilinear_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_nearest_neighbor(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """A batch of images of `size`, each new pixel the nearest old one."""
    return resize_nearest_neighbor_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_bicubic(
    images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
) -> Tensor:
    """A batch of images as float32 of `size`, a cubic through the sixteen nearest pixels."""
    return resize_bicubic_op(
        images, size, align_corners=align_corners, half_pixel_centers=half_pixel_centers, name=name
    )


def resize_area(images: Any, size: Any, align_corners: bool = False, name: str | None = None) -> Tensor:
    """A batch of images as float32 of `size`, each new pixel the mean of what it covers."""
    return resize_area_op(images, size, align_corners=align_corners, name=name)
