"""The tutorials: MNIST's."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["mnist"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"tfbench.examples.tutorials.{name}")
    raise AttributeError(f"module 'tfbench.examples.tutorials' has no attribute {name!r}")
