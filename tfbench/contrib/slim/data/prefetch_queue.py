"""`slim.prefetch_queue`: tensors, usually batches, computed ahead by threads."""

from __future__ import annotations

from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.queue_classes import FIFOQueue, PaddingFIFOQueue
from tfbench.summary import scalar
from tfbench.train.queue_runner import QueueRunner, add_queue_runner

__all__ = ["prefetch_queue"]


def prefetch_queue(
    tensors: Any,
    capacity: int = 8,
    num_threads: int = 1,
    dynamic_pad: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """A queue that threads fill with `tensors` (a list, or a dict); take them out with `dequeue`."""
    if isinstance(tensors, dict):
        names = sorted(tensors)
        listed = [tensors[key] for key in names]
    else:
        names, listed = None, tensors
    with name_scope(name, "prefetch_queue", listed):
        kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
        queue = kind(
            capacity=capacity,
            dtypes=[tensor.dtype for tensor in listed],
            shapes=[tensor.get_shape() for tensor in listed],
            names=names,
            shared_name=shared_name,
        )
        add_queue_runner(QueueRunner(queue, [queue.enqueue(tensors)] * num_threads))
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue
