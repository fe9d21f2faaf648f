"""Layers of one matrix product, and how much of a tensor is zero."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_fill import zeros
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.comparison import not_equal
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.matmul import matmul
from tfbench.engine.ops.nn_activations import relu
from tfbench.engine.ops.nn_bias import bias_add
from tfbench.engine.ops.reductions import reduce_sum
from tfbench.engine.ops.shape_ops import size
from tfbench.engine.tensor import Tensor


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """matmul(x, weights) + biases."""
    with name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(*_product(x, weights, biases), name=scope)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """relu(matmul(x, weights) + biases)."""
    with name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return relu(bias_add(*_product(x, weights, biases)), name=scope)


def _product(x: Any, weights: Any, biases: Any) -> tuple[Tensor, Tensor]:
    x = convert_to_tensor(x, name="x")
    weights = convert_to_tensor(weights, name="weights")
    biases = convert_to_tensor(biases, name="biases")
    return matmul(x, weights), biases


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """The share of zeros among the elements of `value`, a float32 scalar; NaN if there are none."""
    with name_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        count = size(value, out_type=dtypes.int64)
        # 32 bits are enough for most, and faster.
        nonzero = cond(
            count <= dtypes.int32.max,
            true_fn=lambda: cast(_count_nonzero(value, dtypes.int32), dtypes.int64),
            false_fn=lambda: _count_nonzero(value, dtypes.int64),
        )
        with name_scope("counts_to_fraction"):
            zero: Any = cast(count - nonzero, dtypes.float32)
            fraction = zero / cast(count, dtypes.float32)
        return identity(fraction, "fraction")


def _count_nonzero(value: Tensor, dtype: dtypes.DType) -> Tensor:
    with name_scope("count_nonzero", None, [value]):
        differs = not_equal(value, zeros([], dtype=value.dtype))
        return reduce_sum(cast(differs, dtype), name="nonzero_count")
