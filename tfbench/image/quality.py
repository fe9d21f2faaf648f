"""How near images are to each other: PSNR, SSIM, and SSIM at several scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import float32, int32
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.ops.nn_softmax import softmax
from tfbench.engine.tensor import Tensor
from tfbench.image.types import convert_image_dtype
from tfbench.nn.pooling import avg_pool
from tfbench.nn.separable import depthwise_conv2d

__all__ = ["psnr", "ssim", "ssim_multiscale"]

#: weights of the scales, from fine to coarse
_WEIGHTS = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _compared(first: Tensor, second: Tensor) -> tuple[Tensor, Tensor, list[Operation]]:
    """(shapes of both, checks that they are images of one size). ValueError where it is known that they are not."""
    one, other = first.get_shape(), second.get_shape()
    for shape in (one, other):
        if shape.ndims is not None and shape.ndims < 3:
            raise ValueError(f"Shape {shape} must have rank at least 3")
    if one.ndims is not None and other.ndims is not None:
        if not one[-3:].is_compatible_with(other[-3:]):
            raise ValueError(f"Shapes {one[-3:]} and {other[-3:]} are incompatible")
        for a, b in zip(one.as_list()[:-3], other.as_list()[:-3]):
            if a is not None and b is not None and a != b and 1 not in (a, b):
                raise ValueError(f"Two images are not compatible: {one} and {other}")
    shapes = ops.shape_n([first, second])
    checks = [
        ops.Assert(ops.greater_equal(ops.size(shapes[0]), 3), [shapes[0], shapes[1]], summarize=10),
        ops.Assert(ops.reduce_all(ops.equal(shapes[0][-3:], shapes[1][-3:])), [shapes[0], shapes[1]], summarize=10),
    ]
    return shapes[0], shapes[1], checks


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The peak signal-to-noise ratio of each pair of images in decibels; `max_val` is the range of pixels."""
    with name_scope(name, "PSNR", [a, b]):
        max_val = convert_image_dtype(ops.cast(max_val, a.dtype), float32)
        a, b = convert_image_dtype(a, float32), convert_image_dtype(b, float32)
        error = ops.reduce_mean(ops.squared_difference(a, b), [-3, -2, -1])
        ratio = ops.subtract(
            20 * ops.log(max_val) / ops.log(10.0), np.float32(10 / np.log(10)) * ops.log(error), name="psnr"
        )
        _, _, checks = _compared(a, b)
        with control_dependencies(checks):
            return ops.identity(ratio)


def _window(size: Tensor, sigma: Tensor) -> Tensor:
    """A Gaussian of `size` x `size`, with the sum 1."""
    size, sigma = convert_to_tensor(size, int32), convert_to_tensor(sigma)
    at = ops.cast(ops.range(size), sigma.dtype)
    at = at - ops.cast(size - 1, sigma.dtype) / 2.0
    line = ops.square(at) * (-0.5 / ops.square(sigma))
    both = ops.reshape(line, [1, -1]) + ops.reshape(line, [-1, 1])
    weights = softmax(ops.reshape(both, [1, -1]))
    return ops.reshape(weights, [size, size, 1, 1])


