"""Windows of images around given points. What lies outside an image is noise, the same in every run."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import brackets, invalid

Array = Any
_F = np.float32


def _noise(image: Array, shape: tuple[int, ...], noise: str) -> Array:
    """Zeros, or numbers in the range of all pixels, or with their mean and deviation."""
    if noise == "zero" or image.size == 0:
        return np.zeros(shape, _F)
    generator = np.random.default_rng(0)
    low, high = image.min(), image.max()
    if noise == "gaussian":
        return np.clip(generator.normal(image.mean(), image.std(), shape), low, high).astype(_F)
    return (low + (high - low) * generator.random(shape, _F)).astype(_F)


def _glimpses(
    image: Array, size: Array, offsets: Array, centered: bool, normalized: bool, noise: str, corner: bool
) -> Array:
    """`corner`: points that are in pixels, or counted from the corner, are corners of windows rather than middles."""
    if image.ndim != 4:
        raise invalid(f"input must be 4-dimensional (batch_size, height, width, depth){brackets(image.shape)}")
    if size.ndim != 1 or size.shape[0] != 2:
        raise invalid(f"input must be a vector of size 2 (height, width){brackets(size.shape)}")
    height, width = size.tolist()
    if height <= 0 or width <= 0:
        raise invalid("glimpse height and width must be > 0")
    if offsets.shape != (image.shape[0], 2):
        raise invalid(f"input must be a matrix of shape (batch, 2), got {brackets(offsets.shape)}")
    batch, rows, columns, depth = image.shape
    space, window = np.array([rows, columns], _F), np.array([height, width], _F)
    points = np.asarray(offsets, _F)
    if corner and not normalized:
        points = points + space / _F(2) if centered else points
    else:
        if normalized:
            points = points * space
        if centered:
            points = points / _F(2) + space / _F(2)
        if centered or not corner:
            points = points - window / _F(2)
    starts = np.trunc(points).astype(np.int64)
    found = _noise(image, (batch, height, width, depth), noise)
    for one, glimpse, (top, left) in zip(image, found, starts.tolist()):
        up, before = max(top, 0), max(left, 0)
        down, after = min(top + height, rows), min(left + width, columns)
        if up < down and before < after:
            glimpse[up - top : down - top, before - left : after - left] = one[up:down, before:after]
    return found


def extract_glimpse(
    xp: Any, image: Array, size: Array, offsets: Array, *, centered: bool, normalized: bool, noise: str
) -> Array:
    return _glimpses(image, size, offsets, centered, normalized, noise, corner=False)


def extract_glimpse_v2(
    xp: Any, image: Array, size: Array, offsets: Array, *, centered: bool, normalized: bool, noise: str
) -> Array:
    return _glimpses(image, size, offsets, centered, normalized, noise, corner=True)
