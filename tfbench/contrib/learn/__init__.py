"""`tf.contrib.learn`: its data sets and the names of its modes. Its estimators are not here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["ModeKeys", "datasets"]


class ModeKeys:
    """What a model is built for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return import_module("tfbench.contrib.learn.datasets")
    raise AttributeError(f"module 'tfbench.contrib.learn' has no attribute {name!r}")
