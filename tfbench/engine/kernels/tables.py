"""Lookup tables: what maps keys to values in a session, and how a file of words becomes one.

Three kinds: one that is filled once (`StaticTable`), one that changes (`MutableTable`), and one with open addressing
(`DenseTable`), whose export shows its buckets, empty ones included: a key goes where its hash says, or some places on.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.dtypes import DType, type_word
from tfbench.engine.kernel_errors import brackets, invalid, unimplemented
from tfbench.engine.kernels.hashes import murmur64
from tfbench.engine.resources import Resource

Array = Any

WHOLE_LINE, LINE_NUMBER = -2, -1


def _array(items: list[Any], dtype: DType, shape: tuple[int, ...]) -> Array:
    if dtype.as_numpy_dtype is not np.object_ and dtype.name != "string":
        return np.array(items, dtype.as_numpy_dtype).reshape(shape)
    out = np.empty(len(items), object)
    out[:] = items
    return out.reshape(shape)


class _Table(Resource):
    """What the kinds have in common: scalar keys, and values of one shape."""

    kind = ""

    def __init__(self, name: str, key: DType, value: DType, value_shape: tuple[int, ...] = ()) -> None:
        self.name = name
        self.key, self.value, self.value_shape = key, value, value_shape
        self._items: dict[Any, Any] = {}
        self._lock = threading.RLock()

    def check(self, kind: str, key: DType, value: DType) -> None:
        """Refuses a node of another kind or other types that shares this table."""
        if (self.kind, self.key, self.value) != (kind, key, value):
            raise invalid(
                f"Conflicting key/value dtypes {type_word(key)}->{type_word(value)} with "
                f"{type_word(self.key)}-{type_word(self.value)} for table {self.name}"
            )

    def size(self) -> int:
        return len(self._items)

    def _rows(self, keys: Array, values: Array) -> Iterator[tuple[Any, Any]]:
        """Keys and their values; each value is a number or string, or an array."""
        wanted = keys.shape + self.value_shape
        if values.shape != wanted:
            raise invalid(f"Expected shape {brackets(wanted)} for value, got {brackets(values.shape)}")
        flat = values.reshape((keys.size, *self.value_shape))
        return zip(keys.ravel().tolist(), list(flat) if self.value_shape else flat.tolist())

    def _found(self, found: list[Any], shape: tuple[int, ...]) -> Array:
        if self.value_shape and found:
            return np.stack(found).reshape(shape + self.value_shape)
        return _array(found, self.value, shape + self.value_shape)

    def find(self, keys: Array, default: Array) -> Array:
        """The values of keys; `default` for those that are not there, one for all or one for each."""
        items = self._items
        if default.shape == self.value_shape:
            other = default if self.value_shape else default[()]
            return self._found([items.get(key, other) for key in keys.ravel().tolist()], keys.shape)
        return self._found([items.get(key, other) for key, other in self._rows(keys, default)], keys.shape)

    def export(self) -> tuple[Array, Array]:
        """All keys and their values."""
        with self._lock:
            keys, values = list(self._items), list(self._items.values())
        return _array(keys, self.key, (len(keys),)), self._found(values, (len(keys),))

    def snapshot(self) -> Any:
        return dict(self._items)

    def restore(self, saved: Any) -> None:
        self._items = dict(saved)


class StaticTable(_Table):
    """A table that is filled once. Filling it again with as many entries changes nothing."""

    kind = "HashTable"

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._filled = False

    def fill(self, rows: list[tuple[Any, Any]]) -> None:
        with self._lock:
            if self._filled:
                if len(rows) != len(self._items):
                    raise errors.FailedPreconditionError(
                        None, None, "Table was already initialized with different data."
                    )
                return
            items: dict[Any, Any] = {}
            for key, value in rows:
                if items.setdefault(key, value) != value:
                    shown = key.decode(errors="replace") if isinstance(key, bytes) else key
                    raise errors.FailedPreconditionError(
                        None,
                        None,
                        f"HashTable has different value for same key. Key {shown} has {items[key]} and trying to add "
                        f"value {value}",
                    )
            self._items, self._filled = items, True

    def replace(self, keys: Array, values: Array) -> None:
        self.fill(list(self._rows(keys, values)))

    def find(self, keys: Array, default: Array) -> Array:
        if not self._filled:
            raise errors.FailedPreconditionError(None, None, "Table not initialized.")
        return super().find(keys, default)

    def export(self) -> tuple[Array, Array]:
        if not self._filled:
            raise errors.AbortedError(None, None, "HashTable is not initialized.")
        return super().export()

    def insert(self, keys: Array, values: Array) -> None:
        raise unimplemented("Insert not supported by InitializableLookupTable implementations")

    def remove(self, keys: Array) -> None:
        raise unimplemented("Remove not supported by InitializableLookupTable implementations")

    def snapshot(self) -> Any:
        return self._filled, self._items

    def restore(self, saved: Any) -> None:
        self._filled, self._items = saved


class MutableTable(_Table):
    """A table that changes."""

    kind = "MutableHashTable"

    def insert(self, keys: Array, values: Array) -> None:
        rows = list(self._rows(keys, np.array(values)))
        with self._lock:
            self._items.update(rows)

    def replace(self, keys: Array, values: Array) -> None:
        rows = dict(self._rows(keys, np.array(values)))
        with self._lock:
            self._items = rows

    def remove(self, keys: Array) -> None:
        with self._lock:
            for key in keys.ravel().tolist():
                self._items.pop(key, None)


class DenseTable(_Table):
    """A table with open addressing. Keys may be vectors; two keys cannot be used: they mark places without an entry."""

    kind = "MutableDenseHashTable"

    def __init__(self, name: str, key: DType, value: DType, value_shape: tuple[int, ...], buckets: int, load: float):
        super().__init__(name, key, value, value_shape)
        self._start, self._load = buckets, load
        self._empty: Any = None
        self._deleted: Any = None
        self._key_shape: tuple[int, ...] = ()
        #: the key of each bucket, and the values that deleted keys left behind
        self._buckets: list[Any] = []
        self._left: dict[int, Any] = {}

    def configure(self, empty: Array, deleted: Array) -> None:
        """Sets the two keys, on first use."""
        with self._lock:
            if self._buckets:
                return
            if self._start < 4 or self._start & self._start - 1:
                raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {self._start}")
            self._key_shape = empty.shape
            self._empty, self._deleted = self._keys(empty[None])[0], self._keys(deleted[None])[0]
            if self._empty == self._deleted:
                raise invalid("Empty and deleted keys cannot be equal")
            self._buckets = [self._empty] * self._start

    def _keys(self, keys: Array) -> list[Any]:
        """Keys as a list of numbers, strings or tuples of them."""
        if not self._key_shape:
            found: list[Any] = keys.ravel().tolist()
            return found
        if keys.shape[-len(self._key_shape) :] != self._key_shape:
            raise invalid(f"Expected key shape {brackets(self._key_shape)}, got {brackets(keys.shape)}")
        return [tuple(row) for row in keys.reshape(-1, int(np.prod(self._key_shape))).tolist()]

    def _outer(self, keys: Array) -> tuple[int, ...]:
        shape: tuple[int, ...] = keys.shape[: keys.ndim - len(self._key_shape)]
        return shape

    def _usable(self, keys: list[Any]) -> list[Any]:
        for key in keys:
            for what, reserved in (("empty_key", self._empty), ("deleted_key", self._deleted)):
                if key == reserved:
                    raise invalid(f"Using the {what} as a table key is not allowed")
        return keys

    def find(self, keys: Array, default: Array) -> Array:
        rows = self._usable(self._keys(keys))
        other = default if self.value_shape else default[()]
        return self._found([self._items.get(key, other) for key in rows], self._outer(keys))

    def insert(self, keys: Array, values: Array) -> None:
        rows = self._usable(self._keys(keys))
        outer = self._outer(keys)
        if values.shape != outer + self.value_shape:
            wanted = brackets(outer + self.value_shape)
            raise invalid(f"Expected shape {wanted} for value, got {brackets(values.shape)}")
        flat = np.array(values).reshape((len(rows), *self.value_shape))
        with self._lock:
            needed = len(self._items) + len(rows)
            if needed > len(self._buckets) * self._load:
                self._grow(needed)
            for key, value in zip(rows, list(flat) if self.value_shape else flat.tolist()):
                if key not in self._items:
                    self._place(key)
                self._items[key] = value

    def _grow(self, needed: int) -> None:
        size = len(self._buckets)
        while needed > size * self._load:
            size *= 2
        there, self._buckets, self._left = self._buckets, [self._empty] * size, {}
        for key in there:
            if key not in (self._empty, self._deleted):
                self._place(key)

    def _place(self, key: Any) -> None:
        at, last = _hash(key), len(self._buckets) - 1
        steps = 0
        while self._buckets[at & last] != self._empty:
            steps += 1
            at += steps
        self._buckets[at & last] = key

    def remove(self, keys: Array) -> None:
        with self._lock:
            for key in self._usable(self._keys(keys)):
                value = self._items.pop(key, None)
                if value is not None:
                    at = self._buckets.index(key)
                    self._buckets[at], self._left[at] = self._deleted, value

    def replace(self, keys: Array, values: Array) -> None:
        """What `export` gave, or any keys and values."""
        rows = self._keys(keys)
        used = [i for i, key in enumerate(rows) if key not in (self._empty, self._deleted)]
        with self._lock:
            self._items, self._buckets, self._left = {}, [self._empty] * self._start, {}
            outer = int(np.prod(self._outer(keys)))
            self.insert(keys.reshape((outer, *self._key_shape))[used], values.reshape((outer, *self.value_shape))[used])

    def export(self) -> tuple[Array, Array]:
        """The buckets. A key that is a scalar is exported as a vector of one, and so is its value."""
        with self._lock:
            buckets = list(self._buckets)
            nothing = np.zeros(self.value_shape, self.value.as_numpy_dtype)
            if self.value.name == "string":
                nothing[...] = b""
            values = [self._items.get(key, self._left.get(at, nothing)) for at, key in enumerate(buckets)]
        flat = [one for key in buckets for one in key] if self._key_shape else buckets
        exported = np.stack([np.asarray(value, nothing.dtype) for value in values])
        shape = self.value_shape or (1,)
        return _array(flat, self.key, (len(buckets), *(self._key_shape or (1,)))), exported.reshape((-1, *shape))

    def snapshot(self) -> Any:
        return dict(self._items), list(self._buckets), dict(self._left)

    def restore(self, saved: Any) -> None:
        self._items, self._buckets, self._left = dict(saved[0]), list(saved[1]), dict(saved[2])


def _hash(key: Any) -> int:
    if isinstance(key, tuple):
        found = 0
        for one in key:
            found = (found ^ (_hash(one) + 0x9E3779B97F4A7800 + (found << 10) + (found >> 4))) & 0xFFFFFFFFFFFFFFFF
        return found
    return murmur64(key) if isinstance(key, bytes) else int(key) & 0xFFFFFFFFFFFFFFFF


def rows_of_file(
    path: str, key: tuple[int, DType], value: tuple[int, DType], most: int, delimiter: bytes, offset: int
) -> list[tuple[Any, Any]]:
    """Keys and values from the lines of a file: a column each, the whole line, or the line's number.

    Args:
      most: how many lines are read, and have to be there; -1: all.

    Raises:
      InvalidArgumentError: for a line that is empty, has too few columns or no number where one is needed.
    """
    if len(delimiter) != 1:
        raise invalid("delimiter should be only 1 char")
    from tfbench.engine.ops.files import file_error

    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError as error:
        raise file_error(path, error) from None
    if not text:
        raise errors.OutOfRangeError(None, None, f"Read less bytes than requested: {path} is empty")
    lines = text.split(b"\n")
    if not lines[-1]:
        lines.pop()
    rows: list[tuple[Any, Any]] = []
    position = 0
    last = max(key[0], value[0])
    for number, line in enumerate(lines if most < 0 else lines[:most]):
        position += len(line) + 1
        line = line.replace(b"\r", b"")
        if not line:
            raise invalid(f"Invalid content in {path}: empty line found at position {position}.")
        columns = line.split(delimiter) if last >= 0 else []
        if last >= 0 and len(columns) <= last:
            shown = line.decode(errors="replace")
            raise invalid(
                f"Invalid number of columns in {path} line {number} ({shown}) : expected {last + 1} got {len(columns)}"
            )
        first, second = [
            number + offset if index == LINE_NUMBER else _field(line, columns, number, index, dtype)
            for index, dtype in (key, value)
        ]
        rows.append((first, second))
    if most >= 0 and len(rows) < most:
        raise invalid(f"Invalid vocab_size in {path}: expected {most} but got {len(rows)}")
    return rows


def _field(line: bytes, columns: list[bytes], number: int, index: int, dtype: DType) -> Any:
    token = line if index == WHOLE_LINE else columns[index]
    if dtype.name == "string":
        return token
    try:
        return int(token) if dtype.is_integer else float(token)
    except ValueError:
        shown = token.decode(errors="replace")
        raise invalid(f"Field {shown} in line {number} is not a valid {type_word(dtype)}.") from None
