"""`tf.sets`: intersections, differences and unions of the sets that the rows of tensors are."""

from __future__ import annotations

from tfbench.engine.ops.set_operations import set_difference, set_intersection, set_size, set_union

difference = set_difference
intersection = set_intersection
size = set_size
union = set_union

__all__ = [
    "difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union", "size", "union",
]  # fmt: skip
