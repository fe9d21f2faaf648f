"""`explain.gradient_path`: along which operations a gradient comes from y to x, or which one lets none through."""

from __future__ import annotations

import html
from typing import Any, NamedTuple

from tfbench.engine import dtypes
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.dtypes import DType
from tfbench.engine.gradients import registry
from tfbench.engine.gradients.between import ops_between, trainable
from tfbench.engine.gradients.walk import Walk
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.tensor import Tensor
from tfbench.explain.defaults import graph_for, graph_of_fetches
from tfbench.explain.places import Place, created_at
from tfbench.explain.rows import plain

#: an op and one of its inputs: a gradient comes from the op to the input
_Edge = tuple[Operation, Tensor]

_STOPS = frozenset(["StopGradient", "PreventGradient"])


class GradientPath(NamedTuple):
    """The way of a gradient: `path` goes from x to y, through `blocked_by` where that lets nothing through."""

    y: str
    x: str
    connected: bool
    #: names of operations; empty if y does not depend on x at all
    path: tuple[str, ...]
    #: the operation that lets no gradient through, its type, and where it was made
    blocked_by: str | None
    blocked_type: str | None
    where: Place | None
    #: "connected", "not connected", "integer", "not a number", "stop_gradient", "no registered gradient", "no gradient"
    reason: str
    #: what that means here, and the way out
    message: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data that JSON takes."""
        found: dict[str, Any] = plain(self)
        return found

    def __str__(self) -> str:
        lines = [self.message]
        if self.path:
            marked = (f"[{name}]" if name == self.blocked_by else name for name in self.path)
            lines.append(f"{'path' if self.connected else 'path of the values'}: {_shortened(list(marked))}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"


def _shortened(names: list[str]) -> str:
    if len(names) > 24:
        names = [*names[:12], f"… {len(names) - 23} more …", *names[-11:]]
    return " → ".join(names)


def gradient_path(y: Any, x: Any) -> GradientPath:
    """Why `tf.gradients(y, x)` is what it is: the path from x to y, or the first op, going back from y, that blocks it.

    The gradient is built and taken away again; nothing is run.

    Args:
      y, x: tensors, variables or operations with one output, or their names.

    Raises:
      ValueError: if they belong to different graphs. KeyError: for names that the graph does not have.
    """
    graph = graph_of_fetches(y) or graph_of_fetches(x) or graph_for()
    target, source = _tensor(graph, y), _tensor(graph, x)
    between = _Values(graph, target, source)
    names = (target.op.name, source.op.name)
    if target not in between.tensors:
        message = f"no gradient: {names[0]!r} does not depend on {names[1]!r}: no path of inputs leads there"
        return GradientPath(*names, False, (), None, None, None, "not connected", message)
    passed, failed = _with_gradients(graph, target, source, between)
    path = () if failed is not None else between.path(target, passed)
    if path:
        message = f"{names[0]!r} has a gradient with respect to {names[1]!r}"
        return GradientPath(*names, True, path, None, None, None, "connected", message)
    op, tensor = between.block(target, passed) if failed is None else between.block_at(failed)
    reason, text = _reason(op, tensor)
    where = created_at(op)
    path = (*between.path(tensor), *between.path_from(op, target))
    place = f" ({where})" if where is not None else ""
    message = f"no gradient: {op.name!r} (op type: {op.type}) lets none through{place}: {text}"
    return GradientPath(*names, False, path, op.name, op.type, where, reason, message)


def _tensor(graph: Graph, value: Any) -> Tensor:
    """The tensor that is meant: of a resource variable the handle, of a reference variable the reference."""
    if isinstance(value, IndexedSlices):
        return value.values
    for attribute in ("handle", "_ref"):
        found = getattr(value, attribute, None)
        found = found() if callable(found) and not isinstance(found, Tensor) else found
        if isinstance(found, Tensor):
            value = found
            break
    element = graph.as_graph_element(value)
    if isinstance(element, Operation):
        if len(element.outputs_list) != 1:
            raise ValueError(
                f"operation {element.name!r} has {len(element.outputs_list)} outputs: name one, as '{element.name}:0'"
            )
        return element.outputs_list[0]
    tensor: Tensor = element
    return tensor


class _Values:
    """The tensors on the paths of values from x to y, whatever their types."""

    def __init__(self, graph: Graph, y: Tensor, x: Tensor) -> None:
        self.x = x
        found = [y.op]
        seen = {y.op}
        for op in found:  # grows on the way
            for tensor in op._inputs:
                if tensor.op not in seen:
                    seen.add(tensor.op)
                    found.append(tensor.op)
        found.sort(key=lambda op: op._id)
        self.tensors = {x}
        before = 0
        while before < len(self.tensors):
            before = len(self.tensors)
            for op in found:
                if any(tensor in self.tensors for tensor in op._inputs):
                    self.tensors.update(op.outputs_list)
            if not graph.rewired:
                break

    def path(self, end: Tensor, passed: set[_Edge] | None = None) -> tuple[str, ...]:
        """The ops of a shortest path from x to `end`, along what gradients `passed`; none if there is none."""
        came: dict[Tensor, Tensor | None] = {end: None}
        queue = [end]
        for tensor in queue:  # grows on the way
            if tensor is self.x:
                break
            for each in tensor.op._inputs:
                if each not in came and each in self.tensors and (passed is None or (tensor.op, each) in passed):
                    came[each] = tensor
                    queue.append(each)
        names = []
        at: Tensor | None = self.x if self.x in came else None
        while at is not None:
            names.append(at.op.name)
            at = came[at]
        return tuple(names)

    def path_from(self, op: Operation, end: Tensor) -> tuple[str, ...]:
        """The ops of a shortest path from `op` to `end`."""
        came: dict[Operation, Operation | None] = {end.op: None}
        queue = [end.op]
        for at in queue:  # grows on the way
            if at is op:
                break
            for tensor in at._inputs:
                if tensor.op not in came and tensor in self.tensors:
                    came[tensor.op] = at
                    queue.append(tensor.op)
        names = []
        next_op: Operation | None = op
        while next_op is not None:
            names.append(next_op.name)
            next_op = came.get(next_op)
        return tuple(names)

    def block_at(self, op: Operation) -> tuple[Operation, Tensor]:
        """The same, where `op` is known to be it."""
        return op, next(tensor for tensor in op._inputs if tensor in self.tensors)

    def leads_on(self, op: Operation) -> bool:
        """Whether `op` is on a path from x."""
        return any(tensor in self.tensors for tensor in op._inputs)

    def roots(self) -> list[Tensor]:
        """x, and what is made of it by way of types that have no gradients: differentiating starts anew there."""
        found = [self.x]
        for tensor in self.tensors:
            if trainable(tensor._dtype) and tensor is not self.x and tensor.op._control_flow_context is None:
                before = [each for each in tensor.op._inputs if each in self.tensors]
                if not any(trainable(each._dtype) for each in before):
                    found.append(tensor)
        return found

    def block(self, y: Tensor, passed: set[_Edge]) -> tuple[Operation, Tensor]:
        """The first op, back from y, with an input on the way to x that got no gradient; and that input."""
        queue, seen = [y], {y}
        for tensor in queue:  # grows on the way
            for each in tensor.op._inputs:
                if each not in self.tensors:
                    continue
                if (tensor.op, each) not in passed:
                    return tensor.op, each
                if each not in seen:
                    seen.add(each)
                    queue.append(each)
        return y.op, y


class _Tolerant(Walk):
    """A walk that goes on after an op whose gradient cannot be built."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph, False, False, 0)
        self.failed: list[Operation] = []
        self.passed: set[_Edge] = set()

    def _build(self, op: Operation, out: list[Any]) -> None:
        before = [self._number(tensor) for tensor in op._inputs]
        try:
            super()._build(op, out)
        except Exception:  # a gradient function may be the user's: whatever it raises
            self.failed.append(op)
        for tensor, number in zip(op._inputs, before):
            if self._number(tensor) != number and trainable(tensor._dtype):
                self.passed.add((op, tensor))

    def _number(self, tensor: Tensor) -> int:
        """How many gradients of `tensor` have come in."""
        found = self.grads.get(tensor)
        return len(found) if isinstance(found, list) else int(found is not None)


