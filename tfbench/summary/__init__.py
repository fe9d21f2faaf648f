"""`tf.summary`: what a run leaves for TensorBoard."""

from __future__ import annotations

from typing import Any

from tfbench.summary.functions import audio, histogram, image, merge, merge_all, scalar, tensor_summary, text
from tfbench.summary.writer import FileWriter
from tfbench.summary.writer_cache import FileWriterCache

__all__ = [
    "FileWriter", "FileWriterCache", "all_v2_summary_ops", "audio", "get_summary_description", "histogram", "image",
    "initialize", "merge", "merge_all", "scalar", "tensor_summary", "text",
]  # fmt: skip

#: messages of TensorFlow's protocol, which need protobuf
_MESSAGES = {"Event", "SessionLog", "Summary", "SummaryDescription", "TaggedRunMetadata"}


def get_summary_description(node_def: Any) -> Any:
    """The SummaryDescription that a TensorSummary node carries.

    Raises:
      ValueError: if the node is another one.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    from google.protobuf import json_format

    from tfbench.formats.protos import SummaryDescription

    text = node_def.attr["description"].s.decode()
    return json_format.Parse(text, SummaryDescription()) if text else SummaryDescription()


def all_v2_summary_ops() -> list[Any]:
    """The operations of TensorFlow 2's summaries in the default graph: there are none."""
    return []


def initialize(graph: Any = None, session: Any = None) -> None:
    """Does nothing: it is TensorFlow 2's summary writers that are initialised."""


def __getattr__(name: str) -> Any:
    """Messages are loaded when they are first asked for."""
    if name in _MESSAGES:
        from tfbench.formats import protos

        return getattr(protos, name)
    raise AttributeError(f"module 'tfbench.summary' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MESSAGES})
