"""The ops of the gradients of sparse segments: each row of data gets back what its segments got.

Those of version 2 give only the rows that were picked at all, and which these are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import shape_math
from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import device_rows
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.static_value import get_static_value

__all__: list[str] = []

_ATTRS = "T: {bfloat16, half, float, double}; Tidx: indextype = int32; Tsegmentids: indextype = int32"


def _add(xp: Any, target: Any, places: Any, values: Any) -> None:
    if xp is np:
        np.add.at(target, places, values)
    else:
        device_rows.put(xp, target, places, values, "add")


def _check(xp: Any, grad: Any, indices: Any, ids: Any, rows: int) -> None:
    if indices.ndim != 1 or ids.ndim != 1 or indices.shape != ids.shape:
        raise invalid("segment_ids and indices should be vectors of the same size.")
    if rows < 0:
        raise invalid(f"output_dim0 must be >= 0, but is {rows}")
    if xp is not np:
        return  # looking would make the host wait for the device
    for name, array, bound in (("Index", indices, rows), ("Segment id", ids, grad.shape[0])):
        bad = np.flatnonzero((array < 0) | (array >= bound))
        if bad.size:
            raise invalid(f"{name} {array[bad[0]]} out of range [0, {bound}).")


def _spread(xp: Any, grad: Any, ids: Any, weigh: Callable[[Any], Any] | None) -> Any:
    """For each picked row its segment's gradient, over what the segment was divided by."""
    there = xp is not np
    rows = device_rows.take(xp, grad, ids, 0) if there else grad[ids]
    if weigh is None:
        return rows
    counts = device_rows.counts(xp, ids, grad.shape[0]) if there else np.bincount(ids, minlength=grad.shape[0])
    weights = weigh(xp.maximum(counts, 1).astype(np.float64))
    weights = device_rows.take(xp, weights, ids, 0) if there else weights[ids]
    return rows / weights.reshape((-1,) + (1,) * (grad.ndim - 1))


def _declare(type: str, weigh: Callable[[Any], Any] | None, doc: str) -> tuple[OpDef, OpDef]:
    whole = op(
        type, "grad: T, indices: Tidx, segment_ids: Tsegmentids, output_dim0: int32", "output: T", _ATTRS,
        fresh=True, doc=doc,
    )  # fmt: skip
    picked = op(
        type + "V2", "grad: T, indices: Tidx, segment_ids: Tsegmentids, dense_output_dim0: int32",
        "output: T, sorted_unique_indices: Tidx", _ATTRS, fresh=True, doc=doc,
    )  # fmt: skip
    whole.shape(_whole_shape)
    picked.shape(_picked_shape)

    @whole.kernel(CPU, GPU)
    def whole_kernel(xp: Any, grad: Any, indices: Any, ids: Any, output_dim0: Any) -> Any:
        _check(xp, grad, indices, ids, int(output_dim0))
        result = xp.zeros((int(output_dim0), *grad.shape[1:]), np.float64)
        _add(xp, result, indices, _spread(xp, grad, ids, weigh))
        return result.astype(grad.dtype)

    @picked.kernel(CPU, GPU)
    def picked_kernel(xp: Any, grad: Any, indices: Any, ids: Any, dense_output_dim0: Any) -> Any:
        _check(xp, grad, indices, ids, int(dense_output_dim0))
        rows, places = xp.unique(indices, return_inverse=True)
        result = xp.zeros((rows.size, *grad.shape[1:]), np.float64)
        _add(xp, result, places, _spread(xp, grad, ids, weigh))
        return result.astype(grad.dtype), rows

    return whole, picked


def _whole_shape(node: Operation, grad: Any, indices: Any, ids: Any, count: Any) -> Any:
    shape_math.with_rank(indices, 1)
    shape_math.merge(indices, ids)
    shape_math.with_rank(count, 0)
    grad = shape_math.with_rank_at_least(grad, 1)
    rows = get_static_value(node._inputs[3])
    return [None if grad is None else (None if rows is None else int(rows), *grad[1:])]


def _picked_shape(node: Operation, grad: Any, indices: Any, ids: Any, count: Any) -> Any:
    _whole_shape(node, grad, indices, ids, count)
    return [None if grad is None else (None, *grad[1:]), (None,)]


sum_grad = _declare("SparseSegmentSumGrad", None, "the gradient of sums of picked rows")
mean_grad = _declare("SparseSegmentMeanGrad", lambda counts: counts, "the gradient of means of picked rows")
sqrt_n_grad = _declare("SparseSegmentSqrtNGrad", np.sqrt, "the gradient of sums over the root of their number")

for _opdef in (*sum_grad, *mean_grad, *sqrt_n_grad):
    _opdef.no_gradient("TensorFlow registers no gradient for the gradients of sparse segments")
