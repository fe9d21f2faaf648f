"""`tf.queue`: queues, as `tf.FIFOQueue` and its kin."""

from __future__ import annotations

from tfbench.engine.ops.queue_classes import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]
