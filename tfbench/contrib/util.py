"""`tf.contrib.util`: values of tensors outside a run."""

from __future__ import annotations

from tfbench.engine.ops.static_value import get_static_value as constant_value
from tfbench.formats.tensor_proto import make_ndarray, make_tensor_proto

__all__ = ["constant_value", "make_ndarray", "make_tensor_proto"]
