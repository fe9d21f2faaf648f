"""`tf.FIFOQueue` and its kin: what programs know of a queue, and the nodes that work on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine import dtypes as types
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import device
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.graph import Operation
from tfbench.engine.init_scope import init_scope
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import queues
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.gather import gather
from tfbench.engine.ops.random_common import get_seed
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue"]


class QueueBase:
    """A queue of the graph: elements are one tensor, or several (components), or a dictionary of them (`names`).

    Raises:
      ValueError: if there are not as many shapes or names as component types.
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor) -> None:
        self._dtypes: list[DType] = dtypes
        if shapes is not None:
            if len(shapes) != len(dtypes):
                raise ValueError(
                    f"Queue shapes must have the same length as dtypes, received len(shapes)={len(shapes)}, "
                    f"len(dtypes)={len(dtypes)}"
                )
            self._shapes = [TensorShape(shape) for shape in shapes]
        else:
            self._shapes = [TensorShape(None) for _ in dtypes]
        self._names = _names(names, dtypes)
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: Any, queues: Sequence[QueueBase]) -> QueueBase:
        """The queue that a run chooses: number `index` (an integer tensor) of `queues`.

        Raises:
          TypeError: unless these are queues with the same component types and names.
        """
        if not queues or not isinstance(queues, list) or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("A list of queues expected")
        first = queues[0]
        if any(queue.dtypes != first.dtypes for queue in queues[1:]):
            raise TypeError("Queues do not have matching component dtypes.")
        if any(queue.names != first.names for queue in queues[1:]):
            raise TypeError("Queues do not have matching component names.")

        shapes = [_common(shapes) for shapes in zip(*(queue.shapes for queue in queues))]
        chosen = gather(stack([queue.queue_ref for queue in queues]), index)
        return QueueBase(dtypes=first.dtypes, shapes=shapes, names=first.names, queue_ref=chosen)

    @property
    def queue_ref(self) -> Tensor:
        """The handle."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the node."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[DType]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None: an element is a dictionary if there are any."""
        return self._names

    # -- putting in ------------------------------------------------------------------------------------------------

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that puts one element in, and waits while the queue is full.

        Raises:
          ValueError, TypeError: if the number of components, or a shape or a type, is not the queue's.
        """
        with name_scope(name, f"{self._name}_enqueue", self._listed(vals)) as scope:
            components = self._components(vals)
            for component, shape in zip(components, self._shapes):
                component.get_shape().assert_is_compatible_with(shape)
            return queues.enqueue(self._queue_ref, components, name=scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """An operation that puts the rows (slices along dimension 0) of the components in, one after another."""
        with name_scope(name, f"{self._name}_EnqueueMany", self._listed(vals)) as scope:
            components = self._components(vals)
            rows = components[0].get_shape().with_rank_at_least(1)[0]
            for component, shape in zip(components, self._shapes):
                found = component.get_shape()
                rows = rows.merge_with(found.with_rank_at_least(1)[0])
                found[1:].assert_is_compatible_with(shape)
            return queues.enqueue_many(self._queue_ref, components, name=scope)

    def _listed(self, vals: Any) -> list[Any]:
        if isinstance(vals, dict):
            return list(vals.values())
        return list(vals) if isinstance(vals, (list, tuple)) else [vals]

    def _components(self, vals: Any) -> list[Tensor]:
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError(
                    "Only a queue that has names takes a dictionary: make it with `names`, or enqueue a list"
                )
            if sorted(self._names, key=str) != sorted(vals, key=str):
                raise ValueError(
                    f"The keys of the dictionary, {sorted(vals, key=str)}, do not match the queue's names, "
                    f"{sorted(self._names, key=str)}"
                )
            values = [vals[name] for name in self._names]
        else:
            if self._names:
                raise ValueError(f"A queue with names takes a dictionary with the keys {self._names}")
            values = list(vals) if isinstance(vals, (list, tuple)) else [vals]
        # As in TensorFlow, values beyond the last component are left out; too few are an error of the run.
        return [
            convert_to_tensor(value, dtype=dtype, name=f"component_{position}")
            for position, (value, dtype) in enumerate(zip(values, self._dtypes))
        ]

    # -- taking out ------------------------------------------------------------------------------------------------

    def dequeue(self, name: str | None = None) -> Any:
        """The components of the next element, when this is run: a tensor, a list or a dictionary. Waits for one.

        A run raises OutOfRangeError when the queue is closed and empty.
        """
        if name is None:
            name = f"{self._name}_Dequeue"
        made = queues.dequeue.node(self._queue_ref, component_types=self._dtypes, name=name)
        for output, shape in zip(made.outputs_list, self._shapes):
            output.set_shape(shape)
        return self._returned(made.outputs_list)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """The components of the next `n` elements, each as one tensor. Waits for all of them.

        A run raises OutOfRangeError when the queue is closed and has fewer.
        """
        if name is None:
            name = f"{self._name}_DequeueMany"
        made = queues.dequeue_many.node(self._queue_ref, n, component_types=self._dtypes, name=name)
        from tfbench.engine.infer import constant_value

        number = constant_value(made.inputs[1])
        rows = TensorShape([None if number is None else int(number)])
        for output, shape in zip(made.outputs_list, self._shapes):
            output.set_shape(rows.concatenate(shape))
        return self._returned(made.outputs_list)

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """As `dequeue_many`; when the queue is closed, what is left is enough if it is anything at all."""
        if name is None:
            name = f"{self._name}_DequeueUpTo"
        made = queues.dequeue_up_to.node(self._queue_ref, n, component_types=self._dtypes, name=name)
        for output, shape in zip(made.outputs_list, self._shapes):
            output.set_shape(TensorShape([None]).concatenate(shape))
        return self._returned(made.outputs_list)

    def _returned(self, tensors: Sequence[Tensor]) -> Any:
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else list(tensors)

    # -- about it ----------------------------------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """An operation that lets nothing in any more; runs that wait to put something in are cancelled if asked."""
        if name is None:
            name = f"{self._name}_Close"
        return queues.close(self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues, name=name)

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether the queue was closed."""
        if name is None:
            name = f"{self._name}_Is_Closed"
        return queues.is_closed(self._queue_ref, name=name)

    def size(self, name: str | None = None) -> Tensor:
        """How many elements there are, int32."""
        if name is None:
            name = f"{self._name}_Size"
        return queues.size(self._queue_ref, name=name)


