"""Columns of numbers: as they are, or cut into buckets."""

from __future__ import annotations

from collections import namedtuple
from itertools import pairwise
from typing import Any

from tfbench.engine import ops
from tfbench.engine.composite import SparseTensor
from tfbench.engine.dtypes import float32, int64
from tfbench.engine.opdef import lookup
from tfbench.engine.ops.parse_features import FixedLenFeature
from tfbench.engine.shapes import TensorShape
from tfbench.feature_column.columns import (
    CategoricalColumn,
    DenseColumn,
    IdWeightPair,
    Transformed,
    Weights,
    check_key,
)


class NumericColumn(
    DenseColumn, namedtuple("NumericColumn", ["key", "shape", "default_value", "dtype", "normalizer_fn"])
):
    """One feature, as float32."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return str(self.key)

    @property
    def parents(self) -> list[Any]:
        return [self.key]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape(self.shape)

    def transform(self, features: Transformed) -> Any:
        tensor = features.get(self.key)
        if isinstance(tensor, SparseTensor):
            raise ValueError(
                "The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not supported. "
                f"key: {self.key}"
            )
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return ops.cast(tensor, float32)

    def dense(self, features: Transformed, weights: Weights) -> Any:
        return features.get(self)


def numeric_column(
    key: Any, shape: Any = (1,), default_value: Any = None, dtype: Any = float32, normalizer_fn: Any = None
) -> NumericColumn:
    """The numbers of feature `key`, as floats.

    Args:
      shape: of one example's numbers.
      default_value: what an Example without the feature has: a number, or numbers in this shape.
      dtype: the type in Examples.
      normalizer_fn: a function of the tensor, applied before anything else.

    Raises:
      ValueError: for a type that is no number's, or a default of another shape.
      TypeError: for a size that is no integer, a default of another type, a `normalizer_fn` that cannot be called.
    """
    sizes = sizes_of(shape, key)
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {dtype}, key: {key}")
    default_value = default_of(sizes, default_value, dtype, key)
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return NumericColumn(check_key(key), sizes, default_value, dtype, normalizer_fn)


def sizes_of(shape: Any, key: Any) -> tuple[int, ...]:
    """The shape of a feature's values, checked."""
    sizes = tuple(shape) if isinstance(shape, (list, tuple)) else (shape,)
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(f"shape dimensions must be integer. shape: {sizes}, key: {key}")
        if size < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {sizes}, key: {key}")
    return sizes


def default_of(shape: tuple[int, ...], value: Any, dtype: Any, key: Any) -> Any:
    """A default value as nested tuples of `shape`; a number stands for all of them."""
    if value is None:
        return None
    if isinstance(value, int) or (isinstance(value, float) and dtype.is_floating):
        return _filled(shape, value)
    if callable(getattr(value, "tolist", None)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        if not _has_shape(value, shape):
            raise ValueError(
                "The shape of default_value must be equal to given shape. "
                f"default_value: {value}, shape: {shape}, key: {key}"
            )
        numbers = _flat(value)
        whole = all(isinstance(number, int) for number in numbers)
        if whole or (dtype.is_floating and any(isinstance(number, float) for number in numbers)):
            return _as_tuples(value)
    raise TypeError(f"default_value must be compatible with dtype. default_value: {value}, dtype: {dtype}, key: {key}")


def _filled(shape: tuple[int, ...], value: Any) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    if not isinstance(value, (list, tuple)):
        return not shape
    return bool(shape) and len(value) == shape[0] and all(_has_shape(part, shape[1:]) for part in value)


def _flat(value: Any) -> list[Any]:
    return [number for part in value for number in _flat(part)] if isinstance(value, (list, tuple)) else [value]


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, (list, tuple)) else value


class BucketizedColumn(DenseColumn, CategoricalColumn, namedtuple("BucketizedColumn", ["source_column", "boundaries"])):
    """The buckets that numbers fall into: as one-hot floats, or as categories, which differ from place to place."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return f"{self.source_column.name}_bucketized"

    @property
    def parents(self) -> list[Any]:
        return [self.source_column]

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        found: dict[str, Any] = self.source_column.parse_example_spec
        return found

    @property
    def _buckets(self) -> int:
        return len(self.boundaries) + 1

    @property
    def variable_shape(self) -> TensorShape:
        return TensorShape((*self.source_column.shape, self._buckets))

    @property
    def num_buckets(self) -> int:
        return self._buckets * int(self.source_column.shape[0])

    def transform(self, features: Transformed) -> Any:
        return lookup("Bucketize")(features.get(self.source_column), boundaries=list(self.boundaries))

    def dense(self, features: Transformed, weights: Weights) -> Any:
        numbers = ops.cast(features.get(self), int64)
        return ops.one_hot(indices=numbers, depth=self._buckets, on_value=1.0, off_value=0.0)

    def sparse(self, features: Transformed) -> IdWeightPair:
        tensor = features.get(self)
        batch = ops.shape(tensor)[0]
        width = self.source_column.shape[0]
        rows = ops.reshape(ops.tile(ops.expand_dims(ops.range(0, batch), 1), [1, width]), (-1,))
        places: Any = ops.tile(ops.range(0, width), [batch])
        numbers = ops.reshape(tensor, (-1,)) + self._buckets * places
        indices = ops.cast(ops.transpose(ops.stack((rows, places))), int64)
        sizes = ops.cast(ops.stack([batch, width]), int64)
        return IdWeightPair(SparseTensor(indices, numbers, sizes), None)


def bucketized_column(source_column: Any, boundaries: Any) -> BucketizedColumn:
    """Which of the buckets (-inf, b0), [b0, b1), …, [bn, inf) a numeric column's numbers are in.

    Raises:
      ValueError: if the source is no numeric column of rank 1, or `boundaries` no list that goes up.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column}")
    if not boundaries or not isinstance(boundaries, (list, tuple)):
        raise ValueError(f"boundaries must be a sorted list. Given: {boundaries}")
    if any(first >= second for first, second in pairwise(boundaries)):
        raise ValueError(f"boundaries must be a sorted list, without a number twice. Given: {boundaries}")
    return BucketizedColumn(source_column, tuple(boundaries))
