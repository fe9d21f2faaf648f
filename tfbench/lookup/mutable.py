"""Tables that a program changes while it runs. They are saved in checkpoints: their keys and values."""

from __future__ import annotations

from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collection, colocate_with
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import tables
from tfbench.engine.tensor import Tensor
from tfbench.lookup.static import LookupInterface


class _Changing(LookupInterface):
    """A table that is changed by `insert` and `remove`."""

    _default_value: Tensor
    _handle: Tensor

    def _keep(self, handle: Tensor, checkpoint: bool) -> None:
        self._handle = handle
        self._table_name = handle.op.name.split("/")[-1]
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _saveable(self))

    @property
    def name(self) -> str:
        return self._table_name

    @property
    def resource_handle(self) -> Tensor:
        """What ops know the table by."""
        return self._handle

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""
        with name_scope(name, f"{self.name}_Size", [self._handle]), colocate_with(self._handle):
            found: Tensor = tables.table_size(self._handle)
            return found

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """Removes keys, a tensor; those that are not there do not matter."""
        found = getattr(keys, "dtype", None)
        if found is None or found != self._key_dtype:
            raise TypeError(f"Dtype of argument `keys` must be {self._key_dtype}, received: {found}")
        with name_scope(name, f"{self.name}_lookup_table_remove", (self._handle, keys, self._default_value)):
            done: Operation = tables.remove(self._handle, keys)
            return done

    def lookup(  # type: ignore[override]  # TensorFlow's has the name last
        self, keys: Any, dynamic_default_values: Any = None, name: str | None = None
    ) -> Tensor:
        """The values of `keys`.

        Args:
          dynamic_default_values: a value for each key, in place of the table's default.
        """
        with name_scope(name, f"{self.name}_lookup_table_find", (self._handle, keys, self._default_value)):
            keys = convert_to_tensor(keys, dtype=self._key_dtype, name="keys")
            with colocate_with(self._handle):
                default = self._default_value if dynamic_default_values is None else dynamic_default_values
                found: Tensor = tables.find(self._handle, keys, default)
        return found

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Sets the values of `keys`; those that are there get new ones."""
        with name_scope(name, f"{self.name}_lookup_table_insert", [self._handle, keys, values]):
            keys = convert_to_tensor(keys, self._key_dtype, name="keys")
            values = convert_to_tensor(values, self._value_dtype, name="values")
            with colocate_with(self._handle):
                done: Operation = tables.insert(self._handle, keys, values)
        return done

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values."""
        with (
            name_scope(name, f"{self.name}_lookup_table_export_values", [self._handle]),
            colocate_with(self._handle),
        ):
            keys, values = tables.export(self._handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
        return keys, values


class MutableHashTable(_Changing):
    """A table that is empty at first.

    Args:
      default_value: the value of keys that are not there; its shape is that of all values.
      checkpoint: whether `tf.train.Saver` saves it.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        shared_name: str | None = None,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        options: dict[str, Any] = {
            "shared_name": shared_name or "",
            "use_node_name_sharing": checkpoint and shared_name is None,
            "key_dtype": self._key_dtype,
            "value_dtype": self._value_dtype,
            "name": name,
        }
        shape = self._default_value.get_shape()
        if shape.ndims == 0:
            handle = tables.mutable_hash_table(**options)
        else:
            handle = tables.mutable_hash_table_of_tensors(value_shape=shape, **options)
        self._keep(handle, checkpoint)


class DenseHashTable(_Changing):
    """A table with open addressing, in memory of one piece.

    Args:
      default_value: the value of keys that are not there; its shape is that of all values.
      empty_key, deleted_key: two keys that are never used: they mark free buckets.
      initial_num_buckets: a power of two of at least 4. Default: 131072.
      checkpoint: whether `tf.train.Saver` saves it.

    Raises:
      InvalidArgumentError, in a run: if one of the two keys is used, both are the same, or the number is no power of
      two.
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        shared_name: str | None = None,
    ) -> None:
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype, name="default_value")
        empty_key = convert_to_tensor(empty_key, dtype=self._key_dtype, name="empty_key")
        deleted_key = convert_to_tensor(deleted_key, dtype=self._key_dtype, name="deleted_key")
        buckets = {} if initial_num_buckets is None else {"initial_num_buckets": initial_num_buckets}
        handle = tables.mutable_dense_hash_table(
            empty_key,
            deleted_key,
            shared_name=shared_name or "",
            use_node_name_sharing=checkpoint and shared_name is None,
            value_dtype=self._value_dtype,
            value_shape=self._default_value.get_shape(),
            name=name,
            **buckets,
        )
        self._keep(handle, checkpoint)

    erase = _Changing.remove


def _saveable(table: _Changing) -> Any:
    """What a Saver saves a table as: the two tensors of an export, and the operation that takes them back."""
    from tfbench.train.saveables import SaveableObject, SaveSpec

    class TableSaveable(SaveableObject):
        def __init__(self, table: _Changing) -> None:
            self._table = table
            name = table.resource_handle.op.name
            keys, values = table.export()
            specs = [SaveSpec(keys, "", f"{name}-keys"), SaveSpec(values, "", f"{name}-values")]
            super().__init__(table, specs, name)

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
            handle = self._table.resource_handle
            with name_scope(f"{self.name}_table_restore"), colocate_with(handle):
                return tables.import_table(handle, restored_tensors[0], restored_tensors[1])

    return TableSaveable(table)
