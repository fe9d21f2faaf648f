"""Samples of the ops whose results are Summary messages."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes


def f(*values: Any) -> Any:
    return np.array(values, np.float32)


def s(text: bytes) -> Any:
    return np.array(text, object)


TAG = s(b"tag")
IMAGES = np.arange(2 * 3 * 4 * 3, dtype=np.uint8).reshape(2, 3, 4, 3)
BAD = np.array([255, 0, 0, 255], np.uint8)
SUMMARY = s(b"\n\x08\n\x01a\x15\x00\x00\x80?")

SAMPLES: dict[str, Any] = {
    "ScalarSummary": [
        ([TAG, np.array(1.5, np.float32)], {"T": dtypes.float32}),
        ([np.array([b"a", b"b"], object), np.array([1, 2])], {"T": dtypes.int64}),
    ],
    "HistogramSummary": [([TAG, f(1, -2, 0)], {"T": dtypes.float32}), ([TAG, np.zeros([0, 2])], {"T": dtypes.float64})],
    "ImageSummary": [
        ([TAG, IMAGES], {"T": dtypes.uint8, "max_images": 3, "bad_color": BAD}),
        ([TAG, IMAGES.astype(np.float16)], {"T": dtypes.float16, "max_images": 1, "bad_color": BAD}),
    ],
    "AudioSummaryV2": [([TAG, np.zeros([2, 5], np.float32), np.array(8000, np.float32)], {"max_outputs": 3})],
    "TensorSummary": [([f(1, 2)], {"T": dtypes.float32, "description": "", "labels": [], "display_name": ""})],
    "TensorSummaryV2": [([TAG, np.array([True, False]), s(b"\x12\x01x")], {"T": dtypes.bool})],
    "MergeSummary": [([[SUMMARY, s(b"")]], {"N": 2})],
}
