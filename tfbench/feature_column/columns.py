"""What all feature columns have in common, and the features of one batch as they are transformed.

A column says which features it wants and how to make numbers of them; it holds no tensor. A *categorical* column gives
the numbers of categories as a sparse tensor, a *dense* one a float tensor. What has been transformed once in a call is
kept in a `Transformed`, so that columns that share a source share its nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor, convert_to_tensor_or_sparse_tensor
from tfbench.engine.default_graph import control_dependencies
from tfbench.engine.dtypes import int64, string
from tfbench.engine.name_scope import name_scope
from tfbench.engine.ops.array_select import where_v2
from tfbench.engine.shapes import TensorShape


class IdWeightPair(NamedTuple):
    """The numbers of categories [batch, …], and the weights of each, or None: sparse tensors."""

    id_tensor: Any
    weight_tensor: Any


class TensorSequenceLengthPair(NamedTuple):
    """A dense tensor [batch, time, …] and how much of each row's time counts: int64 [batch]."""

    dense_tensor: Any
    sequence_length: Any


#: makes, or finds, a variable of a column: (column, name, shape, initializer, trainable) -> variable
Weights = Callable[[Any, str, tuple[int, ...], Any, bool], Any]


class FeatureColumn:
    """A column: hashable, ordered by what it prints as, equal to another with the same settings."""

    __slots__ = ()

    def __lt__(self, other: Any) -> bool:
        return str(self) < str(other)

    def __gt__(self, other: Any) -> bool:
        return str(self) > str(other)

    @property
    def name(self) -> str:
        """What scopes are named after; unique in one model."""
        raise NotImplementedError

    @property
    def variable_shape(self) -> TensorShape:
        """The shape of one example's values, or of one step's."""
        raise NotImplementedError

    @property
    def scope(self) -> str:
        """The variable scope of what the column learns."""
        return self.name

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """What `tf.parse_example` is to be told about the features."""
        raise NotImplementedError

    def transform(self, features: Transformed) -> Any:
        """The column's features as it uses them; asked for through `features`."""
        raise NotImplementedError

    @property
    def parents(self) -> list[Any]:
        """The columns, or keys of features, that it is made of."""
        raise NotImplementedError


class DenseColumn(FeatureColumn):
    """Gives floats."""

    __slots__ = ()

    def dense(self, features: Transformed, weights: Weights) -> Any:
        """The values: float32 [batch, *variable_shape]."""
        raise NotImplementedError

    def variables(self) -> list[tuple[str, tuple[int, ...], Any, bool]]:
        """What it learns: name, shape, initializer, whether trainable."""
        return []


class CategoricalColumn(FeatureColumn):
    """Gives numbers of categories, from 0 up to `num_buckets`; a number below 0 does not count."""

    __slots__ = ()

    @property
    def num_buckets(self) -> int:
        raise NotImplementedError

    def sparse(self, features: Transformed) -> IdWeightPair:
        """The numbers, int64 or int32."""
        return IdWeightPair(features.get(self), None)


class SequenceDenseColumn(FeatureColumn):
    """Gives floats with an axis of time."""

    __slots__ = ()

    def sequence_dense(self, features: Transformed, weights: Weights) -> TensorSequenceLengthPair:
        raise NotImplementedError


class Transformed:
    """The features of one batch, and what columns have made of them."""

    def __init__(self, features: Mapping[str, Any]) -> None:
        self._features = dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: Any) -> Any:
        """A feature by its key, as a tensor with rank 2 or more, or what a column makes.

        Raises:
          ValueError: if there is no such feature, or it is a scalar.
          TypeError: if `key` is neither a string nor a column.
        """
        if key in self._made:
            return self._made[key]
        if key in self._features:
            found = _as_tensor(key, self._features[key])
        elif isinstance(key, str):
            raise ValueError(f"Feature {key} is not in features dictionary; it has {sorted(map(str, self._features))}.")
        elif isinstance(key, FeatureColumn):
            found = key.transform(self)
        else:
            raise TypeError(f'"key" must be either a "str" or "FeatureColumn". Provided: {key}')
        self._made[key] = found
        return found


