"""Reductions: sums, products, extremes and logic over axes of a tensor.

`axis=None` means all axes: a constant list of them where the rank is known, else `range(0, rank(x))` in the graph.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from tfbench.engine.convert import constant
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.kernels.reduce import extreme, total
from tfbench.engine.opdef import CPU, GPU, OpDef, op
from tfbench.engine.ops.math_range import range as _range
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.ops.shape_queries import rank as rank_of
from tfbench.engine.tensor import Tensor

__all__ = ["reduce_all", "reduce_any", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum"]

# -- the ops -----------------------------------------------------------------------------------------------------


def _normal_axes(axes: list[int], rank: int) -> list[int]:
    for axis in axes:
        if not -rank <= axis < rank:
            raise ValueError(f"Invalid reduction dimension {axis} for input with {rank} dimensions.")
    return [axis % rank for axis in axes]


def reduction_shape(node: Operation, x: Any, axes: Any) -> Any:
    """Shape function: `x` without the axes in the second input, or with size 1 there."""
    keep = node.attrs["keep_dims"]
    if axes is not None and len(axes) > 1:
        raise ValueError(f"Shape must be at most rank 1 but is rank {len(axes)}")
    value = constant_value(node._inputs[1])
    if x is None or value is None:
        return [(None,) * len(x) if keep and x is not None else None]
    gone = set(_normal_axes([int(axis) for axis in value.ravel()], len(x)))
    if keep:
        return [tuple(1 if i in gone else size for i, size in enumerate(x))]
    return [tuple(size for i, size in enumerate(x) if i not in gone)]


def run_axes(x: Any, axes: Any) -> tuple[int, ...]:
    """The axes to reduce, normal, as a run sees them.

    Raises:
      InvalidArgumentError: for an axis that x has not, or one given twice.
    """
    axes = np.asarray(axes.get() if hasattr(axes, "get") else axes)
    return _normal(axes.tobytes(), axes.dtype.char, x.ndim)


@lru_cache(1_000)
def _normal(axes: bytes, kind: str, rank: int) -> tuple[int, ...]:
    """`run_axes` of what an array of axes holds; nearly always it holds what it held before."""
    found: list[int] = []
    for axis in np.frombuffer(axes, kind).tolist():
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension ({axis} for input with {rank} dimension(s)")
        axis %= rank
        if axis in found:
            raise invalid(f"Invalid reduction arguments: Axes contains duplicate dimension: {axis}")
        found.append(axis)
    return tuple(found)


def _reduction(type: str, types: str, reduce: Callable[..., Any], doc: str) -> OpDef:
    """Declares a reduction computed by `reduce(xp, x, axes, keepdims)`."""
    fixed = types == "bool"
    opdef = op(
        type,
        f"input: {'bool' if fixed else 'T'}, reduction_indices: Tidx",
        f"output: {'bool' if fixed else 'T'}",
        f"keep_dims: bool = false;{'' if fixed else f' T: {types};'} Tidx: indextype = int32",
        fresh=True,
        doc=doc,
    )
    opdef.shape(reduction_shape)

    def kernel(xp: Any, x: Any, axes: Any, *, keep_dims: bool) -> Any:
        return reduce(xp, x, run_axes(x, axes), keep_dims)

    opdef.kernel(CPU, GPU)(kernel)
    return opdef


#: what `np.sum` and `np.prod` come to, and take longer for than a small sum does
_added: Any = np.add.reduce
_multiplied: Any = np.multiply.reduce


def _sum(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if not axes:
        return xp.array(x)
    if xp is not np:
        return xp.sum(x, axis=axes, dtype=x.dtype, keepdims=keep)
    fast = total(x, axes, keep)
    return fast if fast is not None else _added(x, axes, x.dtype, None, keep)


def _prod(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if not axes:
        return xp.array(x)
    if xp is np:
        return _multiplied(x, axes, x.dtype, None, keep)
    return xp.prod(x, axis=axes, dtype=x.dtype, keepdims=keep)


def _mean(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if not axes:
        return xp.array(x)
    count = 1
    for axis in axes:
        count *= x.shape[axis]
    if x.dtype.kind in "iu":
        # A wide sum, divided towards zero as C divides; the mean of no integers is 0.
        wide = xp.sum(x, axis=axes, keepdims=keep)
        quotient = xp.floor_divide(xp.absolute(wide), max(count, 1))
        return xp.where(wide < 0, -quotient, quotient).astype(x.dtype)
    return _sum(xp, x, axes, keep) / x.dtype.type(count)


def _reduced(shape: tuple[int, ...], axes: tuple[int, ...], keep: bool) -> tuple[int, ...]:
    """What is left of `shape` when `axes` are reduced."""
    return tuple(1 if axis in axes else size for axis, size in enumerate(shape) if keep or axis not in axes)


def _lowest(dtype: Any) -> Any:
    return -np.inf if dtype.kind not in "iu" else np.iinfo(dtype).min


def _highest(dtype: Any) -> Any:
    return np.inf if dtype.kind not in "iu" else np.iinfo(dtype).max


def _extreme(ufunc: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    fast = extreme(ufunc, x, axes, keep)
    return fast if fast is not None else ufunc.reduce(x, axes, None, None, keep)


def _max(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if not axes:
        return xp.array(x)
    if x.size:
        return _extreme(np.maximum, x, axes, keep) if xp is np else xp.max(x, axis=axes, keepdims=keep)
    return xp.full(_reduced(x.shape, axes, keep), _lowest(x.dtype), x.dtype)


def _min(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if not axes:
        return xp.array(x)
    if x.size:
        return _extreme(np.minimum, x, axes, keep) if xp is np else xp.min(x, axis=axes, keepdims=keep)
    return xp.full(_reduced(x.shape, axes, keep), _highest(x.dtype), x.dtype)


def _euclidean_norm(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    if x.dtype.kind == "c":
        squares = xp.square(x.real) + xp.square(x.imag)
    else:
        squares = xp.multiply(x, x)
    summed = xp.sum(squares, axis=axes, dtype=squares.dtype, keepdims=keep) if axes else squares
    return xp.sqrt(summed).astype(x.dtype)


def _all(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    return xp.all(x, axis=axes, keepdims=keep)


def _any(xp: Any, x: Any, axes: tuple[int, ...], keep: bool) -> Any:
    return xp.any(x, axis=axes, keepdims=keep)


_EXTREMES = (
    "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, qint8, quint8, qint32,"
    " qint16, quint16}"
)
_sum_op = _reduction("Sum", "numbertype", _sum, "the sum over axes")
_mean_op = _reduction("Mean", "numbertype", _mean, "the mean over axes")
_prod_op = _reduction("Prod", "numbertype", _prod, "the product over axes")
_max_op = _reduction("Max", _EXTREMES, _max, "the largest over axes")
_min_op = _reduction("Min", _EXTREMES, _min, "the smallest over axes")
_all_op = _reduction("All", "bool", _all, "whether all over axes are true")
_any_op = _reduction("Any", "bool", _any, "whether any over axes is true")
for _truth in (_all_op, _any_op):
    _truth.no_gradient("booleans have no gradient")

_norm_op = _reduction("EuclideanNorm", "numbertype", _euclidean_norm, "the square root of the sum of squares")

# -- the functions -------------------------------------------------------------------------------------------------


def reduction_axes(x: Any, axis: Any) -> Any:
    """`axis`, or all axes of `x`."""
    if axis is not None:
        return axis
    rank = getattr(getattr(x, "shape", None), "ndims", None)
    if rank:
        return constant(np.arange(rank, dtype=np.int32))

    return _range(0, rank_of(x))


def _reduce(
    opdef: OpDef, x: Any, axis: Any, keepdims: Any, name: str | None, reduction_indices: Any, keep_dims: Any
) -> Tensor:
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    return reduce(opdef, x, axis, bool(keepdims), name)


def reduce(opdef: OpDef, x: Any, axis: Any, keepdims: bool, name: str | None) -> Tensor:
    """Adds a reduction; a scalar result is known to be one even where the rank of x is not known."""
    result: Tensor = opdef(x, reduction_axes(x, axis), keep_dims=keepdims, name=name)
    if axis is None and not keepdims and (result._shape is None or None in result._shape):
        result.set_shape(())
    return result


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """The sum over `axis` (a number, a list of them, or None for all); `keepdims` keeps them with size 1."""
    return _reduce(_sum_op, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """The mean over `axis`; of integers, an integer."""
    return _reduce(_mean_op, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """The product over `axis`."""
    return _reduce(_prod_op, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """The largest element over `axis`."""
    return _reduce(_max_op, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """The smallest element over `axis`."""
    return _reduce(_min_op, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """Whether all elements over `axis` are true."""
    return _reduce(_all_op, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """Whether any element over `axis` is true."""
    return _reduce(_any_op, input_tensor, axis, keepdims, name, reduction_indices, keep_dims)


def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares over `axis`. (`tf.math` has this name.)"""
    return reduce(_norm_op, input_tensor, axis, bool(keepdims), name)
