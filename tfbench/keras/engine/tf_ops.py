"""Ops between layers: `tf.reduce_sum(Input(...))`, made into layers so that a model can be built across them.

Each op that lies between an `Input` and a tensor without history becomes a layer of its own. What it takes from
elsewhere (a constant, a variable's value) is computed once, and is a constant of that layer.
"""

from __future__ import annotations

from typing import Any

from tfbench.engine import nest, ops
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.init_scope import init_scope
from tfbench.engine.tensor import Tensor
from tfbench.keras.backend.state import bare_session
from tfbench.keras.engine.call_context import call_context


def uses_keras_history(tensors: Any) -> bool:
    """Whether some way back from the tensors leads to an `Input`."""
    pending = [tensor for tensor in nest.flatten(tensors) if isinstance(tensor, Tensor)]
    seen: set[int] = set()
    while pending:
        tensor = pending.pop()
        if id(tensor) in seen:
            continue
        seen.add(id(tensor))
        known = tensor.__dict__
        if "_keras_history_checked" in known:
            continue
        if known.get("_keras_history") is not None:
            return True
        pending.extend(tensor.op.inputs)
    for tensor in nest.flatten(tensors):
        if isinstance(tensor, Tensor):
            tensor._keras_history_checked = True  # type: ignore[attr-defined]
    return False


def needs_keras_history(tensors: Any, always: bool = False) -> bool:
    """Whether there are ops between layers that should be layers. Not within a layer's `call`, unless `always`."""
    if call_context.in_call and not always:
        return False
    flat = nest.flatten(tensors)
    if all(getattr(tensor, "_keras_history", None) is not None for tensor in flat):
        return False
    return uses_keras_history(flat)


def create_keras_history(tensors: Any) -> None:
    """Makes the ops from an `Input` to `tensors` layers."""
    from tfbench.keras.engine.op_layer import TensorFlowOpLayer

    done: set[Any] = set()
    stack = [(tensor.op, False) for tensor in nest.flatten(tensors) if isinstance(tensor, Tensor)]
    while stack:
        op, ready = stack.pop()
        if op in done or all(getattr(one, "_keras_history", None) is not None for one in op.outputs):
            continue
        from_layers = [one for one in op.inputs if uses_keras_history(one)]
        if not ready:
            stack.append((op, True))
            stack.extend((one.op, False) for one in from_layers if getattr(one, "_keras_history", None) is None)
            continue
        constants = {at: one for at, one in enumerate(op.inputs) if not any(one is two for two in from_layers)}
        layer = TensorFlowOpLayer(op, _values(constants))
        layer._add_inbound_node(from_layers, op.outputs)
        done.add(op)


def _values(tensors: dict[int, Tensor]) -> dict[int, Any]:
    """The values of tensors that depend on no input."""
    if not tensors:
        return {}
    session = bare_session()
    from tfbench.keras.backend.state import initialize_variables

    initialize_variables(session)
    return dict(zip(tensors, session.run(list(tensors.values())), strict=True))


def remade(op: Any, inputs: list[Tensor], constants: dict[int, Any]) -> Any:
    """The same op on other inputs, under a new name."""
    inputs = list(inputs)
    for at, value in sorted(constants.items()):
        with init_scope():
            inputs.insert(at, ops.constant(value, dtype=op.inputs[at].dtype, name=op.inputs[at].op.name))
    made = get_default_graph().create_op(op.type, inputs, name=op.name, attrs=dict(op.attrs))
    return made.outputs[0] if len(made.outputs) == 1 else list(made.outputs)
