"""What fills a table: two tensors, or the lines of a file."""

from __future__ import annotations

import os
from typing import Any

from tfbench.engine.collections import GraphKeys
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.default_graph import add_to_collection, device
from tfbench.engine.dtypes import DType, as_dtype, int64, string
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import tables


class TextFileIndex:
    """Which part of a line is a key or a value, besides a column's number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


class TableInitializerBase:
    """What a table is made with: its types, and `initialize`, which makes the operation that fills it."""

    def __init__(self, key_dtype: Any, value_dtype: Any) -> None:
        self._key_dtype = as_dtype(key_dtype)
        self._value_dtype = as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """The type of keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """The type of values."""
        return self._value_dtype

    def initialize(self, table: Any) -> Operation:
        """The operation that fills `table`."""
        raise NotImplementedError

    @property
    def _shared_name(self) -> str:
        """The name under which tables with this content are one; by default no two are."""
        import uuid

        return f"hash_table_{uuid.uuid4()}"

    def _check(self, table: Any) -> None:
        if table.key_dtype.base_dtype != self.key_dtype.base_dtype:
            raise TypeError(f"Invalid key dtype for table, expected {self.key_dtype} but got {table.key_dtype}.")
        if table.value_dtype.base_dtype != self.value_dtype.base_dtype:
            raise TypeError(f"Invalid value dtype for table, expected {self.value_dtype} but got {table.value_dtype}.")


class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with keys and their values, two vectors.

    Args:
      key_dtype, value_dtype: their types, where they are not tensors.
      name: the scope of the filling operation. Default: 'key_value_init'.
    """

    def __init__(
        self, keys: Any, values: Any, key_dtype: Any = None, value_dtype: Any = None, name: str | None = None
    ) -> None:
        self._keys = convert_to_tensor(keys, dtype=key_dtype, name="keys")
        self._values = convert_to_tensor(values, dtype=value_dtype, name="values")
        self._name = name if name is not None else "key_value_init"
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table: Any) -> Operation:
        self._check(table)
        with name_scope(self._name, values=(table.resource_handle, self._keys, self._values)):
            filling: Operation = tables.import_table(table.resource_handle, self._keys, self._values)
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, filling)
        return filling


class TextFileInitializer(TableInitializerBase):
    """Fills a table with the lines of a file.

    Args:
      key_index, value_index: a column (from 0), `TextFileIndex.WHOLE_LINE` or `TextFileIndex.LINE_NUMBER`.
      vocab_size: how many lines are read; None: all.
      delimiter: the character between columns.
      value_index_offset: is added to line numbers.

    Raises:
      ValueError: if there is no file name, an index is below -2, or a type does not go with what is taken of the line.
    """

    def __init__(
        self,
        filename: Any,
        key_dtype: Any,
        key_index: int,
        value_dtype: Any,
        value_index: int,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str | None = None,
        value_index_offset: int = 0,
    ) -> None:
        given = filename
        if filename is None or (not hasattr(filename, "op") and not os.fspath(filename)):
            raise ValueError("`filename` argument required for tf.lookup.TextFileInitializer")
        key_dtype, value_dtype = as_dtype(key_dtype), as_dtype(value_dtype)
        for what, index, dtype, say in (
            ("key", key_index, key_dtype, "if `key_index` is"), ("value", value_index, value_dtype, "for `value_index`")
        ):  # fmt: skip
            if index < -2:
                raise ValueError(f"`{what}_index` should be >= -2, received: {index}.")
            if index == TextFileIndex.LINE_NUMBER and dtype != int64:
                raise ValueError(f"`{what}_dtype` must be int64 {say} {index}, received: {dtype}")
            if index == TextFileIndex.WHOLE_LINE and not (dtype.is_integer or dtype == string):
                raise ValueError(f"`{what}_dtype` must be either integer or string {say} {index}, received: {dtype}")
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f"`vocab_size` should be > 0, received: {vocab_size}")
        self._key_index, self._value_index = key_index, value_index
        self._vocab_size, self._delimiter = vocab_size, delimiter
        self._name = name if name is not None else "text_file_init"
        self._offset = value_index_offset
        self._given = given
        with device("CPU"):
            path = filename if hasattr(filename, "op") else os.fspath(filename)
            self._filename = convert_to_tensor(path, string, name="asset_path")
        super().__init__(key_dtype, value_dtype)

    def initialize(self, table: Any) -> Operation:
        self._check(table)
        with name_scope(self._name, values=(table.resource_handle,)):
            filling: Operation = tables.initialize_from_file(
                table.resource_handle,
                self._filename,
                key_index=self._key_index,
                value_index=self._value_index,
                vocab_size=-1 if self._vocab_size is None else self._vocab_size,
                delimiter=self._delimiter,
                offset=self._offset,
            )
        add_to_collection(GraphKeys.TABLE_INITIALIZERS, filling)
        if self._filename.op.type == "Const":  # a file that is known when the graph is exported
            add_to_collection(GraphKeys.ASSET_FILEPATHS, self._filename)
        return filling

    @property
    def _shared_name(self) -> str:
        parts: list[Any] = ["hash_table", self._given]
        if self._vocab_size:
            parts.append(self._vocab_size)
        parts += [self._key_index, self._value_index]
        if self._offset:
            parts.append(self._offset)
        return "_".join(str(part) for part in parts)


class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table from numbers to strings: a line's number and the line."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.LINE_NUMBER,
        value_column_index: int = TextFileIndex.WHOLE_LINE,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_string_table_init",
    ) -> None:
        super().__init__(
            filename, int64, key_column_index, string, value_column_index, vocab_size=vocab_size, delimiter=delimiter,
            name=name,
        )  # fmt: skip


class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table from strings (or integers) to numbers: a line and its number."""

    def __init__(
        self,
        filename: Any,
        key_column_index: int = TextFileIndex.WHOLE_LINE,
        value_column_index: int = TextFileIndex.LINE_NUMBER,
        vocab_size: int | None = None,
        delimiter: str = "\t",
        name: str = "text_file_id_table_init",
        key_dtype: Any = string,
    ) -> None:
        super().__init__(
            filename, key_dtype, key_column_index, int64, value_column_index, vocab_size=vocab_size,
            delimiter=delimiter, name=name,
        )  # fmt: skip
