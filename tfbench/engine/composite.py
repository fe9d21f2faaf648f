"""Values made of several tensors: IndexedSlices (some rows of a tensor) and SparseTensor (some elements of one).

They are plain holders of tensors. What they need from the ops (dense conversion, arithmetic) is looked up in the
registry when it is used, so that ops can make them. A session fetches and feeds them by their parts.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor, register_tensor_conversion_function
from tfbench.engine.default_graph import get_default_session
from tfbench.engine.dtypes import DType, as_dtype
from tfbench.engine.fetches import register_composite
from tfbench.engine.graph import Graph, Operation
from tfbench.engine.infer import constant_value, constant_value_as_shape
from tfbench.engine.name_scope import name_scope
from tfbench.engine.opdef import lookup
from tfbench.engine.shapes import TensorShape, to_tuple
from tfbench.engine.tensor import OPERATORS, Tensor

__all__ = [
    "IndexedSlices", "IndexedSlicesValue", "SparseTensor", "SparseTensorValue", "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor",
]  # fmt: skip

#: what fetching an IndexedSlices gives
IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
#: what fetching a SparseTensor gives, and what may be fed for one
SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


class IndexedSlices:
    """`values[i]` is row `indices[i]` of a tensor of `dense_shape`; rows that are not listed are zero.

    That is what the gradient of a gather is.
    """

    __slots__ = ("__dict__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Any, indices: Any, dense_shape: Any = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Any:
        return self._values

    @property
    def indices(self) -> Any:
        return self._indices

    @property
    def dense_shape(self) -> Any:
        """The shape of the whole tensor, as a tensor; None if nobody said."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the whole tensor, as far as it is known."""
        if self._dense_shape is None:
            return TensorShape(None)
        return TensorShape(constant_value_as_shape(self._dense_shape))

    def get_shape(self) -> TensorShape:
        return self.shape

    @property
    def name(self) -> str:
        return self._values.name

    @property
    def device(self) -> str:
        return self._values.device

    @property
    def op(self) -> Operation:
        return self._values.op

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        return self._values.graph

    def consumers(self) -> list[Operation]:
        """The operations that take the values or the indices."""
        found = [*self._values.consumers(), *self._indices.consumers()]
        return list(dict.fromkeys(found))

    def with_values(self, new_values: Any) -> IndexedSlices:
        """The same rows with other values."""
        return IndexedSlices(new_values, self._indices, self._dense_shape)

    def __neg__(self) -> IndexedSlices:
        return self.with_values(-self._values)

    def __str__(self) -> str:
        dense = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{dense})"

    def __tf_identity__(self, name: str | None) -> IndexedSlices:
        identity = lookup("Identity")
        values, indices = identity(self._values), identity(self._indices)
        dense = None if self._dense_shape is None else identity(self._dense_shape)
        return IndexedSlices(values, indices, dense)


class SparseTensor:
    """A tensor of `dense_shape` whose element at index vector `indices[i]` is `values[i]`; all others are zero.

    Raises (when made):
      ValueError: if the shapes of the three parts do not belong together.
    """

    __slots__ = ("__dict__", "_dense_shape", "_dense_shape_default", "_indices", "_values")

    #: `tensor * sparse` is for the sparse tensor to compute
    decides_operators = True

    #: nothing may be made to wait for a sparse tensor: it is not clear for which of its parts
    no_dependency = True

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices = convert_to_tensor(indices, dtype=dtypes.int64, name="indices")
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, dtype=dtypes.int64, name="dense_shape")
        rows, columns = self._indices.shape.with_rank(2)
        rows.assert_is_compatible_with(self._values.shape.with_rank(1)[0])
        columns.assert_is_compatible_with(self._dense_shape.shape.with_rank(1)[0])
        self._dense_shape_default = TensorShape(constant_value_as_shape(self._dense_shape))
        if constant_value(self._dense_shape) is not None:
            # The static shape depends on this value now.
            self._dense_shape.graph.prevent_feeding(self._dense_shape)

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """The SparseTensor for a SparseTensorValue (or a SparseTensor)."""
        if not _is_sparse(sparse_tensor_value):
            raise TypeError(
                f"Argument sparse_tensor_value={sparse_tensor_value} is neither a SparseTensor nor SparseTensorValue."
            )
        value = sparse_tensor_value
        return SparseTensor(value.indices, value.values, value.dense_shape)

    @property
    def indices(self) -> Tensor:
        return self._indices

    @property
    def values(self) -> Tensor:
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as it is known."""
        return self._dense_shape_default

    def get_shape(self) -> TensorShape:
        return self._dense_shape_default

    def set_shape(self, shape: Any) -> None:
        """Merges what is known of the shape with `shape`. ValueError where they contradict each other."""
        self._dense_shape_default = self._dense_shape_default.merge_with(TensorShape(to_tuple(shape)))

    @property
    def dtype(self) -> DType:
        return self._values.dtype

    @property
    def op(self) -> Operation:
        return self._values.op

    @property
    def graph(self) -> Graph:
        return self._indices.graph

    def consumers(self) -> list[Operation]:
        """The operations that take one of the three parts."""
        found = [*self._indices.consumers(), *self._values.consumers(), *self._dense_shape.consumers()]
        return list(dict.fromkeys(found))

    def with_values(self, new_values: Any) -> SparseTensor:
        """The same positions with other values."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    def eval(self, feed_dict: dict[Any, Any] | None = None, session: Any = None) -> Any:
        """The SparseTensorValue in `session` (default: the default session)."""
        if session is None:
            session = get_default_session()
        if session is None:
            return OPERATORS["eval"](self._indices, feed_dict, None)  # says that there is no session
        return session.run(self, feed_dict)

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"

    __repr__ = __str__

    def __mul__(self, other: Any) -> SparseTensor:
        return self._with_dense("SparseDenseCwiseMul", other, "mul")

    def __truediv__(self, other: Any) -> SparseTensor:
        return self._with_dense("SparseDenseCwiseDiv", other, "truediv")

    __div__ = __truediv__

    def __rmul__(self, other: Any) -> SparseTensor:
        return self._with_dense("SparseDenseCwiseMul", other, "mul")

    def _with_dense(self, type: str, other: Any, name: str) -> SparseTensor:
        with name_scope(None, name, [self._indices, self._values, self._dense_shape, other]) as scope:
            dense = convert_to_tensor(other, dtype=self.dtype.base_dtype, name="y")
            values = lookup(type)(self._indices, self._values, self._dense_shape, dense, name=scope)
        return SparseTensor(self._indices, values, self._dense_shape)

    def __tf_identity__(self, name: str | None) -> SparseTensor:
        identity = lookup("Identity")
        return SparseTensor(*[identity(part) for part in (self._indices, self._values, self._dense_shape)])


