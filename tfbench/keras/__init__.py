"""`tf.keras` of TensorFlow 1.15, in graph mode. Its parts are loaded when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PARTS = (
    "activations", "backend", "callbacks", "constraints", "datasets", "initializers", "layers", "losses", "metrics",
    "models", "optimizers", "preprocessing", "regularizers", "utils",
)  # fmt: skip
_NAMES = {"Input": "layers", "Model": "models", "Sequential": "models"}
#: the version of Keras whose interface this is
__version__ = "2.2.4-tf"


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"tfbench.keras.{name}")
    if name in _NAMES:
        return getattr(import_module(f"tfbench.keras.{_NAMES[name]}"), name)
    raise AttributeError(f"module 'tfbench.keras' has no attribute {name!r}; it has {', '.join(sorted(__dir__()))}")


def __dir__() -> list[str]:
    return [*_PARTS, *_NAMES]
