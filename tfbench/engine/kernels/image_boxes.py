"""Boxes in images: crops of them in one size, their frames, and the best of many that overlap.

A box is (y1, x1, y2, x2). In crops and frames 0 is the middle of the first pixel and 1 that of the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernel_errors import brackets, invalid

Array = Any
_F = np.float32


# -- crops --------------------------------------------------------------------------------------------------------


class _Samples:
    """Where along one axis the pixels of each crop lie: (boxes, crop size) arrays."""

    def __init__(self, xp: Any, start: Array, end: Array, old: int, new: int) -> None:
        last = _F(old - 1)
        if new > 1:
            step = (end - start) * last / _F(new - 1)
            at = start[:, None] * last + xp.arange(new, dtype=_F) * step[:, None]
        else:
            at = (_F(0.5) * (start + end) * last)[:, None]
        with np.errstate(invalid="ignore"):
            self.inside = (at >= 0) & (at <= last)
        at = xp.where(self.inside, at, _F(0))
        self.before = xp.floor(at).astype(np.intp)
        self.after = xp.ceil(at).astype(np.intp)
        self.part = (at - xp.floor(at)).astype(_F)
        self.nearest = xp.floor(at + _F(0.5)).astype(np.intp)


def _samples(xp: Any, boxes: Array, image: tuple[int, ...], crop: tuple[int, int]) -> tuple[_Samples, _Samples]:
    boxes = xp.asarray(boxes, _F)
    return (
        _Samples(xp, boxes[:, 0], boxes[:, 2], image[1], crop[0]),
        _Samples(xp, boxes[:, 1], boxes[:, 3], image[2], crop[1]),
    )


def _checked(xp: Any, boxes: Array, box_index: Array, batch: int) -> Array:
    if boxes.size == 0 and box_index.size == 0:
        return xp.zeros(0, np.intp)
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D{brackets(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    if box_index.ndim != 1:
        raise invalid(f"box_index must be 1-D{brackets(box_index.shape)}")
    if box_index.shape[0] != boxes.shape[0]:
        raise invalid(f"box_index has incompatible shape: {brackets(box_index.shape)} for {boxes.shape[0]} boxes")
    wrong = (box_index < 0) | (box_index >= batch)
    if wrong.any():
        bad = int(box_index[wrong][0])
        raise errors.OutOfRangeError(None, None, f"box_index has values outside [0, batch_size): {bad} of {batch}")
    return xp.asarray(box_index, np.intp)


def crop_and_resize(
    xp: Any, image: Array, boxes: Array, box_index: Array, crop_size: Array, *, method: str, extrapolation_value: float
) -> Array:
    """The part of an image in each box, resampled to one size; outside the image it is `extrapolation_value`."""
    if image.ndim != 4:
        raise invalid(f"input image must be 4-D{brackets(image.shape)}")
    if 0 in image.shape[1:3]:
        raise invalid("image dimensions must be positive")
    which = _checked(xp, boxes, box_index, image.shape[0])
    if crop_size.ndim != 1 or crop_size.shape[0] != 2:
        raise invalid(f"crop_size must be 1-D with two elements{brackets(crop_size.shape)}")
    height, width = crop_size.tolist()
    if height <= 0 or width <= 0:
        raise invalid("crop dimensions must be positive")
    if len(which) == 0:
        return xp.zeros((0, height, width, image.shape[3]), _F)
    rows, columns = _samples(xp, boxes, image.shape, (height, width))
    at = which[:, None, None]
    if method == "nearest":
        crops = image[at, rows.nearest[:, :, None], columns.nearest[:, None, :]].astype(_F)
    else:
        across = columns.part[:, None, :, None]
        top, bottom = (_row(image, at, index, columns, across) for index in (rows.before, rows.after))
        bottom -= top
        bottom *= rows.part[:, :, None, None]
        crops = top + bottom
    inside = rows.inside[:, :, None] & columns.inside[:, None, :]
    if xp is not np:
        return xp.where(inside[..., None], crops, _F(extrapolation_value))
    if not inside.all():
        crops[~inside] = _F(extrapolation_value)
    return crops


def _row(image: Array, at: Array, rows: Array, columns: _Samples, across: Array) -> Array:
    left = image[at, rows[:, :, None], columns.before[:, None, :]].astype(_F)
    right = image[at, rows[:, :, None], columns.after[:, None, :]].astype(_F)
    right -= left
    right *= across
    right += left
    return right


def crop_and_resize_grad_image(
    xp: Any, grads: Array, boxes: Array, box_index: Array, image_size: Array, *, T: Any, method: str
) -> Array:
    """What each pixel of the images gave to crops."""
    if grads.ndim != 4:
        raise invalid(f"grads image must be 4-D{brackets(grads.shape)}")
    if image_size.ndim != 1 or image_size.shape[0] != 4:
        raise invalid(f"image_size must be 1-D with 4 elements{brackets(image_size.shape)}")
    size = tuple(image_size.tolist())
    if min(size[1:3]) <= 0:
        raise invalid("image dimensions must be positive")
    which = _checked(xp, boxes, box_index, size[0])
    total = xp.zeros((*size[:3], grads.shape[3]), np.float64)
    if len(which):
        rows, columns = _samples(xp, boxes, size, grads.shape[1:3])
        inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
        given = xp.where(inside, grads, _F(0)).astype(np.float64)
        at = which[:, None, None]
        if method == "nearest":
            xp.add.at(total, (at, rows.nearest[:, :, None], columns.nearest[:, None, :]), given)
        else:
            down, across = rows.part[:, :, None, None], columns.part[:, None, :, None]
            for y, high in ((rows.before, _F(1) - down), (rows.after, down)):
                for x, wide in ((columns.before, _F(1) - across), (columns.after, across)):
                    xp.add.at(total, (at, y[:, :, None], x[:, None, :]), given * (high * wide))
    return total.astype(T.as_numpy_dtype)


def crop_and_resize_grad_boxes(
    xp: Any, grads: Array, image: Array, boxes: Array, box_index: Array, *, method: str
) -> Array:
    """How the crops change when the corners of their boxes move."""
    if grads.ndim != 4:
        raise invalid(f"grads image must be 4-D{brackets(grads.shape)}")
    if image.ndim != 4:
        raise invalid(f"input image must be 4-D{brackets(image.shape)}")
    which = _checked(xp, boxes, box_index, image.shape[0])
    if len(which) == 0:
        return xp.zeros((0, 4), _F)
    height, width = grads.shape[1:3]
    rows, columns = _samples(xp, boxes, image.shape, (height, width))
    at, up, down = which[:, None, None], rows.before[:, :, None], rows.after[:, :, None]
    left, right = columns.before[:, None, :], columns.after[:, None, :]
    kind = np.float64
    corners = {
        (y, x): image[at, i, j].astype(kind) for y, i in ((0, up), (1, down)) for x, j in ((0, left), (1, right))
    }
    y_part, x_part = rows.part[:, :, None, None], columns.part[:, None, :, None]
    by_y = (1 - x_part) * (corners[1, 0] - corners[0, 0]) + x_part * (corners[1, 1] - corners[0, 1])
    by_x = (1 - y_part) * (corners[0, 1] - corners[0, 0]) + y_part * (corners[1, 1] - corners[1, 0])
    inside = (rows.inside[:, :, None] & columns.inside[:, None, :])[..., None]
    given = xp.where(inside, grads, _F(0)).astype(kind)
    by_row = (by_y * given).sum(axis=(2, 3))
    by_column = (by_x * given).sum(axis=(1, 3))
    result = xp.empty((len(which), 4), kind)
    for i, (slope, old, new) in enumerate(((by_row, image.shape[1], height), (by_column, image.shape[2], width))):
        share = xp.arange(new) / (new - 1) if new > 1 else xp.full(1, 0.5)
        result[:, i] = slope @ (1 - share) * (old - 1)
        result[:, 2 + i] = slope @ share * (old - 1)
    return result.astype(_F)


# -- frames -------------------------------------------------------------------------------------------------------

#: in turn: yellow, blue, red, lime, purple, olive, maroon, navy, aqua, fuchsia
COLOURS = np.array(
    [
        (1, 1, 0, 1), (0, 0, 1, 1), (1, 0, 0, 1), (0, 1, 0, 1), (0.5, 0, 0.5, 1),
        (0.5, 0.5, 0, 1), (0.5, 0, 0, 1), (0, 0, 0.5, 1), (0, 1, 1, 1), (1, 0, 1, 1),
    ],
    _F,
)  # fmt: skip


def draw_bounding_boxes(xp: Any, images: Array, boxes: Array, colors: Array | None = None) -> Array:
    """A copy of the images with a frame, one pixel wide, for each box."""
    if images.ndim != 4:
        raise invalid(f"The rank of the images should be 4, got {brackets(images.shape)}")
    depth = images.shape[3]
    if depth not in (1, 3, 4):
        raise invalid("Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise invalid(f"The boxes must be [batch, count, 4], got {brackets(boxes.shape)}")
    if boxes.shape[0] != images.shape[0]:
        raise invalid(f"The batch sizes should be the same: {images.shape[0]} images, boxes of {boxes.shape[0]}")
    table = COLOURS
    if colors is not None and colors.size:
        if colors.ndim != 2 or colors.shape[1] < depth:
            raise invalid(f"colors must be [count, channels], got {brackets(colors.shape)}")
        table = np.asarray(colors, _F)
    elif depth == 1:
        table = np.ones_like(COLOURS)  # on a grey image every frame is white
    canvas = images.copy()
    height, width = images.shape[1:3]
    if canvas.size == 0:
        return canvas
    edges = np.asarray(boxes, _F) * np.array([height - 1, width - 1] * 2, _F)
    for image, found in zip(canvas, np.trunc(edges)):
        for i, box in enumerate(found):
            _frame(image, box, table[i % len(table), :depth])
    return canvas


def _frame(image: Array, box: Array, colour: Array) -> None:
    if not np.isfinite(box).all():
        return
    top, left, bottom, right = (int(edge) for edge in box)
    height, width = image.shape[:2]
    if top > bottom or left > right or top >= height or bottom < 0 or left >= width or right < 0:
        return  # upside down, or wholly outside: nothing is drawn
    rows = slice(max(top, 0), min(bottom, height - 1) + 1)
    columns = slice(max(left, 0), min(right, width - 1) + 1)
    if top >= 0:
        image[top, columns] = colour
    if bottom < height:
        image[bottom, columns] = colour
    if left >= 0:
        image[rows, left] = colour
    if right < width:
        image[rows, right] = colour
