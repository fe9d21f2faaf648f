"""JPEG files, read and written by Pillow, which brings libjpeg along as TensorFlow does.

Files are written byte for byte as TensorFlow writes them. Pixels are TensorFlow's with
`dct_method="INTEGER_ACCURATE"`. TensorFlow's default is a faster transform of less precision, which differs from it by
one or two of 256 levels on average; `dct_method`, and `fancy_upscaling=False`, are the two requests that Pillow has no
way to pass on.
"""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid, unimplemented

Array = Any


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise unimplemented(
            "JPEG files need Pillow, which is not installed (matplotlib and the extra `lab` bring it along): pip "
            "install pillow"
        ) from None
    return Image


def _failed() -> Exception:
    return invalid("jpeg::Uncompress failed. Invalid JPEG data or crop window.")


def jpeg_shape(data: bytes) -> tuple[int, int, int]:
    """(height, width, channels) from the header alone. InvalidArgumentError if there is none."""
    at = 2
    if data[:2] == b"\xff\xd8":
        while at + 4 <= len(data) and data[at] == 0xFF:
            marker = data[at + 1]
            if marker == 0xFF:  # filling
                at += 1
                continue
            if marker == 0x01 or 0xD0 <= marker <= 0xD7:  # markers without a body
                at += 2
                continue
            (length,) = struct.unpack_from(">H", data, at + 2)
            if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
                if at + 10 > len(data):
                    break
                height, width, channels = struct.unpack_from(">HHB", data, at + 5)
                return height, width, channels
            if marker == 0xDA:  # pixels without a frame
                break
            at += 2 + length
    raise invalid(f"Invalid JPEG data, size {len(data)}")


def decode_jpeg(
    data: bytes, channels: int, ratio: int = 1, recover: bool = False, crop: tuple[int, int, int, int] | None = None
) -> Array:
    """(height, width, channels) of uint8. `ratio` is 1, 2, 4 or 8: of so many pixels of an axis one is made.

    `recover`: what is cut off is grey, not an error. `crop`: (top, left, height, width) of what is wanted.
    """
    image_module = _pillow()
    try:
        height, width, own = jpeg_shape(data)
        if channels == 1 and own == 4:
            raise _failed()
        # The end of the file is put again where it was cut off: libjpeg fills up what is missing.
        image = image_module.open(io.BytesIO(data + b"\xff\xd9" * 64 if recover else data), formats=["JPEG"])
        mode = {1: "L", 3: "RGB"}.get(channels or own)
        sizes = (max(1, width // ratio), max(1, height // ratio)) if ratio > 1 else None
        image.draft(None if own == 4 else mode, sizes)
        if own == 4:
            pixels = _of_four_inks(np.asarray(image))
        else:
            pixels = np.asarray(image if image.mode == mode else image.convert(mode))
    except (OSError, SyntaxError, ValueError, struct.error) as error:
        raise _failed() from error
    except image_module.DecompressionBombError as error:
        raise invalid(f"jpeg::Uncompress failed: {error}") from None
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    if crop is not None:
        top, left, rows, columns = crop
        inside = top >= 0 and left >= 0 and rows > 0 and columns > 0
        if not inside or top + rows > pixels.shape[0] or left + columns > pixels.shape[1]:
            raise _failed()
        pixels = pixels[top : top + rows, left : left + columns]
    return np.array(pixels)


def _of_four_inks(pixels: Array) -> Array:
    """RGB of cyan, magenta, yellow and black. Pillow turns round what Adobe's programs write inverted."""
    light = 255 - pixels.astype(np.int32)
    return (light[..., :3] * light[..., 3:] // 255).astype(np.uint8)


def encode_jpeg(
    pixels: Array,
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density: tuple[str, int, int] = ("in", 300, 300),
    xmp_metadata: bytes = b"",
) -> bytes:
    """The file for (height, width, 1 or 3 channels) of uint8."""
    image_module = _pillow()
    buffer = io.BytesIO()
    picture = image_module.fromarray(np.ascontiguousarray(pixels[..., 0] if pixels.shape[2] == 1 else pixels))
    options: dict[str, Any] = {} if pixels.shape[2] == 1 else {"subsampling": 2 if chroma_downsampling else 0}
    if quality == 0:
        quality = -1  # to Pillow 0 means its default
    picture.save(
        buffer, "JPEG", quality=quality, progressive=progressive, optimize=optimize_size, dpi=(300, 300), **options
    )
    data = buffer.getvalue()
    # The header is the first segment: its unit and densities are at bytes 13 to 17, and it ends at byte 20.
    unit, x, y = density
    header = data[:13] + struct.pack(">BHH", 1 if unit == "in" else 2, x & 0xFFFF, y & 0xFFFF) + data[18:20]
    if xmp_metadata:
        body = b"http://ns.adobe.com/xap/1.0/\0" + xmp_metadata
        header += b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body
    return header + data[20:]
