"""Where programs for TensorFlow 1 import parts of the API from: `from tensorflow.python.platform import gfile`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PARTS = {
    "app": "app", "flags": "flags", "gfile": "gfile", "resource_loader": "resource_loader", "sysconfig": "sysconfig",
    "test": "test", "tf_logging": "logging",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"tfbench.{_PARTS[name]}")
    raise AttributeError(f"module 'tfbench.python.platform' has no attribute {name!r}")