def _is_sparse(value: Any) -> bool:
    return isinstance(value, (SparseTensor, SparseTensorValue))


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """`value` as a SparseTensor if it is one (or its value), else as a tensor.

    Raises:
      RuntimeError: if a sparse tensor is not of `dtype`.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, SparseTensorValue):
        value = SparseTensor.from_value(value)
    if isinstance(value, SparseTensor):
        if wanted is not None and not wanted.is_compatible_with(value.dtype):
            raise RuntimeError(f"Sparse dtype mismatch. Requested: {wanted.name},  Actual: {value.dtype.name}")
        return value
    return convert_to_tensor(value, dtype=wanted, name=name)


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """`value` as it is if it is an IndexedSlices (or another composite), else as a tensor.

    Raises:
      ValueError: if an IndexedSlices is not of `dtype`.
    """
    if isinstance(value, (IndexedSlices, SparseTensor)):
        wanted = None if dtype is None else as_dtype(dtype)
        if wanted is not None and not wanted.is_compatible_with(value.dtype):
            raise ValueError(
                f"Incompatible tensor conversion requested to `dtype` {wanted.name} for `value` ({value}) with dtype "
                f"{value.dtype.name}."
            )
        return value
    return convert_to_tensor(value, dtype=dtype, name=name)


#: as many elements as a dense tensor made of IndexedSlices may have without a warning
_LARGE = 100_000_000


def _dense(value: IndexedSlices, dtype: Any = None, name: str | None = None, as_ref: bool = False) -> Tensor:
    """The tensor with the listed rows, which add up where one is listed twice."""
    if dtype is not None and not as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Tensor conversion requested dtype {as_dtype(dtype).name} for IndexedSlices with dtype {value.dtype.name}"
        )
    if value.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `value` without dense_shape: {value}"
        )
    _warn_if_large(value)
    return lookup("UnsortedSegmentSum")(value.values, value.indices, value.dense_shape[0], name=name)


def _warn_if_large(value: IndexedSlices) -> None:
    import warnings

    count = value.shape.num_elements()
    if count is None:
        text = f"Converting sparse {value} to a dense Tensor of unknown shape."
    elif count >= _LARGE:
        text = f"Converting sparse {value} to a dense Tensor with {count} elements."
    else:
        return
    warnings.warn(f"{text} This may consume a large amount of memory.", stacklevel=4)


register_tensor_conversion_function(IndexedSlices, _dense, 100)


# -- fetching and feeding ------------------------------------------------------------------------------------------


def _fetch_sparse(value: SparseTensor) -> Any:
    return [value.indices, value.values, value.dense_shape], lambda found: SparseTensorValue(*found)


def _feed_sparse(key: SparseTensor, value: Any) -> list[tuple[Any, Any]]:
    return list(zip([key.indices, key.values, key.dense_shape], value))


def _fetch_slices(value: IndexedSlices) -> Any:
    if value.dense_shape is None:
        return [value.values, value.indices], lambda found: IndexedSlicesValue(found[0], found[1], None)
    return [value.values, value.indices, value.dense_shape], lambda found: IndexedSlicesValue(*found)


def _feed_slices(key: IndexedSlices, value: Any) -> list[tuple[Any, Any]]:
    parts = [key.values, key.indices] if key.dense_shape is None else [key.values, key.indices, key.dense_shape]
    return list(zip(parts, value))


register_composite(SparseTensor, _fetch_sparse, _feed_sparse)
register_composite(IndexedSlices, _fetch_slices, _feed_slices)
