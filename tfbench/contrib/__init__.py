"""`tf.contrib`: what TensorFlow 1.x kept beside its API. Its parts are loaded when they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PARTS = (
    "checkpoint",
    "crf",
    "data",
    "deprecated",
    "estimator",
    "feature_column",
    "framework",
    "layers",
    "learn",
    "legacy_seq2seq",
    "lookup",
    "losses",
    "metrics",
    "opt",
    "rnn",
    "seq2seq",
    "slim",
    "tensorboard",
    "training",
    "util",
)


def __getattr__(name: str) -> Any:
    if name in _PARTS:
        return import_module(f"tfbench.contrib.{name}")
    raise AttributeError(f"module 'tfbench.contrib' has no attribute {name!r}; it has {', '.join(_PARTS)}")


def __dir__() -> list[str]:
    return list(_PARTS)
