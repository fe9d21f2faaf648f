"""Summaries as TensorFlow before 1.0 wrote them, `tf.scalar_summary(tags, values)`: the tag is what is given."""

from __future__ import annotations

from typing import Any

from tfbench.engine.graph import GraphKeys
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import summaries
from tfbench.engine.tensor import Tensor
from tfbench.summary.functions import collect

__all__ = [
    "audio_summary", "histogram_summary", "image_summary", "merge_all_summaries", "merge_summary", "scalar_summary",
]  # fmt: skip

_SUMMARIES = [GraphKeys.SUMMARIES]


def scalar_summary(tags: Any, values: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """A summary of one number under one tag, or of several numbers under as many tags (two tensors of one shape)."""
    with name_scope(name, "ScalarSummary", [tags, values]) as scope:
        return collect(summaries.scalar_summary(tags, values, name=scope), collections, _SUMMARIES)


def histogram_summary(tag: Any, values: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """A summary of how values are distributed."""
    with name_scope(name, "HistogramSummary", [tag, values]) as scope:
        return collect(summaries.histogram_summary(tag, values, name=scope), collections, _SUMMARIES)


def image_summary(
    tag: Any, tensor: Any, max_images: int = 3, collections: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """A summary of the first images of a batch [batch, height, width, channels]."""
    with name_scope(name, "ImageSummary", [tag, tensor]) as scope:
        summary = summaries.image_summary(tag, tensor, max_images=max_images, name=scope)
        return collect(summary, collections, _SUMMARIES)


def audio_summary(
    tag: Any, tensor: Any, sample_rate: Any, max_outputs: int = 3, collections: Any = None, name: str | None = None
) -> Tensor:  # fmt: skip
    """A summary of the first clips of a batch [batch, frames] or [batch, frames, channels]."""
    from tfbench.engine.convert import convert_to_tensor
    from tfbench.engine.dtypes import float32

    with name_scope(name, "AudioSummary", [tag, tensor]) as scope:
        sample_rate = convert_to_tensor(sample_rate, float32, "sample_rate")
        summary = summaries.audio_summary_v2(tag, tensor, sample_rate, max_outputs=max_outputs, name=scope)
        return collect(summary, collections, _SUMMARIES)


def merge_summary(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """One summary with the values of all."""
    with name_scope(name, "MergeSummary", inputs):
        return collect(summaries.merge_summary(inputs, name=name), collections, [])


def merge_all_summaries(key: str = GraphKeys.SUMMARIES) -> Tensor | None:
    """One summary of all that the graph has in a collection; None if there is none."""
    from tfbench.engine.default_graph import get_collection

    found = get_collection(key)
    return merge_summary(found) if found else None
