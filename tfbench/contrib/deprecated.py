"""`tf.contrib.deprecated`: the summaries of TensorFlow before 1.0."""

from __future__ import annotations

from tfbench.summary.legacy import (
    audio_summary,
    histogram_summary,
    image_summary,
    merge_all_summaries,
    merge_summary,
    scalar_summary,
)

__all__ = [
    "audio_summary", "histogram_summary", "image_summary", "merge_all_summaries", "merge_summary", "scalar_summary",
]  # fmt: skip
