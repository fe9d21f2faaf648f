"""Windows of images around given points."""

from __future__ import annotations

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.nn_common import computed_by
from tfbench.engine.shape_math import Shape, dim_merge, with_dim, with_rank

_OPTIONS = "centered: bool = true; normalized: bool = true; uniform_noise: bool = true; noise: string = 'uniform'"
_INPUTS = "input: float, size: int32, offsets: float"

extract_glimpse_op = op("ExtractGlimpse", _INPUTS, "glimpse: float", _OPTIONS, fresh=True, doc="a window of each image")
extract_glimpse_v2_op = op("ExtractGlimpseV2", _INPUTS, "glimpse: float", _OPTIONS, fresh=True)

computed_by(extract_glimpse_op, "image_glimpse", "extract_glimpse", devices=(CPU,))
computed_by(extract_glimpse_v2_op, "image_glimpse", "extract_glimpse_v2", devices=(CPU,))


def _shape(node: Operation, image: Shape, size: Shape, offsets: Shape) -> list[Shape]:
    noise, uniform = node.attrs["noise"], node.attrs["uniform_noise"]
    if uniform and noise not in ("uniform", b"uniform"):
        raise ValueError("The uniform_noise should not be True when noise is not uniform")
    batch, _, _, depth = with_rank(image, 4)
    points, two = with_rank(offsets, 2)
    batch = dim_merge(batch, points)
    with_dim(two, 2)
    with_dim(with_rank(size, 1)[0], 2)
    height, width = constant_value_as_shape(node._inputs[1]) or (None, None)
    return [(batch, height, width, depth)]


for _declared in (extract_glimpse_op, extract_glimpse_v2_op):
    _declared.shape(_shape)
    _declared.no_gradient("TensorFlow says that there is none, though the window is a slice")
