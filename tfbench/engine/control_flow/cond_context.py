"""One branch of a `cond`: values from outside come in through a Switch by the predicate."""

from __future__ import annotations

from tfbench.engine.control_flow.context import ControlFlowContext, is_loop_exit
from tfbench.engine.control_flow.nodes import switch_ref_or_tensor
from tfbench.engine.operation import Operation
from tfbench.engine.tensor import Tensor


class CondContext(ControlFlowContext):
    """The predicate, the pivot (what runs first in this branch), and which branch it is: 1 where true, else 0."""

    def __init__(self, pred: Tensor, pivot: Tensor, branch: int, name: str = "cond_text") -> None:
        super().__init__(name)
        self._pred = pred
        self._pivot = pivot
        self._branch = branch
        self._values.update((pred.name, pivot.name))
        self._external_values[pred.name] = pred
        pivot.op._set_control_flow_context(self)

    @property
    def pred(self) -> Tensor:
        return self._pred

    @property
    def pivot(self) -> Tensor:
        return self._pivot

    @property
    def branch(self) -> int:
        return self._branch

    def IsCondContext(self) -> bool:
        return True

    # -- ops and values -----------------------------------------------------------------------------------------

    def _take_in(self, op: Operation) -> None:
        """Switches the inputs of a new op, and has it wait for the pivot where it has none."""
        graph = op.graph
        if not op._inputs:
            self._drop_outside_control(op)
            if not any(_is_in(other, self) for other in op._control_inputs):
                op._add_control_input(self._pivot.op)
        else:
            for index, tensor in enumerate(op._inputs):
                inside = self.AddValue(tensor)
                if inside is not tensor:
                    op._update_input(index, inside)
            self._drop_outside_control(op)
        for tensor in op.outputs_list:
            self._seen(tensor.name)
        if self._outer_context is not None or not is_loop_exit(op):
            graph.prevent_fetching(op)
        if self._outer_context is not None:
            self._outer_context.AddInnerOp(op)

    def AddValue(self, val: Tensor) -> Tensor:
        """What `val` is in this branch; a Switch is made for one that comes from outside."""
        if val.name in self._values:
            return self._external_values.get(val.name, val)
        outside = self._outside(val)
        graph = val.graph
        with graph.control_dependencies(None):
            inside: Tensor = switch_ref_or_tensor(outside, self._pred)[self._branch]
            if self._outer_context is not None:
                self._outer_context.AddInnerOp(inside.op)
        graph.prevent_fetching(inside.op)
        inside.op._set_control_flow_context(self)
        self._seen(inside.name)
        self._external_values[val.name] = inside
        return inside

    def add_result(self, val: Tensor) -> Tensor:
        """What `val`, returned by the branch function, is in this branch."""
        if val.name in self._values:
            return self._external_values.get(val.name, val)
        # The branch returns something from outside as it is.
        inside: Tensor = switch_ref_or_tensor(self._outside(val), self._pred)[self._branch]
        self._external_values[val.name] = inside
        return inside

    def _outside(self, val: Tensor) -> Tensor:
        """What `val` is just outside this branch: in a context around it, that context's own; known from now on."""
        self._values.add(val.name)
        if self._outer_context is None:
            return val
        outside = self._outer_context.AddValue(val)
        self._values.add(outside.name)
        self._external_values[outside.name] = outside
        return outside

    def _seen(self, name: str) -> None:
        context: ControlFlowContext | None = self
        while context is not None:
            context._values.add(name)
            context = context._outer_context


def _is_in(op: Operation, context: ControlFlowContext) -> bool:
    own: ControlFlowContext | None = op._control_flow_context
    return own is not None and own.is_inside(context)
