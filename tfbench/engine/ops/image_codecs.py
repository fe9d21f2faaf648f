"""Images from files and to files: PNG, GIF and BMP with what Python has, JPEG with Pillow."""

from __future__ import annotations

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.nn_common import computed_by
from tfbench.engine.shape_math import Shape, with_dim, with_rank, with_rank_at_least

_JPEG = (
    "channels: int = 0; ratio: int = 1; fancy_upscaling: bool = true; try_recover_truncated: bool = false; "
    "acceptable_fraction: float = 1.0; dct_method: string = ''"
)
_ENCODING = (
    "format: {'', 'grayscale', 'rgb'} = ''; quality: int = 95; progressive: bool = false; optimize_size: bool = false; "
    "chroma_downsampling: bool = true; density_unit: {'in', 'cm'} = 'in'; x_density: int = 300; y_density: int = 300; "
    "xmp_metadata: string = ''"
)

decode_png_op = op(
    "DecodePng",
    "contents: string",
    "image: dtype",
    "channels: int = 0; dtype: {uint8, uint16} = DT_UINT8",
    fresh=True,
    doc="the pixels of a PNG file",
)
decode_gif_op = op("DecodeGif", "contents: string", "image: uint8", fresh=True, doc="the frames of a GIF file")
decode_bmp_op = op(
    "DecodeBmp", "contents: string", "image: uint8", "channels: int = 0", fresh=True, doc="the pixels of a BMP file"
)
decode_jpeg_op = op(
    "DecodeJpeg", "contents: string", "image: uint8", _JPEG, fresh=True, doc="the pixels of a JPEG file"
)
decode_and_crop_jpeg_op = op(
    "DecodeAndCropJpeg", "contents: string, crop_window: int32", "image: uint8", _JPEG, fresh=True
)
decode_image_op = op(
    "DecodeImage",
    "contents: string",
    "image: dtype",
    "channels: int = 0; dtype: {uint8, uint16, float} = DT_UINT8; expand_animations: bool = true",
    fresh=True,
    doc="the pixels of a file in any of these formats",
)
extract_jpeg_shape_op = op(
    "ExtractJpegShape", "contents: string", "image_shape: output_type", "output_type: {int32, int64} = DT_INT32",
    fresh=True,
)  # fmt: skip
encode_png_op = op(
    "EncodePng",
    "image: T",
    "contents: string",
    "compression: int = -1; T: {uint8, uint16} = DT_UINT8",
    fresh=True,
    doc="a PNG file",
)
encode_jpeg_op = op("EncodeJpeg", "image: uint8", "contents: string", _ENCODING, fresh=True, doc="a JPEG file")
encode_jpeg_variable_quality_op = op(
    "EncodeJpegVariableQuality", "images: uint8, quality: int32", "contents: string", fresh=True
)

for _declared, _kernel in (
    (decode_png_op, "decode_png_op"),
    (decode_gif_op, "decode_gif_op"),
    (decode_bmp_op, "decode_bmp_op"),
    (decode_jpeg_op, "decode_jpeg_op"),
    (decode_and_crop_jpeg_op, "decode_and_crop_jpeg_op"),
    (decode_image_op, "decode_image_op"),
    (extract_jpeg_shape_op, "extract_jpeg_shape_op"),
    (encode_png_op, "encode_png_op"),
    (encode_jpeg_op, "encode_jpeg_op"),
    (encode_jpeg_variable_quality_op, "encode_jpeg_variable_quality_op"),
):
    computed_by(_declared, "image_files", _kernel, devices=(CPU,))
    _declared.no_gradient("bytes of files have no gradient")


# -- shapes -----------------------------------------------------------------------------------------------------------


def _channels(node: Operation) -> int | None:
    channels: int = node.attrs["channels"]
    if channels < 0:
        raise ValueError(f"channels must be non-negative, got {channels}")
    return channels or None


@decode_png_op.shape
@decode_bmp_op.shape
@decode_jpeg_op.shape
def _decoded_shape(node: Operation, contents: Shape) -> list[Shape]:
    with_rank(contents, 0)
    return [(None, None, _channels(node))]


@decode_and_crop_jpeg_op.shape
def _cropped_shape(node: Operation, contents: Shape, window: Shape) -> list[Shape]:
    with_rank(contents, 0)
    (four,) = with_rank(window, 1)
    with_dim(four, 4)
    value = constant_value(node._inputs[1])
    height, width = (None, None) if value is None else (int(value[2]), int(value[3]))
    return [(height, width, _channels(node))]


@decode_gif_op.shape
def _gif_shape(node: Operation, contents: Shape) -> list[Shape]:
    with_rank(contents, 0)
    return [(None, None, None, 3)]


@decode_image_op.shape
def _image_shape(node: Operation, contents: Shape) -> list[Shape]:
    with_rank(contents, 0)
    channels = _channels(node)
    # With animations the rank depends on the file.
    return [None if node.attrs["expand_animations"] else (None, None, channels)]


@extract_jpeg_shape_op.shape
def _shape_shape(node: Operation, contents: Shape) -> list[Shape]:
    with_rank(contents, 0)
    return [(3,)]


@encode_png_op.shape
def _png_shape(node: Operation, image: Shape) -> list[Shape]:
    image = with_rank_at_least(image, 3)
    return [None if image is None else image[:-3]]


@encode_jpeg_op.shape
@encode_jpeg_variable_quality_op.shape
def _jpeg_shape(node: Operation, image: Shape, *quality: Shape) -> list[Shape]:
    with_rank(image, 3)
    return [()]
