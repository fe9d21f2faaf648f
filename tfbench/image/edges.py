"""Differences between neighbouring pixels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import ops
from tfbench.engine.name_scope import name_scope
from tfbench.engine.tensor import Tensor
from tfbench.nn.separable import depthwise_conv2d

__all__ = ["image_gradients", "sobel_edges", "total_variation"]


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """The sum of all differences of neighbours: one number for an image, one per image of a batch."""
    with name_scope(name, "total_variation"):
        rank = images.get_shape().ndims
        if rank == 3:
            down = images[1:, :, :] - images[:-1, :, :]
            right = images[:, 1:, :] - images[:, :-1, :]
            axes = None
        elif rank == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]
            right = images[:, :, 1:, :] - images[:, :, :-1, :]
            axes = [1, 2, 3]
        else:
            raise ValueError("'images' must be either 3 or 4-dimensional.")
        return ops.reduce_sum(ops.abs(down), axis=axes) + ops.reduce_sum(ops.abs(right), axis=axes)


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """(downwards, to the right): the next pixel minus this one; 0 in the last row and column.

    ValueError unless there are four axes.
    """
    if image.get_shape().ndims != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch_size, h, w, d], not {image.get_shape()}.")
    shape = ops.shape(image)
    batch, height, width, depth = ops.unstack(shape)
    down = image[:, 1:, :, :] - image[:, :-1, :, :]
    right = image[:, :, 1:, :] - image[:, :, :-1, :]
    last = ops.zeros(ops.stack([batch, 1, width, depth]), image.dtype)
    down = ops.reshape(ops.concat([down, last], 1), shape)
    last = ops.zeros(ops.stack([batch, height, 1, depth]), image.dtype)
    right = ops.reshape(ops.concat([right, last], 2), shape)
    return down, right


def sobel_edges(image: Any) -> Tensor:
    """Sobel's filters on each channel: the last axis holds the differences downwards and to the right."""
    static = image.get_shape()
    shape = ops.shape(image)
    down = np.array([[-1, -2, -1], [0, 0, 0], [1, 2, 1]], np.float32)
    both = np.stack([down, down.T], axis=-1)[:, :, None, :]
    kernel = ops.constant(both)
    kernel = ops.tile(kernel, [1, 1, shape[-1], 1], name="sobel_filters")
    padded = ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    found = depthwise_conv2d(padded, kernel, [1, 1, 1, 1], "VALID")
    found = ops.reshape(found, ops.concat([shape, [2]], 0))
    found.set_shape(static.concatenate([2]))
    return found
