"""`tf.manip`: moving elements about."""

from __future__ import annotations

from tfbench.engine.ops import batch_to_space_nd, gather_nd, reshape, reverse, roll, scatter_nd, space_to_batch_nd, tile

__all__ = [
    "batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile",
]  # fmt: skip
