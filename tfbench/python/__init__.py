"""What TensorFlow 1 programs import from `tensorflow.python`, which is no public API there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = [
    "client", "eager", "framework", "layers", "lib", "ops", "platform", "pywrap_tensorflow", "summary", "tf2",
    "training", "util",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"tfbench.python.{name}")
    raise AttributeError(f"module 'tfbench.python' has no attribute {name!r}; it has {', '.join(__all__)}")
