"""Sums, means and extremes of the rows that belong together.

`segment_*` want sorted ids and as many segments as the largest says; `unsorted_segment_*` take any order, drop
negative ids and are told how many segments there are; `sparse_segment_*` pick rows first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfbench.engine import shape_math
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import device_rows, host_rows
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, OpDef, lookup, op
from tfbench.engine.ops.array_fill import ones
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.math_unary import sqrt
from tfbench.engine.ops.shape_ops import reshape, shape_internal
from tfbench.engine.ops.shape_queries import rank as rank_of
from tfbench.engine.shape_math import debug_string
from tfbench.engine.tensor import Tensor

__all__ = [
    "segment_max", "segment_mean", "segment_min", "segment_prod", "segment_sum", "sparse_segment_mean",
    "sparse_segment_sqrt_n", "sparse_segment_sum", "unsorted_segment_max", "unsorted_segment_mean",
    "unsorted_segment_min", "unsorted_segment_prod", "unsorted_segment_sqrt_n", "unsorted_segment_sum",
]  # fmt: skip

_REAL = "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
_FLOAT = "{half, bfloat16, float, double}"

#: (array module, rows, ids, number of segments) -> what each segment's rows make
Compute = Callable[[Any, Any, Any, int], Any]


def _grouped(xp: Any, ufunc: Any, rows: Any, ids: Any, count: int, empty: Any) -> Any:
    """`ufunc` over the rows of each id in 0 … count - 1; a segment without rows is `empty`.

    In NumPy ids are sorted; elsewhere they need not be, and those that are no segment's are left out.
    """
    if xp is not np:
        return device_rows.grouped(xp, ufunc.__name__, rows, ids, count, empty)
    result = np.full((count, *rows.shape[1:]), empty, rows.dtype)
    if ids.size:
        starts = np.flatnonzero(np.concatenate(([True], ids[1:] != ids[:-1])))
        result[ids[starts]] = ufunc.reduceat(rows, starts, axis=0, dtype=rows.dtype)
    return result


def _counts(xp: Any, ids: Any, count: int, rank: int) -> Any:
    """How many rows each segment has, at least 1, in a form that divides the rows."""
    counts = np.bincount(ids, minlength=count) if xp is np else device_rows.counts(xp, ids, count)
    return xp.maximum(counts, 1).reshape((count,) + (1,) * (rank - 1))


def _divide(xp: Any, total: Any, by: Any) -> Any:
    if total.dtype.kind in "iu":
        return (xp.abs(total) // by.astype(total.dtype) * xp.sign(total)).astype(total.dtype)
    return (total / by).astype(total.dtype)


def _mean(xp: Any, rows: Any, ids: Any, count: int) -> Any:
    return _divide(xp, _grouped(xp, np.add, rows, ids, count, 0), _counts(xp, ids, count, rows.ndim))


def _sqrt_n(xp: Any, rows: Any, ids: Any, count: int) -> Any:
    return _divide(xp, _grouped(xp, np.add, rows, ids, count, 0), xp.sqrt(_counts(xp, ids, count, rows.ndim)))


def _by(ufunc: Any, empty: Any) -> Compute:
    return lambda xp, rows, ids, count: _grouped(xp, ufunc, rows, ids, count, empty)


# -- sorted ids --------------------------------------------------------------------------------------------------


def _segment_shape(node: Operation, data: Any, ids: Any) -> Any:
    shape_math.with_rank_at_least(data, 1)
    shape_math.with_rank(ids, 1)
    return [None if data is None else (None, *data[1:])]


def _check_sorted(ids: Any) -> None:
    if (ids[1:] < ids[:-1]).any():
        raise invalid("segment ids are not increasing")
    if ids.size and ids[0] < 0:
        raise invalid(
            f"Segment id {ids[0]} out of range [0, {ids[-1] + 1}), possibly because 'segment_ids' input is not sorted."
        )


def _segment(type: str, types: str, compute: Compute, doc: str) -> OpDef:
    opdef = op(
        type, "data: T, segment_ids: Tindices", "output: T", f"T: {types}; Tindices: indextype", fresh=True, doc=doc
    )
    opdef.shape(_segment_shape)

    @opdef.kernel(CPU, GPU)
    def kernel(xp: Any, data: Any, ids: Any) -> Any:
        if ids.ndim != 1:
            raise invalid("segment_ids should be a vector.")
        if data.ndim == 0 or ids.shape[0] != data.shape[0]:
            raise invalid("segment_ids should be the same size as dimension 0 of input.")
        if xp is np:
            _check_sorted(ids)
        return compute(xp, data, ids, max(int(ids[-1]) + 1, 0) if ids.size else 0)

    return opdef


_segment_sum = _segment("SegmentSum", "numbertype", _by(np.add, 0), "sums; 0 for a segment without rows")
_segment_mean = _segment("SegmentMean", "numbertype", _mean, "means; 0 for a segment without rows")
_segment_prod = _segment("SegmentProd", "numbertype", _by(np.multiply, 1), "products; 1 for a segment without rows")
_segment_min = _segment("SegmentMin", _REAL, _by(np.minimum, 0), "the smallest; 0 for a segment without rows")
_segment_max = _segment("SegmentMax", _REAL, _by(np.maximum, 0), "the largest; 0 for a segment without rows")

# -- ids in any order ----------------------------------------------------------------------------------------------


def _count_of(tensor: Tensor) -> int | None:
    value = constant_value(tensor)
    if value is None:
        return None
    if value < 0:
        raise ValueError(f"Dimension size, given by scalar input 2, must be non-negative but is {int(value)}")
    return int(value)


def _unsorted_shape(node: Operation, data: Any, ids: Any, count: Any) -> Any:
    if count:
        raise ValueError(f"Shape must be rank 0 but is rank {len(count)}")
    first = _count_of(node._inputs[2])
    if data is None or ids is None:
        return [None]
    shape_math.with_rank_at_least(data, len(ids))
    for one, two in zip(data, ids):
        shape_math.dim_merge(one, two)
    return [(first, *data[len(ids) :])]


def _unsorted(type: str, types: str, indices: str, ufunc: Any, empty: Callable[[Any], Any], doc: str) -> OpDef:
    opdef = op(
        type,
        "data: T, segment_ids: Tindices, num_segments: Tnumsegments",
        "output: T",
        f"T: {types}; Tindices: {indices}; Tnumsegments: indextype = int32",
        fresh=True,
        doc=doc,
    )
    opdef.shape(_unsorted_shape)

    @opdef.kernel(CPU, GPU)
    def kernel(xp: Any, data: Any, ids: Any, count: Any) -> Any:
        number = int(count)
        if number < 0:
            raise invalid(f"Input num_segments == {number} must not be negative.")
        if data.shape[: ids.ndim] != ids.shape:
            raise invalid(
                f"data.shape = {debug_string(data.shape)} does not start with segment_ids.shape = "
                f"{debug_string(ids.shape)}"
            )
        rows = data.reshape((ids.size, *data.shape[ids.ndim :]))
        flat = ids.ravel()
        if xp is not np:
            return _grouped(xp, ufunc, rows, flat, number, empty(data.dtype))
        bad = np.flatnonzero(flat >= number)
        if bad.size:
            where = ",".join(str(i) for i in np.unravel_index(bad[0], ids.shape))
            raise invalid(f"segment_ids[{where}] = {flat[bad[0]]} is out of range [0, {number})")
        kept = np.flatnonzero(flat >= 0)
        if ufunc is np.add and data.dtype.char in "fd":
            result = np.zeros((number, *rows.shape[1:]), data.dtype)
            some = slice(None) if len(kept) == len(flat) else kept
            host_rows.combine("add", result, flat[some], rows[some])
            return result
        order = kept[np.argsort(flat[kept], kind="stable")]
        result = _grouped(xp, ufunc, rows[order], flat[order], number, empty(data.dtype))
        if ufunc is np.maximum or ufunc is np.minimum:
            ufunc(result, empty(data.dtype), out=result)  # as if it were one of the rows: the largest of -inf is it
        return result

    return opdef


def _smallest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else np.finfo(dtype).min


def _largest(dtype: Any) -> Any:
    return np.iinfo(dtype).max if dtype.kind in "iu" else np.finfo(dtype).max


_unsorted_sum = _unsorted(
    "UnsortedSegmentSum", "numbertype", "{int16, int32, int64}", np.add, lambda _: 0, "sums; 0 without rows"
)
_unsorted_prod = _unsorted(
    "UnsortedSegmentProd", "numbertype", "indextype", np.multiply, lambda _: 1, "products; 1 without rows"
)
_unsorted_min = _unsorted(
    "UnsortedSegmentMin", _REAL, "indextype", np.minimum, _largest, "the smallest; the type's largest without rows"
)
_unsorted_max = _unsorted(
    "UnsortedSegmentMax", _REAL, "indextype", np.maximum, _smallest, "the largest; the type's smallest without rows"
)

# -- picked rows -------------------------------------------------------------------------------------------------


def _sparse_shape(node: Operation, data: Any, indices: Any, ids: Any, count: Any = ()) -> Any:
    shape_math.with_rank_at_least(data, 1)
    shape_math.with_rank(indices, 1)
    shape_math.with_rank(ids, 1)
    shape_math.merge(indices, ids)
    if count:
        raise ValueError(f"Shape must be rank 0 but is rank {len(count)}")
    first = _count_of(node._inputs[3]) if len(node._inputs) == 4 else None
    return [None if data is None else (first, *data[1:])]


def _sparse(type: str, types: str, compute: Compute, doc: str) -> tuple[OpDef, OpDef]:
    """The op, and the op that is told the number of segments."""

    def kernel(xp: Any, data: Any, indices: Any, ids: Any, count: Any = None) -> Any:
        if indices.ndim != 1 or ids.ndim != 1:
            raise invalid(f"{'indices' if indices.ndim != 1 else 'segment_ids'} should be a vector.")
        if indices.shape != ids.shape:
            raise invalid("segment_ids and indices should have same size.")
        if xp is np:
            _check_sorted(ids)
        elif count is not None and int(count) >= 0:
            return compute(xp, device_rows.take(xp, data, indices, 0), ids, int(count))
        number = max(int(ids[-1]) + 1, 0) if ids.size else 0
        if count is not None:
            if int(count) < 0:
                raise invalid(f"num_segments must be >= 0, but is {int(count)}")
            if number > int(count):
                raise invalid("segment ids must be < num_segments")
            number = int(count)
        if xp is not np:
            return compute(xp, device_rows.take(xp, data, indices, 0), ids, number)
        bad = np.flatnonzero((indices < 0) | (indices >= data.shape[0]))
        if bad.size:
            raise invalid(f"Bad: indices[{bad[0]}] == {indices[bad[0]]} out of range [0, {data.shape[0]})")
        return compute(xp, data[indices], ids, number)

    attrs = f"T: {types}; Tidx: indextype = int32; Tsegmentids: indextype = int32; sparse_gradient: bool = false"
    plain = op(type, "data: T, indices: Tidx, segment_ids: Tsegmentids", "output: T", attrs, fresh=True, doc=doc)
    told = op(
        type + "WithNumSegments",
        "data: T, indices: Tidx, segment_ids: Tsegmentids, num_segments: Tnumsegments",
        "output: T",
        f"T: {types}; Tidx: indextype = int32; Tnumsegments: indextype = int32; Tsegmentids: indextype = int32;"
        " sparse_gradient: bool = false",
        fresh=True,
        doc=doc,
    )
    for opdef in (plain, told):
        opdef.shape(_sparse_shape)
        opdef.kernel(CPU, GPU)(kernel)
    return plain, told


_sparse_sum = _sparse("SparseSegmentSum", _REAL, _by(np.add, 0), "sums of picked rows")
_sparse_mean = _sparse("SparseSegmentMean", _FLOAT, _mean, "means of picked rows")
_sparse_sqrt_n = _sparse("SparseSegmentSqrtN", _FLOAT, _sqrt_n, "sums of picked rows, over the root of their number")

# -- the functions ---------------------------------------------------------------------------------------------------


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; ids are sorted."""
    return _segment_sum(data, segment_ids, name=name)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment; ids are sorted."""
    return _segment_mean(data, segment_ids, name=name)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The product of the rows of each segment; ids are sorted."""
    return _segment_prod(data, segment_ids, name=name)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The smallest of the rows of each segment; ids are sorted."""
    return _segment_min(data, segment_ids, name=name)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The largest of the rows of each segment; ids are sorted."""
    return _segment_max(data, segment_ids, name=name)


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment; ids in any order, negative ones are dropped."""
    return _unsorted_sum(data, segment_ids, num_segments, name=name)


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The product of the rows of each segment; ids in any order, negative ones are dropped."""
    return _unsorted_prod(data, segment_ids, num_segments, name=name)


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The smallest of the rows of each segment; ids in any order, negative ones are dropped."""
    return _unsorted_min(data, segment_ids, num_segments, name=name)


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The largest of the rows of each segment; ids in any order, negative ones are dropped."""
    return _unsorted_max(data, segment_ids, num_segments, name=name)


