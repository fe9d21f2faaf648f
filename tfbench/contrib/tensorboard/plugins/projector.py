"""The embedding projector: which variables of a checkpoint it is to show, and what the rows are called.

config = projector.ProjectorConfig()
embedding = config.embeddings.add(tensor_name=words.name, metadata_path="words.tsv")
projector.visualize_embeddings(tf.summary.FileWriter(folder), config)
"""

from __future__ import annotations

import os
from typing import Any

__all__ = ["visualize_embeddings"]

#: messages, which need protobuf
_MESSAGES = ("EmbeddingInfo", "ProjectorConfig", "SpriteMetadata")
_FILE = "projector_config.pbtxt"


def __getattr__(name: str) -> Any:
    if name in _MESSAGES:
        from tfbench.formats import protos

        return getattr(protos, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MESSAGES})


def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes a ProjectorConfig into the folder of a summary writer, where TensorBoard looks for it.

    Raises:
      ValueError: if the writer has no folder.
    """
    from google.protobuf import text_format

    from tfbench.formats.safe_files import write_file

    folder = summary_writer.get_logdir()
    if folder is None:
        raise ValueError("Summary writer must have a logdir")
    os.makedirs(folder, exist_ok=True)
    write_file(os.path.join(folder, _FILE), text_format.MessageToString(config).encode())
