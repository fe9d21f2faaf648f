"""Samples of images: other sizes, colours, boxes."""

from __future__ import annotations

import base64
import struct
from typing import Any

import numpy as np

Sample = tuple[list[Any], dict[str, Any]]

#: numbers from 0 to 1 of which no two are equal
_IMAGES = ((np.arange(2 * 4 * 6 * 3) * 53 % 144) / 144.0).reshape(2, 4, 6, 3).astype(np.float32)
_BYTES = (_IMAGES * 255).astype(np.uint8)
_SIZE = np.array([5, 3], np.int32)
_FLAGS = [{}, {"align_corners": True}, {"half_pixel_centers": True}]


def _resized(kinds: list[Any]) -> list[Sample]:
    return [([x, _SIZE], flags) for flags in _FLAGS for x in kinds]


_GRADS = ((np.arange(2 * 5 * 3 * 3) * 37 % 90) / 90.0).reshape(2, 5, 3, 3).astype(np.float32)


def _given_back(kinds: list[Any]) -> list[Sample]:
    return [([_GRADS, x], flags) for flags in _FLAGS for x in kinds]


BOXES = np.array([[0, 0, 1, 1], [0.1, 0.2, 0.7, 0.93], [0.8, 0.9, 0.21, 0.13], [-0.5, 0.2, 0.52, 1.5]], np.float32)
_WHICH = np.array([0, 1, 1, 0], np.int32)
_CROP = np.array([3, 4], np.int32)
_CROPS = ((np.arange(4 * 3 * 4 * 3) * 29 % 144) / 144.0).reshape(4, 3, 4, 3).astype(np.float32)
_SCORES = np.array([0.3, 0.9, 0.5, 0.5], np.float32)
_THRESHOLDS = [np.float32(0.4), np.float32(0.1)]
_NUMBER = np.array(3, np.int32)

SAMPLES: dict[str, list[Sample]] = {
    "ResizeBilinear": _resized([_IMAGES, _BYTES, _IMAGES.astype(np.float64)]),
    "ResizeNearestNeighbor": _resized([_IMAGES, _BYTES]),
    "ResizeBicubic": _resized([_IMAGES, _BYTES]),
    "ResizeArea": [([x, size], {}) for x in (_IMAGES, _BYTES) for size in (_SIZE, np.array([2, 2], np.int32))],
    "ResizeBilinearGrad": _given_back([_IMAGES, _IMAGES.astype(np.float64)]),
    "ResizeBicubicGrad": _given_back([_IMAGES]),
    "ResizeNearestNeighborGrad": [([_GRADS, np.array([4, 6], np.int32)], flags) for flags in _FLAGS],
    "RGBToHSV": [([_IMAGES], {}), ([_IMAGES[0, 0]], {})],
    "HSVToRGB": [([_IMAGES], {}), ([_IMAGES[0, 0]], {})],
    "AdjustContrastv2": [([_IMAGES, np.float32(1.5)], {})],
    "AdjustHue": [([_IMAGES, np.float32(0.3)], {})],
    "AdjustSaturation": [([_IMAGES, np.float32(0.6)], {})],
    "CropAndResize": [
        ([_IMAGES, BOXES, _WHICH, _CROP], {}),
        ([_BYTES, BOXES, _WHICH, _CROP], {"extrapolation_value": 2.0}),
        ([_IMAGES, BOXES, _WHICH, np.array([1, 5], np.int32)], {"method": "nearest"}),
    ],
    "CropAndResizeGradImage": [
        ([_CROPS, BOXES, _WHICH, np.array([2, 4, 6, 3], np.int32)], {"T": np.float32, "method": method})
        for method in ("bilinear", "nearest")
    ],
    "CropAndResizeGradBoxes": [([_CROPS, _IMAGES, BOXES, _WHICH], {})],
    "DrawBoundingBoxes": [([_IMAGES, np.stack([BOXES, BOXES])], {})],
    "DrawBoundingBoxesV2": [([_IMAGES, np.stack([BOXES, BOXES]), np.eye(3, dtype=np.float32)], {})],
    "NonMaxSuppression": [([BOXES, _SCORES, _NUMBER], {"iou_threshold": 0.3})],
    "NonMaxSuppressionV2": [([BOXES, _SCORES, _NUMBER, _THRESHOLDS[0]], {})],
    "NonMaxSuppressionV3": [([BOXES, _SCORES, _NUMBER, *_THRESHOLDS], {})],
    "NonMaxSuppressionV4": [
        ([BOXES, _SCORES, _NUMBER, *_THRESHOLDS], {"pad_to_max_output_size": padded}) for padded in (False, True)
    ],
    "NonMaxSuppressionV5": [
        ([BOXES, _SCORES, _NUMBER, *_THRESHOLDS, np.float32(sigma)], {"pad_to_max_output_size": sigma > 0})
        for sigma in (0.0, 0.5)
    ],
    "NonMaxSuppressionWithOverlaps": [
        ([np.abs(np.sin(np.arange(16.0).reshape(4, 4))).astype(np.float32), _SCORES, _NUMBER, *_THRESHOLDS], {})
    ],
}

