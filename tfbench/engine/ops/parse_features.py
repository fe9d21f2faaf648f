"""What `tf.parse_example` is told about features: their classes, and the sorted lists of keys that the ops take."""

from __future__ import annotations

import re
from collections import namedtuple
from collections.abc import Iterable
from typing import Any

from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.dtypes import as_dtype, int64, string
from tfbench.engine.ops.shape_ops import reshape
from tfbench.engine.shapes import TensorShape
from tfbench.engine.tensor import Tensor

__all__ = ["FixedLenFeature", "FixedLenSequenceFeature", "SparseFeature", "VarLenFeature"]


class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """A feature with any number of values, which becomes a SparseTensor."""

    __slots__ = ()


class FixedLenFeature(namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"], defaults=[None])):
    """A feature with as many values as `shape` says; an example without it takes the default, or is refused."""

    __slots__ = ()


class FixedLenSequenceFeature(
    namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing", "default_value"], defaults=[False, None])
):
    """A feature with any number of rows of `shape`, which becomes a dense tensor, filled up with the default."""

    __slots__ = ()


class SparseFeature(
    namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"], defaults=[False])
):
    """Values under one key and their indices under another (or several), which become one SparseTensor."""

    __slots__ = ()


class Keys:
    """Keys, types and shapes of one group of features: all of an Example, or a sequence's context or lists."""

    def __init__(self) -> None:
        self.sparse: dict[str, Any] = {}
        self.dense: dict[str, Any] = {}
        self.shapes: dict[str, TensorShape] = {}
        self.defaults: dict[str, Any] = {}

    # -- from features ------------------------------------------------------------------------------------------------

    @staticmethod
    def of(features: Any, allowed: tuple[type, ...]) -> Keys:
        """The keys of a dict of features, each of an allowed class.

        Raises:
          ValueError: if a feature is of another class, has no type or shape, or contradicts another.
        """
        keys = Keys()
        for key in sorted(features or {}):
            feature = features[key]
            if not isinstance(feature, allowed):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            if not getattr(feature, "dtype", None):
                raise ValueError(f"Missing type for feature {key}. Received feature={feature}.")
            if isinstance(feature, VarLenFeature):
                keys._add_sparse(key, feature.dtype)
            elif isinstance(feature, SparseFeature):
                keys._add_composite(key, feature)
            else:
                keys._add_dense(key, feature)
        both = set(keys.dense) & set(keys.sparse)
        if both:
            raise ValueError(
                f"Dense and sparse keys must not intersect; dense_keys: {list(keys.dense)}, sparse_keys: "
                f"{list(keys.sparse)}, intersection: {both}"
            )
        return keys

    def _add_sparse(self, key: str, dtype: Any) -> None:
        dtype = as_dtype(dtype)
        known = self.sparse.setdefault(key, dtype)
        if known != dtype:
            raise ValueError(f"Conflicting type {known!r} vs {dtype!r} for feature {key}.")

    def _add_composite(self, key: str, feature: SparseFeature) -> None:
        if not feature.index_key:
            raise ValueError(f"Missing index_key for SparseFeature {feature}.")
        if not feature.value_key:
            raise ValueError(f"Missing value_key for SparseFeature {feature}.")
        for index_key in sorted(index_keys(feature)):
            self._add_sparse(index_key, int64)
        self._add_sparse(feature.value_key, feature.dtype)

    def _add_dense(self, key: str, feature: Any) -> None:
        if feature.shape is None:
            raise ValueError(f"Missing shape for feature {key}. Received feature={feature}.")
        shape = TensorShape(feature.shape)
        if isinstance(feature, FixedLenFeature):
            dims = shape.as_list() if shape.ndims is not None else [None]
            if dims and dims[0] is None:
                raise ValueError(
                    f"First dimension of shape for feature {key} unknown. Consider using FixedLenSequenceFeature. "
                    f"Received feature={feature}."
                )
            if None in dims:
                raise ValueError(
                    f"All dimensions of shape for feature {key} need to be known but received {feature.shape}."
                )
            if feature.default_value is not None:
                self.defaults[key] = feature.default_value
        else:
            if feature.allow_missing:
                self.defaults[key] = None
            if feature.default_value is not None:
                self.defaults[key] = feature.default_value
        self.dense[key] = as_dtype(feature.dtype)
        self.shapes[key] = shape

    # -- for the ops --------------------------------------------------------------------------------------------------

    def default_tensors(self) -> list[Tensor]:
        """A tensor for each dense key: an empty one where there is no default; padding is a scalar."""
        found = []
        for key, dtype in self.dense.items():
            default, shape = self.defaults.get(key), self.shapes[key]
            name = re.sub(r"[^A-Za-z0-9_.\-/]", "_", key)
            if shape.ndims and shape.as_list()[0] is None:
                if default is None:
                    default = convert_to_tensor("" if dtype == string else 0, dtype)
                else:
                    default = reshape(convert_to_tensor(default, dtype, f"padding_{name}"), [])
            elif default is None:
                default = constant([], dtype)
            elif not isinstance(default, Tensor):
                default = reshape(convert_to_tensor(default, dtype, f"key_{name}"), shape)
            found.append(default)
        return found


def index_keys(feature: SparseFeature) -> list[str]:
    """The keys of a SparseFeature's indices."""
    if isinstance(feature.index_key, str) or not isinstance(feature.index_key, Iterable):
        return [feature.index_key]
    return list(feature.index_key)
