"""`tf.contrib.framework`: questions about tensors, nests of them, and what checkpoints hold."""

from __future__ import annotations

from tfbench import nest
from tfbench.engine.ops.asserts_static import assert_same_float_dtype, assert_scalar
from tfbench.engine.ops.static_value import is_tensor
from tfbench.train.checkpoint_reader import list_variables, load_checkpoint, load_variable
from tfbench.train.init_from_checkpoint import init_from_checkpoint

__all__ = [
    "assert_same_float_dtype",
    "assert_scalar",
    "init_from_checkpoint",
    "is_tensor",
    "list_variables",
    "load_checkpoint",
    "load_variable",
    "nest",
]
