"""Connectionist temporal classification: the loss, and the two ways to read a sequence off scores.

A path names a class or nothing (the last class, the *blank*) at each time; what it says is the path without blanks,
repetitions taken as one. The loss is the negative logarithm of the probability of all paths that say the labels: a sum
that goes forward over (time, place in the labels with blanks between them), as does another backward for the slopes.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

Array = Any

_NEVER = -np.inf


def log_softmax(scores: Array) -> Array:
    """Log probabilities along the last axis, in double precision."""
    scores = scores.astype(np.float64)
    scores = scores - scores.max(axis=-1, keepdims=True)
    result: Array = scores - np.log(np.exp(scores).sum(axis=-1, keepdims=True))
    return result


def loss(scores: Array, labels: list[int], merge_repeated: bool) -> tuple[float, Array]:
    """The loss of one sequence, [time, classes], and its slopes."""
    log_probs = log_softmax(scores)
    times, classes = log_probs.shape
    blank = classes - 1
    padded = np.full(2 * len(labels) + 1, blank)
    padded[1::2] = labels
    at = log_probs[:, padded]
    stays, skips = _transitions(padded, blank, merge_repeated)
    ahead = _forward(at, stays, skips)
    # Backward is forward in the mirror: a skip belongs to where it comes from.
    back_skips = np.zeros_like(skips)
    back_skips[2:] = skips[2:][::-1]
    back = _forward(at[::-1, ::-1], stays[::-1], back_skips)[::-1, ::-1]
    with np.errstate(invalid="ignore"):
        total = np.logaddexp.reduce(ahead[-1, -2:] if len(padded) > 1 else ahead[-1])
        probs = np.exp(log_probs)
        if total == _NEVER:
            return np.inf, probs
        through = np.where((ahead == _NEVER) | (back == _NEVER), _NEVER, ahead + back - at)
    passes = np.zeros((times, classes))
    weights = np.exp(through - total)
    for place, label in enumerate(padded):
        passes[:, label] += weights[:, place]
    return -float(total), probs - passes


def _transitions(padded: Array, blank: int, merge_repeated: bool) -> tuple[Array, Array]:
    """Where a path may stay for another time, and where it may come to over the blank before."""
    stays = (padded == blank) | merge_repeated
    skips = np.zeros(padded.size, bool)
    skips[2:] = padded[2:] != blank
    if merge_repeated:
        skips[2:] &= padded[2:] != padded[:-2]
    return stays, skips


def _forward(at: Array, stays: Array, skips: Array) -> Array:
    """Log probabilities of all beginnings of paths, [time, place]."""
    result = np.full(at.shape, _NEVER)
    result[0, :2] = at[0, :2]
    for time in range(1, len(at)):
        before = result[time - 1]
        now = np.where(stays, before, _NEVER)
        now[1:] = np.logaddexp(now[1:], before[:-1])
        now[2:] = np.where(skips[2:], np.logaddexp(now[2:], before[:-2]), now[2:])
        result[time] = now + at[time]
    return result


def greedy(scores: Array, merge_repeated: bool, blank: int) -> tuple[list[int], float]:
    """The classes with the largest scores, and the negative sum of these."""
    best = scores.argmax(axis=1)
    kept = best != blank
    if merge_repeated:
        kept[1:] &= best[1:] != best[:-1]
    return best[kept].tolist(), -float(scores[np.arange(len(best)), best].sum())


class _Beam:
    """A sequence of labels: its last one, what came before, and the log probabilities of the paths that say it: those
    that end with a blank, with the label, and both; now and a time before.
    """

    __slots__ = ("blank", "children", "ends", "label", "old_blank", "old_total", "parent", "total")

    def __init__(self, parent: _Beam | None, label: int) -> None:
        self.parent, self.label = parent, label
        self.children: dict[int, _Beam] = {}
        self.blank = self.ends = self.total = _NEVER
        self.old_blank = self.old_total = _NEVER

    def forget(self) -> None:
        self.blank = self.ends = self.total = _NEVER


def beam_search(scores: Array, width: int, top_paths: int, merge_repeated: bool) -> tuple[list[list[int]], list[float]]:
    """The labels of the best `top_paths` beams, and their log probabilities; fewer where there are not so many."""
    log_probs = log_softmax(scores)
    blank = log_probs.shape[1] - 1
    root = _Beam(None, -1)
    root.blank = root.total = 0.0
    beams = [root]
    for row in log_probs:
        beams = _next_beams(beams, row, blank, width)
    paths = [_labels(beam, merge_repeated) for beam in beams[:top_paths]]
    return paths, [float(beam.total) for beam in beams[:top_paths]]


def _next_beams(beams: list[_Beam], row: Array, blank: int, width: int) -> list[_Beam]:
    """The best beams after one more time, the best first."""
    logs = row.tolist()
    for beam in beams:
        beam.old_blank, beam.old_total = beam.blank, beam.total
    # A number that tells equal ones apart: who came first stays.
    heap: list[tuple[float, int, _Beam]] = []
    for number, beam in enumerate(beams):
        parent = beam.parent
        if parent is not None:
            if parent.total != _NEVER:
                before = parent.old_blank if beam.label == parent.label else parent.old_total
                beam.ends = np.logaddexp(beam.ends, before)
            beam.ends += logs[beam.label]
        beam.blank = beam.old_total + logs[blank]
        beam.total = np.logaddexp(beam.blank, beam.ends)
        heapq.heappush(heap, (beam.total, -number, beam))
    number = len(beams)
    for beam in beams:
        if not (beam.old_total > _NEVER and (len(heap) < width or beam.old_total > heap[0][0])):
            continue
        totals = row[:blank] + beam.old_total
        if 0 <= beam.label < blank:
            totals[beam.label] = row[beam.label] + beam.old_blank
        least = heap[0][0] if len(heap) == width else _NEVER
        for label, child in beam.children.items():
            # TensorFlow's way: a beam that was just given up, and that its parent does not bring back, is not
            # gone on with either.
            if child.total == _NEVER and totals[label] <= least:
                child.old_blank = child.old_total = _NEVER
        for label in np.flatnonzero(totals > least).tolist():
            if label not in beam.children:
                beam.children[label] = _Beam(beam, label)
            child = beam.children[label]
            if child.total != _NEVER:
                continue  # it is a beam already
            total = float(totals[label])
            if len(heap) == width:
                if total <= heap[0][0]:
                    child.old_blank = child.old_total = _NEVER
                    continue
                heapq.heappop(heap)[2].forget()
            child.blank, child.ends, child.total = _NEVER, total, total
            heapq.heappush(heap, (total, -number, child))
            number += 1
    return [beam for _, _, beam in sorted(heap, key=lambda item: (-item[0], -item[1]))]


def _labels(beam: _Beam, merge_repeated: bool) -> list[int]:
    found: list[int] = []
    last = -1
    current: _Beam | None = beam
    while current is not None and current.parent is not None:
        if not merge_repeated or current.label != last:
            found.append(current.label)
        last = current.label
        current = current.parent
    return found[::-1]
