"""Softmax and the cross entropies of float32 rows, each of which is passed over while it is in the first cache.

The largest of a row is found among integers that are in the order of the numbers: the compiler makes vector
instructions of that, with no promise that there are no NaN. Sums may be regrouped, nothing else. A row with a NaN,
or whose largest value is infinite, is NaN throughout, as in the NumPy kernels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tfbench.engine.compiled.loops_math import exp32
from tfbench.engine.compiled.sources import Loops

Array = Any

_ONE = np.float32(1)
_SMALLEST, _MASK = np.int32(-(2**31)), np.int32(2**31 - 1)


def _largest(row: Array) -> Any:
    """The largest of a row; a NaN is larger than all others, or smaller, as its sign says."""
    best = _SMALLEST
    for k in range(row.shape[0]):
        bits = np.float32(row[k]).view(np.int32)
        bits = np.int32(bits ^ ((bits >> 31) & _MASK))
        best = bits if bits > best else best
    return np.int32(best ^ ((best >> 31) & _MASK)).view(np.float32)


def _raise(row: Array, largest: Any, out: Array) -> Any:
    """e to the power of each number less the largest, and their sum."""
    total = np.float32(0)
    for k in range(row.shape[0]):
        raised = exp32(row[k] - largest)
        out[k] = raised
        total += raised
    return total


def _weighted(row: Array, largest: Any, size: Any, share: Any, wanted: Array, out: Array) -> Any:
    """The loss of a row, and in `out`, where there are powers, its gradient."""
    loss = np.float32(0)
    for k in range(row.shape[0]):
        loss += (size - (row[k] - largest)) * wanted[k]
        out[k] = out[k] * share - wanted[k]
    return loss


largest_of: Any = njit(_largest)
raise_to: Any = njit(fastmath={"contract", "reassoc"})(_raise)
weighted: Any = njit(fastmath={"contract", "reassoc"})(_weighted)


def softmax() -> Loops:
    """exp(x) / sum(exp(x)) of each row."""

    def loops(x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            target = out[i]
            share = _ONE / raise_to(x[i], largest_of(x[i]), target)
            for k in range(target.shape[0]):
                target[k] *= share

    return Loops(loops, ["f4[2]", "f4[2]"])


def log_softmax() -> Loops:
    """x - log(sum(exp(x))) of each row."""

    def loops(x: Array, out: Array) -> None:
        for i in range(x.shape[0]):
            row, target = x[i], out[i]
            largest = largest_of(row)
            size = np.float32(np.log(raise_to(row, largest, target)))
            for k in range(target.shape[0]):
                target[k] = row[k] - largest - size

    return Loops(loops, ["f4[2]", "f4[2]"])


def sparse_cross_entropy(labels: str) -> Loops:
    """Loss of each row for the class that `labels` names, and its gradient.

    A label that is out of range counts as no class, and makes `outside` one.
    """

    def loops(x: Array, labels: Array, loss: Array, gradient: Array, outside: Array) -> None:
        for i in range(x.shape[0]):
            row, target = x[i], gradient[i]
            largest = largest_of(row)
            total = raise_to(row, largest, target)
            loss[i] = np.float32(np.log(total))
            share = _ONE / total
            for k in range(target.shape[0]):
                target[k] *= share
            label = labels[i]
            if 0 <= label < target.shape[0]:
                loss[i] -= row[label] - largest
                target[label] -= _ONE
            else:
                outside[0] = 1

    return Loops(loops, ["f4[2]", f"{labels}[1]", "f4[1]", "f4[2]", "i8[1]"])


def cross_entropy() -> Loops:
    """The same for labels that are distributions."""

    def loops(x: Array, labels: Array, loss: Array, gradient: Array) -> None:
        for i in range(x.shape[0]):
            row, wanted, target = x[i], labels[i], gradient[i]
            largest = largest_of(row)
            total = raise_to(row, largest, target)
            size, share = np.float32(np.log(total)), _ONE / total
            loss[i] = weighted(row, largest, size, share, wanted, target)

    return Loops(loops, ["f4[2]", "f4[2]", "f4[1]", "f4[2]"])
