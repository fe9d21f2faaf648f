"""Images from files and to files."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import DType, as_dtype, float32, int32, uint8, uint16
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.image_codecs import (
    decode_and_crop_jpeg_op,
    decode_bmp_op,
    decode_gif_op,
    decode_image_op,
    decode_jpeg_op,
    decode_png_op,
    encode_jpeg_op,
    encode_jpeg_variable_quality_op,
    encode_png_op,
    extract_jpeg_shape_op,
)
from tfbench.engine.ops.strings import substr
from tfbench.engine.tensor import Tensor
from tfbench.image.types import convert_image_dtype

__all__ = [
    "adjust_jpeg_quality", "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg",
    "decode_png", "encode_jpeg", "encode_png", "extract_jpeg_shape", "is_jpeg", "random_jpeg_quality",
]  # fmt: skip


def decode_png(contents: Any, channels: int = 0, dtype: Any = uint8, name: str | None = None) -> Tensor:
    """The pixels of a PNG file, a scalar string: (height, width, channels) of uint8 or uint16.

    `channels`: 1, 3 or 4, or 0 for as many as the file has. (Other files than BMP are read too.)
    """
    return decode_png_op(contents, channels=channels, dtype=as_dtype(dtype), name=name)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """The frames of a GIF file: (frames, height, width, 3) of uint8."""
    return decode_gif_op(contents, name=name)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file of 8, 24 or 32 bits: (height, width, channels) of uint8."""
    return decode_bmp_op(contents, channels=channels, name=name)


def decode_jpeg(
    contents: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG file: (height, width, channels) of uint8, by libjpeg's accurate method. Needs Pillow."""
    return decode_jpeg_op(
        contents,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_and_crop_jpeg(
    contents: Any,
    crop_window: Any,
    channels: int = 0,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
    acceptable_fraction: float = 1,
    dct_method: str = "",
    name: str | None = None,
) -> Tensor:
    """The part (top, left, height, width) of a JPEG file. Needs Pillow."""
    return decode_and_crop_jpeg_op(
        contents,
        crop_window,
        channels=channels,
        ratio=ratio,
        fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated,
        acceptable_fraction=acceptable_fraction,
        dct_method=dct_method,
        name=name,
    )


def decode_image(
    contents: Any, channels: Any = None, dtype: Any = uint8, name: str | None = None, expand_animations: bool = True
) -> Tensor:
    """The pixels of a PNG, JPEG, GIF or BMP file; with `expand_animations`, GIF files have an axis of frames first."""
    channels = 0 if channels is None else channels
    if channels not in (0, 1, 3, 4):
        with name_scope(name, "decode_image"):
            return decode_image_op(contents, channels=channels, expand_animations=expand_animations)
    with name_scope(name, "decode_image"):
        wanted: DType = as_dtype(dtype)
        read = wanted if wanted in (uint8, uint16, float32) else uint16
        image = decode_image_op(contents, channels=channels, dtype=read, expand_animations=expand_animations)
        return image if read == wanted else convert_image_dtype(image, wanted)


def extract_jpeg_shape(contents: Any, output_type: Any = int32, name: str | None = None) -> Tensor:
    """(height, width, channels) of a JPEG file, from its header."""
    return extract_jpeg_shape_op(contents, output_type=as_dtype(output_type), name=name)


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether a file begins as JPEG files do."""
    with name_scope(name, "is_jpeg"):
        return ops.equal(substr(contents, 0, 3), b"\xff\xd8\xff", name=name)


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """A PNG file for each image, of 1 to 4 channels of uint8 or uint16; `compression` is 0 to 9, -1 the default."""
    return encode_png_op(convert_to_tensor(image), compression=compression, name=name)


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """A JPEG file for an image of 1 or 3 channels of uint8. Needs Pillow."""
    return encode_jpeg_op(
        image,
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
        name=name,
    )


def adjust_jpeg_quality(image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None) -> Tensor:
    """The image as it comes back from a JPEG file of this quality (0 to 100). Needs Pillow."""
    with name_scope(name, "adjust_jpeg_quality", [image]):
        image = convert_to_tensor(image, name="image")
        channels = image.static_shape[-1]
        kind = image.dtype
        image = convert_image_dtype(image, uint8, saturate=True)
        if not isinstance(jpeg_quality, Tensor):
            jpeg_quality = ops.constant(jpeg_quality, dtype=int32)
        file = encode_jpeg_variable_quality_op(image, jpeg_quality)
        image = decode_jpeg(file, channels=channels, dct_method=dct_method)
        return convert_image_dtype(image, kind, saturate=True)


def random_jpeg_quality(image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None) -> Tensor:
    """`adjust_jpeg_quality` by a random number from the least on and below the greatest."""
    if min_jpeg_quality < 0 or max_jpeg_quality < 0 or min_jpeg_quality > 100 or max_jpeg_quality > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    quality = ops.random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=int32)
    return adjust_jpeg_quality(image, quality)
