"""Gradients of resized and of cropped images."""

from __future__ import annotations

from typing import Any

from tfbench.engine.gradients.registry import gradient
from tfbench.engine.graph import Operation
from tfbench.engine.ops.image_boxes import crop_and_resize_grad_boxes_op, crop_and_resize_grad_image_op
from tfbench.engine.ops.image_resize import resize_nearest_neighbor_grad_op
from tfbench.engine.ops.shape_ops import shape


@gradient("ResizeNearestNeighbor")
def _resize_nearest_neighbor(node: Operation, dy: Any) -> Any:
    image = node.inputs[0]
    known = image._shape
    if known is not None and None not in known[1:3]:
        size: Any = list(known[1:3])
    else:
        size = shape(image)[1:3]
    flags = {name: node.attrs[name] for name in ("align_corners", "half_pixel_centers")}
    return [resize_nearest_neighbor_grad_op(dy, size, **flags), None]


@gradient("CropAndResize")
def _crop_and_resize(node: Operation, dy: Any) -> Any:
    image, boxes, box_index, _ = node.inputs
    known = image._shape
    sizes: Any = list(known) if known is not None and None not in known else shape(image)
    to_image = None
    if image.dtype.base_dtype.is_floating:
        to_image = crop_and_resize_grad_image_op(
            dy, boxes, box_index, sizes, T=node.attrs["T"], method=node.attrs["method"]
        )
    # For nearest pixels TensorFlow takes the slope that lies between the pixels.
    return [to_image, crop_and_resize_grad_boxes_op(dy, image, boxes, box_index), None, None]
