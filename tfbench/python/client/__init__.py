"""`tensorflow.python.client`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["device_lib", "session", "timeline"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"tfbench.python.client.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
