"""Changes of brightness, contrast, hue, saturation and gamma, and random ones; normalised images.

Images of integers are changed as numbers from 0 to 1, and come back as what they were.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import float32
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.grouping import with_dependencies
from tfbench.engine.ops.image_color import adjust_contrast_op, adjust_hue_op, adjust_saturation_op
from tfbench.engine.ops.math_reductions import reduce_std
from tfbench.engine.tensor import Tensor
from tfbench.image.checks import asserting, checked_3d
from tfbench.image.types import as_single, convert_image_dtype

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation",
    "per_image_standardization", "random_brightness", "random_contrast", "random_hue", "random_saturation",
]  # fmt: skip


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """`delta` added to every channel of every pixel."""
    with name_scope(None, "adjust_brightness", [image, delta]) as scope:
        image = convert_to_tensor(image, name="image")
        single = as_single(image)
        adjusted = ops.add(single, ops.cast(delta, single.dtype), name=scope)
        return convert_image_dtype(adjusted, image.dtype, saturate=True)


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """How far each pixel is from the mean of its channel and image, times `contrast_factor`."""
    with name_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        images = convert_to_tensor(images, name="images")
        adjusted = adjust_contrast_op(as_single(images), contrast_factor, name=scope)
        return convert_image_dtype(adjusted, images.dtype, saturate=True)


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain * image ** gamma`. ValueError for a negative `gamma`."""
    with name_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = convert_to_tensor(image, name="image")
        single = as_single(image)
        waiting = asserting(gamma >= 0, "Gamma should be a non-negative real number.")
        if waiting:
            gamma = with_dependencies(waiting, gamma)
        return convert_image_dtype(gain * single**gamma, image.dtype, saturate=True)


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """The hue turned by `delta`; 1 is a whole turn."""
    with name_scope(name, "adjust_hue", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(adjust_hue_op(as_single(image), delta), image.dtype)


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """The saturation times `saturation_factor`."""
    with name_scope(name, "adjust_saturation", [image]):
        image = convert_to_tensor(image, name="image")
        return convert_image_dtype(adjust_saturation_op(as_single(image), saturation_factor), image.dtype)


# -- random -----------------------------------------------------------------------------------------------------------


def random_brightness(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`adjust_brightness` by a random number between -`max_delta` and `max_delta`."""
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_brightness(image, ops.random_uniform([], -max_delta, max_delta, seed=seed))


def _between(lower: Any, upper: Any, seed: Any) -> Tensor:
    if upper <= lower:
        raise ValueError("upper must be > lower.")
    if lower < 0:
        raise ValueError("lower must be non-negative.")
    return ops.random_uniform([], lower, upper, seed=seed)


def random_contrast(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`adjust_contrast` by a random number between `lower` and `upper`."""
    return adjust_contrast(image, _between(lower, upper, seed))


def random_hue(image: Any, max_delta: Any, seed: Any = None) -> Tensor:
    """`adjust_hue` by a random number between -`max_delta` and `max_delta`, which is 0.5 at most."""
    if max_delta > 0.5:
        raise ValueError("max_delta must be <= 0.5.")
    if max_delta < 0:
        raise ValueError("max_delta must be non-negative.")
    return adjust_hue(image, ops.random_uniform([], -max_delta, max_delta, seed=seed))


def random_saturation(image: Any, lower: Any, upper: Any, seed: Any = None) -> Tensor:
    """`adjust_saturation` by a random number between `lower` and `upper`."""
    return adjust_saturation(image, _between(lower, upper, seed))


# -- normalised -------------------------------------------------------------------------------------------------------


def per_image_standardization(image: Any) -> Tensor:
    """Each image with mean 0 and deviation 1 (of flat images: no more than the square root of its size times that)."""
    with name_scope(None, "per_image_standardization", [image]) as scope:
        image = checked_3d(convert_to_tensor(image, name="image"))
        if image.dtype.base_dtype != float32:
            image = ops.cast(image, float32)
        count = ops.reduce_prod(ops.shape(image)[-3:])
        axes = [-1, -2, -3]
        mean = ops.reduce_mean(image, axis=axes, keepdims=True)
        deviation = reduce_std(image, axis=axes, keepdims=True)
        least = ops.rsqrt(ops.cast(count, image.dtype))
        deviation = ops.maximum(deviation, least)
        return ops.divide(image - mean, deviation, name=scope)
