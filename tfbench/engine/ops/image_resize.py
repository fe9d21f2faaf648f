"""Images in another size: the ops behind `tf.image.resize_images`, and those that their gradients are made of."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.opdef import CPU, GPU, op
from tfbench.engine.ops.nn_common import computed_by
from tfbench.engine.shape_math import Shape, with_dim, with_rank

_FLAGS = "align_corners: bool = false; half_pixel_centers: bool = false"
_WHOLE = "int8, uint8, int16, uint16, int32, int64"

resize_bilinear_op = op(
    "ResizeBilinear",
    "images: T, size: int32",
    "resized_images: float",
    f"T: {{{_WHOLE}, bfloat16, half, float, double}}; {_FLAGS}",
    fresh=True,
    doc="between the four nearest pixels",
)
resize_nearest_neighbor_op = op(
    "ResizeNearestNeighbor",
    "images: T, size: int32",
    "resized_images: T",
    f"T: {{{_WHOLE}, half, float, double, bfloat16}}; {_FLAGS}",
    fresh=True,
    doc="the nearest pixel",
)
resize_bicubic_op = op(
    "ResizeBicubic",
    "images: T, size: int32",
    "resized_images: float",
    f"T: {{{_WHOLE}, half, float, double, bfloat16}}; {_FLAGS}",
    fresh=True,
    doc="a cubic through the sixteen nearest pixels",
)
resize_area_op = op(
    "ResizeArea",
    "images: T, size: int32",
    "resized_images: float",
    f"T: {{{_WHOLE}, half, float, double, bfloat16}}; align_corners: bool = false",
    fresh=True,
    doc="the mean of what each new pixel covers",
)
resize_bilinear_grad_op = op(
    "ResizeBilinearGrad",
    "grads: float, original_image: T",
    "output: T",
    f"T: {{float, bfloat16, half, double}}; {_FLAGS}",
    fresh=True,
)
resize_nearest_neighbor_grad_op = op(
    "ResizeNearestNeighborGrad",
    "grads: T, size: int32",
    "output: T",
    f"T: {{uint8, int8, int32, half, float, double, bfloat16}}; {_FLAGS}",
    fresh=True,
)
resize_bicubic_grad_op = op(
    "ResizeBicubicGrad",
    "grads: float, original_image: T",
    "output: T",
    f"T: {{float, double}}; {_FLAGS}",
    fresh=True,
)

for _declared in (
    resize_bilinear_op,
    resize_nearest_neighbor_op,
    resize_bicubic_op,
    resize_area_op,
    resize_bilinear_grad_op,
    resize_nearest_neighbor_grad_op,
    resize_bicubic_grad_op,
):
    _name = _declared.type.removeprefix("Resize")
    computed_by(
        _declared,
        "image_resize",
        "resize_" + "".join("_" + c.lower() if c.isupper() else c for c in _name).removeprefix("_"),
        # Those that TensorFlow's GPUs have.
        devices=(CPU, GPU) if _name.startswith(("Bilinear", "Nearest")) else (CPU,),
    )
resize_bilinear_grad_op.no_gradient("TensorFlow has none, though it is linear in grads")
resize_nearest_neighbor_grad_op.no_gradient("TensorFlow has none, though it is linear in grads")
resize_bicubic_grad_op.no_gradient("TensorFlow has none, though it is linear in grads")
resize_area_op.no_gradient("TensorFlow has none, though it is linear in the images")


def resized_shape(node: Operation, x: Shape, size: Shape, at: int = 1) -> list[Shape]:
    """Shape function: images of the size that input `at` says."""
    batch, _, _, channels = with_rank(x, 4)
    (count,) = with_rank(size, 1)
    with_dim(count, 2)
    height, width = constant_value_as_shape(node._inputs[at]) or (None, None)
    return [(batch, height, width, channels)]


def _like_image(node: Operation, grads: Shape, image: Shape) -> list[Shape]:
    return [image]


for _declared in (resize_bilinear_op, resize_nearest_neighbor_op, resize_bicubic_op, resize_area_op):
    _declared.shape(resized_shape)
resize_nearest_neighbor_grad_op.shape(resized_shape)
resize_bilinear_grad_op.shape(_like_image)
resize_bicubic_grad_op.shape(_like_image)


# -- gradients --------------------------------------------------------------------------------------------------------


def _flags(node: Operation) -> dict[str, Any]:
    return {name: node.attrs[name] for name in ("align_corners", "half_pixel_centers")}


@resize_bilinear_op.gradient
def _resize_bilinear_gradient(node: Operation, dy: Any) -> Any:
    return [resize_bilinear_grad_op(dy, node.inputs[0], **_flags(node)), None]


@resize_bicubic_op.gradient
def _resize_bicubic_gradient(node: Operation, dy: Any) -> Any:
    if node.inputs[0].dtype.base_dtype.name not in ("float32", "float64"):
        return [None, None]
    return [resize_bicubic_grad_op(dy, node.inputs[0], **_flags(node)), None]
