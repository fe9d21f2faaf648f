"""Tables that are filled once: `StaticHashTable`, and those that give ids to words they do not know."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from tfbench.engine.composite import SparseTensor, SparseTensorValue
from tfbench.engine.convert import convert_to_tensor
from tfbench.engine.dtypes import DType, as_dtype, int64, string
from tfbench.engine.graph import Operation
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops import tables
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.ops.base import no_op
from tfbench.engine.ops.comparison import not_equal
from tfbench.engine.ops.math_binary import add
from tfbench.engine.ops.math_cast import cast
from tfbench.engine.ops.string_convert import as_string, string_to_hash_bucket_fast, string_to_hash_bucket_strong
from tfbench.engine.tensor import Tensor


def given_keys(keys: Any, dtype: DType) -> tuple[Any, Tensor]:
    """Keys as given (a Tensor or SparseTensor), and the tensor of their values.

    Raises:
      TypeError: if they are no tensor, or not of the table's type.
    """
    if isinstance(keys, SparseTensorValue):
        keys = SparseTensor.from_value(keys)
    if not isinstance(keys, (Tensor, SparseTensor)):
        keys = convert_to_tensor(keys, as_ref=False) if hasattr(keys, "dtype") else keys
        if not isinstance(keys, Tensor):
            raise TypeError(f"Keys must be a Tensor or SparseTensor of {dtype!r}, received: {keys!r}")
    if keys.dtype.base_dtype != dtype:
        raise TypeError(f"Dtype of argument `keys` must be {dtype}, received: {keys.dtype}")
    return keys, keys.values if isinstance(keys, SparseTensor) else keys


class LookupInterface:
    """What all tables have in common."""

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

    @property
    def name(self) -> str:
        """The table's name."""
        raise NotImplementedError

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""
        raise NotImplementedError

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of `keys`."""
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


class InitializableLookupTableBase(LookupInterface):
    """A table with an initializer: `tf.tables_initializer()` fills it."""

    _table_name = ""

    def __init__(self, default_value: Any, initializer: Any) -> None:
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._default_value = convert_to_tensor(default_value, dtype=self._value_dtype)
        self._default_value.get_shape().merge_with(())
        self._initializer = initializer
        self._resource_handle: Tensor = self._create_resource()
        self._init_op: Operation = self._initialize()

    def _create_resource(self) -> Tensor:
        raise NotImplementedError

    def _initialize(self) -> Operation:
        filling: Operation = self._initializer.initialize(self)
        return filling

    @property
    def default_value(self) -> Tensor:
        """The value of keys that are not in the table."""
        return self._default_value

    @property
    def resource_handle(self) -> Tensor:
        """What ops know the table by."""
        return self._resource_handle

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table."""
        return self._init_op

    @property
    def init(self) -> Operation:
        """The old name of `initializer`."""
        return self._init_op

    @property
    def name(self) -> str:
        return self._table_name

    def size(self, name: str | None = None) -> Tensor:
        """The number of entries."""
        with name_scope(name, f"{self.name}_Size", [self.resource_handle]):
            found: Tensor = tables.table_size(self.resource_handle)
            return found

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of `keys`, a Tensor or SparseTensor; `default_value` for those that are not in the table.

        Raises:
          TypeError: if `keys` are of another type. FailedPreconditionError, in a run: if the table is not filled yet.
        """
        given, keys = given_keys(keys, self._key_dtype)
        with name_scope(name, f"{self.name}_Lookup", (self.resource_handle, keys, self._default_value)):
            values = tables.find(self.resource_handle, keys, self._default_value)
        values.set_shape(keys.get_shape())
        if isinstance(given, SparseTensor):
            return SparseTensor(given.indices, values, given.dense_shape)
        return values


class StaticHashTable(InitializableLookupTableBase):
    """A table that is filled once, by its initializer.

    Args:
      initializer: a `KeyValueTensorInitializer` or `TextFileInitializer`.
      default_value: the value of keys that are not in the table.
      name: of the node. Default: 'hash_table'.
    """

    def __init__(self, initializer: Any, default_value: Any, name: str | None = None) -> None:
        self._name = name or "hash_table"
        self._shared_name = initializer._shared_name
        super().__init__(default_value, initializer)

    def _create_resource(self) -> Tensor:
        handle: Tensor = tables.hash_table(
            shared_name=self._shared_name,
            key_dtype=self._initializer.key_dtype,
            value_dtype=self._initializer.value_dtype,
            name=self._name,
        )
        self._table_name = handle.op.name.split("/")[-1]
        return handle

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values."""
        with name_scope(name, f"{self.name}_Export", [self.resource_handle]):
            keys, values = tables.export(self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
        return keys, values


class HashTable(StaticHashTable):
    """As `StaticHashTable`, under the name it had in `tf.contrib.lookup`."""

    def __init__(
        self, initializer: Any, default_value: Any, shared_name: str | None = None, name: str = "hash_table"
    ) -> None:
        self._name = name
        self._shared_name = shared_name or ""
        InitializableLookupTableBase.__init__(self, default_value, initializer)


class HasherSpec(NamedTuple):
    """Which hash function words that are not known go through, and its key."""

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A keyed hash that nobody can find collisions for; `key`: two numbers."""

    __slots__ = ()

    def __new__(cls, key: Any) -> StrongHashSpec:
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {key}")
        if not all(isinstance(part, int) for part in key):
            raise TypeError("Invalid key. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


class _WithBuckets(LookupInterface):
    """Known keys have their id, others one of `num_oov_buckets` more, by their hash."""

    def __init__(self, table: Any, num_oov_buckets: int, hasher_spec: HasherSpec, name: str, key_dtype: DType) -> None:
        self._table, self._num_oov_buckets, self._hasher_spec = table, num_oov_buckets, hasher_spec
        self._name = name.rstrip("/")
        super().__init__(key_dtype, int64)

    @property
    def name(self) -> str:
        return self._name

    @property
    def initializer(self) -> Operation:
        """The operation that fills the table of known keys."""
        if self._table is None:
            with name_scope(None, "init"):
                return no_op()
        found: Operation = self._table.initializer
        return found

    @property
    def init(self) -> Operation:
        """The old name of `initializer`."""
        return self.initializer

    @property
    def resource_handle(self) -> Tensor | None:
        """The handle of the table of known keys."""
        return None if self._table is None else self._table.resource_handle

    def size(self, name: str | None = None) -> Tensor:
        """The number of ids: those of known keys and of buckets."""
        with name_scope(name, f"{self.name}_Size"):
            known = convert_to_tensor(0, dtype=int64) if self._table is None else self._table.size()
            total: Tensor = known + self._num_oov_buckets
            return total

    def _hash(self) -> Callable[..., Tensor]:
        spec = self._hasher_spec
        if not isinstance(spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(spec)}")
        if spec.hasher == "fasthash":
            return string_to_hash_bucket_fast
        if spec.hasher == "legacy":
            from tfbench.engine.ops.string_convert import string_to_hash_bucket

            return string_to_hash_bucket
        if spec.hasher == "stronghash":
            return functools.partial(string_to_hash_bucket_strong, key=spec.key)
        raise ValueError(f"Unknown hasher {spec.hasher}")

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The ids of `keys`, a Tensor or SparseTensor.

        Raises:
          TypeError: if `keys` are of another type.
        """
        given, values = given_keys(keys, self._key_dtype)
        if self._table is not None and self._table.key_dtype.base_dtype == int64 and values.dtype != int64:
            values = cast(values, int64)
        if not self._num_oov_buckets:
            ids = self._table.lookup(values, name=name)
        else:
            with name_scope(name, f"{self.name}_Lookup"):
                words = values if values.dtype.base_dtype == string else as_string(values)
                buckets = self._hash()(words, num_buckets=self._num_oov_buckets, name="hash_bucket")
                ids = buckets
                if self._table is not None:
                    ids = self._table.lookup(values)
                    buckets = add(buckets, self._table.size(), name="Add")
                    ids = where_v2(not_equal(ids, self._table.default_value), ids, buckets)
        if isinstance(given, SparseTensor):
            return SparseTensor(given.indices, ids, given.dense_shape)
        return ids


class IdTableWithHashBuckets(_WithBuckets):
    """Ids of a table, and of `num_oov_buckets` buckets for keys that it does not have.

    Args:
      table: a table to int64, or None: all keys go to buckets.
      hasher_spec: `FastHashSpec` or a `StrongHashSpec`.

    Raises:
      ValueError: if there is neither a table nor a bucket. TypeError: for a table of other types.
    """

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ) -> None:
        if name:
            name = name.rstrip("/")
        key: Any = as_dtype(key_dtype) if key_dtype is not None else None
        if table is not None:
            if key is None:
                key = table.key_dtype
            supported = (int64, string)
            if table.key_dtype.base_dtype not in supported:
                raise TypeError(f"Invalid `key_dtype`, expected one of {supported}, received {key}.")
            if table.key_dtype.is_integer != key.is_integer:
                kind = "integer" if key.is_integer else "non-integer"
                raise TypeError(f"Invalid dtype for key, expected {kind} but got {table.key_dtype}.")
            if table.value_dtype.base_dtype != int64:
                raise TypeError(f"Invalid `value_dtype`: expected int64 but got {table.value_dtype}.")
        else:
            if num_oov_buckets <= 0:
                raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
            if key is None:
                key = string
        super().__init__(table, num_oov_buckets, hasher_spec, name or (table.name if table else "hash_bucket"), key)


