"""Non-maximum suppression: of boxes that overlap too much, only the one with the highest score stays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.kernel_errors import brackets, invalid

Array = Any
_F = np.float32


def non_max_suppression(xp: Any, boxes: Array, scores: Array, count: Array, *, iou_threshold: float) -> Array:
    """Indices of the boxes that stay, best first."""
    return _selected(boxes, scores, count, np.asarray(iou_threshold, _F), None)[0]


def non_max_suppression_v2(xp: Any, boxes: Array, scores: Array, count: Array, iou_threshold: Array) -> Array:
    return _selected(boxes, scores, count, iou_threshold, None)[0]


def non_max_suppression_v3(
    xp: Any, boxes: Array, scores: Array, count: Array, iou_threshold: Array, score_threshold: Array
) -> Array:
    return _selected(boxes, scores, count, iou_threshold, score_threshold)[0]


def non_max_suppression_v4(
    xp: Any,
    boxes: Array,
    scores: Array,
    count: Array,
    iou_threshold: Array,
    score_threshold: Array,
    *,
    pad_to_max_output_size: bool,
) -> Any:
    found, _ = _selected(boxes, scores, count, iou_threshold, score_threshold)
    number = np.int32(len(found))
    return (_padded(found, int(count)) if pad_to_max_output_size else found), number


def non_max_suppression_v5(
    xp: Any,
    boxes: Array,
    scores: Array,
    count: Array,
    iou_threshold: Array,
    score_threshold: Array,
    sigma: Array,
    *,
    pad_to_max_output_size: bool,
) -> Any:
    if sigma.ndim:
        raise invalid(f"soft_nms_sigma must be 0-D, got shape {brackets(sigma.shape)}")
    if sigma < 0:
        raise invalid("soft_nms_sigma_val must be >= 0")
    found, values = _selected(boxes, scores, count, iou_threshold, score_threshold, float(sigma))
    number = np.int32(len(found))
    if pad_to_max_output_size:
        found, values = _padded(found, int(count)), _padded(values, int(count))
    return found, values.astype(scores.dtype), number


def non_max_suppression_with_overlaps(
    xp: Any, overlaps: Array, scores: Array, count: Array, overlap_threshold: Array, score_threshold: Array
) -> Array:
    """As the others, with a matrix that says how much any two boxes overlap."""
    if overlaps.ndim != 2 or overlaps.shape[0] != overlaps.shape[1]:
        raise invalid(f"overlaps must be square, got shape {brackets(overlaps.shape)}")
    _check_scores(scores, overlaps.shape[0])
    limit = _count(count)
    return _greedy(scores, limit, float(overlap_threshold), float(score_threshold), overlaps.T.__getitem__)[0]


def _selected(
    boxes: Array, scores: Array, count: Array, iou_threshold: Array, score_threshold: Array | None, sigma: float = 0.0
) -> tuple[Array, Array]:
    limit = _count(count)
    if iou_threshold.ndim:
        raise invalid(f"iou_threshold must be 0-D, got shape {brackets(iou_threshold.shape)}")
    if not 0 <= iou_threshold <= 1:
        raise invalid("iou_threshold must be in [0, 1]")
    if score_threshold is not None and score_threshold.ndim:
        raise invalid(f"score_threshold must be 0-D, got shape {brackets(score_threshold.shape)}")
    if boxes.ndim != 2:
        raise invalid(f"boxes must be 2-D{brackets(boxes.shape)}")
    if boxes.shape[1] != 4:
        raise invalid("boxes must have 4 columns")
    _check_scores(scores, boxes.shape[0])
    least = -np.inf if score_threshold is None else float(score_threshold)
    y1, x1, y2, x2 = np.asarray(boxes, _F).T
    top, bottom = np.minimum(y1, y2), np.maximum(y1, y2)
    left, right = np.minimum(x1, x2), np.maximum(x1, x2)
    area = (bottom - top) * (right - left)

    def overlap(i: int) -> Array:
        high = np.maximum(np.minimum(bottom, bottom[i]) - np.maximum(top, top[i]), _F(0))
        wide = np.maximum(np.minimum(right, right[i]) - np.maximum(left, left[i]), _F(0))
        both = high * wide
        union = area + area[i] - both
        real = (area > 0) & (area[i] > 0)
        return np.where(real, both / np.where(real, union, _F(1)), _F(0))

    return _greedy(scores, limit, float(iou_threshold), least, overlap, sigma)


def _greedy(
    scores: Array, limit: int, threshold: float, least: float, overlap: Any, sigma: float = 0.0
) -> tuple[Array, Array]:
    """(indices, scores): the best, again and again; with `sigma`, what overlaps less loses score rather than all."""
    left = np.asarray(scores, _F).copy()
    left[~(left > least)] = -np.inf
    alive = left > least
    if least == -np.inf:
        alive = np.asarray(scores, _F) > np.finfo(_F).min
    chosen: list[int] = []
    values: list[Any] = []
    # The first of equal ones goes first.
    order = np.argsort(-left, kind="stable")
    position = 0
    while len(chosen) < limit:
        if sigma > 0:
            candidates = np.flatnonzero(alive)
            if not len(candidates):
                break
            best = int(candidates[np.argmax(left[candidates])])
            if not left[best] > least:
                break
        else:
            while position < len(order) and not alive[order[position]]:
                position += 1
            if position == len(order):
                break
            best = int(order[position])
        chosen.append(best)
        values.append(left[best])
        alive[best] = False
        found = overlap(best)
        alive &= ~(found > threshold)
        if sigma > 0:
            left *= np.exp(_F(-0.5 / sigma) * found * found)
            alive &= left > least
    return np.array(chosen, np.int32), np.array(values, _F)


def _padded(values: Array, count: int) -> Array:
    whole = np.zeros(count, values.dtype)
    whole[: len(values)] = values
    return whole


def _count(count: Array) -> int:
    if count.ndim:
        raise invalid(f"max_output_size must be 0-D, got shape {brackets(count.shape)}")
    if count < 0:
        raise invalid("output size must be non-negative")
    return int(count)


def _check_scores(scores: Array, count: int) -> None:
    if scores.ndim != 1:
        raise invalid(f"scores must be 1-D{brackets(scores.shape)}")
    if scores.shape[0] != count:
        raise invalid(f"scores has incompatible shape {brackets(scores.shape)}: there are {count} boxes")
