"""Queues of inputs: names, numbers and slices, over and over or for some epochs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.collections import GraphKeys
from tfbench.engine.composite import convert_to_tensor_or_indexed_slices
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.checks import Assert
from tfbench.engine.ops.comparison import greater
from tfbench.engine.ops.files import matching_files
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.math_range import range as range_of
from tfbench.engine.ops.queue_classes import FIFOQueue
from tfbench.engine.ops.random import random_shuffle
from tfbench.engine.ops.shape_queries import shape as shape_of
from tfbench.engine.ops.shape_queries import size
from tfbench.engine.tensor import Tensor
from tfbench.summary import scalar
from tfbench.train.queue_runner import QueueRunner, add_queue_runner
from tfbench.variables.base import Variable

__all__ = [
    "input_producer", "limit_epochs", "match_filenames_once", "range_input_producer", "slice_input_producer",
    "string_input_producer",
]  # fmt: skip


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """A local variable with the names of the files that match a shell pattern when it is initialised."""
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            name=scope,
            initial_value=matching_files(pattern),
            trainable=False,
            validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES],
        )


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Any:
    """`tensor`, which can be run `num_epochs` times; then a run raises OutOfRangeError. A local variable counts."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs must be > 0 not {num_epochs}.")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        epochs = Variable(
            constant(0, dtype=dtypes.int64), name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES]
        )
        counter = epochs.count_up_to(num_epochs)
        with control_dependencies([counter]):
            return identity(tensor, name=scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue that is filled with the rows of `input_tensor`, again and again, each time in another order.

    A QueueRunner for it is added to the graph.

    Raises:
      ValueError: if the shape of a row is not known.
    """
    with name_scope(name, "input_producer", [input_tensor]):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        shape = tensor.get_shape()[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError(
                "Either `input_tensor` must have a fully defined shape or `element_shape` must be specified"
            )
        if shuffle:
            tensor = random_shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(
            capacity=capacity,
            dtypes=[tensor.dtype.base_dtype],
            shapes=[shape],
            shared_name=shared_name,
            **({} if name is None else {"name": name}),
        )
        put = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [put], cancel_op=cancel_op))
        if summary_name is not None:
            scalar(summary_name, cast(queue.size(), dtypes.float32) * (1.0 / capacity))
        return queue


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of strings, usually names of files for a reader. See `input_producer`.

    Raises:
      ValueError: if there are none. A run raises InvalidArgumentError if a tensor turns out to be empty.
    """
    missing = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, (Tensor, Variable)) and not len(string_tensor):
        raise ValueError(missing)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        with control_dependencies([Assert(greater(size(tensor), 0), [missing])]):
            tensor = identity(tensor)
        return input_producer(
            tensor, [], num_epochs, shuffle, seed, capacity, shared_name, _fraction(capacity), scope, cancel_op
        )


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> FIFOQueue:
    """A queue of the integers below `limit`. See `input_producer`."""
    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            range_of(limit), [], num_epochs, shuffle, seed, capacity, shared_name, _fraction(capacity), scope
        )


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: Any = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> list[Tensor]:
    """The same row of each of these tensors: another one each time they are run.

    Raises:
      ValueError: for an empty list.
    """
    with name_scope(name, "input_producer", tensor_list):
        tensors = [convert_to_tensor_or_indexed_slices(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("Expected at least one tensor in slice_input_producer().")
        rows = shape_of(tensors[0])[0]
        queue = range_input_producer(
            rows, num_epochs=num_epochs, shuffle=shuffle, seed=seed, capacity=capacity, shared_name=shared_name
        )
        index = queue.dequeue()
        return [gather(tensor, index) for tensor in tensors]


def _fraction(capacity: int) -> str:
    return f"fraction_of_{capacity}_full"
