"""`tf.contrib.framework`: questions about tensors, and nests of them."""

from __future__ import annotations

from tfbench import nest
from tfbench.engine.ops.asserts_static import assert_same_float_dtype, assert_scalar
from tfbench.engine.ops.static_value import is_tensor

__all__ = ["assert_same_float_dtype", "assert_scalar", "is_tensor", "nest"]
