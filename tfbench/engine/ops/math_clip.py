"""Keeping values and norms within bounds, also those of another type."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.dtypes import as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import CPU, GPU, lookup, op
from tfbench.engine.ops.array_fill import ones_like
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.array_select import where
from tfbench.engine.ops.math_binary import maximum, minimum
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_complex import real
from tfbench.engine.ops.math_range import range as _range
from tfbench.engine.ops.math_unary import rsqrt, sqrt
from tfbench.engine.ops.reductions import reduce_sum
from tfbench.engine.ops.shape_queries import rank, size
from tfbench.engine.tensor import Tensor

__all__ = [
    "clip_by_average_norm",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "global_norm",
    "saturate_cast",
]

_clip = op(
    "ClipByValue", "t: T, clip_value_min: T, clip_value_max: T", "output: T", "T: numbertype", fresh=True,
    doc="t, but not below the one and not above the other",
)  # fmt: skip


@_clip.shape
def _clip_shape(node: Operation, x: Any, low: Any, high: Any) -> Any:
    return [x]


@_clip.kernel(CPU, GPU)
def _clip_kernel(xp: Any, x: Any, low: Any, high: Any) -> Any:
    return xp.maximum(xp.minimum(x, high), low)


def _values(value: Any) -> Any:
    """What there is to clip in a tensor, or in a set of its rows (IndexedSlices)."""
    return value.values if isinstance(value, IndexedSlices) else value


def _with_values(value: Any, values: Tensor) -> Any:
    return IndexedSlices(values, value.indices, value.dense_shape) if isinstance(value, IndexedSlices) else values


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """`t`, but nowhere below `clip_value_min` or above `clip_value_max` (numbers, or tensors that broadcast to t).

    Raises:
      ValueError: if clipping would change the shape.
    """
    with name_scope(name, "clip_by_value", [_values(t), clip_value_min, clip_value_max]) as scope:
        values = convert_to_tensor(_values(t), name="t")
        low_enough = minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(low_enough.shape)
        result = maximum(low_enough, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(result.shape)
        return _with_values(t, result)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """`t`, scaled down to the L2 norm `clip_norm` where it has more, over `axes` (default: all)."""
    with name_scope(name, "clip_by_norm", [_values(t), clip_norm]) as scope:
        values = convert_to_tensor(_values(t), name="t")
        limit = maximum(clip_norm, 0.0) if isinstance(clip_norm, Tensor) else max(clip_norm, 0)
        squares = reduce_sum(values * values, axes, True)
        # The square root of 0 has no gradient: it is not taken there.
        some = squares > 0  # type: ignore[operator]
        safe = where(some, squares, ones_like(squares))
        norm = where(some, sqrt(safe), squares)
        scaled: Any = values * limit
        values.shape.assert_is_compatible_with(scaled.shape)
        result = lookup("Identity")(scaled / maximum(norm, limit), name=scope)
        return _with_values(t, result)


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """`t`, scaled down to the L2 norm per element `clip_norm` where it has more."""
    with name_scope(name, "clip_by_average_norm", [t, clip_norm]) as scope:
        t = convert_to_tensor(t, name="t")
        count = cast(size(t), dtypes.float32)
        inverse = rsqrt(reduce_sum(t * t, _range(0, rank(t))))
        scaled = t * clip_norm
        factor = minimum(inverse * count, constant(1.0) / clip_norm)
        return lookup("Identity")(scaled * factor, name=scope)


def _check_list(t_list: Any) -> list[Any]:
    if isinstance(t_list, (str, bytes)) or not hasattr(t_list, "__len__") or isinstance(t_list, Tensor):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def _converted(t_list: list[Any]) -> list[Any]:
    return [None if t is None else convert_to_tensor(_values(t), name=f"t_{i}") for i, t in enumerate(t_list)]


def global_norm(t_list: Any, name: str | None = None) -> Tensor:
    """The L2 norm of all elements of all tensors in a list; None in it does not count.

    Raises:
      TypeError: if it is no list.
    """
    t_list = _check_list(t_list)
    with name_scope(name, "global_norm", [_values(t) for t in t_list if t is not None]):
        halves = []
        for value in _converted(t_list):
            if value is not None:
                with value.graph.colocate_with(value.op):
                    halves.append(lookup("L2Loss")(value))
        half: Any = reduce_sum(stack(halves))
        return sqrt(half * constant(2.0, dtype=half._dtype), name="global_norm")


def clip_by_global_norm(
    t_list: Any, clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """The tensors of a list, scaled down by one factor so that together they have the L2 norm `clip_norm` at most.

    Returns the clipped list (None stays None) and the norm they had. With an infinite norm they become NaN.

    Raises:
      TypeError: if it is no list.
    """
    t_list = _check_list(t_list)
    if use_norm is None:
        use_norm = global_norm(t_list, name)
    values_in = [_values(t) for t in t_list if t is not None]
    with name_scope(name, "clip_by_global_norm", [*values_in, clip_norm]) as scope:
        scale = clip_norm * minimum(1.0 / use_norm, constant(1.0, dtype=use_norm.dtype.base_dtype) / clip_norm)
        # No change for a finite norm, NaN for an infinite one.
        scale = scale + (use_norm - use_norm)
        clipped: list[Any] = []
        for i, (given, value) in enumerate(zip(t_list, _converted(t_list))):
            if value is None:
                clipped.append(None)
                continue
            with value.graph.colocate_with(value.op):
                result = lookup("Identity")(value * scale, name=f"{scope}_{i}")
            clipped.append(_with_values(given, result))
    return clipped, use_norm


def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`value` as another type; what is beyond that type's range becomes its nearest end, instead of wrapping."""
    with name_scope(name, "saturate_cast", [value]) as scope:
        value = convert_to_tensor(value, name="value")
        wanted = as_dtype(dtype).base_dtype
        if value._dtype.is_complex and not wanted.is_complex:
            value = real(value)
        kind = value._dtype.base_dtype
        if not kind.is_complex:
            low, high = _common_range(kind, wanted.real_dtype)
            value = _clip(value, constant(low, kind), constant(high, kind), name="clamp")
        return cast(value, wanted, name=scope)


def _common_range(kind: Any, wanted: Any) -> tuple[Any, Any]:
    """The numbers that both types have, as numbers of `kind`."""
    low, high = (float if kind.is_floating else int)(kind.min), (float if kind.is_floating else int)(kind.max)
    least, most = (float if wanted.is_floating else int)(wanted.min), (float if wanted.is_floating else int)(wanted.max)
    low, high = max(low, least), min(high, most)
    if not kind.is_floating:
        return int(low), int(high)
    number, target = kind.as_numpy_dtype, wanted.as_numpy_dtype
    # Rounding may have gone beyond what an integer type holds. TensorFlow looks at that in the type that NumPy
    # promotes both to, which for int64 is as blind as float64 is: 1e300 becomes the smallest int64 there.
    try:
        wide = np.promote_types(number, target).type
    except TypeError:  # bfloat16 has no common type with float16 or with most integers
        wide = np.float64
    first, last = number(low), number(high)
    if wide(first) < wide(least):
        first = np.nextafter(first, number(0))
    if wide(last) > wide(most):
        last = np.nextafter(last, number(0))
    return first, last
