"""Functions of numbers, reductions and products, under the names of `tf.keras.backend`."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.ops.math_clip import clip_by_value
from tfbench.engine.ops.math_reductions import reduce_std, reduce_variance
from tfbench.keras.backend.config import floatx

# -- of numbers ------------------------------------------------------------------------------------------------------

abs = ops.abs
cos = ops.cos
equal = ops.equal
exp = ops.exp
greater = ops.greater
greater_equal = ops.greater_equal
less = ops.less
less_equal = ops.less_equal
log = ops.log
maximum = ops.maximum
minimum = ops.minimum
not_equal = ops.not_equal
pow = ops.pow
round = ops.round
sign = ops.sign
sin = ops.sin
square = ops.square


def sqrt(x: Any) -> Any:
    """The square root; of negative numbers 0."""
    dtype = x.dtype.base_dtype
    zero, most = ops.constant(0.0, dtype), ops.constant(float("inf"), dtype)
    return ops.sqrt(clip_by_value(x, zero, most))


def clip(x: Any, min_value: Any, max_value: Any) -> Any:
    """`x` within [min_value, max_value]; None for no upper bound."""
    if max_value is not None and max_value < min_value:
        max_value = min_value
    dtype = x.dtype.base_dtype
    low = ops.constant(min_value, dtype)
    return clip_by_value(x, low, ops.constant(float("inf") if max_value is None else max_value, dtype))


def cast(x: Any, dtype: Any) -> Any:
    """The same numbers as another type."""
    return ops.cast(x, dtype)


# -- reductions ------------------------------------------------------------------------------------------------------


def _numbers(x: Any) -> Any:
    return ops.cast(x, floatx()) if x.dtype.base_dtype.is_bool else x


def max(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The largest element along axes."""
    return ops.reduce_max(x, axis, keepdims)


def min(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The smallest element along axes."""
    return ops.reduce_min(x, axis, keepdims)


def sum(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The sum along axes."""
    return ops.reduce_sum(x, axis, keepdims)


def prod(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The product along axes."""
    return ops.reduce_prod(x, axis, keepdims)


def mean(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The mean along axes; of bools, how many are true."""
    return ops.reduce_mean(_numbers(x), axis, keepdims)


def var(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The variance along axes."""
    return reduce_variance(_numbers(x), axis=axis, keepdims=keepdims)


def std(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """The standard deviation along axes."""
    return reduce_std(_numbers(x), axis=axis, keepdims=keepdims)


def any(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether some element along axes is true."""
    return ops.reduce_any(ops.cast(x, "bool"), axis, keepdims)


def all(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Whether all elements along axes are true."""
    return ops.reduce_all(ops.cast(x, "bool"), axis, keepdims)


def argmax(x: Any, axis: int = -1) -> Any:
    """Where along the axis the largest element is."""
    return ops.argmax(x, axis)


def argmin(x: Any, axis: int = -1) -> Any:
    """Where along the axis the smallest element is."""
    return ops.argmin(x, axis)


def cumsum(x: Any, axis: int = 0) -> Any:
    """The sums of all elements up to each, along the axis."""
    return ops.cumsum(x, axis=axis)


def cumprod(x: Any, axis: int = 0) -> Any:
    """The products of all elements up to each, along the axis."""
    return ops.cumprod(x, axis=axis)


# -- products --------------------------------------------------------------------------------------------------------


def _sizes(x: Any) -> list[Any]:
    """The sizes, as numbers where they are known."""
    dynamic = ops.unstack(ops.shape(x))
    return [now if known is None else known for known, now in zip(x.shape.as_list(), dynamic, strict=True)]


def dot(x: Any, y: Any) -> Any:
    """The product of matrices; of tensors, over the last axis of `x` and the second but last of `y`."""
    from tfbench.engine.composite import SparseTensor

    if isinstance(x, SparseTensor):
        return ops.sparse_tensor_dense_matmul(x, y)
    rank = y.shape.ndims
    if x.shape.ndims is None or rank is None or (x.shape.ndims <= 2 and rank <= 2):
        return ops.matmul(x, y)
    x_sizes, y_sizes = _sizes(x), _sizes(y)
    rows = ops.reshape(x, [-1, x_sizes[-1]])
    order = [rank - 2, *(axis for axis in range(rank) if axis != rank - 2)] if rank > 1 else [0]
    columns = ops.reshape(ops.transpose(y, perm=order), [y_sizes[-2], -1])
    return ops.reshape(ops.matmul(rows, columns), [*x_sizes[:-1], *y_sizes[:-2], *y_sizes[-1:]])


def batch_dot(x: Any, y: Any, axes: Any = None) -> Any:
    """The product of each element of the batch with its partner, over the `axes` of the two."""
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    ranks = [x.shape.ndims, y.shape.ndims]
    axes = [axes, axes] if isinstance(axes, int) else [ranks[0] - 1, ranks[1] - 2] if axes is None else list(axes)
    missing = ranks[0] - ranks[1]
    if missing > 0:
        y = ops.reshape(y, ops.concat([ops.shape(y), [1] * missing], axis=0))
    elif missing < 0:
        x = ops.reshape(x, ops.concat([ops.shape(x), [1] * -missing], axis=0))
    if x.shape.ndims == 2 and y.shape.ndims == 2:
        if axes[0] == axes[1]:
            out = ops.reduce_sum(ops.multiply(x, y), axes[0])
        else:
            out = ops.reduce_sum(ops.multiply(ops.transpose(x, [1, 0]), y), axes[1])
    else:
        out = ops.matmul(
            x, y, adjoint_a=axes[0] != x.shape.ndims - 1, adjoint_b=axes[1] == y.shape.ndims - 1
        )  # fmt: skip
    if missing:
        first = ranks[0] + ranks[1] - 3 if missing > 0 else ranks[0] - 1
        extra = missing if missing > 0 else -missing
        out = ops.squeeze(out, list(range(first, first + extra)))
    return ops.expand_dims(out, 1) if out.shape.ndims == 1 else out