#: no pixel of their crops lies so near to one of the image, or to its border, that a difference would cross it
_WITHIN = np.array([[0.1, 0.15, 0.87, 0.75], [0.93, 0.83, 0.1, 0.25], [0.55, 0.45, 0.6, 0.95]], np.float32)

for _covered in (True, False):
    _type = "SampleDistortedBoundingBox" + ("V2" if _covered else "")
    SAMPLES[_type] = [
        (
            [np.array([40, 60, 3], kind), np.array([[[0.1, 0.2, 0.7, 0.93]]], np.float32)]
            + ([np.float32(0.3)] if _covered else []),
            {"seed": 3, "seed2": 4},
        )
        for kind in (np.int32, np.int64)
    ]

for _type in ("ExtractGlimpse", "ExtractGlimpseV2"):
    SAMPLES[_type] = [
        ([_IMAGES, np.array([3, 2], np.int32), np.array([[0.1, -0.2], [0.9, 2.0]], np.float32)], attrs)
        for attrs in ({}, {"uniform_noise": False, "noise": "zero"}, {"uniform_noise": False, "noise": "gaussian"})
    ]

# -- files ------------------------------------------------------------------------------------------------------------

_BMP = struct.pack("<2sIHHIIiiHHIIiiII", b"BM", 78, 0, 0, 54, 40, 2, 3, 1, 24, 0, 24, 0, 0, 0, 0) + bytes(range(24))
#: 2 x 2 pixels
_GIF = base64.b64decode("R0lGODlhAgACAIAAAP8AAAD/ACwAAAAAAgACAAACA0QSBQA7")
_PICTURES = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)


def _file(data: bytes) -> Any:
    return np.array(data, object)


def _written() -> dict[str, Any]:
    from tfbench.engine.kernels.jpeg import encode_jpeg
    from tfbench.engine.kernels.png import encode_png

    return {"png": _file(encode_png(_PICTURES, -1)), "jpeg": _file(encode_jpeg(_PICTURES))}


_FILES = _written()
SAMPLES.update(
    {
        "DecodePng": [([_FILES["png"]], {"channels": n, "dtype": t}) for n in (0, 4) for t in (np.uint8, np.uint16)],
        "DecodeGif": [([_file(_GIF)], {})],
        "DecodeBmp": [([_file(_BMP)], {}), ([_file(_BMP)], {"channels": 4})],
        "DecodeJpeg": [([_FILES["jpeg"]], {}), ([_FILES["jpeg"]], {"channels": 1})],
        "DecodeAndCropJpeg": [([_FILES["jpeg"], np.array([1, 2, 3, 2], np.int32)], {})],
        "DecodeImage": [
            ([_FILES["png"]], {"dtype": np.float32}),
            ([_file(_GIF)], {}),
            ([_file(_GIF)], {"expand_animations": False}),
        ],
        "ExtractJpegShape": [([_FILES["jpeg"]], {"output_type": t}) for t in (np.int32, np.int64)],
        "EncodePng": [([_PICTURES], {}), ([_PICTURES[..., :1].astype(np.uint16)], {}), ([_PICTURES[None]], {})],
        "EncodeJpeg": [([_PICTURES], {}), ([_PICTURES[..., :1]], {"quality": 30})],
        "EncodeJpegVariableQuality": [([_PICTURES, np.array(80, np.int32)], {})],
    }
)

DIFFERENTIATED = {
    "RGBToHSV": [([_IMAGES[:1, :2]], {})],
    "CropAndResize": [([_IMAGES, _WITHIN, _WHICH[:3], np.array(size, np.int32)], {}) for size in ((3, 4), (1, 4))],
}