def _as_tensor(key: str, value: Any) -> Any:
    tensor = convert_to_tensor_or_sparse_tensor(value)
    rank = tensor.get_shape().ndims
    if rank == 0:
        raise ValueError(f"Feature (key: {key}) cannot have rank 0. Given: {tensor}")
    if rank is not None:
        return _with_axis(tensor) if rank == 1 else tensor
    message = f"Feature (key: {key}) cannot have rank 0. Given: {tensor}"
    with control_dependencies([ops.assert_positive(ops.rank(tensor), message=message)]):
        return ops.cond(ops.equal(1, ops.rank(tensor)), lambda: _with_axis(tensor), lambda: tensor)


def _with_axis(tensor: Any) -> Any:
    if isinstance(tensor, SparseTensor):
        return ops.sparse_reshape(tensor, [ops.shape(tensor)[0], 1])
    return ops.expand_dims(tensor, -1)


def to_sparse(tensor: Any, ignored: Any = None) -> Any:
    """A sparse tensor of what is there in a dense one: other than "" or -1, or `ignored`."""
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with name_scope(None, "to_sparse_input", [tensor, ignored]):
        if ignored is None:
            missing: Any = -1 if tensor.dtype.is_integer else tensor.dtype.as_numpy_dtype()
            ignored = "" if tensor.dtype == string else missing
        ignored = ops.cast(ignored, tensor.dtype, name="ignore_value")
        indices = where_v2(ops.not_equal(tensor, ignored), name="indices")
        values = ops.gather_nd(tensor, indices, name="values")
        return SparseTensor(indices, values, ops.shape(tensor, out_type=int64, name="dense_shape"))


# -- checks ----------------------------------------------------------------------------------------------------------


def columns_of(given: Any) -> list[Any]:
    """The columns as a list, which their names are unique in.

    Raises:
      ValueError: if there are none, something is no column, or two have one name.
    """
    if isinstance(given, FeatureColumn):
        given = [given]
    if isinstance(given, Iterator):
        given = list(given)
    if isinstance(given, Mapping):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    for column in given:
        if not isinstance(column, FeatureColumn):
            raise ValueError(
                f"Items of feature_columns must be a FeatureColumn. Given (type {type(column)}): {column}."
            )
    if not given:
        raise ValueError("feature_columns must not be empty.")
    named: dict[str, Any] = {}
    for column in given:
        if column.name in named:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and {named[column.name]}. Is it one "
                "feature twice? Leave one out, or give the feature to the model under a second name."
            )
        named[column.name] = column
    return list(given)


def by_name(columns: Iterable[Any]) -> list[Any]:
    """In the order in which a model's columns are built."""
    return sorted(columns, key=lambda column: column.name)


def check_batch(tensors: list[Any], columns: list[Any]) -> None:
    """Raises ValueError if it is known that two columns' tensors are not of one batch."""
    known = [(column.name, tensor.shape[0].value) for column, tensor in zip(columns, tensors, strict=True)]
    known = [(name, size) for name, size in known if size is not None]
    for name, size in known[1:]:
        if size != known[0][1]:
            raise ValueError(
                "Batch size (first dimension) of each feature must be same. "
                f"Batch size of columns ({known[0][0]}, {name}): ({known[0][1]}, {size})"
            )


def check_key(key: Any) -> str:
    """Raises ValueError if the key of a feature is no string."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")
    return key


def check_countable(dtype: Any, what: str) -> None:
    """Raises ValueError if a type cannot stand for categories."""
    if dtype != string and not dtype.is_integer:
        raise ValueError(f"{what} dtype must be string or integer. dtype: {dtype}.")
