"""Variables of `get_variable` that are cut into parts along one axis, and seen as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import as_dtype, float32
from tfbench.engine.ops.slicing import slice as slice_op
from tfbench.engine.shapes import TensorShape, as_shape
from tfbench.variable_scope.initial_value import default_initializer
from tfbench.variables.base import Variable
from tfbench.variables.partitioned import PartitionedVariable

if TYPE_CHECKING:
    from tfbench.variable_scope.store import VariableStore


class PartitionInfo:
    """Which part of a variable an initializer is asked for: the full shape, and the part's offset."""

    __slots__ = ("full_shape", "var_offset")

    def __init__(self, full_shape: Sequence[int], var_offset: Sequence[int]) -> None:
        self.full_shape = list(full_shape)
        self.var_offset = list(var_offset)


def partitioned_variable(
    store: VariableStore,
    name: str,
    partitioner: Any,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    reuse: Any = None,
    **options: Any,
) -> PartitionedVariable:
    """Gets or makes a variable in parts `name/part_0`, …, cut as `partitioner` says; `options` go to each part."""
    from_value = initializer is not None and not callable(initializer)
    if from_value:
        initializer = convert_to_tensor(initializer)
        value_shape = initializer.shape
        if shape is not None and not as_shape(shape).is_compatible_with(value_shape):
            raise ValueError("If initializer is a constant, do not specify shape.")
        shape = value_shape
        dtype = initializer.dtype.base_dtype
    static = as_shape(shape)
    if name in store.variables:
        raise ValueError(
            f"A partitioner was provided, but an unpartitioned version of the variable was found: {name}. "
            "Perhaps a variable of the same name was already created without partitioning?"
        )
    found = store.partitioned.get(name)
    if found is not None:
        return _existing(name, found, partitioner, static, dtype, reuse)
    if reuse is True:
        raise ValueError(
            f"PartitionedVariable {name} does not exist, or was not created with tf.get_variable(). Did you mean "
            "to set reuse=False or reuse=tf.AUTO_REUSE in VarScope?"
        )
    if not static.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {static}.")
    partitions = _call_partitioner(partitioner, static, dtype)
    full_shape = [int(size) for size in static]
    axis, count = _partition_axis(full_shape, partitions)
    if f"{name}/part_0" in store.variables:
        raise ValueError(
            f"Partitioner returned a different partitioning than what was already found for {name}: "
            f"{name}/part_0 exists, but its partition list is unknown."
        )
    if initializer is None:
        initializer = default_initializer(name, static, dtype)
    parts = []
    for index, (offset, size) in enumerate(_slices(full_shape[axis], count)):
        var_offset = [offset if i == axis else 0 for i in range(len(full_shape))]
        var_shape = [size if i == axis else full for i, full in enumerate(full_shape)]
        if offset >= full_shape[axis]:
            raise ValueError(
                f"Expected 0 <= offset < shape but found offset={offset}, shape={full_shape[axis]} for "
                f"var_offset={var_offset}, full_shape={full_shape}"
            )
        part_name = f"{name}/part_{index}"
        graph = get_default_graph()
        with graph.control_dependencies(None):
            if from_value:
                with graph.name_scope(f"{part_name}/PartitionedInitializer/"):
                    part_initializer: Any = slice_op(initializer, var_offset, var_shape)
                part_shape = None
            else:
                part_initializer, part_shape = initializer, var_shape
        part = store.single(
            name=part_name,
            shape=part_shape,
            dtype=dtype,
            initializer=part_initializer,
            partition_info=PartitionInfo(full_shape, var_offset),
            reuse=reuse,
            **options,
        )
        part._set_save_slice_info(Variable.SaveSliceInfo(name, full_shape, var_offset, var_shape))
        parts.append(part)
    whole = PartitionedVariable(name, static, dtype, parts, partitions)
    store.partitioned[name] = whole
    return whole


def _existing(
    name: str, found: PartitionedVariable, partitioner: Any, shape: TensorShape, dtype: Any, reuse: Any
) -> PartitionedVariable:
    if not reuse:
        raise ValueError(
            f"Partitioned variable with name {name} already exists. Did you mean to set reuse=True or "
            "reuse=tf.AUTO_REUSE in VarScope?"
        )
    if not shape.is_compatible_with(found.get_shape()):
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified shape {shape} and found shape "
            f"{found.get_shape()}."
        )
    if not as_dtype(dtype).is_compatible_with(found.dtype):
        raise ValueError(
            f"Trying to reuse partitioned variable {name}, but specified dtype {as_dtype(dtype).name} and found "
            f"dtype {found.dtype.name}."
        )
    if partitioner is not None:
        wanted = _call_partitioner(partitioner, found.get_shape(), found.dtype)
        if wanted != found._get_partitions():
            raise ValueError(
                f"Trying to reuse partitioned variable {name}, but specified partitions {wanted} and found "
                f"partitions {found._get_partitions()}."
            )
    return found


def _call_partitioner(partitioner: Any, shape: TensorShape, dtype: Any) -> list[int]:
    if not shape.is_fully_defined():
        raise ValueError(f"Shape of a new partitioned variable must be fully defined, but instead was {shape}.")
    if shape.ndims is not None and shape.ndims < 1:
        raise ValueError(f"A partitioned Variable must have rank at least 1: {shape}")
    partitions = partitioner(shape=shape, dtype=dtype)
    if not isinstance(partitions, (list, tuple)) or len(partitions) != shape.ndims:
        raise ValueError(
            f"Partitioner returned a partition list that does not match the Variable's rank: {partitions} vs. {shape}"
        )
    if any(count < 1 for count in partitions):
        raise ValueError(f"Partitioner returned zero partitions for some axes: {partitions}")
    return list(partitions)


def _partition_axis(shape: list[int], partitions: list[int]) -> tuple[int, int]:
    axes = [axis for axis, count in enumerate(partitions) if count > 1]
    if len(axes) > 1:
        raise ValueError(
            f"Can only slice a variable along one dimension: shape: {TensorShape(shape)}, partitioning: {partitions}"
        )
    axis = axes[0] if axes else 0
    return axis, partitions[axis]


def _slices(size: int, count: int) -> list[tuple[int, int]]:
    """`count` (offset, size) pairs that cover `size`; the first ones are larger by one where it does not divide."""
    small, larger = divmod(size, count)
    result, offset = [], 0
    for index in range(count):
        length = small + 1 if index < larger else small
        result.append((offset, length))
        offset += length
    return result
