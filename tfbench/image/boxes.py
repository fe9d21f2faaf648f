"""Boxes in images: crops, frames, and which of many that overlap stay. A box is (y1, x1, y2, x2), from 0 to 1."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.image_boxes import (
    crop_and_resize_op,
    draw_bounding_boxes_op,
    draw_bounding_boxes_v2_op,
    non_max_suppression_overlaps_op,
    non_max_suppression_v3_op,
    non_max_suppression_v4_op,
    non_max_suppression_v5_op,
)
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.tensor import Tensor

__all__ = [
    "crop_and_resize", "draw_bounding_boxes", "non_max_suppression", "non_max_suppression_overlaps",
    "non_max_suppression_padded", "non_max_suppression_with_scores",
]  # fmt: skip


NonMaxSuppressionV4 = namedtuple("NonMaxSuppressionV4", ["selected_indices", "valid_outputs"])


def crop_and_resize(
    image: Any,
    boxes: Any,
    box_ind: Any = None,
    crop_size: Any = None,
    method: str = "bilinear",
    extrapolation_value: Any = 0,
    name: str | None = None,
    box_indices: Any = None,
) -> Tensor:
    """What is in each box, of image `box_ind[i]` of the batch, as float32 images of `crop_size`."""
    box_ind = renamed("box_indices", box_indices, "box_ind", box_ind)
    return crop_and_resize_op(
        image, boxes, box_ind, crop_size, method=method, extrapolation_value=extrapolation_value, name=name
    )


def draw_bounding_boxes(images: Any, boxes: Any, name: str | None = None, colors: Any = None) -> Tensor:
    """The images with a frame for each of their boxes, `(batch, count, 4)`; `colors` are used in turn."""
    if colors is None:
        return draw_bounding_boxes_op(images, boxes, name=name)
    return draw_bounding_boxes_v2_op(images, boxes, colors, name=name)


def non_max_suppression(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """Indices of the boxes that stay, best first: those that overlap a better one by more than the threshold go."""
    with name_scope(name, "non_max_suppression"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        return non_max_suppression_v3_op(boxes, scores, max_output_size, iou_threshold, score_threshold)


def non_max_suppression_with_scores(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    soft_nms_sigma: Any = 0.0,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(indices, scores) of the boxes that stay; with `soft_nms_sigma`, overlap lowers scores rather than removing."""
    with name_scope(name, "non_max_suppression_with_scores"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        soft_nms_sigma = convert_to_tensor(soft_nms_sigma, name="soft_nms_sigma")
        indices, values, _ = non_max_suppression_v5_op(
            boxes, scores, max_output_size, iou_threshold, score_threshold, soft_nms_sigma
        )
        return indices, values


def non_max_suppression_padded(
    boxes: Any,
    scores: Any,
    max_output_size: Any,
    iou_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    pad_to_max_output_size: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """(indices, how many of them count): as `non_max_suppression`, filled up to `max_output_size` on request.

    One op, as in TensorFlow 1.15; later versions build a function of dozens of nodes for it.
    """
    with name_scope(name, "non_max_suppression_padded"):
        iou_threshold = convert_to_tensor(iou_threshold, name="iou_threshold")
        score_threshold = convert_to_tensor(score_threshold, name="score_threshold")
        found = non_max_suppression_v4_op(
            boxes,
            scores,
            max_output_size,
            iou_threshold,
            score_threshold,
            pad_to_max_output_size=pad_to_max_output_size,
        )
        return NonMaxSuppressionV4(*found)


def non_max_suppression_overlaps(
    overlaps: Any,
    scores: Any,
    max_output_size: Any,
    overlap_threshold: Any = 0.5,
    score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """As `non_max_suppression`, with a matrix that says how much any two boxes overlap."""
    with name_scope(name, "non_max_suppression_overlaps"):
        overlap_threshold = convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return non_max_suppression_overlaps_op(overlaps, scores, max_output_size, overlap_threshold, score_threshold)
