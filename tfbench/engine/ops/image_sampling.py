"""Random boxes of an image that show enough of the objects in it."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.random_common import SEEDS, stream_of
from tfbench.engine.shape_math import Shape, with_dim, with_rank

_SIZES = "T: {uint8, int8, int16, int32, int64}; "
_RANGES = (
    "aspect_ratio_range: list(float) = [0.75, 1.33]; area_range: list(float) = [0.05, 1.0]; max_attempts: int = 100; "
    "use_image_if_no_bounding_boxes: bool = false"
)

sample_distorted_bounding_box_op = op(
    "SampleDistortedBoundingBox",
    "image_size: T, bounding_boxes: float",
    "begin: T, size: T, bboxes: float",
    f"{_SIZES}{SEEDS}min_object_covered: float = 0.1; {_RANGES}",
    stateful=True,
    fresh=True,
)
sample_distorted_bounding_box_v2_op = op(
    "SampleDistortedBoundingBoxV2",
    "image_size: T, bounding_boxes: float, min_object_covered: float",
    "begin: T, size: T, bboxes: float",
    f"{_SIZES}{SEEDS}{_RANGES}",
    stateful=True,
    fresh=True,
    doc="a random box of an image that shows enough of the objects in it",
)

_OPTIONS = ("aspect_ratio_range", "area_range", "max_attempts", "use_image_if_no_bounding_boxes")


def _bind(context: Any) -> Callable[..., Any]:
    sample = importlib.import_module("tfbench.engine.kernels.image_sampling").sample_box
    stream, attrs = stream_of(context), context.attrs
    options = {name: attrs[name] for name in _OPTIONS}
    fixed = attrs.get("min_object_covered")
    if fixed is None:
        return lambda size, boxes, covered: sample(stream, size, boxes, covered, **options)
    return lambda size, boxes: sample(stream, size, boxes, fixed, **options)


def _shape(node: Operation, size: Shape, boxes: Shape, *covered: Shape) -> list[Shape]:
    (three,) = with_rank(size, 1)
    with_dim(three, 3)
    with_dim(with_rank(boxes, 3)[2], 4)
    for scalar in covered:
        with_rank(scalar, 0)
    return [(3,), (3,), (1, 1, 4)]


for _declared in (sample_distorted_bounding_box_op, sample_distorted_bounding_box_v2_op):
    _declared.bind(CPU)(_bind)
    _declared.shape(_shape)
    _declared.no_gradient("random numbers do not depend on the boxes gradually")
