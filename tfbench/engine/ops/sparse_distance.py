"""How far sequences are from one another: EditDistance."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value_as_shape
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.sparse import as_sparse
from tfbench.engine.shapes import Shape
from tfbench.engine.tensor import Tensor

__all__ = ["edit_distance"]


_edit_distance = op(
    "EditDistance",
    "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, truth_values: T, "
    "truth_shape: int64",
    "output: float",
    "normalize: bool = true; T: type",
    fresh=True,
)


@_edit_distance.shape
def _edit_distance_shape(node: Operation, *shapes: Shape) -> list[Shape]:
    first = constant_value_as_shape(node._inputs[2])
    second = constant_value_as_shape(node._inputs[5])
    if first is None or second is None:
        return [None]
    if len(first) != len(second):
        raise ValueError(f"Shape must be rank {len(first)} but is rank {len(second)}")
    result = [None if a is None or b is None else max(a, b) for a, b in zip(first[:-1], second[:-1])]
    return [tuple(result)]


def _sequences(indices: Any, values: Any) -> dict[tuple[int, ...], list[Any]]:
    """The elements of a sparse tensor by all of their indices but the last."""
    found: dict[tuple[int, ...], list[Any]] = {}
    for index, value in zip(indices.tolist(), values.tolist()):
        found.setdefault(tuple(index[:-1]), []).append(value)
    return found


def _levenshtein(first: list[Any], second: list[Any]) -> int:
    """The least number of insertions, deletions and substitutions that turn one list into the other."""
    row = list(range(len(second) + 1))
    for i, a in enumerate(first, 1):
        corner, row[0] = row[0], i
        for j, b in enumerate(second, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (a != b))
    return row[-1]


@_edit_distance.kernel(CPU)
def _edit_distance_kernel(xp: Any, hi: Any, hv: Any, hs: Any, ti: Any, tv: Any, ts: Any, *, normalize: bool) -> Any:
    if hs.size != ts.size:
        raise invalid(
            f"Expected hypothesis_shape.NumElements() == truth_shape.NumElements(), but got {hs.size} and {ts.size}"
        )
    result = np.zeros([max(a, b) for a, b in zip(hs.tolist()[:-1], ts.tolist()[:-1])], np.float32)
    hypotheses, truths = _sequences(hi, hv), _sequences(ti, tv)
    for group in hypotheses.keys() | truths.keys():
        truth, hypothesis = truths.get(group, []), hypotheses.get(group, [])
        distance = float(_levenshtein(truth, hypothesis))
        if normalize:
            distance = distance / len(truth) if truth else float("inf") if hypothesis else 0.0
        result[group] = distance
    return result


_edit_distance.no_gradient("a number of edits is an integer")


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """How many edits turn each sequence of `hypothesis` into that of `truth`; normalized: per element of truth."""
    first, second = as_sparse(hypothesis), as_sparse(truth)
    return _edit_distance(
        first.indices,
        first.values,
        first.dense_shape,
        second.indices,
        second.values,
        second.dense_shape,
        normalize=normalize,
        name=name,
    )
