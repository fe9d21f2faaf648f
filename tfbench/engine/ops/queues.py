"""The ops of queues. What a queue is, and how runs wait for one another, is in `kernels/queues.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.dtypes import type_word
from tfbench.engine.graph import Operation
from tfbench.engine.infer import constant_value
from tfbench.engine.kernel_errors import invalid
from tfbench.engine.opdef import CPU, OpDef, Preset, op
from tfbench.engine.ops.shared_state import held
from tfbench.engine.shape_math import debug_string
from tfbench.engine.shapes import Shape

Array = Any

_OPTIONS = "capacity: int = -1; container: string = ''; shared_name: string = ''"


def _queue(type: str, state: str, more: str = "", first: str = "") -> OpDef:
    kinds = first or "component_types: list(type) >= 1; shapes: list(shape) >= 0 = []; "
    definition = op(type, "", "handle: resource", f"{kinds}{more}{_OPTIONS}", stateful=True)
    definition.no_gradient("a handle has no inputs")
    definition.shape(_scalar)

    @definition.bind(CPU)
    def _(context: Any) -> Preset:
        from tfbench.engine.kernels import queues

        kind = getattr(queues, state)
        attrs = context.attrs
        dtypes = list(attrs["component_types"])
        shapes = [shape._dims for shape in attrs["shapes"]]
        options: dict[str, Any] = {}
        if kind is queues.PriorityState:
            from tfbench.engine.dtypes import int64

            dtypes, shapes = [int64, *dtypes], [(), *shapes]
        elif kind is queues.ShuffleState:
            options = {"least": attrs["min_after_dequeue"], "seeds": (attrs["seed"], attrs["seed2"])}
        capacity = attrs["capacity"]
        return held(
            context,
            lambda name: kind(name, capacity, dtypes, shapes, context.resources, **options),
            lambda found, name: _check_shared(found, name, kind, type, capacity, dtypes, shapes, options),
        )

    return definition


def _check_shared(
    found: Any, name: str, kind: Any, type: str, capacity: int, dtypes: Any, shapes: Any, options: dict[str, Any]
) -> None:
    """Refuses a queue that was made by a node with other attributes."""
    wrong: tuple[str, Any, Any] | None = None
    if found.__class__ is not kind:
        raise invalid(f"Shared queue '{name}' exists. Expected {getattr(found, 'kind', 'no queue')}, found {type}")
    if found.capacity != capacity:
        wrong = ("capacity", found.capacity, capacity)
    elif found.dtypes != dtypes:
        wrong = ("component types", _words(found.dtypes), _words(dtypes))
    elif found.shapes != shapes:
        wrong = ("component shapes", _brackets(found.shapes), _brackets(shapes))
    elif options and found.least != options["least"]:
        wrong = ("min_after_dequeue", found.least, options["least"])
    elif options and found.seeds != options["seeds"]:
        wrong = ("random seeds", found.seeds, options["seeds"])
    if wrong is not None:
        what, has, requested = wrong
        verb = "were" if what.endswith("s") else "was"
        raise invalid(f"Shared queue '{name}' has {what} {has} but requested {what} {verb} {requested}")


def _words(dtypes: Any) -> str:
    return "-".join(map(type_word, dtypes))


def _brackets(shapes: Sequence[Shape]) -> str:
    return f"[{','.join(map(debug_string, shapes))}]"


def _scalar(node: Operation, *inputs: Any) -> list[Shape]:
    return [()]


fifo_queue = _queue("FIFOQueueV2", "QueueState")
random_shuffle_queue = _queue(
    "RandomShuffleQueueV2", "ShuffleState", "min_after_dequeue: int = 0; seed: int = 0; seed2: int = 0; "
)
padding_fifo_queue = _queue("PaddingFIFOQueueV2", "PaddingState")
priority_queue = _queue(
    "PriorityQueueV2", "PriorityState", first="component_types: list(type) >= 0 = []; shapes: list(shape) >= 0; "
)


def _queue_of(handle: Any) -> Any:
    """The queue of a handle, which is the queue itself, or an array of it where it was picked from several."""
    return handle[()] if isinstance(handle, np.ndarray) else handle


# -- putting in --------------------------------------------------------------------------------------------------------

_PUT = "Tcomponents: list(type) >= 1; timeout_ms: int = -1"
enqueue = op("QueueEnqueueV2", "handle: resource, components: Tcomponents", "", _PUT, stateful=True)
enqueue_many = op("QueueEnqueueManyV2", "handle: resource, components: Tcomponents", "", _PUT, stateful=True)
for _declared in (enqueue, enqueue_many):
    _declared.no_gradient("nothing comes out")


def _check(state: Any, components: Sequence[Array], rows: int | None) -> None:
    """Refuses components that do not have the queue's shapes (with a row for each of `rows` elements)."""
    if len(components) != len(state.dtypes):
        raise invalid(f"Wrong number of components in tuple. Expected {len(state.dtypes)}, got {len(components)}")
    if rows is not None and not state.shapes:
        for position, component in enumerate(components[1:], 1):
            if not component.ndim or len(component) != rows:
                raise invalid(
                    f"All input tensors must have the same size in the 0th dimension. Component {position} has "
                    f"{debug_string(component.shape)}, and should have {rows}"
                )
    for position, (shape, component) in enumerate(zip(state.shapes, components)):
        wanted = shape if rows is None else (rows, *shape)
        if len(wanted) != component.ndim or any(
            size is not None and size != has for size, has in zip(wanted, component.shape)
        ):
            raise invalid(
                f"Shape mismatch in tuple component {position}. Expected {debug_string(wanted)}, "
                f"got {debug_string(component.shape)}"
            )


