"""Windows of images under their newer name, and glimpses."""

from __future__ import annotations

from typing import Any

from tfbench.engine.ops.array_patches import extract_image_patches
from tfbench.engine.tensor import Tensor

__all__ = ["extract_patches"]


def extract_patches(images: Any, sizes: Any, strides: Any, rates: Any, padding: Any, name: str | None = None) -> Tensor:
    """The windows of `sizes` at every step of `strides`, their pixels (`rates` apart) side by side as channels."""
    return extract_image_patches(images, sizes, strides, rates, padding, name)