class StaticVocabularyTable(_WithBuckets):
    """Ids of words: those of the initializer, and `num_oov_buckets` more for all others.

    Args:
      initializer: a `KeyValueTensorInitializer` or `TextFileInitializer` to int64; None: all words go to buckets.
      lookup_key_dtype: the type of the keys that are looked up. Default: the initializer's.

    Raises:
      ValueError: if there is no bucket. TypeError: for an initializer of other types.
    """

    def __init__(
        self, initializer: Any, num_oov_buckets: int, lookup_key_dtype: Any = None, name: str | None = None
    ) -> None:
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        key: Any = as_dtype(lookup_key_dtype) if lookup_key_dtype is not None else None
        table = None
        if initializer is not None:
            key = initializer.key_dtype if key is None else key
            supported = (int64, string)
            if initializer.key_dtype not in supported:
                raise TypeError(f"Invalid `key_dtype`, expected one of {supported}, received {initializer.key_dtype}.")
            if initializer.key_dtype.is_integer != key.is_integer:
                kind = "integer" if key.is_integer else "non-integer"
                raise TypeError(f"Invalid `key_dtype`, expected {kind} but got {initializer.key_dtype}.")
            if initializer.value_dtype != int64:
                raise TypeError(f"Invalid `value_dtype`, expected {int64} but got {initializer.value_dtype}.")
            table = StaticHashTable(initializer, default_value=-1)
        super().__init__(
            table, num_oov_buckets, FastHashSpec, name or (table.name if table else "hash_bucket"), key or string
        )
