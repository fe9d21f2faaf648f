"""Parts of images, and images with more around them."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import float64, int32
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.tensor import Tensor
from tfbench.image.checks import (
    as_batch,
    asserting,
    asserting_3d,
    checked_3d,
    is_tensor,
    sizes_of,
    unknown_tensors,
)

__all__ = [
    "central_crop", "crop_to_bounding_box", "pad_to_bounding_box", "resize_image_with_crop_or_pad",
    "resize_with_crop_or_pad",
]  # fmt: skip


def crop_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """`target_height` rows and `target_width` columns, from (`offset_height`, `offset_width`) on.

    ValueError (or InvalidArgumentError, where it shows only in a run) unless they lie within the image.
    """
    with name_scope(None, "crop_to_bounding_box", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        waiting = asserting_3d(image)
        batch, height, width, depth = sizes_of(image, 4)
        waiting += asserting(offset_width >= 0, "offset_width must be >= 0.")
        waiting += asserting(offset_height >= 0, "offset_height must be >= 0.")
        waiting += asserting(target_width > 0, "target_width must be > 0.")
        waiting += asserting(target_height > 0, "target_height must be > 0.")
        waiting += asserting(width >= (target_width + offset_width), "width must be >= target + offset.")
        waiting += asserting(height >= (target_height + offset_height), "height must be >= target + offset.")
        image = with_dependencies(waiting, image)
        cropped = ops.slice(
            image,
            ops.stack([0, offset_height, offset_width, 0]),
            ops.stack([ops.shape(image)[0], target_height, target_width, ops.shape(image)[3]]),
        )
        cropped.set_shape(unknown_tensors([batch, target_height, target_width, depth]))
        return cropped if was_batch else ops.squeeze(cropped, axis=[0])


def pad_to_bounding_box(
    image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any
) -> Tensor:
    """The image in one of `target_height` x `target_width`, with zeros around it; its corner is at the offsets."""
    with name_scope(None, "pad_to_bounding_box", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        batch, height, width, depth = sizes_of(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        waiting = asserting_3d(image)
        waiting += asserting(offset_height >= 0, "offset_height must be >= 0")
        waiting += asserting(offset_width >= 0, "offset_width must be >= 0")
        waiting += asserting(right >= 0, "width must be <= target - offset")
        waiting += asserting(below >= 0, "height must be <= target - offset")
        image = with_dependencies(waiting, image)
        paddings = ops.reshape(ops.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = ops.pad(image, paddings)
        padded.set_shape(unknown_tensors([batch, target_height, target_width, depth]))
        return padded if was_batch else ops.squeeze(padded, axis=[0])


def _larger(a: Any, b: Any) -> Any:
    return ops.maximum(a, b) if is_tensor(a) or is_tensor(b) else max(a, b)


def _smaller(a: Any, b: Any) -> Any:
    return ops.minimum(a, b) if is_tensor(a) or is_tensor(b) else min(a, b)


def _same(a: Any, b: Any) -> Any:
    return ops.equal(a, b) if is_tensor(a) or is_tensor(b) else a == b


def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """The middle of the image, or the image in the middle of zeros, whichever each axis needs."""
    with name_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, was_batch = as_batch(convert_to_tensor(image, name="image"))
        waiting = asserting_3d(image)
        waiting += asserting(target_width > 0, "target_width must be > 0.")
        waiting += asserting(target_height > 0, "target_height must be > 0.")
        image = with_dependencies(waiting, image)
        if is_tensor(target_height):
            target_height = with_dependencies(waiting, target_height)
        if is_tensor(target_width):
            target_width = with_dependencies(waiting, target_width)
        _, height, width, _ = sizes_of(image, 4)
        wider = target_width - width
        crop_left = _larger(-wider // 2, 0)
        pad_left = _larger(wider // 2, 0)
        higher = target_height - height
        crop_top = _larger(-higher // 2, 0)
        pad_top = _larger(higher // 2, 0)
        cropped = crop_to_bounding_box(
            image, crop_top, crop_left, _smaller(target_height, height), _smaller(target_width, width)
        )
        resized = pad_to_bounding_box(cropped, pad_top, pad_left, target_height, target_width)
        _, height, width, _ = sizes_of(resized, 4)
        waiting = asserting(_same(height, target_height), "resized height is not correct.")
        waiting += asserting(_same(width, target_width), "resized width is not correct.")
        resized = with_dependencies(waiting, resized)
        return resized if was_batch else ops.squeeze(resized, axis=[0])


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def central_crop(image: Any, central_fraction: Any) -> Tensor:
    """The middle of the image: `central_fraction` of its height and of its width."""
    with name_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        fraction = constant_value(central_fraction) if is_tensor(central_fraction) else central_fraction
        if fraction is not None:
            if not 0 < fraction <= 1:
                raise ValueError("central_fraction must be within (0, 1]")
            if fraction == 1.0:
                return image
        else:
            # TensorFlow joins the two by "or", which is always true: nothing is refused in a run.
            within = ops.logical_or(ops.greater(central_fraction, 0.0), ops.less_equal(central_fraction, 1.0))
            image = with_dependencies(asserting(within, "central_fraction must be within (0, 1]"), image)
        checked_3d(image)
        rank = image._rank
        if rank not in (3, 4):
            raise ValueError(f"`image` should either be a Tensor with rank = 3 or rank = 4. Had rank = {rank}.")
        sizes: list[Any] = []
        dynamic: list[bool] = []
        for axis in (rank - 3, rank - 2):
            size = image.static_shape[axis]
            dynamic.append(size is None)
            sizes.append(ops.shape(image)[axis] if size is None else size)
        starts = []
        for size, unknown in zip(sizes, dynamic):
            if fraction is None or unknown:
                whole = ops.cast(size, float64)
                starts.append(ops.cast((whole - whole * ops.cast(central_fraction, float64)) / 2, int32))
            else:
                starts.append(int((float(size) - float(size) * fraction) / 2))
        counts = [size - start * 2 for size, start in zip(sizes, starts)]
        if rank == 3:
            begin, extent = ops.stack([*starts, 0]), ops.stack([*counts, -1])
        else:
            begin, extent = ops.stack([0, *starts, 0]), ops.stack([-1, *counts, -1])
        cropped = ops.slice(image, begin, extent)
        known = image.static_shape
        cropped.set_shape([*known[: rank - 3], *unknown_tensors(counts), known[-1]])
        return cropped
