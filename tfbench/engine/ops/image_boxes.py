"""Boxes in images: crops of them in one size, frames around them, and which of many that overlap stay."""

from __future__ import annotations

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value, constant_value_as_shape
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.nn_common import computed_by
from tfbench.engine.ops.shape_ops import shape_from_input
from tfbench.engine.shape_math import Shape, dim_merge, with_dim, with_rank, with_rank_at_least

_IMAGES = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}"
_METHOD = "method: {'bilinear', 'nearest'} = 'bilinear'"
_SCORED = "T: {half, float} = DT_FLOAT"
_THRESHOLDS = f"{_SCORED}; T_threshold: {{half, float}} = DT_FLOAT"
_PAD = "pad_to_max_output_size: bool = false"

crop_and_resize_op = op(
    "CropAndResize",
    "image: T, boxes: float, box_ind: int32, crop_size: int32",
    "crops: float",
    f"{_IMAGES}; {_METHOD}; extrapolation_value: float = 0.0",
    fresh=True,
    doc="the part of an image in each box, in one size",
)
crop_and_resize_grad_image_op = op(
    "CropAndResizeGradImage",
    "grads: float, boxes: float, box_ind: int32, image_size: int32",
    "output: T",
    f"T: {{float, half, double}}; {_METHOD}",
    fresh=True,
)
crop_and_resize_grad_boxes_op = op(
    "CropAndResizeGradBoxes",
    "grads: float, image: T, boxes: float, box_ind: int32",
    "output: float",
    f"{_IMAGES}; method: {{'bilinear'}} = 'bilinear'",
    fresh=True,
)
draw_bounding_boxes_op = op(
    "DrawBoundingBoxes", "images: T, boxes: float", "output: T", _SCORED, fresh=True, doc="images with frames"
)
draw_bounding_boxes_v2_op = op(
    "DrawBoundingBoxesV2", "images: T, boxes: float, colors: float", "output: T", _SCORED, fresh=True
)
non_max_suppression_op = op(
    "NonMaxSuppression",
    "boxes: float, scores: float, max_output_size: int32",
    "selected_indices: int32",
    "iou_threshold: float = 0.5",
    fresh=True,
)
non_max_suppression_v2_op = op(
    "NonMaxSuppressionV2",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold",
    "selected_indices: int32",
    _THRESHOLDS,
    fresh=True,
)
non_max_suppression_v3_op = op(
    "NonMaxSuppressionV3",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold",
    "selected_indices: int32",
    _THRESHOLDS,
    fresh=True,
    doc="the boxes that stay when of those that overlap only the best do",
)
non_max_suppression_v4_op = op(
    "NonMaxSuppressionV4",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, score_threshold: T_threshold",
    "selected_indices: int32, valid_outputs: int32",
    f"{_THRESHOLDS}; {_PAD}",
    fresh=True,
)
non_max_suppression_v5_op = op(
    "NonMaxSuppressionV5",
    "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T",
    "selected_indices: int32, selected_scores: T, valid_outputs: int32",
    f"{_SCORED}; {_PAD}",
    fresh=True,
)
non_max_suppression_overlaps_op = op(
    "NonMaxSuppressionWithOverlaps",
    "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, score_threshold: float",
    "selected_indices: int32",
    fresh=True,
)

computed_by(crop_and_resize_op, "image_boxes", "crop_and_resize")
computed_by(crop_and_resize_grad_image_op, "image_boxes", "crop_and_resize_grad_image")
computed_by(crop_and_resize_grad_boxes_op, "image_boxes", "crop_and_resize_grad_boxes")
computed_by(draw_bounding_boxes_op, "image_boxes", "draw_bounding_boxes", devices=(CPU,))
computed_by(draw_bounding_boxes_v2_op, "image_boxes", "draw_bounding_boxes", devices=(CPU,))
computed_by(non_max_suppression_op, "image_suppression", "non_max_suppression", devices=(CPU,))
computed_by(non_max_suppression_v2_op, "image_suppression", "non_max_suppression_v2", devices=(CPU,))
computed_by(non_max_suppression_v3_op, "image_suppression", "non_max_suppression_v3", devices=(CPU,))
computed_by(non_max_suppression_v4_op, "image_suppression", "non_max_suppression_v4", devices=(CPU,))
computed_by(non_max_suppression_v5_op, "image_suppression", "non_max_suppression_v5", devices=(CPU,))
computed_by(non_max_suppression_overlaps_op, "image_suppression", "non_max_suppression_with_overlaps", devices=(CPU,))

