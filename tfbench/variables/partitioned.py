"""PartitionedVariable: several variables that are slices of one, seen as one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfbench.engine.convert import register_tensor_conversion_function
from tfbench.engine.default_graph import get_default_graph
from tfbench.engine.dtypes import DType
from tfbench.engine.ops.array_join import concat
from tfbench.engine.ops.array_split import split
from tfbench.engine.ops.base import identity
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor


class PartitionedVariable:
    """The list of slices that a partitioner asked for; converts to one tensor that concatenates them."""

    def __init__(
        self, name: str, shape: Any, dtype: DType, variable_list: Sequence[Any], partitions: Sequence[int]
    ) -> None:
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f"variable_list is not a list or tuple: {variable_list}")
        self._name = name
        self._shape = TensorShape(shape)
        self._dtype = dtype
        self._variable_list = sorted(variable_list, key=lambda part: part._get_save_slice_info().var_offset)
        self._partitions = list(partitions)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    def get_shape(self) -> TensorShape:
        return self._shape

    def __len__(self) -> int:
        return len(self._variable_list)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def _partition_axes(self) -> list[int]:
        axes = [axis for axis, count in enumerate(self._partitions) if count > 1]
        return axes or [0]

    def as_tensor(self) -> Tensor:
        """All slices as one tensor, read anew."""
        graph = get_default_graph()
        with graph.name_scope(None):
            with graph.name_scope(f"{self._name}/ConcatPartitions/"):
                if len(self._variable_list) == 1:
                    whole = self._variable_list[0].value()
                else:
                    whole = concat([part.value() for part in self._variable_list], self._partition_axes()[0])
            return identity(whole, name=self._name)

    def assign(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Sets all slices from one value; returns the list of what the slices' `assign` return."""
        return self._apply(value, lambda part, piece: part.assign(piece, use_locking, name, read_value))

    def assign_add(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Adds one value to all slices."""
        return self._apply(value, lambda part, piece: part.assign_add(piece, use_locking, name, read_value))

    def assign_sub(
        self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True
    ) -> list[Any]:
        """Subtracts one value from all slices."""
        return self._apply(value, lambda part, piece: part.assign_sub(piece, use_locking, name, read_value))

    def _apply(self, value: Any, update: Any) -> list[Any]:
        axis = self._partition_axes()[0]
        if isinstance(value, (list, PartitionedVariable)) and len(value) == len(self):
            pieces = list(value)
        else:
            pieces = split(value, [part.shape.as_list()[axis] for part in self._variable_list], axis)
        return [update(part, piece) for part, piece in zip(self._variable_list, pieces, strict=True)]


def _convert(value: PartitionedVariable, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Any:
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type '{value.dtype.name}'"
        )
    if as_ref:
        raise NotImplementedError(f"The partitioned variable '{value.name}' has no single reference; use its slices.")
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _convert, 10)
