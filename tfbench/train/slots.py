"""Slots: variables that belong to another one, named under it (`conv1/weights/Momentum`) and placed with it."""

from __future__ import annotations

from typing import Any

from tfbench.engine import ops
from tfbench.engine.default_graph import colocate_with
from tfbench.engine.shapes import TensorShape
from tfbench.initializers import zeros_initializer
from tfbench.variable_scope import get_variable, get_variable_scope, variable_scope
from tfbench.variables.base import Variable
from tfbench.variables.resource import ResourceVariable


def create_slot(primary: Any, val: Any, name: str, colocate_with_primary: bool = True) -> Variable:
    """A slot of `primary` with the initial value `val`."""
    validate_shape = TensorShape(val.shape).is_fully_defined()
    return _in_scope(primary, name, colocate_with_primary, val, None, None, validate_shape)


def create_slot_with_initializer(
    primary: Any, initializer: Any, shape: Any, dtype: Any, name: str, colocate_with_primary: bool = True
) -> Variable:
    """A slot of `primary` whose value an initializer gives."""
    validate_shape = shape.is_fully_defined()
    return _in_scope(primary, name, colocate_with_primary, initializer, shape, dtype, validate_shape)


def create_zeros_slot(primary: Any, name: str, dtype: Any = None, colocate_with_primary: bool = True) -> Variable:
    """A slot of zeros in the shape of `primary`."""
    dtype = primary.dtype.base_dtype if dtype is None else dtype
    shape = primary.get_shape()
    if shape.is_fully_defined():
        return create_slot_with_initializer(primary, zeros_initializer(), shape, dtype, name, colocate_with_primary)
    value = primary.initialized_value() if isinstance(primary, Variable) else primary
    return create_slot(primary, ops.zeros(ops.shape(value), dtype=dtype), name, colocate_with_primary)


def _in_scope(
    primary: Any, name: str, colocate: bool, initial: Any, shape: Any, dtype: Any, validate_shape: bool
) -> Variable:
    with variable_scope(None, f"{primary.op.name}/{name}"):
        if not colocate:
            return _create(primary, initial, shape, dtype, validate_shape)
        with colocate_with(primary):
            return _create(primary, initial, shape, dtype, validate_shape)


def _create(primary: Any, initial: Any, shape: Any, dtype: Any, validate_shape: bool) -> Variable:
    scope = get_variable_scope()
    # A slot is in as many parts as its variable, and this is one of them.
    partitioner = scope.partitioner
    scope.set_partitioner(None)
    slot: Variable = get_variable(
        "",  # the scope's name is the slot's
        initializer=initial,
        trainable=False,
        use_resource=isinstance(primary, ResourceVariable),
        shape=shape if callable(initial) else None,
        dtype=dtype,
        validate_shape=validate_shape,
    )
    scope.set_partitioner(partitioner)
    part = primary._save_slice_info if isinstance(primary, Variable) else None
    if part is not None:
        rank = slot.shape.ndims
        own_name = slot.op.name[len(primary.op.name) + 1 :]
        slot._set_save_slice_info(
            Variable.SaveSliceInfo(
                f"{part.full_name}/{own_name}", part.full_shape[:rank], part.var_offset[:rank], part.var_shape[:rank]
            )
        )
    return slot
