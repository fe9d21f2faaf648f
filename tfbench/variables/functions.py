"""Functions over variables: collections of them, initialisers, checks, and updates in function form."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfbench.engine.collections import GraphKeys
from tfbench.engine.default_graph import get_collection, get_default_graph
from tfbench.engine.dtypes import string
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import comparison, state
from tfbench.engine.ops.array_join import stack
from tfbench.engine.ops.array_select import boolean_mask
from tfbench.engine.ops.base import constant, no_op
from tfbench.engine.ops.grouping import group
from tfbench.engine.ops.shape_ops import rank_internal
from tfbench.engine.resources import REFERENCE_VARIABLES
from tfbench.engine.tensor import Tensor
from tfbench.variables.base import Variable
from tfbench.variables.reference import is_reference

__all__ = [
    "all_variables",
    "assert_variables_initialized",
    "assign",
    "assign_add",
    "assign_sub",
    "count_up_to",
    "global_variables",
    "global_variables_initializer",
    "initialize_all_tables",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "is_variable_initialized",
    "local_variables",
    "local_variables_initializer",
    "model_variables",
    "moving_average_variables",
    "report_uninitialized_variables",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
    "tables_initializer",
    "trainable_variables",
    "variables_initializer",
]


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables that are saved and shared; with `scope`, those whose name matches it from the start."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """The old name of `global_variables`."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """Variables of this process alone, not saved."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables of the collection MODEL_VARIABLES."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers change; `scope` is a regular expression matched from the start."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables that have moving averages."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


# -- initialising ----------------------------------------------------------------------------------------------


def variables_initializer(var_list: Sequence[Any] | None, name: str = "init") -> Operation:
    """An operation that runs the initialisers of `var_list`."""
    if var_list:
        return group(*[variable.initializer for variable in var_list], name=name)
    return no_op(name=name)


def global_variables_initializer() -> Operation:
    """An operation that initialises all global variables made so far."""
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """An operation that initialises all local variables made so far."""
    return variables_initializer(local_variables())


def tables_initializer(name: str = "init_all_tables") -> Operation:
    """An operation that initialises all lookup tables made so far."""
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name=name) if initializers else no_op(name=name)


def initialize_all_tables(name: str = "init_all_tables") -> Operation:
    """The old name of `tables_initializer`."""
    return tables_initializer(name)


def initialize_variables(var_list: Sequence[Any], name: str = "init") -> Operation:
    """The old name of `variables_initializer`."""
    return variables_initializer(var_list, name)


def initialize_all_variables() -> Operation:
    """The old name of `global_variables_initializer`."""
    return global_variables_initializer()


def initialize_local_variables() -> Operation:
    """The old name of `local_variables_initializer`."""
    return local_variables_initializer()


def is_variable_initialized(variable: Any) -> Tensor:
    """A bool tensor: whether `variable` has a value."""
    if isinstance(variable, Variable):
        return variable._is_initialized()
    return state.is_variable_initialized(variable)


def assert_variables_initialized(var_list: Sequence[Any] | None = None) -> Tensor | None:
    """A tensor whose evaluation fails where one of the variables (default: all) is not initialised."""
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    if not variables:
        variables = [op.outputs[0] for op in get_default_graph().get_operations() if op.type in REFERENCE_VARIABLES]
    if not variables:
        return None
    ranks = []
    for variable in variables:
        with get_default_graph().colocate_with(variable.op):
            ranks.append(rank_internal(variable, optimize=False))
    return ranks[0] if len(ranks) == 1 else stack(ranks)


def report_uninitialized_variables(
    var_list: Sequence[Any] | None = None, name: str = "report_uninitialized_variables"
) -> Tensor:
    """A 1-D string tensor with the names of the variables that have no value."""
    variables = [*global_variables(), *local_variables()] if var_list is None else list(var_list)
    if var_list is None and not variables:
        variables = [op.outputs[0] for op in get_default_graph().get_operations() if op.type in REFERENCE_VARIABLES]
    with name_scope(name):
        flags = [is_variable_initialized(variable) for variable in variables]
        with get_default_graph().device("/cpu:0"):
            if not variables:
                return constant([], dtype=string)
            missing = comparison.logical_not(stack(flags))
            names = constant(np.array([variable.op.name.encode() for variable in variables], object))
            return boolean_mask(names, missing)


# -- changing ------------------------------------------------------------------------------------------------


def assign(
    ref: Any, value: Any, validate_shape: bool | None = None, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """Sets the variable `ref`; returns it as it is afterwards."""
    if is_reference(ref):
        return state.assign(ref, value, use_locking=use_locking, validate_shape=validate_shape, name=name)
    return ref.assign(value, name=name)


def assign_add(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Adds `value` to the variable `ref`; returns it as it is afterwards."""
    if is_reference(ref):
        return state.assign_add(ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


def assign_sub(ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None) -> Any:
    """Subtracts `value` from the variable `ref`; returns it as it is afterwards."""
    if is_reference(ref):
        return state.assign_sub(ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)


def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Adds one to an integer variable and returns the value before; OutOfRangeError at `limit`."""
    if is_reference(ref):
        return state.count_up_to(ref, limit=limit, name=name)
    return ref.count_up_to(limit)


def _scatter(kind: str, doc: str, locking: bool) -> Callable[..., Any]:
    def function(ref: Any, indices: Any, updates: Any, use_locking: bool = locking, name: str | None = None) -> Any:
        if is_reference(ref):
            return state.SCATTERS[kind](ref, indices, updates, use_locking=use_locking, name=name)
        return ref.scatter(kind, indices, updates, name=name)

    function.__name__ = function.__qualname__ = f"scatter_{kind}"
    function.__doc__ = doc
    return function


scatter_update = _scatter("update", "Sets the rows of a variable that `indices` name to `updates`.", True)
scatter_add = _scatter("add", "Adds `updates` to the rows of a variable that `indices` name.", False)
scatter_sub = _scatter("sub", "Subtracts `updates` from the rows of a variable that `indices` name.", False)
scatter_mul = _scatter("mul", "Multiplies the rows of a variable that `indices` name by `updates`.", False)
scatter_div = _scatter("div", "Divides the rows of a variable that `indices` name by `updates`.", False)
scatter_min = _scatter("min", "Takes the smaller of the rows that `indices` name and `updates`.", False)
scatter_max = _scatter("max", "Takes the larger of the rows that `indices` name and `updates`.", False)
scatter_nd_update = _scatter("nd_update", "Sets the elements at the index rows of `indices` to `updates`.", True)
scatter_nd_add = _scatter("nd_add", "Adds `updates` to the elements at the index rows of `indices`.", False)
scatter_nd_sub = _scatter("nd_sub", "Subtracts `updates` from the elements at the index rows of `indices`.", False)
