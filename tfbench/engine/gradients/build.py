"""`tf.gradients`: walks from the results back to the variables and adds to the graph what computes the gradients.

1. Forward from the xs, only along outputs that can be differentiated: what do the xs reach?
2. Backward from the ys: which of these ops lie between, and how many of its uses does each one wait for?
3. From the ys on, each op whose uses are all done: the gradients of its outputs are added up, its gradient
   function builds those of its inputs, in a name scope of its own.

No step recurses, and each looks at an op once: the time is linear in the ops between.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from enum import Enum
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices, convert_to_tensor_or_indexed_slices
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.gradients import registry
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.tensor import Tensor


class AggregationMethod:
    """How gradients that meet are added up: by one AddN, or pair by pair."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(Enum):
    """What the gradient is where y does not depend on x: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


#: types with gradients
_TRAINABLE = frozenset(
    [
        dtypes.float16, dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.complex64, dtypes.complex128,
        dtypes.resource, dtypes.variant,
    ]
)  # fmt: skip

_CONDITIONAL = frozenset(["Switch", "RefSwitch", "Merge", "RefMerge"])
_LOOPS = frozenset(["Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond"])

#: op -> for each output, the gradients that came in
_Grads = dict[Operation, list[Any]]


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list[Any]:
    """The gradient of the sum of `ys` with respect to each of `xs`: a tensor, an IndexedSlices, or None.

    `grad_ys` are the gradients to start from (ones where None); `stop_gradients` are treated as constants;
    `gate_gradients` lets nobody use one gradient of an op before all of them are there.

    Raises:
      LookupError: if an op between has no gradient function.
      NotImplementedError: if one belongs to a `cond` or a loop: gradients through these come later.
      ValueError: if `grad_ys` are not as many as `ys`, or a gradient has a wrong shape.
      TypeError: if a gradient has a wrong type.
    """
    ys, xs, stops = _as_list(ys), _as_list(xs), _as_list(stop_gradients)
    starts = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    ys = [convert_to_tensor(y) if _is_resource_variable(y) else y for y in ys]
    xs = [x.handle if _is_resource_variable(x) else x for x in xs]
    try:
        unconnected = UnconnectedGradients(unconnected_gradients)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: '{unconnected_gradients}'") from None
    methods = (0, 1, 2)
    if aggregation_method is not None and aggregation_method not in methods:
        raise ValueError(
            f"Invalid `aggregation_method` specified {aggregation_method}. Accepted values are {list(methods)}."
        )
    registry.load()
    with name_scope(name, "gradients", [item for item in (*ys, *xs, *stops, *starts) if item is not None]):
        graph = get_default_graph()
        graph.unique_name("uid")  # TensorFlow uses up this name
        targets = [convert_to_tensor_or_indexed_slices(y, name=f"y_{i}") for i, y in enumerate(ys)]
        sources = [
            x if isinstance(x, IndexedSlices) else convert_to_tensor(x, name=f"x_{i}", as_ref=True)
            for i, x in enumerate(xs)
        ]
        walk = _Walk(graph, bool(colocate_gradients_with_ops), bool(gate_gradients), aggregation_method or 0)
        walk.run(targets, sources, walk.start_gradients(targets, starts), stops)
    return [walk.result(x, unconnected) for x in sources]


def _as_list(value: Any) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _is_resource_variable(x: Any) -> bool:
    handle = None if isinstance(x, Tensor) else getattr(x, "handle", None)
    return isinstance(handle, Tensor) and handle.dtype is dtypes.resource


def _trainable(tensor: Tensor) -> bool:
    return tensor._dtype.base_dtype in _TRAINABLE


class _Walk:
    """One call of `gradients`."""

    def __init__(self, graph: Graph, colocate: bool, gate: bool, aggregation: int) -> None:
        self.graph = graph
        self.colocate = colocate
        self.gate = gate
        self.aggregation = aggregation
        self.grads: _Grads = {}

    def _beside(self, op: Operation) -> AbstractContextManager[None]:
        return self.graph.colocate_with(op) if self.colocate else nullcontext()

    # -- where it starts ----------------------------------------------------------------------------------

    def start_gradients(self, ys: Sequence[Any], given: Sequence[Any]) -> list[Any]:
        """The gradients of the ys: what the caller gave, else ones."""
        if len(given) != len(ys):
            raise ValueError(f"Length mismatch. Passed {len(given)} grad_ys for {len(ys)} ys")
        given = [
            dy if dy is None else convert_to_tensor_or_indexed_slices(dy, name=f"grad_y_{i}")
            for i, dy in enumerate(given)
        ]
        result: list[Any] = []
        for i, (y, dy) in enumerate(zip(ys, given)):
            with self._beside(y.op):
                if dy is None:
                    if y.dtype.is_complex:
                        raise TypeError(
                            f"Gradients of complex tensors ({y}) must set grad_ys (y.dtype = {y.dtype.name})"
                        )
                    result.append(ops.ones(ops.shape(y), dtype=y.dtype.base_dtype, name=f"grad_ys_{i}"))
                    continue
                _check_start_type(y, dy)
                if isinstance(dy, IndexedSlices):
                    rows = ops.identity(dy.indices, name=f"grad_ys_{i}_indices")
                    values = ops.identity(dy.values, name=f"grad_ys_{i}_values")
                    dense = dy.dense_shape
                    if dense is not None:
                        dense = ops.identity(dense, name=f"grad_ys_{i}_shape")
                    result.append(IndexedSlices(values, rows, dense))
                else:
                    result.append(ops.identity(dy, name=f"grad_ys_{i}"))
        return result

    # -- the walk -----------------------------------------------------------------------------------------

    def run(self, ys: Sequence[Any], xs: Sequence[Any], starts: Sequence[Any], stops: Sequence[Any]) -> None:
        to_ops = list(dict.fromkeys(y.op for y in ys))
        from_ops = [x.op for x in xs]
        pending, reached = _between(to_ops, from_ops)
        for y, dy in zip(ys, starts):
            self._add(y, dy)
        # An op with a source before it is not where the walk ends, even if it makes a source itself.
        ends = {op for op in from_ops if not any(pending.get(t.op, 0) > 0 for t in op._inputs)}
        ends.update(stop.op for stop in stops)
        queue = deque(op for op in to_ops if not pending.get(op, 0) and op in reached)
        while queue:
            op = queue.popleft()
            with self._beside(op):
                self._step(op, op in ends)
            for tensor in op._inputs:
                source = tensor.op
                left = pending.get(source, 0) - 1
                pending[source] = left
                if left == 0:
                    queue.append(source)

    def _step(self, op: Operation, is_end: bool) -> None:
        """Adds up the gradients of the outputs of `op`, and builds those of its inputs."""
        out = self.grads[op] = self._added_up(op)
        if is_end or all(dy is None for dy in out):
            return
        if op.type in _CONDITIONAL or op.type in _LOOPS:
            where = "cond" if op.type in _CONDITIONAL else "while_loop"
            raise NotImplementedError(
                f"Gradients through {where} come later: '{op.name}' (op type: {op.type}) lies between ys and xs."
            )
        function = registry.gradient_function(op)
        if function is None:
            return
        for i, dy in enumerate(out):
            if dy is None and _trainable(op.outputs_list[i]):
                out[i] = _zeros(op.outputs_list[i])
        with self.graph.name_scope(op.name + "_grad"):
            found = _as_tuple(function(op, *out))
            if len(found) != len(op._inputs):
                raise ValueError(
                    f"Num gradients {len(found)} generated for op '{op.name}' (op type: {op.type}) do not match num "
                    f"inputs {len(op._inputs)}"
                )
            if self.gate and sum(dx is not None for dx in found) > 1:
                with self.graph.device(None), self.graph.colocate_with(None, ignore_existing=True):
                    found = ops.tuple(found)
        for i, (tensor, dx) in enumerate(zip(op._inputs, found)):
            if dx is None:
                continue
            if isinstance(dx, Tensor) and tensor._dtype is not dtypes.resource and dx._shape != tensor._shape:
                try:
                    dx.set_shape(tensor.shape)
                except ValueError:
                    raise ValueError(
                        f"Incompatible shapes between op input and calculated input gradient. Forward operation: "
                        f"{op.name}. Input index: {i}. Original input shape: {tensor.shape}. Calculated input gradient "
                        f"shape: {dx.shape}"
                    ) from None
            self._add(tensor, dx)

    def _add(self, tensor: Any, dy: Any) -> None:
        op = tensor.op
        if op not in self.grads:
            self.grads[op] = [[] for _ in op.outputs_list]
        index = tensor.values.value_index if isinstance(tensor, IndexedSlices) else tensor.value_index
        self.grads[op][index].append(dy)

    def result(self, x: Any, unconnected: UnconnectedGradients) -> Any:
        index = x.values.value_index if isinstance(x, IndexedSlices) else x.value_index
        found = self.grads.get(x.op)
        grad = None if found is None else found[index]
        # A list is left where the walk never came: y is x's own op, and nothing lies between.
        if isinstance(grad, list):
            grad = self._sum(x.op, grad)
        if grad is None and unconnected is UnconnectedGradients.ZERO:
            if x.dtype is dtypes.resource:
                return _zeros(x)
            return ops.zeros_like(x)
        return grad

    # -- adding up ----------------------------------------------------------------------------------------

    def _added_up(self, op: Operation) -> list[Any]:
        collected = self.grads.get(op)
        if collected is None:
            return [None] * len(op.outputs_list)
        return [self._sum(op, parts) for parts in collected]

    def _sum(self, op: Operation, parts: list[Any]) -> Any:
        for part in parts:
            if not isinstance(part, (Tensor, IndexedSlices)):
                raise TypeError(
                    f"Invalid gradient {part} of '{op.name}'. Gradients have to be either all Tensors or all "
                    "IndexedSlices"
                )
        if len(parts) < 2:
            return parts[0] if parts else None
        if all(isinstance(part, IndexedSlices) for part in parts):
            return IndexedSlices(
                ops.concat([part.values for part in parts], axis=0),
                ops.concat([part.indices for part in parts], axis=0),
                parts[0].dense_shape,
            )
        if any(isinstance(part, IndexedSlices) for part in parts):
            return ops.add_n(parts)
        if self.aggregation != AggregationMethod.ADD_N:
            with self.graph.name_scope(op.name + "_gradient_sum"):
                total = parts[0]
                for part in parts[1:]:
                    total = ops.add_n([total, part])
                return total
        devices: dict[str, list[Tensor]] = {}
        for part in parts:
            devices.setdefault(part.device or "", []).append(part)
        sums = []
        for device in sorted(devices):
            together = devices[device]
            with self.graph.colocate_with(together[0].op, ignore_existing=True):
                sums.append(ops.add_n(together))
        return ops.add_n(sums)


def _as_tuple(found: Any) -> list[Any]:
    return list(found) if isinstance(found, (list, tuple)) else [found]


def _zeros(tensor: Tensor) -> Tensor:
    """Zeros for an output that nobody differentiated, or for a variable's handle."""
    if tensor._dtype is dtypes.resource:
        return ops.zeros(lookup("VariableShape")(tensor), dtypes.float32)
    return ops.zeros_like(tensor, optimize=False)


