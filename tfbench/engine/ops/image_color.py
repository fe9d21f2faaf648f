"""Colours: RGB to HSV and back, and changes of contrast, hue and saturation."""

from __future__ import annotations

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import op
from tfbench.engine.ops.nn_common import computed_by
from tfbench.engine.shape_math import Shape, with_dim, with_rank, with_rank_at_least

_FLOATS = "{half, bfloat16, float, double} = DT_FLOAT"
_SINGLE = "{half, float} = DT_FLOAT"

rgb_to_hsv_op = op("RGBToHSV", "images: T", "output: T", f"T: {_FLOATS}", fresh=True, doc="hue, saturation and value")
hsv_to_rgb_op = op("HSVToRGB", "images: T", "output: T", f"T: {_FLOATS}", fresh=True, doc="red, green and blue")
adjust_contrast_op = op(
    "AdjustContrastv2",
    "images: T, contrast_factor: float",
    "output: T",
    f"T: {_SINGLE}",
    fresh=True,
    doc="differences from the mean of each channel, times a factor",
)
adjust_hue_op = op(
    "AdjustHue", "images: T, delta: float", "output: T", f"T: {_SINGLE}", fresh=True, doc="the hue, turned"
)
adjust_saturation_op = op(
    "AdjustSaturation",
    "images: T, scale: float",
    "output: T",
    f"T: {_SINGLE}",
    fresh=True,
    doc="the saturation, times a factor",
)

computed_by(rgb_to_hsv_op, "image_color", "rgb_to_hsv")
computed_by(hsv_to_rgb_op, "image_color", "hsv_to_rgb")
computed_by(adjust_contrast_op, "image_color", "adjust_contrast")
computed_by(adjust_hue_op, "image_color", "adjust_hue")
computed_by(adjust_saturation_op, "image_color", "adjust_saturation")

hsv_to_rgb_op.no_gradient("TensorFlow says that there is none; it has kinks where sectors of the hue meet")
for _declared in (adjust_contrast_op, adjust_hue_op, adjust_saturation_op):
    _declared.no_gradient("TensorFlow has none, though it is differentiable almost everywhere")


def _three_channels(node: Operation, x: Shape) -> list[Shape]:
    x = with_rank_at_least(x, 1)
    if x is None:
        return [None]
    return [(*x[:-1], with_dim(x[-1], 3))]


def _images_and_a_number(node: Operation, x: Shape, number: Shape) -> list[Shape]:
    if node.type == "AdjustContrastv2":
        with_rank(number, 0)
    return [with_rank_at_least(x, 3)]


for _declared in (rgb_to_hsv_op, hsv_to_rgb_op):
    _declared.shape(_three_channels)
for _declared in (adjust_contrast_op, adjust_hue_op, adjust_saturation_op):
    _declared.shape(_images_and_a_number)
