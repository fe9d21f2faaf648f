"""Operations that stand for several: `group`, `tuple`, and values that wait for something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfbench.engine import nest
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.base import identity, no_op
from tfbench.engine.ops.state import ref_identity
from tfbench.engine.tensor import Tensor

__all__ = ["group", "tuple"]


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that is done when all `inputs` (operations, tensors, nests of them) are.

    Where the inputs are on different devices, there is one NoOp per device below it.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError("Unknown keyword arguments: " + ", ".join(kwargs))
    with name_scope(name, "group_deps", inputs) as scope:
        if not inputs:
            return no_op(name=scope)
        by_device: dict[str, list[Any]] = {}
        for item in nest.flatten(list(inputs)):
            if not hasattr(item, "device"):
                raise TypeError(
                    f"'inputs' should be zero or more (nested) Tensors. Received '{item}' with type '{type(item)}'."
                )
            by_device.setdefault(item.device, []).append(item)
        if len(by_device) == 1:
            ((device, items),) = by_device.items()
            return _wait_for(device, items, scope)
        waiting = [_wait_for(device, by_device[device], None) for device in sorted(by_device)]
        with get_default_graph().control_dependencies(waiting):
            return no_op(name=scope)


def _wait_for(device: str, items: Sequence[Any], name: str | None) -> Operation:
    graph = get_default_graph()
    with graph.control_dependencies(items), graph.device(device):
        return no_op(name=name)


def with_dependencies(dependencies: Sequence[Any], output_tensor: Any, name: str | None = None) -> Any:
    """`output_tensor`, available only when `dependencies` have run."""
    with name_scope(name, "control_dependency", [*dependencies, output_tensor]) as scope:
        graph = get_default_graph()
        slices = output_tensor if hasattr(output_tensor, "indices") and hasattr(output_tensor, "values") else None
        target = slices.values if slices is not None else output_tensor
        with graph.colocate_with(target), graph.control_dependencies(dependencies):
            tensor = convert_to_tensor(target)
            result = ref_identity(tensor, name=scope) if tensor.dtype._is_ref_dtype else identity(tensor, name=scope)
        if slices is None:
            return result
        return type(slices)(result, slices.indices, slices.dense_shape)


def tuple(tensors: Sequence[Any], name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """`tensors`, each available only when all of them (and `control_inputs`) have been computed."""
    with name_scope(name, "tuple", [t for t in tensors if t is not None]):
        items = [
            t if t is None or isinstance(t, (Operation, Tensor)) or hasattr(t, "indices") else convert_to_tensor(t)
            for t in tensors
        ]
        # A variable is waited for itself, not its value.
        sources = [t if hasattr(t, "op") else item for t, item in zip(tensors, items, strict=True) if t is not None]
        gating = [t if isinstance(t, Operation) else t.op for t in sources]
        for item in control_inputs or ():
            if isinstance(item, Tensor):
                item = item.op
            elif not isinstance(item, Operation):
                raise TypeError(f"'control_inputs' must only contain Operation or Tensor. Received: {type(item)}")
            gating.append(item)
        if not gating:
            raise ValueError(f"'tensors' must have at least one Tensor. Received: {tensors}.")
        gate = group(*sorted(set(gating), key=lambda op: op._id))
        result: list[Any] = []
        for item in items:
            if item is None:
                result.append(None)
            elif isinstance(item, Operation):
                with get_default_graph().control_dependencies([gate]):
                    result.append(no_op())
            else:
                result.append(with_dependencies([gate], item))
        return result
