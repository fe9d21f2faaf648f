"""`contrib.training.bucket`: batches of examples that are alike, sequences of about one length for example.

Each bucket has a queue; a thread puts examples into them, others move what makes up a batch into one more queue,
which the batches are taken from.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine import dtypes, ops
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.base import constant, no_op
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.grouping import group
from tfbench.engine.ops.queue_classes import FIFOQueue, PaddingFIFOQueue
from tfbench.engine.shapes import as_shape
from tfbench.layers.core import smart_cond
from tfbench.summary import scalar
from tfbench.train import sparse_batches
from tfbench.train.batching import _Examples, _listed
from tfbench.train.queue_runner import QueueRunner, add_queue_runner

__all__ = ["bucket", "bucket_by_sequence_length"]

_CLOSED = (errors.OutOfRangeError, errors.CancelledError)


def bucket(
    tensors: Any,
    which_bucket: Any,
    batch_size: Any,
    num_buckets: int,
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """(number of the bucket, batch) of examples that went into one bucket.

    Args:
      tensors: one example, as a list or a dict of tensors.
      which_bucket: the number of its bucket, below `num_buckets`.
      batch_size: of each bucket, or a list of one for each.
      capacity: how many batches wait; `bucket_capacities`: how many examples do, in each bucket.
      dynamic_pad: examples of a batch may have different sizes; the smaller ones are filled up.
      keep_input: whether the example is kept.

    Raises:
      ValueError: if lists have other lengths than `num_buckets`, there are no tensors, or shapes are not known.
    """
    given = _listed(tensors)
    sizes = list(batch_size) if isinstance(batch_size, (list, tuple)) else [batch_size] * num_buckets
    if len(sizes) != num_buckets:
        raise ValueError(
            f"If batch_size is a list it must have num_buckets elements, {num_buckets}, found {len(sizes)}"
        )
    room = [capacity] * num_buckets if bucket_capacities is None else bucket_capacities
    if len(room) != num_buckets:
        raise ValueError(
            f"The list bucket_capacities ({bucket_capacities}) must have exactly num_buckets ({num_buckets}) elements."
        )
    with name_scope(name, "bucket", given):
        examples = _Examples([given], keep_input, False, shapes, "bucket")
        values = examples.sources[0]
        sizes = [convert_to_tensor(size, dtype=dtypes.int32, name="batch_size") for size in sizes]
        which_bucket = convert_to_tensor(which_bucket, dtype=dtypes.int32, name="which_bucket")
        queues = [
            (PaddingFIFOQueue if dynamic_pad else FIFOQueue)(
                capacity=one,
                dtypes=examples.types,
                shapes=examples.shapes,
                shared_name=shared_name and f"{shared_name}_{number}",
                name=f"bucket_queue_{number}",
            )
            for number, one in enumerate(room)
        ]
        known = [None if (found := constant_value(size)) is None else int(found) for size in sizes]
        static = known[0] if len(set(known)) == 1 and not allow_smaller_final_batch else None
        top = PaddingFIFOQueue(
            capacity=capacity,
            dtypes=[dtypes.int32, *examples.types],
            shapes=[as_shape([]), *(as_shape([static]).concatenate(as_shape(shape)) for shape in examples.shapes)],
            shared_name=shared_name,
            name="top_queue",
        )

        def put(number: int) -> Any:
            return cond(ops.equal(which_bucket, number), lambda: queues[number].enqueue(values), no_op)

        def sort() -> Any:
            return group(*[put(number) for number in range(num_buckets)], name="group_enqueues")

        sorting = smart_cond(examples.keep, sort, no_op)
        moving = []
        for number, queue in enumerate(queues):
            label = constant(number, dtype=dtypes.int32)
            take = queue.dequeue_up_to if allow_smaller_final_batch else queue.dequeue_many
            size = sizes[number] if known[number] is None else known[number]
            batch = take(size, name=f"read_bucket_{number}")
            parts = list(batch) if isinstance(batch, (list, tuple)) else [batch]
            moving.append(top.enqueue([label, *parts], name=f"enqueue_from_bucket_{number}"))
        _run(queues, top, [sorting] * num_threads, moving)
        for queue in queues:
            scalar(f"bucket/{queue.name}/size", ops.cast(top.size(), dtypes.float32))
        scalar(
            f"bucket/{top.name}/fraction_of_{capacity}_full",
            ops.cast(top.size(), dtypes.float32) * (1.0 / capacity),
        )
        label, *parts = top.dequeue(name="dequeue_top")
        found = sparse_batches.restore(parts if len(parts) > 1 else parts[0], examples.sparse)
        return label, _like(tensors, found)


def _run(queues: Sequence[Any], top: Any, sorting: list[Any], moving: list[Any]) -> None:
    """Adds the threads: those that move batches to the top, and those that sort examples into buckets.

    The end of the examples closes the buckets, and when these are empty the top is closed.
    """
    add_queue_runner(
        QueueRunner(
            queues[0],
            moving,
            close_op=top.close(),
            cancel_op=top.close(cancel_pending_enqueues=True),
            queue_closed_exception_types=_CLOSED,
        )
    )
    add_queue_runner(
        QueueRunner(
            top,
            sorting,
            close_op=group(*[queue.close() for queue in queues]),
            cancel_op=group(*[queue.close(cancel_pending_enqueues=True) for queue in queues]),
            queue_closed_exception_types=_CLOSED,
        )
    )


def _like(tensors: Any, found: Any) -> Any:
    """What was found, as a dict where the example was one."""
    if isinstance(tensors, dict):
        return dict(zip(sorted(tensors, key=str), [found] if len(tensors) == 1 else found))
    return found


def bucket_by_sequence_length(
    input_length: Any,
    tensors: Any,
    batch_size: Any,
    bucket_boundaries: Sequence[int],
    num_threads: int = 1,
    capacity: int = 32,
    bucket_capacities: Sequence[int] | None = None,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    keep_input: Any = True,
    shared_name: str | None = None,
    name: str | None = None,
) -> tuple[Any, Any]:
    """(lengths, batch) of examples of about one length.

    Args:
      input_length: the example's length.
      bucket_boundaries: the lengths at which a bucket begins, ascending; a first one begins at 0.
      The others: see `bucket`.

    Raises:
      TypeError, ValueError: if the boundaries are no ascending integers.
    """
    given = _listed(tensors)
    if not isinstance(bucket_boundaries, (list, tuple)):
        raise TypeError(f"bucket_boundaries must be a list or tuple, but received: {bucket_boundaries}")
    if not bucket_boundaries:
        raise ValueError("bucket_boundaries must not be empty")
    for low, high in pairwise(bucket_boundaries):
        if not isinstance(low, int) or not isinstance(high, int):
            raise TypeError(f"bucket boundaries must be integers, but saw: {low} and {high}")
        if low >= high:
            raise ValueError(f"Buckets must contain sequential increasing lengths, but saw: {low} before {high}")
    with name_scope(name, "bucket_by_sequence_length", [input_length, *given]):
        length = convert_to_tensor(input_length, dtype=dtypes.int32, name="input_length")
        limits = np.iinfo(np.int32)
        lowest, highest = [int(limits.min), *bucket_boundaries], [*bucket_boundaries, int(limits.max)]
        inside = ops.logical_and(ops.less_equal(lowest, length), ops.less(length, highest))
        which = ops.cast(ops.reduce_min(ops.where(inside)), dtypes.int32)
        _, found = bucket(
            [length, *given],
            which,
            batch_size,
            len(bucket_boundaries) + 1,
            num_threads,
            capacity,
            bucket_capacities,
            None if shapes is None else [as_shape([]), *shapes],
            dynamic_pad,
            allow_smaller_final_batch,
            keep_input,
            shared_name,
        )
        return found[0], _like(tensors, list(found[1:]))
