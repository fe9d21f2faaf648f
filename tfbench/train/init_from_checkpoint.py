"""`init_from_checkpoint`: initialisers that take values from a checkpoint, for starting from a trained model."""

from __future__ import annotations

from typing import Any

from tfbench import logging
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.ops import checkpoints
from tfbench.engine.shapes import TensorShape
from tfbench.train.checkpoint_reader import checkpoint_path, load_checkpoint
from tfbench.train.saveables import saveables_for
from tfbench.variable_scope import get_variable_scope
from tfbench.variables.base import Variable
from tfbench.variables.partitioned import PartitionedVariable


def init_from_checkpoint(ckpt_dir_or_file: str, assignment_map: Any) -> None:
    """Makes the initialisers of variables of the default graph read a checkpoint.

    Args:
      ckpt_dir_or_file: a checkpoint, or a folder, whose last one is taken.
      assignment_map: a dict, or a list of pairs. `{"scope/": "other/"}` takes all variables in `other/` from the
        tensors of the same name in `scope/`; `{"name": v}` takes a variable (or its name, or its list of slices) from
        a tensor; `"/"` is the root of either.

    Raises:
      ValueError: if a tensor is not in the checkpoint, a variable not in the graph, or their shapes differ.
    """
    reader = load_checkpoint(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    path = checkpoint_path(ckpt_dir_or_file)
    pairs = assignment_map.items() if hasattr(assignment_map, "items") else assignment_map
    for tensor_name, target in sorted(pairs, key=lambda pair: pair[0]):
        for name, variable in _resolved(tensor_name, target, shapes, path):
            parts = _parts(variable)
            _check_shape(name, variable, parts, shapes[name])
            for part in parts:
                _set_initializer(part, path, name)
            logging.debug("Initialize variable %s from checkpoint %s with %s", parts[0].name, ckpt_dir_or_file, name)


def _resolved(tensor_name: str, target: Any, shapes: dict[str, list[int]], path: str) -> list[tuple[str, Any]]:
    """The pairs (tensor, variable) that one entry of the map means."""
    store = _store()
    if isinstance(target, (Variable, PartitionedVariable, list, tuple)):
        if tensor_name not in shapes:
            raise ValueError(f"Tensor {tensor_name} is not found in {path} checkpoint {shapes}")
        return [(tensor_name, target)]
    scopes = target.rstrip("/")
    if "/" in target[-1:] or not target:
        return _in_scope(tensor_name, target, scopes, shapes, path, store)
    if target not in store:
        # What is no variable is a scope.
        if not tensor_name.endswith("/"):
            raise ValueError(
                f"Assignment map with scope only name {scopes.rpartition('/')[0] or scopes} should map to scope only "
                f"{tensor_name}. Should be 'scope/': 'other_scope/'."
            )
        return _in_scope(tensor_name, target, scopes, shapes, path, store)
    if tensor_name not in shapes:
        raise ValueError(f"Tensor {tensor_name} is not found in {path} checkpoint {shapes}")
    return [(tensor_name, store[target])]


def _in_scope(
    tensor_name: str, target: str, scope: str, shapes: dict[str, list[int]], path: str, store: dict[str, Any]
) -> list[tuple[str, Any]]:
    if not tensor_name.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {scope} should map to scope only {tensor_name}. "
            "Should be 'scope/': 'other_scope/'."
        )
    root = "" if tensor_name == "/" else tensor_name
    found = []
    for name, variable in sorted(store.items()):
        if scope and not name.startswith(f"{scope}/"):
            continue
        own = name[len(scope) + 1 :] if scope else name
        wanted = root + own
        if wanted not in shapes:
            raise ValueError(f"Tensor {wanted} ({own} in {tensor_name}) is not found in {path} checkpoint")
        found.append((wanted, variable))
    return found


def _store() -> dict[str, Any]:
    """The variables that `get_variable` made, slices of one variable together."""
    get_variable_scope()  # makes the store where there is none yet
    store = get_default_graph()._extensions.get("variable_store")
    if store is None:
        return {}
    named: dict[str, Any] = {}
    for name, variable in store.variables.items():
        head, slash, tail = name.rpartition("/part_")
        if slash and tail.isdecimal() and variable._get_save_slice_info() is not None:
            named.setdefault(head, []).append(variable)
        else:
            named[name] = variable
    return named


def _parts(variable: Any) -> list[Any]:
    return list(variable) if isinstance(variable, (PartitionedVariable, list, tuple)) else [variable]


def _check_shape(name: str, variable: Any, parts: list[Any], found: list[int]) -> None:
    info = parts[0]._get_save_slice_info() if not isinstance(variable, Variable) else None
    shape = TensorShape(info.full_shape) if info is not None else parts[0].shape
    if not shape.is_compatible_with(found):
        shown = shape if shape.dims is None else tuple(shape.as_list())
        label = parts[0].name if info is None else info.full_name
        raise ValueError(
            f"Shape of variable {label} ({shown}) doesn't match with shape of tensor {name} ({found}) from checkpoint "
            "reader."
        )


def _set_initializer(variable: Any, path: str, tensor_name: str) -> None:
    graph = get_default_graph()
    base_type = variable.dtype.base_dtype
    info = variable._get_save_slice_info()
    spec = info.spec if info is not None else ""
    # A variable on a device without the file's op: it is always read by the CPU.
    with graph.device(variable.device), graph.device("/cpu:0"):
        value = checkpoints.restore_v2(
            path,
            [tensor_name],
            [spec],
            dtypes=[base_type],
            name="checkpoint_initializer",
        )[0]
    saveable = saveables_for(tensor_name, variable)[0]
    assigned = saveable.restore([value], None)
    variable._initializer_op = getattr(assigned, "op", assigned)
    value.set_shape(variable.shape)
    variable._initial_value = value
