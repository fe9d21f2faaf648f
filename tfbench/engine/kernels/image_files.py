"""Files of images: which format one is in, and what the ops for files of one kind do about the others.

Every op for PNG, JPEG and GIF reads all three, as TensorFlow's do; BMP is for DecodeBmp and DecodeImage alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.kernel_errors import brackets, invalid
from tfbench.engine.kernels.bmp import decode_bmp as _bmp
from tfbench.engine.kernels.gif import decode_gif as _gif
from tfbench.engine.kernels.jpeg import decode_jpeg as _jpeg
from tfbench.engine.kernels.jpeg import encode_jpeg as _to_jpeg
from tfbench.engine.kernels.jpeg import jpeg_shape
from tfbench.engine.kernels.png import SIGNATURE, decode_png
from tfbench.engine.kernels.png import encode_png as _to_png

Array = Any


def _contents(contents: Any) -> bytes:
    if getattr(contents, "ndim", 0):
        raise invalid(f"`contents` must be scalar but got shape{brackets(contents.shape)}")
    data = contents if isinstance(contents, bytes) else contents.item()
    if not data:
        raise invalid("Input is empty.")
    return bytes(data)


def _format(data: bytes) -> str:
    for start, name in ((b"\xff\xd8\xff", "JPEG"), (SIGNATURE, "PNG"), (b"GIF8", "GIF"), (b"BM", "BMP")):
        if data.startswith(start):
            return name
    raise invalid("Unknown image file format. One of JPEG, PNG, GIF, BMP required.")


def _check_channels(channels: int, kind: str) -> None:
    if kind == "JPEG" and channels == 4:
        raise invalid("JPEG does not support 4 channels")
    if kind == "GIF" and channels not in (0, 3):
        raise invalid(f"channels must be 0 or 3 for GIF, got {channels}")
    if kind == "BMP" and channels == 1:
        raise invalid(f"`channels` must be 0, 3 or 4 for BMP, but got {channels}")


def _decoded(
    op: str,
    contents: Any,
    channels: int,
    bits: int = 8,
    animated: bool = False,
    ratio: int = 1,
    recover: bool = False,
    crop: Any = None,
) -> tuple[Array, int]:
    """(pixels of 8 or, for PNG if asked, of 16 bits, how many bits they have)"""
    if channels not in (0, 1, 3, 4):
        raise invalid(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    data = _contents(contents)
    kind = _format(data)
    _check_channels(channels, kind)
    if op == "DecodeBmp" and kind != "BMP":
        raise invalid(
            f"Trying to decode {kind} format using DecodeBmp op. Use `decode_{kind.lower()}` or `decode_image` instead."
        )
    if kind == "BMP" and op not in ("DecodeBmp", "DecodeImage"):
        raise invalid(
            "Trying to decode BMP format using a wrong op. Use `decode_bmp` or `decode_image` instead. Op used: " + op
        )
    if op == "DecodeAndCropJpeg" and kind != "JPEG":
        raise invalid(f"DecodeAndCropJpeg operation can run on JPEG only, but detected {kind}.")
    if kind == "PNG":
        return decode_png(data, channels, bits), bits
    if kind == "JPEG":
        return _jpeg(data, channels, ratio, recover, crop), 8
    if kind == "BMP":
        return _bmp(data, channels), 8
    frames = _gif(data, first_only=op == "DecodeImage" and not animated)
    if op == "DecodeGif" or animated:
        return frames, 8
    if len(frames) > 1:
        raise invalid(
            f"Got {len(frames)} frames, but animated gifs can only be decoded by tf.io.decode_gif or tf.io.decode_image"
        )
    return frames[0], 8


def _of_type(pixels: Array, bits: int, dtype: Any) -> Array:
    if dtype == np.uint16:
        return pixels if bits == 16 else pixels.astype(np.uint16) * np.uint16(256)
    if dtype == np.float32:
        return pixels.astype(np.float32) * np.float32(1.0 / ((1 << bits) - 1))
    return pixels


def decode_png_op(xp: Any, contents: Any, *, channels: int, dtype: Any) -> Array:
    kind = np.dtype(dtype.as_numpy_dtype)
    return _of_type(*_decoded("DecodePng", contents, channels, 8 * kind.itemsize), kind)


def decode_gif_op(xp: Any, contents: Any) -> Array:
    pixels, _ = _decoded("DecodeGif", contents, 3)
    return pixels if pixels.ndim == 4 else pixels[None]


def decode_bmp_op(xp: Any, contents: Any, *, channels: int) -> Array:
    return _decoded("DecodeBmp", contents, channels)[0]


def decode_image_op(xp: Any, contents: Any, *, channels: int, dtype: Any, expand_animations: bool) -> Array:
    kind = np.dtype(dtype.as_numpy_dtype)
    bits = 8 if kind == np.uint8 else 16
    return _of_type(*_decoded("DecodeImage", contents, channels, bits, animated=expand_animations), kind)


def _check_ratio(ratio: int) -> None:
    if ratio not in (1, 2, 4, 8):
        raise invalid(f"ratio must be 1, 2, 4, or 8, got {ratio}")


def _check_method(dct_method: str) -> None:
    if dct_method not in ("", "INTEGER_FAST", "INTEGER_ACCURATE"):
        raise invalid("dct_method must be one of {'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}")


def decode_jpeg_op(
    xp: Any, contents: Any, *, channels: int, ratio: int, try_recover_truncated: bool, dct_method: str
) -> Array:
    _check_ratio(ratio)
    _check_method(dct_method)
    return _decoded("DecodeJpeg", contents, channels, ratio=ratio, recover=try_recover_truncated)[0]


def decode_and_crop_jpeg_op(
    xp: Any, contents: Any, window: Array, *, channels: int, ratio: int, try_recover_truncated: bool, dct_method: str
) -> Array:
    _check_ratio(ratio)
    _check_method(dct_method)
    if window.ndim != 1:
        raise invalid(f"crop_window must be 1-D, got shape {brackets(window.shape)}")
    if window.shape[0] != 4:
        raise invalid(f"crop_size must have four elements {brackets(window.shape)}")
    crop = tuple(window.tolist())
    return _decoded("DecodeAndCropJpeg", contents, channels, ratio=ratio, recover=try_recover_truncated, crop=crop)[0]


def extract_jpeg_shape_op(xp: Any, contents: Any, *, output_type: Any) -> Array:
    data = contents if isinstance(contents, bytes) else contents.item()
    return np.array(jpeg_shape(data), output_type.as_numpy_dtype)


# -- writing ----------------------------------------------------------------------------------------------------------


def encode_png_op(xp: Any, image: Array, *, compression: int) -> Any:
    if image.ndim < 3:
        raise invalid(f"images must be at least rank 3{brackets(image.shape)}")
    if image.shape[-1] not in (1, 2, 3, 4):
        raise invalid(f"image must have 1, 2, 3, or 4 channels, got {image.shape[-1]}")
    if image.size == 0:
        raise invalid(f"Invalid image provided: it is empty, {brackets(image.shape)}")
    if image.ndim == 3:
        return _to_png(image, compression)
    found = np.empty(image.shape[:-3], object)
    for at in np.ndindex(*found.shape):
        found[at] = _to_png(image[at], compression)
    return found


def _check_jpeg_image(image: Array) -> None:
    if image.ndim != 3:
        raise invalid(f"image must be 3-dimensional{brackets(image.shape)}")
    if image.shape[2] not in (1, 3):
        raise invalid(f"image must have 1 or 3 channels, got {brackets(image.shape)}")
    if image.size == 0:
        raise errors.InternalError(None, None, f"JPEG encoding failed: the image is empty, {brackets(image.shape)}")


def encode_jpeg_op(
    xp: Any,
    image: Array,
    *,
    format: str,
    quality: int,
    progressive: bool,
    optimize_size: bool,
    chroma_downsampling: bool,
    density_unit: str,
    x_density: int,
    y_density: int,
    xmp_metadata: Any,
) -> bytes:
    _check_quality(quality)
    _check_jpeg_image(image)
    for name, channels in (("grayscale", 1), ("rgb", 3)):
        if format == name and image.shape[2] != channels:
            raise invalid(f"format {name} expects {channels} channels, got {brackets(image.shape)}")
    metadata = xmp_metadata if isinstance(xmp_metadata, bytes) else str(xmp_metadata).encode()
    density = (density_unit, x_density, y_density)
    return _to_jpeg(image, quality, progressive, optimize_size, chroma_downsampling, density, metadata)


def _check_quality(quality: int) -> None:
    if not 0 <= quality <= 100:
        raise invalid(f"quality must be in [0,100], got {quality}")


def encode_jpeg_variable_quality_op(xp: Any, images: Array, quality: Array) -> bytes:
    _check_jpeg_image(images)
    if quality.ndim:
        raise invalid(f"quality must be scalar: {brackets(quality.shape)}")
    _check_quality(int(quality))
    return _to_jpeg(images, int(quality))
