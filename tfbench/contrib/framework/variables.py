"""Model variables: those that a model needs to compute, in the collection MODEL_VARIABLES; and finding variables."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from tfbench.contrib.framework.arg_scope import add_arg_scope
from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import add_to_collection, device, get_collection
from tfbench.engine.dtypes import float32
from tfbench.variable_scope import get_variable, get_variable_scope
from tfbench.variables.base import Variable, VariableAggregation, VariableSynchronization

__all__ = [
    "add_model_variable", "filter_variables", "get_local_variables", "get_model_variables", "get_trainable_variables",
    "get_unique_variable", "get_variable_full_name", "get_variables", "get_variables_by_name",
    "get_variables_by_suffix", "get_variables_to_restore", "global_variable", "local_variable", "model_variable",
    "variable",
]  # fmt: skip


@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """`tf.get_variable` on a device (a string, or a function of the variable's operation)."""
    kept = list(dict.fromkeys(collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES]))
    getter: Callable[..., Any] = get_variable
    if custom_getter is not None:
        getter = partial(custom_getter, reuse=get_variable_scope().reuse)
    with _device(device or ""):
        return getter(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=kept,
            caching_device=caching_device,
            partitioner=partitioner,
            use_resource=use_resource,
            synchronization=synchronization,
            aggregation=aggregation,
        )


#: the argument of the same name hides it in the functions
_device = device


@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Any = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Callable[..., Any] | None = None,
    use_resource: bool | None = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """A `variable` in GLOBAL_VARIABLES and MODEL_VARIABLES, and in `collections`."""
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[*(collections or []), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES],
        caching_device=caching_device,
        device=device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        use_resource=use_resource,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """A variable in LOCAL_VARIABLES, not trainable."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None, use_resource: bool | None = None
) -> Any:
    """A variable in GLOBAL_VARIABLES, not trainable."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[GraphKeys.GLOBAL_VARIABLES],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


def add_model_variable(var: Any) -> None:
    """Puts a variable into MODEL_VARIABLES, unless it is there."""
    if not any(var is one for one in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


# -- finding -------------------------------------------------------------------------------------------------------


def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GraphKeys.GLOBAL_VARIABLES
) -> list[Any]:
    """The variables of a collection: those in a scope (name or object), and those whose name ends with `suffix`."""
    name = getattr(scope, "name", scope)
    if suffix is not None:
        suffix = suffix if ":" in suffix else f"{suffix}:0"
        name = f"{name or ''}.*{suffix}"
    return get_collection(collection, name)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of MODEL_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of LOCAL_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """`get_variables` of TRAINABLE_VARIABLES."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The global variables whose name ends with `suffix`."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The global variables whose name ends with "/given_name", or is it."""
    return get_variables(scope=scope, suffix=f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name: str) -> Any:
    """The global variable of this name.

    Raises:
      ValueError: if there is none, or no single one.
    """
    candidates = get_variables(scope=var_op_name)
    if not candidates:
        raise ValueError(f"Couldn't find variable {var_op_name}")
    for candidate in candidates:
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(
        f"Variable {var_op_name} does not uniquely identify a variable: "
        f"{', '.join(candidate.op.name for candidate in candidates)}"
    )


def get_variable_full_name(var: Any) -> str:
    """The name of a variable, without the number of a part."""
    info = getattr(var, "_save_slice_info", None)
    return info.full_name if info is not None else var.op.name


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """The global variables in the scopes `include` (default: all) without those in the scopes `exclude`.

    Raises:
      TypeError: if one of them is no list of names.
    """
    if include is None:
        found = get_variables()
    else:
        if not isinstance(include, (list, tuple)):
            raise TypeError("include is provided but is not a list or a tuple.")
        found = [one for scope in include for one in get_variables(scope)]
    left_out: set[int] = set()
    if exclude is not None:
        if not isinstance(exclude, (list, tuple)):
            raise TypeError("exclude is provided but is not a list or a tuple.")
        left_out = {id(one) for scope in exclude for one in get_variables(scope)}
    return [one for one in found if id(one) not in left_out]


def filter_variables(
    var_list: Iterable[Any],
    include_patterns: Iterable[str] | None = None,
    exclude_patterns: Iterable[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose names fit one of the patterns to be included (default: any) and none to be excluded.

    A pattern may be anywhere in the name; without `reg_search`, only at its start.
    """
    fits = re.search if reg_search else re.match
    included = list(include_patterns or [])
    excluded = list(exclude_patterns or [])
    found = [one for one in var_list if not included or any(fits(pattern, one.op.name) for pattern in included)]
    return [one for one in found if not any(fits(pattern, one.op.name) for pattern in excluded)]
