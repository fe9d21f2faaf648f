"""How often predictions are right, for each example."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.keras.backend import nn
from tfbench.keras.backend.config import floatx
from tfbench.keras.backend.elementwise import mean
from tfbench.keras.metrics.base import cast


def accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where label and prediction are the same number."""
    y_pred.shape.assert_is_compatible_with(y_true.shape)
    return ops.cast(ops.equal(y_true, cast(y_pred, y_true.dtype)), floatx())


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """The part of the outputs that are on the right side of the threshold."""
    threshold = ops.cast(threshold, y_pred.dtype)
    y_pred = ops.cast(y_pred > threshold, y_pred.dtype)
    return mean(ops.equal(y_true, y_pred), axis=-1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the largest output is that of the right class; labels are vectors."""
    return ops.cast(ops.equal(ops.argmax(y_true, axis=-1), ops.argmax(y_pred, axis=-1)), floatx())


def _numbers(y_true: Any, y_pred: Any) -> Any:
    """Labels that are numbers of classes, without a last axis of size 1."""
    rank, other = convert_to_tensor(y_true).shape.ndims, convert_to_tensor(y_pred).shape.ndims
    return ops.squeeze(y_true, [-1]) if rank is not None and rank == other else y_true


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """1 where the largest output is that of the right class; labels are numbers of classes."""
    y_true = _numbers(y_true, y_pred)
    y_pred = ops.argmax(y_pred, axis=-1)
    return ops.cast(ops.equal(y_true, cast(y_pred, y_true.dtype.base_dtype)), floatx())


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the right class is among the k largest outputs; labels are vectors."""
    return ops.cast(nn.in_top_k(y_pred, ops.argmax(y_true, axis=-1), k), floatx())


def sparse_top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """1 where the right class is among the k largest outputs; labels are numbers of classes."""
    y_true = _numbers(y_true, y_pred)
    return ops.cast(nn.in_top_k(y_pred, cast(y_true, "int32"), k), floatx())
