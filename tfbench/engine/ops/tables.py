"""The ops of lookup tables. What a table is, is in `kernels/tables.py`; `tf.lookup` makes them."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.opdef import CPU, OpDef, Preset, op
from tfbench.engine.ops.shared_state import held
from tfbench.engine.ops.string_common import raw, scalar_string
from tfbench.engine.shape_math import dim_merge, with_rank, with_rank_at_least
from tfbench.engine.shapes import Shape

__all__: list[str] = []

Array = Any

_NAMED = "container: string = ''; shared_name: string = ''; use_node_name_sharing: bool = false; "
_TYPES = "key_dtype: type; value_dtype: type"
_DENSE = "; value_shape: shape = []; initial_num_buckets: int = 131072; max_load_factor: float = 0.800000011920929"


def _kernels() -> Any:
    from tfbench.engine.kernels import tables

    return tables


def _table(type: str, state: str, more: str = "") -> OpDef:
    definition = op(type, "", "table_handle: resource", _NAMED + _TYPES + more, stateful=True)
    definition.no_gradient("a handle has no inputs")

    @definition.shape
    def _(node: Operation) -> list[Shape]:
        return [()]

    @definition.bind(CPU)
    def _(context: Any) -> Preset:
        kind, attrs = getattr(_kernels(), state), context.attrs
        types = attrs["key_dtype"], attrs["value_dtype"]
        shape = tuple(attrs["value_shape"].as_list()) if more else ()
        return held(context, lambda name: kind(name, *types, shape), lambda found, name: found.check(kind.kind, *types))

    return definition


hash_table = _table("HashTableV2", "StaticTable")
mutable_hash_table = _table("MutableHashTableV2", "MutableTable")
mutable_hash_table_of_tensors = _table("MutableHashTableOfTensorsV2", "MutableTable", "; value_shape: shape = []")
mutable_dense_hash_table = op(
    "MutableDenseHashTableV2",
    "empty_key: key_dtype, deleted_key: key_dtype",
    "table_handle: resource",
    _NAMED + _TYPES + _DENSE,
    stateful=True,
)


@mutable_dense_hash_table.shape
def _dense_shape(node: Operation, empty: Shape, deleted: Shape) -> list[Shape]:
    return [()]


@mutable_dense_hash_table.bind(CPU)
def _dense_bind(context: Any) -> Any:
    kind, attrs = _kernels().DenseTable, context.attrs
    types, shape = (attrs["key_dtype"], attrs["value_dtype"]), tuple(attrs["value_shape"].as_list())
    options = attrs["initial_num_buckets"], attrs["max_load_factor"]
    state = held(
        context,
        lambda name: kind(name, *types, shape, *options),
        lambda found, name: found.check(kind.kind, *types),
    ).value

    def run(empty: Array, deleted: Array) -> Any:
        state.configure(np.asarray(empty), np.asarray(deleted))
        return state

    return run


# -- what is done with one ---------------------------------------------------------------------------------------------

import_table = op(
    "LookupTableImportV2", "table_handle: resource, keys: Tin, values: Tout", "", "Tin: type; Tout: type", stateful=True
)
initialize_table = op(
    "InitializeTableV2", "table_handle: resource, keys: Tkey, values: Tval", "", "Tkey: type; Tval: type", stateful=True
)
initialize_from_file = op(
    "InitializeTableFromTextFileV2",
    "table_handle: resource, filename: string",
    "",
    "key_index: int >= -2; value_index: int >= -2; vocab_size: int >= -1 = -1; delimiter: string = '\t'; "
    "offset: int = 0",
    stateful=True,
)
find = op(
    "LookupTableFindV2",
    "table_handle: resource, keys: Tin, default_value: Tout",
    "values: Tout",
    "Tin: type; Tout: type",
    stateful=True,
    fresh=True,
)
insert = op(
    "LookupTableInsertV2", "table_handle: resource, keys: Tin, values: Tout", "", "Tin: type; Tout: type", stateful=True
)
remove = op("LookupTableRemoveV2", "table_handle: resource, keys: Tin", "", "Tin: type", stateful=True)
table_size = op("LookupTableSizeV2", "table_handle: resource", "size: int64", stateful=True, fresh=True)
export = op(
    "LookupTableExportV2",
    "table_handle: resource",
    "keys: Tkeys, values: Tvalues",
    "Tkeys: type; Tvalues: type",
    stateful=True,
    fresh=True,
)

mutable_dense_hash_table.no_gradient("keys have no gradient")
for _declared in (import_table, initialize_table, initialize_from_file, find, insert, remove, table_size, export):
    _declared.no_gradient("what a table holds is no function of the graph")


@import_table.shape
@initialize_table.shape
def _initialize_shape(node: Operation, handle: Shape, keys: Shape, values: Shape) -> list[Shape]:
    with_rank(handle, 0)
    first = with_rank_at_least(values, 1)
    dim_merge(with_rank(keys, 1)[0], None if first is None else first[0])
    return []


@initialize_from_file.shape
def _file_shape(node: Operation, handle: Shape, filename: Shape) -> list[Shape]:
    with_rank(handle, 0)
    with_rank(filename, 0)
    return []


@find.shape
def _find_shape(node: Operation, handle: Shape, keys: Shape, default: Shape) -> list[Shape]:
    with_rank(handle, 0)
    table = node.inputs[0].op
    if keys is None or table.type not in _KINDS:
        return [None]
    if table.type == "MutableDenseHashTableV2":
        key = table.inputs[0]._shape
        if key is None or len(key) > len(keys):
            return [None]
        keys = keys[: len(keys) - len(key)]
    value = table.attrs.get("value_shape")
    dims = () if value is None else value._dims
    return [None if dims is None else (*keys, *dims)]


_KINDS = {"HashTableV2", "MutableHashTableV2", "MutableHashTableOfTensorsV2", "MutableDenseHashTableV2"}


@insert.shape
def _insert_shape(node: Operation, handle: Shape, keys: Shape, values: Shape) -> list[Shape]:
    with_rank(handle, 0)
    return []


@remove.shape
def _remove_shape(node: Operation, handle: Shape, keys: Shape) -> list[Shape]:
    with_rank(handle, 0)
    return []


@table_size.shape
def _size_shape(node: Operation, handle: Shape) -> list[Shape]:
    with_rank(handle, 0)
    return [()]


@export.shape
def _export_shape(node: Operation, handle: Shape) -> list[Shape]:
    with_rank(handle, 0)
    return [None, None]


def _of(handle: Any) -> Any:
    """The table of a handle, which is the table itself, or an array of it where it was picked from several."""
    return handle[()] if isinstance(handle, np.ndarray) else handle


@import_table.kernel(CPU)
@initialize_table.kernel(CPU)
def _import_kernel(xp: Any, handle: Any, keys: Array, values: Array) -> None:
    _of(handle).replace(np.asarray(keys), np.asarray(values))


@initialize_from_file.kernel(CPU)
def _file_kernel(
    xp: Any, handle: Any, filename: Array, *, key_index: int, value_index: int, vocab_size: int, delimiter: Any,
    offset: int,
) -> None:  # fmt: skip
    table, path = _of(handle), os.fsdecode(scalar_string(filename, "filename"))
    key, value = (key_index, table.key), (value_index, table.value)
    table.fill(_kernels().rows_of_file(path, key, value, vocab_size, raw(delimiter), offset))


@find.kernel(CPU)
def _find_kernel(xp: Any, handle: Any, keys: Array, default: Array) -> Array:
    return _of(handle).find(np.asarray(keys), np.asarray(default))


@insert.kernel(CPU)
def _insert_kernel(xp: Any, handle: Any, keys: Array, values: Array) -> None:
    _of(handle).insert(np.asarray(keys), np.asarray(values))


@remove.kernel(CPU)
def _remove_kernel(xp: Any, handle: Any, keys: Array) -> None:
    _of(handle).remove(np.asarray(keys))


@table_size.kernel(CPU)
def _size_kernel(xp: Any, handle: Any) -> Array:
    return np.array(_of(handle).size(), np.int64)


@export.kernel(CPU)
def _export_kernel(xp: Any, handle: Any) -> list[Array]:
    return list(_of(handle).export())
