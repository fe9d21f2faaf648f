"""Random boxes of an image, TensorFlow's to the last one: the same words of the stream, the same single precision."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels.philox import PhiloxStream

Array = Any
_F = np.float32
#: (left, top, right, bottom) in pixels
_Box = tuple[int, int, int, int]


class _Numbers:
    """One word after another. An attempt takes four, and more where one has to be drawn again."""

    def __init__(self, stream: PhiloxStream, attempts: int) -> None:
        self.start = stream.reserve(attempts)
        self.words = self.start.words(min(4 * attempts, 64)).tolist()
        self.at = 0

    def word(self) -> int:
        if self.at == len(self.words):
            self.words = self.start.words(2 * len(self.words) + 4).tolist()
        self.at += 1
        return self.words[self.at - 1]

    def unit(self) -> Any:
        """A number in [0, 1)."""
        return np.uint32((self.word() & 0x7FFFFF) | 0x3F800000).view(_F) - _F(1)

    def below(self, count: int) -> int:
        """A whole number from 0 on."""
        if count & (count - 1) == 0:
            return self.word() & (count - 1)
        # The lowest words would make some numbers likelier than others.
        unfair = 0xFFFFFFFF % count + 1
        word = self.word()
        while word < unfair:
            word = self.word()
        return word % count


def _rounded(number: Any) -> int:
    return int(np.rint(number))


def _crop(size: tuple[int, int], areas: tuple[Any, Any], ratio: Any, numbers: _Numbers) -> _Box | None:
    """A box of this ratio (width to height) and an area between `areas`, parts of the image's; None if none fits."""
    height, width = size
    if areas[1] <= 0 or ratio <= 0 or width <= 0 or height <= 0 or areas[0] > areas[1]:
        return None
    least, most = areas[0] * _F(width) * _F(height), areas[1] * _F(width) * _F(height)
    high, highest = _rounded(np.sqrt(least / ratio)), _rounded(np.sqrt(most / ratio))
    if _rounded(_F(highest) * ratio) > width:
        highest = int((width + 0.5 - float(_F(0.0000001))) / float(ratio))
        if _rounded(_F(highest) * ratio) > width:
            highest -= 1
    highest = min(highest, height)
    high = min(high, highest)
    if high < highest:
        high += numbers.below(highest - high + 1)
    wide = _rounded(_F(high) * ratio)
    # Rounding may have left the range by a row.
    if _F(wide * high) < least:
        high += 1
        wide = _rounded(_F(high) * ratio)
    if _F(wide * high) > most:
        high -= 1
        wide = _rounded(_F(high) * ratio)
    area = _F(wide * high)
    if area < least or area > most or not 0 < wide <= width or not 0 < high <= height:
        return None
    top = numbers.below(height - high) if high < height else 0
    left = numbers.below(width - wide) if wide < width else 0
    return left, top, left + wide, top + high


def _area(box: _Box) -> int:
    return max(0, box[2] - box[0]) * max(0, box[3] - box[1])


def _covers(crop: _Box, boxes: list[_Box], least: Any) -> bool:
    if _area(crop) < 1:
        return False
    for box in boxes:
        whole = _area(box)
        if whole < 1:
            continue
        both = (max(crop[0], box[0]), max(crop[1], box[1]), min(crop[2], box[2]), min(crop[3], box[3]))
        if _F(_area(both)) / _F(whole) >= least:
            return True
    return False


def sample_box(
    stream: PhiloxStream,
    image_size: Array,
    boxes: Array,
    min_object_covered: Any,
    *,
    aspect_ratio_range: list[float],
    area_range: list[float],
    max_attempts: int,
    use_image_if_no_bounding_boxes: bool,
) -> tuple[Array, Array, Array]:
    """(begin, size, box): what `tf.slice` takes to cut it out, and its corners from 0 to 1."""
    if image_size.ndim != 1 or image_size.shape[0] != 3:
        raise invalid(f"image_size must contain 3 elements {brackets(image_size.shape)}")
    if boxes.ndim != 3 or boxes.shape[2] != 4:
        raise invalid(f"bounding boxes must be [batch, count, 4], got {brackets(boxes.shape)}")
    least = _F(min_object_covered)
    if least < 0:
        raise invalid(f"Min object covered must be non-negative, got {least}")
    height, width = int(image_size[0]), int(image_size[1])
    corners = np.asarray(boxes, _F).reshape(-1, 4)
    if ((corners < 0) | (corners > 1)).any():
        raise invalid("All bounding box coordinates must be in [0.0, 1.0]")
    pixels = (corners * np.array([height, width, height, width], _F)).astype(np.int64)
    objects: list[_Box] = [(x1, y1, x2, y2) for y1, x1, y2, x2 in pixels.tolist()]
    whole: _Box = (0, 0, width, height)
    if not objects:
        if not use_image_if_no_bounding_boxes:
            raise invalid(
                "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to "
                "not provide any bounding boxes."
            )
        objects = [whole]
    numbers = _Numbers(stream, max_attempts)
    low, high = (_F(number) for number in aspect_ratio_range)
    areas = (_F(area_range[0]), _F(area_range[1]))
    chosen = whole
    for _ in range(max_attempts):
        ratio = numbers.unit() * (high - low) + low
        crop = _crop((height, width), areas, ratio, numbers)
        if crop is not None and _covers(crop, objects, least):
            chosen = crop
            break
    left, top, right, bottom = chosen
    kind = image_size.dtype
    with np.errstate(divide="ignore", invalid="ignore"):  # an image may be empty
        part = np.array([top, left, bottom, right], _F) / np.array([height, width, height, width], _F)
    return (
        np.array([top, left, 0]).astype(kind),
        np.array([bottom - top, right - left, -1]).astype(kind),
        part.reshape(1, 1, 4),
    )
