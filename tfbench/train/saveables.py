"""What a Saver saves: each object as tensors with names, and how it takes restored values back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_collection, get_default_graph
from tfbench.engine.ops import resource_state, state
from tfbench.engine.ops.base import identity
from tfbench.engine.ops.shape_ops import reshape
from tfbench.engine.resources import REFERENCE_VARIABLES
from tfbench.engine.tensor import Tensor
from tfbench.variables.base import Variable
from tfbench.variables.functions import global_variables
from tfbench.variables.partitioned import PartitionedVariable
from tfbench.variables.resource import ResourceVariable


class SaveSpec:
    """One tensor of a checkpoint: its value, the part of a whole that it is (`6 2 0,2:-`, or ''), its name."""

    def __init__(self, tensor: Any, slice_spec: str, name: str, dtype: Any = None, device: str | None = None) -> None:
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError("When passing a callable `tensor` to a SaveSpec, an explicit dtype must be provided.")
        self.dtype = tensor.dtype if dtype is None else dtype
        self.device = tensor.device if device is None else device

    @property
    def tensor(self) -> Any:
        """The tensor; made now where a function was given."""
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Something that is saved as one tensor or several. `restore` builds what sets it from their values."""

    def __init__(self, op: Any, specs: list[SaveSpec], name: str) -> None:
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def optional_restore(self) -> bool:
        return False

    @property
    def device(self) -> str:
        """Where its first tensor is."""
        return self.specs[0].device

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        """An operation that sets the object from `restored_tensors`; shapes are None unless a reshape is wanted."""
        raise ValueError("Calling an abstract method.")


class ReferenceVariableSaveable(SaveableObject):
    """A reference variable, or a slice of one."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        super().__init__(var, [SaveSpec(var, slice_spec, name, dtype=var.dtype)], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        restored = restored_tensors[0]
        if restored_shapes is not None:
            restored = reshape(restored, restored_shapes[0])
        checked = restored_shapes is None and self.op.get_shape().is_fully_defined()
        ref = self.op._ref() if isinstance(self.op, Variable) else self.op
        return state.assign(ref, restored, validate_shape=checked)


class ResourceVariableSaveable(SaveableObject):
    """A resource variable, or a slice of one."""

    def __init__(self, var: Any, slice_spec: str, name: str) -> None:
        self._variable = var
        tensor: Any = var._graph_element
        if slice_spec:
            tensor = _read_on_cpu(var)
        super().__init__(var, [SaveSpec(tensor, slice_spec, name, dtype=var.dtype, device=var.device)], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        restored = restored_tensors[0]
        if restored_shapes is not None:
            restored = reshape(restored, restored_shapes[0])
        variable = self._variable
        with get_default_graph().device(variable.device):
            value = identity(restored)
            return resource_state.assign_variable(variable.handle, value, dtype=variable.dtype)


def _read_on_cpu(var: Any) -> Callable[[], Tensor]:
    def read() -> Tensor:
        graph = get_default_graph()
        with graph.device(var.device):
            value = var.read_value()
        with graph.device("/device:CPU:0"):
            return identity(value)

    return read


def saveables_for(name: str, op: Any) -> list[SaveableObject]:
    """How `op`, called `name` in the checkpoint, is saved: a variable, a list of slices, or a SaveableObject.

    Raises:
      TypeError, ValueError: for anything else, and for slices of different variables.
    """
    if not isinstance(name, str):
        raise TypeError(
            "names_to_saveables must be a dict mapping string names to trackable operations. "
            f"Name is not a string: {name}"
        )
    if isinstance(op, SaveableObject):
        return [op]
    if isinstance(op, (list, tuple, PartitionedVariable)):
        return _slices(name, list(op))
    if isinstance(op, ResourceVariable):
        return [ResourceVariableSaveable(op, "", name)]
    tensor = convert_to_tensor(op, as_ref=True)
    if tensor.op.type not in REFERENCE_VARIABLES:
        raise TypeError(
            f"names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: {tensor}"
        )
    return [ReferenceVariableSaveable(tensor, "", name)]


def _slices(name: str, parts: list[Any]) -> list[SaveableObject]:
    found: list[SaveableObject] = []
    full_name: str | None = None
    for part in parts:
        info = part._get_save_slice_info() if isinstance(part, Variable) else None
        if info is None:
            raise ValueError(f"Slices must all be slices: {part}")
        if full_name is None:
            full_name = info.full_name
        elif full_name != info.full_name:
            raise ValueError(f"Slices must all be from the same tensor: {full_name} != {info.full_name}")
        kind = ResourceVariableSaveable if isinstance(part, ResourceVariable) else ReferenceVariableSaveable
        found.append(kind(part, info.spec, name))
    return found


def validated(names_to_saveables: dict[str, Any]) -> list[SaveableObject]:
    """All SaveableObjects, by name.

    Raises:
      ValueError: if one object would be saved under two names.
    """
    result: list[SaveableObject] = []
    seen: set[int] = set()
    for name, op in sorted(names_to_saveables.items()):
        for saveable in saveables_for(name, op):
            element = saveable.op
            if isinstance(element, Tensor):
                element = element.op
            if id(element) in seen:
                raise ValueError(f"The same saveable will be restored with two names: {saveable.name}")
            seen.add(id(element))
            result.append(saveable)
    return result


def by_name(op_list: Iterable[Any]) -> dict[str, Any]:
    """A list of what is to be saved as a dictionary: slices of one variable together, each else under its name.

    Raises:
      TypeError: for what is no variable. ValueError: if two have one name.
    """
    named: dict[str, Any] = {}
    for item in op_list:
        slice_info = item._get_save_slice_info() if isinstance(item, Variable) else None
        if isinstance(item, SaveableObject):
            named[item.name] = item
        elif isinstance(item, PartitionedVariable):
            _add(named, item.name, item)
        elif slice_info is not None:
            parts = named.setdefault(slice_info.full_name, [])
            if not isinstance(parts, list):
                raise ValueError(f"Mixing slices and non-slices with the same name: {slice_info.full_name}")
            parts.append(item)
        elif isinstance(item, ResourceVariable):
            _add(named, item._shared_name, item)
        else:
            tensor = convert_to_tensor(item, as_ref=True)
            if tensor.op.type not in REFERENCE_VARIABLES:
                raise TypeError(f"Variable to save is not a Variable: {tensor}")
            _add(named, tensor.op.name, item if isinstance(item, Variable) else tensor)
    return named


def _add(named: dict[str, Any], name: str, item: Any) -> None:
    if name in named:
        raise ValueError(f"At least two variables have the same name: {name}")
    named[name] = item


def all_saveables() -> list[Any]:
    """What a Saver saves unless it is told: global variables, and what is in the collection of saveable objects."""
    return global_variables() + get_collection(GraphKeys.SAVEABLE_OBJECTS)