def _parts(
    first: Tensor, second: Tensor, max_val: Tensor, filter_size: Any, filter_sigma: Any, k1: float, k2: float,
    index_map: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """(SSIM, contrast and structure alone) of each pair of images and channel."""
    size = ops.constant(filter_size, dtype=int32)
    sigma = ops.constant(filter_sigma, dtype=first.dtype)
    shapes = ops.shape_n([first, second])
    checks = [
        ops.Assert(ops.reduce_all(ops.greater_equal(shape[-3:-1], size)), [shape, size], summarize=8)
        for shape in shapes
    ]
    with control_dependencies(checks):
        first = ops.identity(first)
    kernel = ops.tile(_window(size, sigma), [1, 1, shapes[0][-1], 1])
    c1, c2 = (k1 * max_val) ** 2, (k2 * max_val) ** 2

    def blurred(x: Tensor) -> Tensor:
        shape = ops.shape(x)
        flat = ops.reshape(x, ops.concat([[-1], shape[-3:]], 0))
        y = depthwise_conv2d(flat, kernel, [1, 1, 1, 1], "VALID")
        return ops.reshape(y, ops.concat([shape[:-3], ops.shape(y)[1:]], 0))

    mean0, mean1 = blurred(first), blurred(second)
    twice = mean0 * mean1 * 2.0
    squares = ops.square(mean0) + ops.square(mean1)
    luminance = (twice + c1) / (squares + c1)
    products = blurred(first * second) * 2.0
    energies = blurred(ops.square(first) + ops.square(second))
    c2 = c2 * 1.0
    structure = (products - twice + c2) / (energies - squares + c2)
    if index_map:
        return luminance * structure, structure
    axes = ops.constant([-3, -2], dtype=int32)
    return ops.reduce_mean(luminance * structure, axes), ops.reduce_mean(structure, axes)


def ssim(
    img1: Any,
    img2: Any,
    max_val: Any,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
    return_index_map: bool = False,
) -> Tensor:
    """The structural similarity of each pair of images, -1 to 1; with `return_index_map`, of each place."""
    with name_scope(None, "SSIM", [img1, img2]):
        img1, img2 = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        _, _, checks = _compared(img1, img2)
        with control_dependencies(checks):
            img1 = ops.identity(img1)
        max_val = convert_image_dtype(ops.cast(max_val, img1.dtype), float32)
        img1, img2 = convert_image_dtype(img1, float32), convert_image_dtype(img2, float32)
        found, _ = _parts(img1, img2, max_val, filter_size, filter_sigma, k1, k2, return_index_map)
        return ops.reduce_mean(found, [-1])


def ssim_multiscale(
    img1: Any,
    img2: Any,
    max_val: Any,
    power_factors: Sequence[float] = _WEIGHTS,
    filter_size: int = 11,
    filter_sigma: float = 1.5,
    k1: float = 0.01,
    k2: float = 0.03,
) -> Tensor:
    """The structural similarity at as many scales as there are `power_factors`, each half the size, multiplied."""
    with name_scope(None, "MS-SSIM", [img1, img2]):
        img1, img2 = convert_to_tensor(img1, name="img1"), convert_to_tensor(img2, name="img2")
        shape1, shape2, checks = _compared(img1, img2)
        with control_dependencies(checks):
            img1 = ops.identity(img1)
        max_val = convert_image_dtype(ops.cast(max_val, img1.dtype), float32)
        images = [convert_image_dtype(img1, float32), convert_image_dtype(img2, float32)]
        heads = [shape[:-3] for shape in (shape1, shape2)]
        tails = [shape[-3:] for shape in (shape1, shape2)]
        divisor = [1, 2, 2, 1]
        steps = ops.constant(divisor[1:], dtype=int32)
        whole: Tensor | None = None
        structures: list[Tensor] = []
        for scale in range(len(power_factors)):
            with name_scope(None, f"Scale{scale}", images):
                if scale:
                    images, tails = _halved(images, heads, tails, divisor, steps)
                whole, structure = _parts(images[0], images[1], max_val, filter_size, filter_sigma, k1, k2, False)
                structures.append(relu(structure))
        if whole is None:
            raise ValueError("power_factors must name one scale at least")
        structures.pop()
        parts = ops.stack([*structures, relu(whole)], axis=-1)
        return ops.reduce_mean(ops.reduce_prod(ops.pow(parts, power_factors), [-1]), [-1])


def _halved(
    images: list[Tensor], heads: list[Tensor], tails: list[Tensor], divisor: list[int], steps: Tensor
) -> tuple[list[Tensor], list[Tensor]]:
    """The images at half the size; an odd row or column is mirrored first."""
    flat = [ops.reshape(x, ops.concat([[-1], tail], 0)) for x, tail in zip(images, tails)]
    rest = ops.floormod(tails[0], steps, name="mod")

    def padded() -> list[Tensor]:
        paddings = ops.pad(ops.expand_dims(rest, -1), [[1, 0], [1, 0]])
        return [ops.pad(x, paddings, mode="SYMMETRIC") for x in flat]

    even = ops.cond(ops.reduce_any(ops.not_equal(rest, 0)), padded, lambda: flat)
    halves = [avg_pool(x, divisor, divisor, padding="VALID") for x in even]
    tails = [shape[1:] for shape in ops.shape_n(halves)]
    return [ops.reshape(x, ops.concat([head, tail], 0)) for x, head, tail in zip(halves, heads, tails)], tails
