"""`tf.train.batch` and its kin: a queue that single examples go into and batches come out of.

Threads (a QueueRunner's) run the examples' nodes and fill the queue, while training takes batches from the other end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.composite import convert_to_tensor_or_sparse_tensor
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.infer import constant_value
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_stitch import dynamic_partition
from tfbench.engine.ops.base import no_op
from tfbench.engine.ops.control_flow import cond
from tfbench.engine.ops.math_binary import maximum
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.queue_classes import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor
from tfbench.summary import scalar
from tfbench.train import sparse_batches
from tfbench.train.queue_runner import QueueRunner, add_queue_runner

__all__ = [
    "batch", "batch_join", "maybe_batch", "maybe_batch_join", "maybe_shuffle_batch", "maybe_shuffle_batch_join",
    "shuffle_batch", "shuffle_batch_join",
]  # fmt: skip


def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of `tensors` (a list or a dictionary), which are one example, or with `enqueue_many` several as rows.

    With `dynamic_pad` examples of different sizes are padded to the largest of their batch. A QueueRunner is added to
    the graph. At the end of the input a run raises OutOfRangeError; what does not fill a batch is left out unless
    `allow_smaller_final_batch`.

    Raises:
      ValueError: if a shape is needed and not known.
    """
    return maybe_batch(
        tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes, dynamic_pad,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, of the examples for which `keep_input` holds (with `enqueue_many` it may be a vector)."""
    given = _listed(tensors)
    with name_scope(name, "batch", [*given, keep_input]) as scope:
        examples = _Examples([given], keep_input, enqueue_many, shapes, "batch")
        queue = examples.queue(PaddingFIFOQueue if dynamic_pad else FIFOQueue, capacity, shared_name)
        examples.enqueue(queue, num_threads)
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return examples.dequeue(queue, batch_size, allow_smaller_final_batch, scope, tensors)


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, from several sources: each entry of `tensors_list` has a thread of its own."""
    return maybe_batch_join(
        tensors_list, True, batch_size, capacity, enqueue_many, shapes, dynamic_pad, allow_smaller_final_batch,
        shared_name, name,
    )  # fmt: skip


def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch_join`, of the examples for which `keep_input` holds."""
    given = _listed_lists(tensors_list)
    with name_scope(name, "batch_join", [*(item for one in given for item in one), keep_input]) as scope:
        examples = _Examples(given, keep_input, enqueue_many, shapes, "batch_join")
        queue = examples.queue(PaddingFIFOQueue if dynamic_pad else FIFOQueue, capacity, shared_name)
        examples.enqueue(queue)
        scalar(f"fraction_of_{capacity}_full", cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return examples.dequeue(queue, batch_size, allow_smaller_final_batch, scope, tensors_list[0])


def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: Any = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `batch`, in random order: each batch is drawn from more than `min_after_dequeue` examples."""
    return maybe_shuffle_batch(
        tensors, batch_size, capacity, min_after_dequeue, True, num_threads, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: Any = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, of the examples for which `keep_input` holds."""
    given = _listed(tensors)
    with name_scope(name, "shuffle_batch", [*given, keep_input]) as scope:
        _check_capacity(capacity, min_after_dequeue)
        examples = _Examples([given], keep_input, enqueue_many, shapes, "batch")
        queue = examples.shuffling_queue(capacity, min_after_dequeue, seed, shared_name)
        examples.enqueue(queue, num_threads)
        _summarize_shuffling(queue, capacity, min_after_dequeue)
        return examples.dequeue(queue, batch_size, allow_smaller_final_batch, scope, tensors)


def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: Any = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch`, from several sources: each entry of `tensors_list` has a thread of its own."""
    return maybe_shuffle_batch_join(
        tensors_list, batch_size, capacity, min_after_dequeue, True, seed, enqueue_many, shapes,
        allow_smaller_final_batch, shared_name, name,
    )  # fmt: skip


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: Any = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As `shuffle_batch_join`, of the examples for which `keep_input` holds."""
    given = _listed_lists(tensors_list)
    with name_scope(name, "shuffle_batch_join", [*(item for one in given for item in one), keep_input]) as scope:
        examples = _Examples(given, keep_input, enqueue_many, shapes, "batch_join")
        queue = examples.shuffling_queue(capacity, min_after_dequeue, seed, shared_name)
        examples.enqueue(queue)
        _summarize_shuffling(queue, capacity, min_after_dequeue)
        return examples.dequeue(queue, batch_size, allow_smaller_final_batch, scope, tensors_list[0])


# -- the parts that they are made of ---------------------------------------------------------------------------------


class _Examples:
    """The examples that go into a queue: a list of tensors for each source, and which of them are kept."""

    def __init__(
        self, sources: Sequence[Sequence[Any]], keep_input: Any, many: bool, shapes: Any, function: str
    ) -> None:
        if not all(len(one) for one in sources):
            raise ValueError(f"Expected at least one tensor in {function}().")
        converted = [[convert_to_tensor_or_sparse_tensor(tensor) for tensor in one] for one in sources]
        self.keep = _checked_keep(keep_input, many)
        self.many = many
        self.sources, self.sparse = sparse_batches.store(converted, many, self.keep)
        self.types = [tensor.dtype for tensor in self.sources[0]]
        for one in self.sources[1:]:
            other = [tensor.dtype for tensor in one]
            if other != self.types:
                raise TypeError(f"Expected types to be consistent: {self.types} vs. {other}.")
        self.shapes = self._known_shapes() if shapes is None else shapes

    def _known_shapes(self) -> list[Any]:
        first = self.sources[0]
        for one in self.sources:
            for tensor in one[: len(first)]:
                if tensor.get_shape().ndims is None:
                    raise ValueError(f"Cannot infer Tensor's rank: {tensor}")
        found = []
        for column in zip(*self.sources):
            known: list[TensorShape] = [tensor.get_shape() for tensor in column]
            if self.many:
                known = [shape.with_rank_at_least(1)[1:] for shape in known]
            for shape in known[1:]:
                known[0].merge_with(shape)  # refuses what does not go together
            found.append(known[0].as_list())
        return found

    def queue(self, kind: Callable[..., QueueBase], capacity: int, shared_name: str | None) -> QueueBase:
        return kind(capacity=capacity, dtypes=self.types, shapes=self.shapes, shared_name=shared_name)

    def shuffling_queue(self, capacity: int, least: int, seed: Any, shared_name: str | None) -> QueueBase:
        return RandomShuffleQueue(
            capacity=capacity,
            min_after_dequeue=least,
            seed=seed,
            dtypes=self.types,
            shapes=self.shapes,
            shared_name=shared_name,
        )

    def enqueue(self, queue: QueueBase, threads: int = 1) -> None:
        """Adds what fills the queue: an operation for each source, run in so many threads."""
        put = queue.enqueue_many if self.many else queue.enqueue
        made = []
        for source in self.sources:
            if self.keep.get_shape().ndims == 1:
                made.append(put(_kept(source, self.keep)))
                continue
            known = constant_value(self.keep)
            if known is None:
                made.append(cond(self.keep, partial(put, source), no_op))
            else:
                made.append(put(source) if known else no_op())
        add_queue_runner(QueueRunner(queue, made * threads))

    def dequeue(self, queue: QueueBase, size: Any, smaller: bool, scope: str, like: Any) -> Any:
        """The batch, in the form of `like`, which the examples were given in."""
        take = queue.dequeue_up_to if smaller else queue.dequeue_many
        found = sparse_batches.restore(take(size, name=scope), self.sparse)
        if isinstance(like, dict):
            listed = [found] if len(like) == 1 else found
            return dict(zip(sorted(like, key=str), listed))
        return found


def _kept(tensors: Sequence[Any], keep: Tensor) -> list[Tensor]:
    which = cast(keep, dtypes.int32)
    return [dynamic_partition(tensor, which, num_partitions=2)[1] for tensor in tensors]


def _checked_keep(keep_input: Any, many: bool) -> Tensor:
    keep = convert_to_tensor(keep_input)
    rank = keep.get_shape().ndims
    if rank is None:
        raise ValueError("`keep_input` dimensions must be known at graph construction.")
    if not many and rank == 1:
        raise ValueError("`keep_input` cannot be a vector when `enqueue_many=False`.")
    if rank > 1:
        raise ValueError("`keep_input` must be 0 or 1 dimensions.")
    return keep


def _check_capacity(capacity: int, least: int) -> None:
    if capacity <= least:
        raise ValueError(f"capacity {capacity} must be bigger than min_after_dequeue {least}.")


def _summarize_shuffling(queue: QueueBase, capacity: int, least: int) -> None:
    room = capacity - least
    full = cast(maximum(0, queue.size() - least), dtypes.float32) * (1.0 / room)
    scalar(f"fraction_over_{least}_of_{room}_full", full)


def _listed(tensors: Any) -> list[Any]:
    if isinstance(tensors, dict):
        return [tensors[key] for key in sorted(tensors, key=str)]
    return list(tensors)


def _listed_lists(tensors_list: Sequence[Any]) -> list[list[Any]]:
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    if isinstance(tensors_list[0], dict):
        keys = set(tensors_list[0])
        if any(set(tensors) != keys for tensors in tensors_list[1:]):
            raise ValueError("All dictionaries in tensors_list must have the same keys")
    return [_listed(tensors) for tensors in tensors_list]