def _check_start_type(y: Any, dy: Any) -> None:
    real, given = y.dtype.base_dtype, dy.dtype.base_dtype
    if real.is_floating or real.is_integer:
        if not given.is_floating and not given.is_integer:
            raise TypeError(
                f"Gradient type {given.name} generated for real or integer-valued tensor {y} with type {real.name} "
                "must be real or integer"
            )
    elif real.is_complex:
        if not given.is_complex:
            raise TypeError(
                f"Gradient type {given.name} generated for complex-valued tensor {y} with type {real.name} must be "
                "complex"
            )
    else:
        raise TypeError(f"Tensor {y} with type {real.name} must be numeric to obtain a default gradient")


def _between(to_ops: list[Operation], from_ops: list[Operation]) -> tuple[dict[Operation, int], set[Operation]]:
    """For each op between: how many of its uses lie between as well. And all ops that the sources reach."""
    reached: set[Operation] = set()
    queue = deque(from_ops)
    while queue:
        op = queue.popleft()
        if op in reached:
            continue
        reached.add(op)
        for output in op.outputs_list:
            if _trainable(output):
                queue.extend(output.consumers())
    between: list[Operation] = []
    seen: set[Operation] = set()
    queue = deque(to_ops)
    while queue:
        op = queue.popleft()
        if op in reached and op not in seen:
            seen.add(op)
            between.append(op)
            queue.extend(tensor.op for tensor in op._inputs)
    pending: dict[Operation, int] = {}
    for op in between:
        for tensor in op._inputs:
            if tensor.op in seen:
                pending[tensor.op] = pending.get(tensor.op, 0) + 1
    return pending, seen
