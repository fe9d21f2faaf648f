"""Counting: how often each number occurs, and how many fall into each bin."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes, shape_math
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels import device_rows
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_common import same_shape
from tfbench.engine.ops.reductions import reduce_max
from tfbench.engine.ops.shape_ops import reshape
from tfbench.engine.ops.shape_queries import size as size_of
from tfbench.engine.tensor import Tensor

__all__ = ["bincount", "histogram_fixed_width"]


# -- counting integers -------------------------------------------------------------------------------------------

_bincount = op(
    "Bincount", "arr: int32, size: int32, weights: T", "bins: T", "T: {int32, int64, float, double}", fresh=True
)
_dense_bincount = op(
    "DenseBincount",
    "input: Tidx, size: Tidx, weights: T",
    "output: T",
    "Tidx: indextype; T: {int32, int64, float, double}; binary_output: bool = false",
    fresh=True,
    doc="how often 0, 1, … size - 1 occur (in each row), or the sum of their weights",
)
for _counts in (_bincount, _dense_bincount):
    _counts.no_gradient("TensorFlow has none, though that of the weights exists; tf.math.segment_sum has one")


def _known_size(tensor: Tensor) -> int | None:
    value = constant_value(tensor)
    if value is not None and value < 0:
        raise ValueError(f"size ({int(value)}) must be non-negative")
    return None if value is None else int(value)


@_bincount.shape
def _bincount_shape(node: Operation, values: Any, size: Any, weights: Any) -> Any:
    shape_math.with_rank(size, 0)
    return [(_known_size(node._inputs[1]),)]


@_dense_bincount.shape
def _dense_bincount_shape(node: Operation, values: Any, size: Any, weights: Any) -> Any:
    shape_math.with_rank_at_most(values, 2)
    shape_math.with_rank(size, 0)
    count = _known_size(node._inputs[1])
    if values is None:
        return [None]
    return [(values[0], count) if len(values) == 2 else (count,)]


def _count(xp: Any, values: Any, size: int, weights: Any, binary: bool) -> Any:
    if xp is not np:
        return _count_there(xp, values, size, weights, binary)
    inside = values < size
    if binary:
        return np.isin(np.arange(size), values).astype(weights.dtype)
    if weights.size == 0:
        return np.bincount(values[inside], minlength=size).astype(weights.dtype)
    result = np.zeros(size, weights.dtype)
    np.add.at(result, values[inside], weights[inside])
    return result


def _count_there(xp: Any, values: Any, size: int, weights: Any, binary: bool) -> Any:
    """The same, with sums by atomic operations; numbers that are not counted are left out."""
    result = xp.zeros(size, weights.dtype)
    one = weights.dtype.type(1)
    device_rows.put(xp, result, values, one if binary or not weights.size else weights, "add")
    return xp.minimum(result, one) if binary else result


def _run_count(xp: Any, values: Any, size: Any, weights: Any, binary: bool) -> Any:
    if int(size) < 0:
        raise invalid(f"size ({int(size)}) must be non-negative")
    if weights.size and weights.shape != values.shape:
        raise invalid(
            f"`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it acts as all weights "
            f"equal to 1. Received {shape_math.debug_string(weights.shape)}"
        )
    if xp is np and (values < 0).any():
        raise invalid("Input arr must be non-negative!")
    return _count(xp, values, int(size), weights, binary)


@_bincount.kernel(CPU, GPU)
def _bincount_kernel(xp: Any, values: Any, size: Any, weights: Any) -> Any:
    return _run_count(xp, values.ravel(), size, weights.ravel(), binary=False)


@_dense_bincount.kernel(CPU, GPU)
def _dense_bincount_kernel(xp: Any, values: Any, size: Any, weights: Any, *, binary_output: bool) -> Any:
    if values.ndim > 2:
        raise invalid("Shape must be at most rank 2 but is rank " + str(values.ndim))
    if values.ndim < 2:
        return _run_count(xp, values.ravel(), size, weights.ravel(), binary_output)
    rows = [
        _run_count(xp, row, size, weights[i] if weights.size else weights.ravel(), binary_output)
        for i, row in enumerate(values)
    ]
    return xp.stack(rows) if rows else xp.zeros((0, int(size)), weights.dtype)


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32
) -> Tensor:
    """How often each of 0, 1, … occurs in `arr`, or the sum of their `weights`.

    The result is as long as the largest number needs, at least `minlength`, at most `maxlength`.
    """
    with name_scope(None, "bincount"):
        arr = convert_to_tensor(arr, name="arr")
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        if not arr._dtype.is_integer:
            arr = cast(arr, dtypes.int32)
        kind = arr._dtype.base_dtype
        some = cast(size_of(arr) > 0, kind)  # type: ignore[operator]
        length: Any = some * (reduce_max(arr) + 1)
        if minlength is not None:
            length = lookup("Maximum")(convert_to_tensor(minlength, name="minlength", dtype=kind), length)
        if maxlength is not None:
            length = lookup("Minimum")(convert_to_tensor(maxlength, name="maxlength", dtype=kind), length)
        if weights is not None:
            weights = reshape(weights, [-1])
        arr = reshape(arr, [-1])
        if weights is None:
            weights = constant([], as_dtype(dtype))
        return _dense_bincount(arr, length, weights)


# -- bins ----------------------------------------------------------------------------------------------------------

_histogram = op(
    "HistogramFixedWidth",
    "values: T, value_range: T, nbins: int32",
    "out: dtype",
    "T: {int32, int64, float, double}; dtype: indextype = int32",
    fresh=True,
    doc="how many values fall into each of nbins bins of one width; the outer bins take what lies beyond",
)
_histogram.no_gradient("counts are integers")


@_histogram.shape
def _histogram_shape(node: Operation, values: Any, limits: Any, nbins: Any) -> Any:
    limits = shape_math.with_rank(limits, 1)
    shape_math.with_dim(limits[0], 2)
    shape_math.with_rank(nbins, 0)
    count = constant_value(node._inputs[2])
    if count is None:
        return [(None,)]
    if count <= 0:
        raise ValueError(f"Requires nbins > 0: {count}")
    return [(int(count),)]


@_histogram.kernel(CPU, GPU)
def _histogram_kernel(xp: Any, values: Any, limits: Any, nbins: Any, *, dtype: Any) -> Any:
    count = int(nbins)
    if count <= 0:
        raise invalid(f"nbins should be a positive number, but got '{count}'")
    low, high = limits
    if not low < high:
        raise invalid(f"value_range should satisfy value_range[0] < value_range[1], but got '[{low:g}, {high:g}]'")
    flat = values.ravel()
    if xp is np and np.isnan(flat).any():
        raise invalid("Histogram values must not contain NaN")
    step = float(high - low) / count
    places = (xp.maximum(flat, low) - low).astype(np.float64) / step
    places = xp.minimum(places, count - 1).astype(np.int64)
    if xp is not np:
        return device_rows.counts(xp, places, count).astype(dtype.as_numpy_dtype)
    return np.bincount(places, minlength=count).astype(dtype.as_numpy_dtype)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """How many of `values` fall into each of `nbins` bins of one width; values beyond the range count at its ends."""
    with name_scope(name, "histogram_fixed_width", [values, value_range, nbins]) as scope:
        return _histogram(values, value_range, nbins, dtype=dtype, name=scope)


_bucketize = op(
    "Bucketize", "input: T", "output: int32", "T: {int32, int64, float, double}; boundaries: list(float)", fresh=True
)
_bucketize.shape(same_shape)
_bucketize.no_gradient("numbers of buckets are integers")


@_bucketize.kernel(CPU, GPU)
def _bucketize_kernel(xp: Any, x: Any, *, boundaries: list[float]) -> Any:
    edges = np.asarray(boundaries, np.float32)
    if (edges[1:] < edges[:-1]).any():
        raise invalid("Expected sorted boundaries")
    return xp.asarray(xp.searchsorted(xp.asarray(edges), x, side="right")).astype(np.int32)
