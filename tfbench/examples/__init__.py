"""`tf.examples`: the parts of TensorFlow 1.x's tutorials that programs import."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["tutorials"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"tfbench.examples.{name}")
    raise AttributeError(f"module 'tfbench.examples' has no attribute {name!r}")
