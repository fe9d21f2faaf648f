"""Windows of images under their newer name, and glimpses."""

from __future__ import annotations

from typing import Any

from tfbench.engine.ops.array_patches import extract_image_patches
from tfbench.engine.ops.image_glimpse import extract_glimpse_op
from tfbench.engine.tensor import Tensor

__all__ = ["extract_glimpse", "extract_patches"]


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """The windows of `sizes` at every step of `strides`, their pixels (`rates` apart) side by side as channels."""
    return extract_image_patches(images, sizes, strides, rates, padding, name)


def extract_glimpse(
    input: Any,
    size: Any,
    offsets: Any,
    centered: bool = True,
    normalized: bool = True,
    uniform_noise: bool = True,
    name: str | None = None,
) -> Tensor:
    """A window of `size` of each image around `offsets`, from -1 to 1 (or in pixels); outside the image it is noise."""
    return extract_glimpse_op(
        input, size, offsets, centered=centered, normalized=normalized, uniform_noise=uniform_noise, name=name
    )
