"""The functions that add summary ops to a graph: a node named like the summary, its tag a constant beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tfbench import logging
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collection, get_collection
from tfbench.engine.dtypes import float32, string
from tfbench.engine.graph import GraphKeys
from tfbench.engine.kernels import wire
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import summaries
from tfbench.engine.tensor import Tensor

__all__ = ["audio", "histogram", "image", "merge", "merge_all", "scalar", "tensor_summary", "text"]


def clean_tag(name: Any) -> Any:
    """A name of which every character that node names cannot have is an underscore."""
    if name is None:
        return None
    cleaned = re.sub(r"[^-/\w.]", "_", name, flags=re.ASCII).lstrip("/")
    if cleaned != name:
        logging.info("Summary name %s is illegal; using %s instead.", name, cleaned)
    return cleaned


@contextmanager
def summary_scope(
    name: Any, family: Any = None, default_name: str | None = None, values: Any = None
) -> Iterator[tuple[str, str]]:
    """The name scope of a summary, and its tag: the scope's name, with the family before it if there is one."""
    name, family = clean_tag(name), clean_tag(family)
    with name_scope(name if family is None else f"{family}/{name}", default_name, values) as scope:
        tag = scope.rstrip("/")
        yield (tag if family is None else f"{family}/{tag}"), scope


def collect(summary: Tensor, collections: Any, default: list[str]) -> Tensor:
    """The summary, added to its collections."""
    for key in default if collections is None else collections:
        add_to_collection(key, summary)
    return summary


_SUMMARIES = [GraphKeys.SUMMARIES]


def scalar(name: Any, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of one number, as a point of a curve.

    Args:
      name: of the node; with the scopes around it also the tag, under which TensorBoard shows it.
      tensor: of a real type, with one value.
      collections: where to add the summary; `tf.summary.merge_all` takes those of `[tf.GraphKeys.SUMMARIES]`.
      family: what is put before the tag, so that TensorBoard shows the family together.
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return collect(summaries.scalar_summary(tag, tensor, name=scope), collections, _SUMMARIES)


def histogram(name: Any, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A summary of how the values (any shape, real) are distributed. Running it fails if one is not finite."""
    with summary_scope(name, family, "HistogramSummary", [values]) as (tag, scope):
        return collect(summaries.histogram_summary(tag, values, name=scope), collections, _SUMMARIES)


def image(
    name: Any, tensor: Any, max_outputs: int = 3, collections: Any = None, family: str | None = None
) -> Tensor:  # fmt: skip
    """A summary of the first `max_outputs` images of a batch.

    Args:
      tensor: [batch, height, width, channels] with 1 (grey), 3 (RGB) or 4 (RGBA) channels. uint8 is shown as it is;
        floats are scaled, image by image: the largest to 255, or, if some are negative, zero to 128 and the farthest
        from it to the end of the range.
    """
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        summary = summaries.image_summary(tag, tensor, max_images=max_outputs, name=scope)
        return collect(summary, collections, _SUMMARIES)


def audio(
    name: Any,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """A summary of the first `max_outputs` clips: [batch, frames] or [batch, frames, channels] in -1 … 1."""
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        sample_rate = convert_to_tensor(sample_rate, float32, "sample_rate")
        summary = summaries.audio_summary_v2(tag, tensor, sample_rate, max_outputs=max_outputs, name=scope)
        return collect(summary, collections, _SUMMARIES)


def tensor_summary(
    name: Any,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A summary that holds a tensor as it is; `summary_metadata` (SummaryMetadata) says what a plugin makes of it."""
    if summary_metadata is None:
        notes = b""
    else:
        notes = summary_metadata.SerializeToString()
    # A field that comes twice counts the second time.
    notes += wire.chunk(2, (display_name or "").encode()) + wire.chunk(3, (summary_description or "").encode())
    if summary_metadata is not None and (display_name or summary_description):
        notes = type(summary_metadata).FromString(notes).SerializeToString()
    with summary_scope(name, family, values=[tensor]) as (tag, scope):
        return collect(summaries.tensor_summary_v2(tag, tensor, notes, name=scope), collections, _SUMMARIES)


def text(name: Any, tensor: Any, collections: Any = None) -> Tensor:
    """A summary of strings, which TensorBoard shows as Markdown: text, a list, or a table for a tensor of rank 2.

    Raises:
      ValueError: if the tensor is not of strings.
    """
    if tensor.dtype != string:
        raise ValueError(f"Expected tensor {tensor.name} to have dtype string, got {tensor.dtype}")
    notes = wire.chunk(1, wire.chunk(1, b"text"))
    with summary_scope(name, None, values=[tensor]) as (tag, scope):
        return collect(summaries.tensor_summary_v2(tag, tensor, notes, name=scope), collections, _SUMMARIES)


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """One summary with the values of all. Running it fails if two have the same tag."""
    cleaned = clean_tag(name)
    with name_scope(cleaned, "Merge", inputs):
        return collect(summaries.merge_summary(inputs, name=cleaned), collections, [])


def merge_all(key: str = GraphKeys.SUMMARIES, scope: str | None = None, name: str | None = None) -> Tensor | None:
    """One summary of all that the graph has in a collection; None if there is none."""
    found = get_collection(key, scope)
    return merge(found, name=name) if found else None