crop_and_resize_grad_image_op.no_gradient("TensorFlow has none, though it is linear in grads")
crop_and_resize_grad_boxes_op.no_gradient("TensorFlow has none, though it is linear in grads")
draw_bounding_boxes_op.no_gradient("TensorFlow says that there is none; frames are pixels that are replaced")
draw_bounding_boxes_v2_op.no_gradient("frames are pixels that are replaced")
_SUPPRESSION = (
    non_max_suppression_op,
    non_max_suppression_v2_op,
    non_max_suppression_v3_op,
    non_max_suppression_v4_op,
    non_max_suppression_v5_op,
    non_max_suppression_overlaps_op,
)
for _declared in _SUPPRESSION:
    _declared.no_gradient("which boxes are chosen does not change gradually")


# -- shapes -----------------------------------------------------------------------------------------------------------


def _box_count(boxes: Shape, box_index: Shape) -> int | None:
    count, four = with_rank(boxes, 2)
    (indices,) = with_rank(box_index, 1)
    count = dim_merge(count, indices)
    with_dim(four, 4)
    return count


@crop_and_resize_op.shape
def _crop_and_resize_shape(node: Operation, image: Shape, boxes: Shape, box_index: Shape, size: Shape) -> list[Shape]:
    depth = with_rank(image, 4)[3]
    count = _box_count(boxes, box_index)
    (two,) = with_rank(size, 1)
    with_dim(two, 2)
    height, width = constant_value_as_shape(node._inputs[3]) or (None, None)
    return [(count, height, width, depth)]


@crop_and_resize_grad_image_op.shape
def _grad_image_shape(node: Operation, *inputs: Shape) -> list[Shape]:
    return [with_rank(shape_from_input(node, 3), 4)]


@crop_and_resize_grad_boxes_op.shape
def _grad_boxes_shape(node: Operation, grads: Shape, image: Shape, boxes: Shape, box_index: Shape) -> list[Shape]:
    return [boxes]


@draw_bounding_boxes_op.shape
@draw_bounding_boxes_v2_op.shape
def _draw_shape(node: Operation, images: Shape, *others: Shape) -> list[Shape]:
    return [with_rank_at_least(images, 3)]


def _suppression_shape(node: Operation, boxes: Shape, scores: Shape, *numbers: Shape) -> list[Shape]:
    if node.type == "NonMaxSuppressionWithOverlaps":
        rows, columns = with_rank(boxes, 2)
        (count,) = with_rank(scores, 1)
        for number in numbers:
            with_rank(number, 0)
        dim_merge(rows, count)
        dim_merge(rows, columns)
        return [(None,)]
    boxes = with_rank(boxes, 2)
    (count,) = with_rank(scores, 1)
    for number in numbers:
        with_rank(number, 0)
    dim_merge(boxes[0], count)
    with_dim(boxes[1], 4)
    size: int | None = None
    if node.attrs.get("pad_to_max_output_size"):
        value = constant_value(node._inputs[2])
        size = None if value is None else int(value)
        if size is not None and size < 0:
            raise ValueError(f"Dimension size, given by scalar input 2, must be non-negative but is {size}")
    # Of the indices, perhaps of the scores, and how many there are.
    outputs: list[Shape] = [(size,), (size,), ()]
    count_of_outputs = len(node.op_def.outputs)
    return outputs[:1] if count_of_outputs == 1 else outputs[-count_of_outputs:]


for _declared in _SUPPRESSION:
    _declared.shape(_suppression_shape)
