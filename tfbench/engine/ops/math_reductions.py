"""Reductions that are made of several: logarithms of sums, counts, spreads."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine import dtypes
from tfbench.engine.convert import const_node, convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_complex import conj, real
from tfbench.engine.ops.math_unary import exp, is_finite, log, sqrt, square
from tfbench.engine.ops.reductions import reduce_max, reduce_mean, reduce_sum
from tfbench.engine.ops.shape_ops import renamed
from tfbench.engine.tensor import Tensor

__all__ = ["count_nonzero", "reduce_logsumexp"]


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: Any = None, name: str | None = None,
    reduction_indices: Any = None, keep_dims: Any = None,
) -> Tensor:  # fmt: skip
    """log(sum(exp(x))) over `axis`, without overflow: the largest element is taken out first."""
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    with name_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        largest = reduce_max(input_tensor, axis, True)
        finite = lookup("SelectV2")(is_finite(largest), largest, 0)
        shift = lookup("StopGradient")(finite)
        total = log(reduce_sum(exp(lookup("Sub")(input_tensor, shift)), axis, bool(keepdims)))
        if not keepdims:
            shift = lookup("Reshape")(shift, lookup("Shape")(total))
        result: Tensor = lookup("AddV2")(total, shift, name=scope)
        if axis is None and not keepdims:
            result.set_shape(())
        return result


def count_nonzero(
    input_tensor: Any = None, axis: Any = None, keepdims: Any = None, dtype: Any = dtypes.int64,
    name: str | None = None, reduction_indices: Any = None, keep_dims: Any = None, input: Any = None,
) -> Tensor:  # fmt: skip
    """How many elements over `axis` are not zero (strings: not empty)."""
    keepdims = renamed("keepdims", keepdims, "keep_dims", keep_dims)
    input_tensor = renamed("input", input, "input_tensor", input_tensor)
    axis = renamed("axis", axis, "reduction_indices", reduction_indices)
    with name_scope(name, "count_nonzero", [input_tensor]):
        x = convert_to_tensor(input_tensor, name="input")
        kind = x._dtype.base_dtype
        if kind is not dtypes.bool:
            empty = np.array(b"", object) if kind is dtypes.string else np.zeros((), kind.as_numpy_dtype)
            x = lookup("NotEqual")(x, const_node(x.graph, empty, kind, "zeros"))
        return cast(reduce_sum(cast(x, dtypes.int64), axis, bool(keepdims)), dtype)


# -- tf.math has these ---------------------------------------------------------------------------------------------


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean square distance from the mean, over `axis`.

    Raises:
      TypeError: for integers.
    """
    with name_scope(name or "reduce_variance"):
        x = convert_to_tensor(input_tensor)
        means = reduce_mean(x, axis, True)
        if means._dtype.is_integer:
            raise TypeError(f"Input must be either real or complex. Received integer type {means._dtype}.")
        distance: Any = x - means
        squared = real(lookup("Mul")(conj(distance), distance)) if x._dtype.is_complex else square(distance)
        return reduce_mean(squared, axis, keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The square root of the variance, over `axis`."""
    with name_scope(name or "reduce_std"):
        return sqrt(reduce_variance(convert_to_tensor(input_tensor), axis, keepdims))