def _rows_of_each(data: Any, ids: Any, count: Any) -> Tensor:
    """How many rows each segment has (at least 1), in a form that divides the sums."""
    count = convert_to_tensor(count)
    number = unsorted_segment_sum(ones(shape_internal(ids), dtype=data._dtype), ids, count)
    form = concat([count[None], ones([rank_of(data) - rank_of(ids)], dtype=count._dtype)], axis=0)
    return lookup("Maximum")(reshape(number, form), 1)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The mean of the rows of each segment; ids in any order, negative ones are dropped."""
    with name_scope(name, "UnsortedSegmentMean"):
        data = convert_to_tensor(data)
        ids = convert_to_tensor(segment_ids)
        number = _rows_of_each(data, ids, num_segments)
        return unsorted_segment_sum(data, ids, num_segments) / number


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sum of the rows of each segment over the root of their number; negative ids are dropped."""
    with name_scope(name, "UnsortedSegmentSqrtN"):
        data = convert_to_tensor(data)
        ids = convert_to_tensor(segment_ids)
        number = _rows_of_each(data, ids, num_segments)
        return unsorted_segment_sum(data, ids, num_segments) / sqrt(number)


def _picked(pair: tuple[OpDef, OpDef], data: Any, indices: Any, ids: Any, name: Any, count: Any, sparse: bool) -> Any:
    plain, told = pair
    if count is not None:
        return told(data, indices, ids, count, sparse_gradient=sparse, name=name)
    return plain(data, indices, ids, sparse_gradient=sparse, name=name)


def sparse_segment_sum(
    data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The sum of the rows `data[indices]` of each segment; ids are sorted."""
    return _picked(_sparse_sum, data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_mean(
    data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The mean of the rows `data[indices]` of each segment; ids are sorted."""
    return _picked(_sparse_mean, data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_sqrt_n(
    data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:  # fmt: skip
    """The sum of the rows `data[indices]` of each segment over the root of their number; ids are sorted."""
    return _picked(_sparse_sqrt_n, data, indices, segment_ids, name, num_segments, sparse_gradient)