@enqueue.kernel(CPU)
def _enqueue_kernel(xp: Any, handle: Any, *components: Array) -> None:
    state = _queue_of(handle)
    # Copies: what comes in may be a variable's memory, or an array that was fed.
    element = [np.array(component) for component in components]
    _check(state, element, None)
    state.enqueue([element])


@enqueue_many.kernel(CPU)
def _enqueue_many_kernel(xp: Any, handle: Any, *components: Array) -> None:
    state = _queue_of(handle)
    copies = [np.array(component) for component in components]
    if not copies[0].ndim:
        raise invalid("Shape mismatch in tuple component 0. Expected a row for each element, got []")
    rows = len(copies[0])
    _check(state, copies, rows)
    if rows:
        state.enqueue([[component[row, ...] for component in copies] for row in range(rows)])


# -- taking out --------------------------------------------------------------------------------------------------------

_TAKE = "component_types: list(type) >= 1; timeout_ms: int = -1"
dequeue = op("QueueDequeueV2", "handle: resource", "components: component_types", _TAKE, stateful=True, fresh=True)
dequeue_many = op(
    "QueueDequeueManyV2", "handle: resource, n: int32", "components: component_types", _TAKE, stateful=True, fresh=True
)
dequeue_up_to = op(
    "QueueDequeueUpToV2", "handle: resource, n: int32", "components: component_types", _TAKE, stateful=True, fresh=True
)
for _declared in (dequeue, dequeue_many, dequeue_up_to):
    _declared.no_gradient("what comes out was put in by another run")


@dequeue.shape
def _dequeue_shape(node: Operation, handle: Shape) -> list[Shape]:
    return [None] * len(node.attrs["component_types"])


@dequeue_many.shape
@dequeue_up_to.shape
def _dequeue_many_shape(node: Operation, handle: Shape, n: Shape) -> list[Shape]:
    number = constant_value(node.inputs[1])
    if number is not None and number < 0:
        raise ValueError(f"Input 'n' must be >= 0, but is {number}")
    return [None] * len(node.attrs["component_types"])


@dequeue.kernel(CPU)
def _dequeue_kernel(xp: Any, handle: Any) -> list[Array]:
    return list(_queue_of(handle).dequeue(1)[0])


def _dequeue_some(handle: Any, n: Any, small: bool, what: str) -> list[Array]:
    state = _queue_of(handle)
    if n < 0:
        raise invalid(f"{what} requested {n} < 0 elements")
    if any(shape is None for shape in state.shapes) or len(state.shapes) != len(state.dtypes):
        raise invalid(f"{state.kind}'s DequeueMany and DequeueUpTo require the components to have specified shapes.")
    from tfbench.engine.kernels.queues import batched

    return batched(state, state.dequeue(int(n), small))


@dequeue_many.kernel(CPU)
def _dequeue_many_kernel(xp: Any, handle: Any, n: Array) -> list[Array]:
    return _dequeue_some(handle, n, False, "DequeueManyOp")


@dequeue_up_to.kernel(CPU)
def _dequeue_up_to_kernel(xp: Any, handle: Any, n: Array) -> list[Array]:
    return _dequeue_some(handle, n, True, "DequeueUpToOp")


# -- about it ----------------------------------------------------------------------------------------------------------

close = op("QueueCloseV2", "handle: resource", "", "cancel_pending_enqueues: bool = false", stateful=True)
is_closed = op("QueueIsClosedV2", "handle: resource", "is_closed: bool", stateful=True, fresh=True)
size = op("QueueSizeV2", "handle: resource", "size: int32", stateful=True, fresh=True)
for _declared in (close, is_closed, size):
    _declared.no_gradient("nothing that is differentiable comes out")
is_closed.shape(_scalar)
size.shape(_scalar)


@close.kernel(CPU)
def _close_kernel(xp: Any, handle: Any, *, cancel_pending_enqueues: bool) -> None:
    _queue_of(handle).close(cancel_pending_enqueues)


@is_closed.kernel(CPU)
def _is_closed_kernel(xp: Any, handle: Any) -> Array:
    return np.bool_(_queue_of(handle).closed)


@size.kernel(CPU)
def _size_kernel(xp: Any, handle: Any) -> Array:
    return np.int32(_queue_of(handle).size())
