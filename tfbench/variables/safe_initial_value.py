"""Initial values that read other variables, rebuilt so that one initialiser run is safe in any order.

`w = tf.Variable(v + 1.0)` would read `v` while `v/Assign` may not have run yet. So `w/Assign` gets a copy
of the expression in which `v` is replaced by "v if it is initialised, else v's own initial value". The
copies are named after the variable: `add_w`.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine.apply import create_from_parts
from tfbench.engine.collections import GraphKeys
from tfbench.engine.graph import Operation
from tfbench.engine.opdef import lookup
from tfbench.engine.resources import VARIABLE_TYPES
from tfbench.engine.tensor import Tensor

#: ops whose result does not depend on the variable's value, or that know for themselves what to do
_LEFT_ALONE = ("IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If")


def guarded(name: str, initial_value: Tensor) -> Tensor:
    """`initial_value`, rebuilt where it reads reference variables; `name` is the new variable's scope ('w/')."""
    made_by = initial_value.op
    if not made_by._inputs and made_by.type not in VARIABLE_TYPES:
        return initial_value  # a constant, which is what most are
    ancestors = _ancestors(made_by)
    if ancestors is None or not any(op.type in VARIABLE_TYPES for op in ancestors):
        return initial_value
    rebuilt: dict[Operation, Operation] = {}
    for op in ancestors:
        rebuilt[op] = _rebuild(name, op, rebuilt)
    return rebuilt[made_by].outputs_list[initial_value.value_index]


def _ancestors(op: Operation) -> list[Operation] | None:
    """`op` and everything its data comes from, inputs first; None if there is a cycle (a loop)."""
    done: dict[Operation, None] = {}
    open_ops: set[Operation] = set()
    stack: list[tuple[Operation, bool]] = [(op, False)]
    while stack:
        current, leaving = stack.pop()
        if leaving:
            open_ops.discard(current)
            done[current] = None
            continue
        if current in done:
            continue
        if current in open_ops:
            return None
        open_ops.add(current)
        stack.append((current, True))
        if current.type in _LEFT_ALONE:
            continue
        for tensor in reversed(current._inputs):
            if tensor.op in open_ops:
                return None
            if tensor.op not in done:
                stack.append((tensor.op, False))
    return list(done)


def _rebuild(name: str, op: Operation, rebuilt: dict[Operation, Operation]) -> Operation:
    if op.type in _LEFT_ALONE:
        return op
    if op.type in VARIABLE_TYPES:
        variable = _variable_of(op)
        return op if variable is None else variable.initialized_value().op
    inputs = [rebuilt[tensor.op].outputs_list[tensor.value_index] for tensor in op._inputs]
    if all(new is old for new, old in zip(inputs, op._inputs, strict=True)):
        return op
    type_ = "Switch" if op.type == "RefSwitch" else op.type
    new_name = f"{op.name}_{name}".replace(":", "_")
    return create_from_parts(op.graph, lookup(type_), inputs, dict(op.attrs), new_name)


def _variable_of(op: Operation) -> Any:
    """The variable whose buffer `op` is, or None."""
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in op.graph.get_collection(key):
            if getattr(variable, "op", None) is op:
                return variable
    return None