def _with_gradients(graph: Graph, y: Tensor, x: Tensor, between: _Values) -> tuple[set[_Edge], Operation | None]:
    """Where gradients of y pass; and the first op, if any, for which `tf.gradients(y, x)` would fail."""
    mark = graph.mark()
    registry.load()
    walk = _Tolerant(graph)
    try:
        graph._finalized = False
        with graph.as_default(), graph.control_dependencies(None):
            if y._dtype is not dtypes.string:
                # Its own gradient may be anything of its shape and type.
                walk.run([y], between.roots(), [y], [])
    except (LookupError, NotImplementedError, TypeError, ValueError):
        pass  # of loops: what stands in the way is found without it
    finally:
        graph.roll_back(mark)
    really = set(ops_between(graph, [y.op], [x.op])[0])
    failed = next((op for op in walk.failed if op in really and between.leads_on(op)), None)
    return walk.passed, failed


def _kind(dtype: DType) -> str:
    return "integer" if dtype.is_integer else "not a number"


def _reason(op: Operation, tensor: Tensor) -> tuple[str, str]:
    """Why `op` gives its input `tensor` no gradient, as a word and as a sentence with the way out."""
    outputs = [output for output in op.outputs_list if trainable(output._dtype)]
    if op.type in _STOPS:
        return "stop_gradient", "it was asked to; leave it out if the gradient is wanted"
    if not trainable(tensor._dtype):
        name = tensor._dtype.base_dtype.name
        return _kind(tensor._dtype), f"its input {tensor.name!r} is of type {name}, which has no gradients"
    if op.outputs_list and not outputs:
        name = op.outputs_list[0]._dtype.base_dtype.name
        return _kind(op.outputs_list[0]._dtype), f"its result is of type {name}, which has no gradients"
    try:
        function = registry.gradient_function(op)
    except LookupError:
        text = f"no gradient is registered for it; @tf.RegisterGradient({op.type!r}) gives it one"
        return "no registered gradient", text
    if function is None:
        why = op.op_def.no_gradient_reason
        return "no gradient", why or "its operation type is declared not differentiable"
    return "no gradient", f"its gradient function gives none for its input {tensor.name!r}"
