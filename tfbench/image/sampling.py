"""Random boxes of an image."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.image_sampling import sample_distorted_bounding_box_v2_op

__all__ = ["sample_distorted_bounding_box"]

SampleDistortedBoundingBoxV2 = namedtuple("SampleDistortedBoundingBoxV2", ["begin", "size", "bboxes"])


def sample_distorted_bounding_box(
    image_size: Any,
    bounding_boxes: Any,
    seed: int | None = None,
    seed2: int | None = None,
    min_object_covered: Any = 0.1,
    aspect_ratio_range: Any = None,
    area_range: Any = None,
    max_attempts: int | None = None,
    use_image_if_no_bounding_boxes: bool | None = None,
    name: str | None = None,
) -> Any:
    """(begin, size, bboxes): a random box that shows `min_object_covered` of one of the `bounding_boxes` at least.

    `begin` and `size` are for `tf.slice`, `bboxes` for `draw_bounding_boxes`. It is the whole image if none is found in
    `max_attempts`.
    """
    options = {
        "seed": seed,
        "seed2": seed2,
        "aspect_ratio_range": aspect_ratio_range,
        "area_range": area_range,
        "max_attempts": max_attempts,
        "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes,
    }
    given = {key: value for key, value in options.items() if value is not None}
    with name_scope(name, "sample_distorted_bounding_box"):
        found = sample_distorted_bounding_box_v2_op(image_size, bounding_boxes, min_object_covered, name=name, **given)
        return SampleDistortedBoundingBoxV2(*found)
