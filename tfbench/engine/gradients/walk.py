"""The walk of `tf.gradients`: from the ys back, each op whose uses are all done has its gradient built.

The gradients of its outputs are added up, its gradient function builds those of its inputs, in a name scope of its own.
No step recurses, and each looks at an op once: the time is linear in the ops between. Loops need more; see `loops`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

from tfbench.engine import dtypes, ops
from tfbench.engine.composite import IndexedSlices
from tfbench.engine.gradients import loops, registry
from tfbench.engine.gradients.between import ops_between, trainable
from tfbench.engine.gradients.zeros import zeros_for
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.scopes import Colocation
from tfbench.engine.tensor import Tensor

#: what AggregationMethod.ADD_N is, and all methods
_ADD_N = 0
_METHODS = (0, 1, 2)


class _Several(list[Any]):
    """Gradients of one tensor that are still to be added up."""


class Walk:
    """One call of `gradients`."""

    def __init__(self, graph: Graph, colocate: bool, gate: bool, aggregation: Any) -> None:
        self.graph = graph
        self.colocate = colocate
        self.gate = gate
        self.aggregation = aggregation
        #: the gradient of each tensor as far as it is known; several, while they are not added up
        self.grads: dict[Tensor, Any] = {}
        #: for each op between, how many of its uses are to be done before it
        self.pending: dict[Operation, int] = {}
        #: the ops of the ys, those of the xs, and those at which the walk ends
        self.to_ops: dict[Operation, None] = {}
        self.from_ops: list[Operation] = []
        self.ends: set[Operation] = set()
        #: what can be done now
        self.queue: deque[Operation] = deque()
        #: what loops between need, if there are any
        self.loops: loops.LoopGradients | None = None

    def run(self, ys: Sequence[Any], xs: Sequence[Any], starts: Sequence[Any], stops: Sequence[Any]) -> None:
        """Builds everything, from `starts` (the gradients of `ys`) to the gradients of `xs`."""
        self.to_ops = dict.fromkeys(y.op for y in ys)
        self.from_ops = [x.op for x in xs]
        between, pending = ops_between(self.graph, self.to_ops, self.from_ops)
        self.pending = pending
        reached = set(between)  # before loops add results that no x leads to
        if self.graph.rewired or self.graph._control_flow_context is not None:
            self.loops = loops.needed(self, between)
        for y, dy in zip(ys, starts):
            self.add(tensor_of(y), dy)
        # An op with a source before it is not where the walk ends, even if it makes a source itself.
        self.ends = {op for op in self.from_ops if not any(pending.get(t.op, 0) > 0 for t in op._inputs)}
        self.ends.update(stop.op for stop in stops)
        queue = self.queue
        queue.extend(op for op in self.to_ops if op in reached and not pending.get(op))
        if queue and self.aggregation not in _METHODS:
            raise ValueError(
                f"Invalid `aggregation_method` specified {self.aggregation}. Accepted values are {list(_METHODS)}."
            )
        if self.loops is not None:
            context = self.graph._control_flow_context
            try:
                self._run_with_loops(self.loops)
            finally:
                # A gradient that cannot be built leaves no loop open.
                self.graph._control_flow_context = context
            return
        while queue:
            op = queue.popleft()
            if self.colocate:
                with self.graph.colocate_with(op):
                    self._build(op, self._sums(op))
            else:
                self._build(op, self._sums(op))
            for tensor in op._inputs:
                source = tensor.op
                left = pending.get(source)
                if left is not None:
                    pending[source] = left - 1
                    if left == 1:
                        queue.append(source)

    def _run_with_loops(self, state: loops.LoopGradients) -> None:
        """The same where loops lie between: they say in which context an op's gradient is built, and when."""
        state.start()
        queue = self.queue
        while queue:
            op = queue.popleft()
            beside = Colocation(self.graph, op, False) if self.colocate else None
            if beside is not None:
                beside.__enter__()
            try:
                state.enter(op, True)
                sums = self._sums(op)
                state.exit(op, True)
                state.enter(op, False)
                self._build(op, sums)
                state.exit(op, False)
            finally:
                if beside is not None:
                    beside.__exit__()
            for tensor in op._inputs:
                source = tensor.op
                left = self.pending.get(source)
                if left is not None:
                    self.pending[source] = left - 1
                    state.used(source, left - 1)

    def finish(self) -> None:
        """What loops add when all is built."""
        if self.loops is not None:
            self.loops.finish()

    # -- one op -------------------------------------------------------------------------------------------

    def _sums(self, op: Operation) -> list[Any]:
        """The gradients of the outputs of `op`, added up."""
        grads = self.grads
        outputs = op.outputs_list
        if len(outputs) == 1:
            dy = grads.get(outputs[0])
            if dy is None or type(dy) is Tensor:
                return [dy]
        found: list[Any] = []
        for output in outputs:
            dy = grads.get(output)
            if dy is not None and type(dy) is not Tensor:
                dy = grads[output] = self._sum(op, dy)
            found.append(dy)
        return found

    def _build(self, op: Operation, out: list[Any]) -> None:
        """Builds the gradients of the inputs of `op` from those of its outputs."""
        if op in self.ends or (out[0] is None and all(dy is None for dy in out)):
            return
        function = registry.gradient_function(op)
        if function is None:
            return
        grads = self.grads
        for i, dy in enumerate(out):
            if dy is None and trainable(op.outputs_list[i]._dtype):
                out[i] = self.zeros(op, i)
                if out[i] is not None:
                    grads[op.outputs_list[i]] = out[i]
        graph = self.graph
        state = graph._local.state
        scope = state.name
        state.name = graph.unique_name(op.name + "_grad")
        try:
            found = function(op, *out)
            if not isinstance(found, (list, tuple)):
                found = [found]
            if len(found) != len(op._inputs):
                raise ValueError(
                    f"Num gradients {len(found)} generated for op '{op.name}' (op type: {op.type}) do not match num "
                    f"inputs {len(op._inputs)}"
                )
            if self.gate and sum(dx is not None for dx in found) > 1:
                with graph.device(None), graph.colocate_with(None, ignore_existing=True):
                    found = ops.tuple(found)
        finally:
            state.name = scope
        for tensor, dx in zip(op._inputs, found):
            if dx is None:
                continue
            if type(dx) is Tensor and dx._shape != tensor._shape and tensor._dtype is not dtypes.resource:
                _merge_shapes(op, tensor, dx)
            # what `add` does, written out
            have = grads.get(tensor)
            if have is None:
                grads[tensor] = dx
            elif type(have) is _Several:
                have.append(dx)
            else:
                grads[tensor] = _Several((have, dx))

    def add(self, tensor: Tensor, dy: Any) -> None:
        """Notes that `dy` is part of the gradient of `tensor`."""
        have = self.grads.get(tensor)
        if have is None:
            self.grads[tensor] = dy
        elif type(have) is _Several:
            have.append(dy)
        else:
            self.grads[tensor] = _Several((have, dy))

    def zeros(self, op: Operation, index: int) -> Tensor | None:
        """The gradient of an output that nobody differentiated."""
        if self.loops is not None:
            return self.loops.zeros(op, index)
        return zeros_for(op, index)

    # -- adding up ----------------------------------------------------------------------------------------

    def result(self, x: Any) -> Any:
        """The gradient of `x`, or None."""
        tensor = tensor_of(x)
        found = self.grads.get(tensor)
        # Still several where the walk never came: y is x's own op, and nothing lies between.
        return self._sum(tensor.op, found) if type(found) is _Several else found

    def _sum(self, op: Operation, several: Any) -> Any:
        parts = several if type(several) is _Several else [several]
        for part in parts:
            if not isinstance(part, (Tensor, IndexedSlices)):
                raise TypeError(
                    f"Invalid gradient {part} of '{op.name}': a gradient must be a Tensor or an IndexedSlices"
                )
        if len(parts) < 2:
            return parts[0]
        if all(isinstance(part, IndexedSlices) for part in parts):
            if len({part.indices.dtype for part in parts}) > 1:
                parts = [_with_long_indices(part) for part in parts]
            return IndexedSlices(
                ops.concat([part.values for part in parts], axis=0),
                ops.concat([part.indices for part in parts], axis=0),
                parts[0].dense_shape,
            )
        if any(isinstance(part, IndexedSlices) for part in parts):
            return ops.add_n(parts)
        if self.aggregation != _ADD_N:
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


def _with_long_indices(part: IndexedSlices) -> IndexedSlices:
    """Rows whose numbers can be put beside others of int64."""
    if part.indices.dtype is dtypes.int64:
        return part
    return IndexedSlices(part.values, ops.cast(part.indices, dtypes.int64), part.dense_shape)


def tensor_of(x: Any) -> Tensor:
    """The tensor that has `x`'s gradient: of IndexedSlices, the values."""
    return x.values if isinstance(x, IndexedSlices) else x


def _merge_shapes(op: Operation, tensor: Tensor, dx: Tensor) -> None:
    """What is known of an input's shape holds for its gradient. ValueError where they contradict each other."""
    try:
        dx.set_shape(tensor.shape)
    except ValueError:
        index = op._inputs.index(tensor)
        raise ValueError(
            f"Incompatible shapes: input {index} of operation {op.name} has shape {tensor.shape}, but the gradient "
            f"calculated for it has shape {dx.shape}"
        ) from None
