"""Values for variables from outside the graph: from arrays, or from a checkpoint.

Each variable gets a placeholder and an assignment; running the group of them with the feeds sets all at once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from tfbench.contrib.framework.variables import get_variable_full_name
from tfbench.engine import ops
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection
from tfbench.engine.graph import Operation
from tfbench.train.checkpoint_reader import load_checkpoint
from tfbench.train.saver import Saver
from tfbench.variables import assign

__all__ = ["assign_from_checkpoint", "assign_from_checkpoint_fn", "assign_from_values", "assign_from_values_fn"]

#: an operation, and what to feed when it is run
Assignment = tuple[Operation, dict[Any, Any]]


def assign_from_values(var_names_to_values: dict[str, Any]) -> Assignment:
    """Sets global variables, by name, to arrays.

    Raises:
      ValueError: for a name that no variable has.
    """
    pairs = [(_named(name), value) for name, value in var_names_to_values.items()]
    feeds, assigned = {}, []
    for variable, value in pairs:
        given = ops.placeholder(dtype=variable.dtype.base_dtype, name=f"placeholder/{variable.op.name}")
        assigned.append(assign(variable, given))
        feeds[given] = value.reshape(variable.shape.as_list())
    return ops.group(*assigned), feeds


def assign_from_values_fn(var_names_to_values: dict[str, Any]) -> Callable[[Any], None]:
    """`assign_from_values` as a function of a session."""
    assignment, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(assignment, feeds)


def _named(name: str) -> Any:
    found = get_collection(GraphKeys.GLOBAL_VARIABLES, name)
    if not found:
        raise ValueError(f"Variable {name} wasn't found")
    if len(found) == 1:
        return found[0]
    for variable in found:
        if variable.op.name == name:
            return variable
    raise ValueError(f"Variable {name} doesn't uniquely identify a variable")


def assign_from_checkpoint(model_path: Any, var_list: Any, ignore_missing_vars: bool = False) -> Assignment:
    """Sets variables (a list, or by their name in the checkpoint) to what a checkpoint has.

    Raises:
      ValueError: for a variable that it has not (unless `ignore_missing_vars`), or has in another shape.
    """
    reader = load_checkpoint(model_path)
    feeds, assigned = {}, []
    for name, variables in _by_name(var_list).items():
        if not reader.has_tensor(name):
            message = f"Checkpoint is missing variable [{name}]"
            if not ignore_missing_vars:
                raise ValueError(message)
            logging.getLogger("tensorflow").warning(message)
            continue
        value = reader.get_tensor(name)
        for variable in variables:
            given = ops.placeholder(dtype=variable.dtype.base_dtype, name=f"placeholder/{variable.op.name}")
            assigned.append(assign(variable, given))
            feeds[given] = _part(variable, value)
    return ops.group(*assigned), feeds


def _by_name(var_list: Any) -> dict[str, list[Any]]:
    if isinstance(var_list, dict):
        return {name: list(one) if isinstance(one, (list, tuple)) else [one] for name, one in var_list.items()}
    grouped: dict[str, list[Any]] = {}
    for variable in var_list:
        grouped.setdefault(get_variable_full_name(variable), []).append(variable)
    return grouped


def _part(variable: Any, value: Any) -> Any:
    """What of a checkpoint's value belongs to a variable that may be a part."""
    info = getattr(variable, "_save_slice_info", None)
    if info is not None:
        place = tuple(slice(start, start + size) for start, size in zip(info.var_offset, info.var_shape))
        return value[place]
    if not variable.shape.is_compatible_with(value.shape):
        raise ValueError(
            f"Total size of new array must be unchanged for {variable.op.name} lh_shape: [{value.shape}], rh_shape: "
            f"[{variable.shape}]"
        )
    return value


def assign_from_checkpoint_fn(
    model_path: Any, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], None] | None:
    """A function of a session that restores variables; None if (with `ignore_missing_vars`) there are none.

    Raises:
      ValueError: without variables.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    if ignore_missing_vars:
        reader = load_checkpoint(model_path)
        named = var_list if isinstance(var_list, dict) else {variable.op.name: variable for variable in var_list}
        for name in [name for name in named if not reader.has_tensor(name)]:
            logging.getLogger("tensorflow").warning("Variable %s missing in checkpoint %s", name, model_path)
        var_list = {name: variable for name, variable in named.items() if reader.has_tensor(name)}
    if not var_list:
        logging.getLogger("tensorflow").warning("No Variables to restore")
        return None
    saver = Saver(var_list, reshape=reshape_variables)
    return lambda session: saver.restore(session, model_path)
