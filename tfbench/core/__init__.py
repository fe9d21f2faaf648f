"""`tensorflow.core`: TensorFlow's protocol messages where its generated modules have them.

`from tensorflow.core.framework import graph_pb2` becomes `from tfbench.core.framework import graph_pb2`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["example", "framework", "protobuf", "util"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"tfbench.core.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
