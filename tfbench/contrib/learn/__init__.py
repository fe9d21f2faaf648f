"""`tf.contrib.learn`: its data sets, vocabularies of texts, and the names of its modes. Its estimators are not here."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["ModeKeys", "datasets", "preprocessing"]


class ModeKeys:
    """What a model is built for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


def __getattr__(name: str) -> Any:
    if name in ("datasets", "preprocessing"):
        return import_module(f"tfbench.contrib.learn.{name}")
    raise AttributeError(f"module 'tfbench.contrib.learn' has no attribute {name!r}")
