"""Softmax, its logarithm, and the two fused cross entropies, each of which gives its gradient along.

Rows are shifted by their largest value, so nothing overflows; a few rows are finished at a time, while they are in
the cache.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import softmax_compiled
from tfbench.engine.kernels.blocks import pieces, run, wide


def _rows(x: Any) -> Any:
    if x.ndim < 1:
        raise invalid("logits must have >= 1 dimension, got a scalar")
    return x.reshape(-1, x.shape[-1]) if x.size else x.reshape(0, 1)


def softmax(xp: Any, logits: Any) -> Any:
    """`Softmax` over the last axis."""
    rows = _rows(logits)
    made = softmax_compiled.normalised("softmax", xp, rows)
    if made is not None:
        return made.reshape(logits.shape)
    out = xp.empty_like(rows)
    kind = wide(logits.dtype)
    parts = pieces(xp, len(rows), rows[:1].nbytes * 2)

    def task(number: int) -> None:
        part = rows[parts[number]].astype(kind, copy=False)
        raised = part - part.max(axis=1, keepdims=True)
        xp.exp(raised, out=raised)
        xp.divide(raised, raised.sum(axis=1, keepdims=True), out=raised)
        out[parts[number]] = raised

    run(xp, len(parts), task)
    return out.reshape(logits.shape)


def log_softmax(xp: Any, logits: Any) -> Any:
    """`LogSoftmax` over the last axis."""
    rows = _rows(logits)
    made = softmax_compiled.normalised("log_softmax", xp, rows)
    if made is not None:
        return made.reshape(logits.shape)
    out = xp.empty_like(rows)
    kind = wide(logits.dtype)
    parts = pieces(xp, len(rows), rows[:1].nbytes * 3)

    def task(number: int) -> None:
        part = rows[parts[number]].astype(kind, copy=False)
        shifted = part - part.max(axis=1, keepdims=True)
        shifted -= xp.log(xp.exp(shifted).sum(axis=1, keepdims=True))
        out[parts[number]] = shifted

    run(xp, len(parts), task)
    return out.reshape(logits.shape)


def softmax_cross_entropy_with_logits(xp: Any, features: Any, labels: Any) -> tuple[Any, Any]:
    """`SoftmaxCrossEntropyWithLogits`: loss of each row, and its gradient with respect to `features`.

    Both are `(batch, classes)` and may be broadcast against each other.
    """
    if max(features.ndim, labels.ndim) != 2:
        raise invalid("logits and labels must be either 2-dimensional, or broadcasted to be 2-dimensional")
    shape, logits, wanted = features.shape, features, labels
    if shape != labels.shape:
        try:
            shape = np.broadcast_shapes(shape, labels.shape)
        except ValueError:
            raise invalid(
                f"logits and labels must be broadcastable: logits_size={list(shape)} labels_size={list(labels.shape)}"
            ) from None
        logits, wanted = xp.broadcast_to(features, shape), xp.broadcast_to(labels, shape)
    made = softmax_compiled.cross_entropy(xp, logits, wanted)
    if made is not None:
        return made
    kind = wide(features.dtype)
    loss, gradient = xp.empty(shape[0], features.dtype), xp.empty(shape, features.dtype)
    if gradient.size == 0:
        loss.fill(0)
        return loss, gradient
    parts = pieces(xp, shape[0], gradient[:1].nbytes * 4)

    def task(number: int) -> None:
        part, target = (array[parts[number]].astype(kind, copy=False) for array in (logits, wanted))
        shifted = part - part.max(axis=1, keepdims=True)
        raised = xp.exp(shifted)
        total = raised.sum(axis=1, keepdims=True)
        xp.subtract(xp.log(total), shifted, out=shifted)
        shifted *= target
        loss[parts[number]] = shifted.sum(axis=1)
        raised /= total
        raised -= target
        gradient[parts[number]] = raised

    run(xp, len(parts), task)
    return loss, gradient


def sparse_softmax_cross_entropy_with_logits(xp: Any, features: Any, labels: Any) -> tuple[Any, Any]:
    """`SparseSoftmaxCrossEntropyWithLogits`: the same for labels that are class numbers, `(batch,)`."""
    if features.ndim != 2:
        raise invalid(f"logits must be 2-D, but got shape {list(features.shape)}")
    if labels.ndim != 1:
        raise invalid(f"labels must be 1-D, but got shape {list(labels.shape)}")
    batch, classes = features.shape
    if batch != labels.shape[0]:
        raise invalid(
            f"logits and labels must have the same first dimension, got logits shape {list(features.shape)} "
            f"and labels shape {list(labels.shape)}"
        )
    if classes == 0:
        raise invalid(f"Must have at least one class, but got logits shape {list(features.shape)}")
    made = softmax_compiled.sparse_cross_entropy(xp, features, labels)
    if made is not None:
        return made
    outside = labels.view(f"u{labels.dtype.itemsize}") >= classes  # negative numbers are large ones then
    if xp is np and bool(outside.any()):
        shown = " ".join(str(label) for label in labels.tolist())
        raise invalid(
            f"Received a label value of {int(labels[outside][0])} which is outside the valid range of "
            f"[0, {classes}).  Label values: {shown}"
        )
    if xp is not np:
        labels = xp.where(outside, 0, labels)
    kind = wide(features.dtype)
    loss, gradient = xp.empty(batch, features.dtype), xp.empty(features.shape, features.dtype)
    parts = pieces(xp, batch, features[:1].nbytes * 3)

    def task(number: int) -> None:
        part, chosen = features[parts[number]].astype(kind, copy=False), labels[parts[number]]
        at = xp.arange(len(part)), chosen
        raised = part - part.max(axis=1, keepdims=True)
        wanted = raised[at]
        xp.exp(raised, out=raised)
        total = raised.sum(axis=1, keepdims=True)
        loss[parts[number]] = xp.log(total[:, 0]) - wanted
        raised /= total
        raised[at] -= 1
        gradient[parts[number]] = raised

    run(xp, len(parts), task)
    if xp is not np:
        # As on TensorFlow's GPUs, which do not wait to say what is wrong: the loss of a label that is no class is NaN.
        nan = features.dtype.type(np.nan)
        return xp.where(outside, nan, loss), xp.where(outside[:, None], nan, gradient)
    return loss, gradient