class FIFOQueue(QueueBase):
    """A queue that gives its elements in the order in which they came. `shapes` are needed for batches."""

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        kinds = _types(dtypes)
        known, labels = _shapes(shapes, dtypes), _names(names, kinds)
        with init_scope(), device("CPU"):
            handle = queues.fifo_queue(
                component_types=kinds, shapes=known or [], capacity=capacity, shared_name=shared_name or "", name=name
            )
        super().__init__(kinds, known, labels, handle)


class RandomShuffleQueue(QueueBase):
    """A queue that gives its elements in random order; `min_after_dequeue` of them stay until it is closed."""

    def __init__(
        self,
        capacity: Any,
        min_after_dequeue: Any,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: Any = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ) -> None:
        kinds = _types(dtypes)
        known, labels = _shapes(shapes, dtypes), _names(names, kinds)
        seed1, seed2 = get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1, seed2 = 0, 0
        elif seed is None and shared_name is not None:
            # The graph has a seed and the op has none: all queues of this name have to agree.
            from hashlib import md5

            seed2 = int(md5(f"{seed1}{shared_name}".encode(), usedforsecurity=False).hexdigest()[:8], 16) & 0x7FFFFFFF
        handle = queues.random_shuffle_queue(
            component_types=kinds,
            shapes=known or [],
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1,
            seed2=seed2,
            shared_name=shared_name or "",
            name=name,
        )
        super().__init__(kinds, known, labels, handle)


class PaddingFIFOQueue(QueueBase):
    """A first-in, first-out queue whose elements may differ where `shapes` have None: batches are padded with zeros.

    Raises:
      ValueError: unless there is a shape, of known rank, for each component.
    """

    def __init__(
        self,
        capacity: Any,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        kinds = _types(dtypes)
        known, labels = _shapes(shapes, dtypes, "partial"), _names(names, kinds)
        if known is None:
            raise ValueError(
                "PaddingFIFOQueue needs `shapes`: a list of shapes, partial ones allowed, one for each component."
            )
        if len(kinds) != len(known):
            raise ValueError(f"Each component needs its shape: there are {len(kinds)} dtypes, but {len(known)} shapes.")
        handle = queues.padding_fifo_queue(
            component_types=kinds, shapes=known, capacity=capacity, shared_name=shared_name or "", name=name
        )
        super().__init__(kinds, known, labels, handle)


class PriorityQueue(QueueBase):
    """A queue that gives the element with the smallest priority, which is an int64 before the other components."""

    def __init__(
        self,
        capacity: Any,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        kinds, known = _types(types), _shapes(shapes, types)
        handle = queues.priority_queue(
            component_types=kinds, shapes=known, capacity=capacity, shared_name=shared_name or "", name=name
        )
        priority_dtypes = [_INT64, *kinds]
        priority_shapes = [(), *(known or [])] if known else known
        super().__init__(priority_dtypes, priority_shapes, _names(names, priority_dtypes), handle)


_INT64 = types.int64


def _types(dtypes: Any) -> list[DType]:
    if not isinstance(dtypes, (list, tuple)):
        dtypes = [dtypes]
    return [as_dtype(dtype) for dtype in dtypes]


def _shapes(shapes: Any, dtypes: Any, kind: str = "") -> list[TensorShape] | None:
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (list, tuple)):
        raise TypeError(f"'shapes' must be a TensorShape or a list or tuple of shapes, but is {shapes!r}")
    found = [TensorShape(shape) for shape in shapes]
    if kind != "partial" and any(not shape.is_fully_defined() for shape in found):
        raise ValueError(f"All shapes must be fully defined: {[str(shape) for shape in found]}")
    return found


def _names(names: Any, dtypes: Any) -> list[str] | None:
    if names is None:
        return None
    found = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(found) != len(dtypes):
        raise ValueError(
            "List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(found)},len(dtypes)={len(dtypes)}"
        )
    return found


def _common(shapes: Sequence[TensorShape]) -> TensorShape:
    """What is known of all of these."""
    first = shapes[0]
    if first.dims is None or any(shape.dims is None or len(shape.dims) != len(first.dims) for shape in shapes):
        return TensorShape(None)
    sizes = [shape.as_list() for shape in shapes]
    return TensorShape([column[0] if len(set(column)) == 1 else None for column in zip(*sizes)])
