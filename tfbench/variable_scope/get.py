"""`get_variable`: the variable of a name in the open scope, made where there is none yet."""

from __future__ import annotations

from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.variable_scope.stack import get_variable_scope
from tfbench.variable_scope.store import variable_store
from tfbench.variables.base import VariableAggregation, VariableSynchronization


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """Gets the variable of this name in the current variable scope, or creates it.

    Args:
      name: appended to the scope's name.
      shape: sizes; needed unless the initializer is a value or takes no arguments.
      dtype: default: the scope's, float32.
      initializer: a function of (shape, dtype), or a value. Default: the scope's, else Glorot uniform for floats
        and zeros for integers.
      regularizer: a function of the variable; its result goes into REGULARIZATION_LOSSES.
      partitioner: a function of (shape, dtype) that says into how many parts each axis is cut.
      custom_getter: called instead, with `getter` and these arguments.
      The others are as for `Variable`.

    Raises:
      ValueError: if the variable exists and the scope does not reuse, does not exist and the scope reuses, or
        exists with another shape or dtype.
    """
    return get_variable_scope().get_variable(
        variable_store(),
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        None,
        trainable,
        collections,
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    **options: Any,
) -> Any:
    """`get_variable` into the collection of local variables, not trainable."""
    collections = [*(collections or []), GraphKeys.LOCAL_VARIABLES]
    return get_variable(name, shape, dtype, initializer, regularizer, False, collections, **options)
