"""`tf.contrib.slim.nets`: networks with the names that published checkpoints have.

They are not imported with slim: `from tfbench.contrib.slim.nets import resnet_v1`. The weights come from a
checkpoint of the program's own.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["resnet_utils", "resnet_v1", "resnet_v2", "vgg"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
