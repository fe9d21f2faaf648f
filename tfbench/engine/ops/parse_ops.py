"""The ops behind `tf.parse_example`: serialised Example messages to one tensor a feature.

The newer op takes the names of the features as tensors and parses one message (a scalar) or a batch of them; graphs of
TensorFlow 1 hold the older two, which are known by op type only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid, unimplemented
from tfbench.engine.kernels import examples
from tfbench.engine.kernels.wire import BadMessage
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.string_common import raw
from tfbench.engine.shape_math import with_rank, with_rank_at_most
from tfbench.engine.shapes import Shape

__all__: list[str] = []

Array = Any

_TYPES = "{float, int64, string}"

parse_example_v2 = op(
    "ParseExampleV2",
    "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
    "dense_defaults: Tdense",
    "sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes: num_sparse * int64, "
    "dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits: ragged_split_types",
    f"Tdense: list({_TYPES}) >= 0; num_sparse: int >= 0; sparse_types: list({_TYPES}) >= 0; "
    f"ragged_value_types: list({_TYPES}) >= 0; ragged_split_types: list({{int32, int64}}) >= 0; "
    "dense_shapes: list(shape) >= 0",
    fresh=True,
)
parse_example_v1 = op(
    "ParseExample",
    "serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, "
    "dense_defaults: Tdense",
    "sparse_indices: Nsparse * int64, sparse_values: sparse_types, sparse_shapes: Nsparse * int64, "
    "dense_values: Tdense",
    f"Nsparse: int >= 0; Ndense: int >= 0; sparse_types: list({_TYPES}) >= 0; Tdense: list({_TYPES}) >= 0; "
    "dense_shapes: list(shape) >= 0",
    fresh=True,
)
parse_single_example_v1 = op(
    "ParseSingleExample",
    "serialized: string, dense_defaults: Tdense",
    "sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes: num_sparse * int64, "
    "dense_values: Tdense",
    "num_sparse: int >= 0; sparse_keys: list(string) >= 0; dense_keys: list(string) >= 0; "
    f"sparse_types: list({_TYPES}) >= 0; Tdense: list({_TYPES}) >= 0; dense_shapes: list(shape) >= 0",
    fresh=True,
)
for _declared in (parse_example_v2, parse_example_v1, parse_single_example_v1):
    _declared.no_gradient("what is read from strings has no gradient")


# -- shapes -----------------------------------------------------------------------------------------------------------


def sparse_shapes(count: int, batch: Shape, more: int = 1) -> list[Shape]:
    """The static shapes of `count` sparse tensors whose first dimensions are the batch's."""
    rank = None if batch is None else len(batch) + more
    indices: list[Shape] = [(None, rank)]
    values: list[Shape] = [(None,)]
    return indices * count + values * count + [(rank,)] * count


def dense_shape(batch: Shape, shape: Any, *middle: int | None) -> Shape:
    """The static shape of a dense feature: the batch's, then the feature's."""
    own = shape.as_list() if shape.ndims is not None else None
    return None if batch is None or own is None else (*batch, *middle, *own)


@parse_example_v2.shape
def _v2_shape(node: Operation, serialized: Shape, names: Shape, *others: Shape) -> list[Shape]:
    batch, attrs = with_rank_at_most(serialized, 1), node.attrs
    with_rank_at_most(names, 1)
    for keys in others[:3]:
        with_rank(keys, 1)
    ragged: list[Shape] = [(None,)] * (2 * len(attrs["ragged_value_types"]))
    return [
        *sparse_shapes(attrs["num_sparse"], batch), *[dense_shape(batch, shape) for shape in attrs["dense_shapes"]],
        *ragged,
    ]  # fmt: skip


@parse_example_v1.shape
def _v1_shape(node: Operation, serialized: Shape, names: Shape, *others: Shape) -> list[Shape]:
    batch, attrs = with_rank(serialized, 1), node.attrs
    with_rank(names, 1)
    return [
        *sparse_shapes(attrs["Nsparse"], batch), *[dense_shape(batch, shape) for shape in attrs["dense_shapes"]]
    ]  # fmt: skip


@parse_single_example_v1.shape
def _single_shape(node: Operation, serialized: Shape, *others: Shape) -> list[Shape]:
    with_rank(serialized, 0)
    attrs = node.attrs
    return [*sparse_shapes(attrs["num_sparse"], ()), *[dense_shape((), shape) for shape in attrs["dense_shapes"]]]


# -- kernels ----------------------------------------------------------------------------------------------------------


# Bound, and not plain kernels: a graph that is built parses nothing to know a value, as TensorFlow does not.


@parse_example_v2.bind(CPU)
def _v2_bind(context: Any) -> Any:
    attrs = context.attrs
    types, shapes = (attrs["sparse_types"], attrs["Tdense"]), attrs["dense_shapes"]

    def run(
        serialized: Array, names: Array, sparse_keys: Array, dense_keys: Array, ragged_keys: Array, *defaults: Array
    ) -> list[Array]:
        if np.size(ragged_keys):
            raise unimplemented("tfbench has no ragged tensors: use VarLenFeature.")
        serialized, names = np.asarray(serialized), np.asarray(names)
        if names.size and names.shape != serialized.shape:
            raise invalid(
                "Expected names have the same shape as serialized: "
                f"name.shape={brackets(names.shape)}, serialized.shape={brackets(serialized.shape)}"
            )
        keys = np.ravel(sparse_keys).tolist(), np.ravel(dense_keys).tolist()
        return parse(serialized, names, keys, types, shapes, defaults)

    return run


@parse_example_v1.bind(CPU)
def _v1_bind(context: Any) -> Any:
    attrs = context.attrs
    types, shapes = (attrs["sparse_types"], attrs["Tdense"]), attrs["dense_shapes"]
    sparse, count = attrs["Nsparse"], attrs["Nsparse"] + attrs["Ndense"]

    def run(serialized: Array, names: Array, *others: Array) -> list[Array]:
        keys: list[Any] = [np.asarray(key)[()] for key in others[:count]]
        split = keys[:sparse], keys[sparse:]
        return parse(np.asarray(serialized), np.asarray(names), split, types, shapes, others[count:])

    return run


@parse_single_example_v1.bind(CPU)
def _single_bind(context: Any) -> Any:
    attrs = context.attrs
    types, shapes = (attrs["sparse_types"], attrs["Tdense"]), attrs["dense_shapes"]
    keys = [raw(key) for key in attrs["sparse_keys"]], [raw(key) for key in attrs["dense_keys"]]

    def run(serialized: Array, *defaults: Array) -> list[Array]:
        return parse(np.asarray(serialized), np.zeros(0), keys, types, shapes, defaults)

    return run


def parse(
    serialized: Array,
    names: Array,
    keys: tuple[list[bytes], list[bytes]],
    types: tuple[list[Any], list[Any]],
    shapes: Sequence[Any],
    defaults: Sequence[Array],
) -> list[Array]:
    """All outputs: sparse indices, values, shapes, then dense values. `keys` and `types`: sparse ones, dense ones."""
    batch = Batch(serialized, names)
    sparse = [batch.sparse(key, dtype) for key, dtype in zip(keys[0], types[0], strict=True)]
    dense = [batch.dense(*feature) for feature in zip(keys[1], types[1], shapes, defaults, strict=True)]
    return [*[part[0] for part in sparse], *[part[1] for part in sparse], *[part[2] for part in sparse], *dense]


#: which of a Feature's lists holds a type's values
_KINDS = {"string": examples.BYTES, "float32": examples.FLOATS, "int64": examples.INTEGERS}
#: so few examples are decoded one by one
_FEW = 4
_WORDS = {examples.BYTES: "string", examples.FLOATS: "float", examples.INTEGERS: "int64"}


def kind_of(dtype: Any) -> tuple[int, str]:
    """A type's list in a Feature, and what TensorFlow's runtime calls the type."""
    kind = _KINDS[dtype.base_dtype.name]
    return kind, _WORDS[kind]


class Batch:
    """Examples that were taken apart; one alone (a scalar) gives results without the batch's dimension."""

    def __init__(self, serialized: Array, names: Array) -> None:
        self.single = not serialized.ndim
        self._names = [name.decode(errors="replace") for name in np.ravel(names).tolist()]
        self.examples = []
        for i, data in enumerate(serialized.ravel().tolist()):
            try:
                self.examples.append(examples.parse_example(data))
            except BadMessage as error:
                raise invalid(f"{self.name(i)}Could not parse example input, value: {data[:60]!r}. {error}") from None

    def name(self, i: int) -> str:
        """How an error calls an example."""
        if self._names:
            return f"Name: {self._names[i]}, "
        return "" if self.single else "Name: <unknown>, "

    def _where(self, i: int, key: bytes) -> str:
        index = "" if self.single else f", Index: {i}"
        return f"{self.name(i)}Key: {key.decode(errors='replace')}{index}.  "

    def values(self, i: int, key: bytes, dtype: Any) -> Array | None:
        """The values of a feature in one example; None if it has none of any kind."""
        kind, word = kind_of(dtype)
        feature = self.examples[i].get(key, examples.NOTHING)
        if not feature[0]:
            return None
        if feature[0] & 7 != kind:
            raise invalid(
                f"{self._where(i, key)}Data types don't match. "
                f"Data type: {_WORDS[feature[0] & 7]} but expected type: {word}"
            )
        try:
            return examples.values(feature)
        except BadMessage as error:
            raise invalid(f"{self._where(i, key)}Can't parse serialized Example: {error}") from None

    def _column(self, key: bytes, dtype: Any) -> tuple[Array, Array] | None:
        """The values of a feature in all examples, and how many each has; None: look at them one by one."""
        if len(self.examples) < _FEW:
            return None
        features = [example.get(key, examples.NOTHING) for example in self.examples]
        return examples.column(features, kind_of(dtype)[0])

    def sparse(self, key: bytes, dtype: Any) -> tuple[Array, Array, Array]:
        """Indices, values and shape of a feature of any length."""
        column = self._column(key, dtype)
        if column is not None:
            return _sparse(*column, self.single)
        found = [self.values(i, key, dtype) for i in range(len(self.examples))]
        parts = [np.zeros(0, dtype.as_numpy_dtype) if part is None else part for part in found]
        return gather(parts, self.single, dtype)

    def dense(self, key: bytes, dtype: Any, shape: Any, default: Array) -> Array:
        sizes = shape.as_list()
        if sizes and sizes[0] is None:
            return self._padded(key, dtype, sizes[1:], default)
        count = int(np.prod(sizes, dtype=np.int64))
        out = np.empty((len(self.examples), count), dtype.as_numpy_dtype)
        default = np.ravel(default)
        if default.size not in (0, count):
            raise invalid(f"The default of feature {key.decode()} has {default.size} values for shape {sizes}")
        column = self._column(key, dtype) if count else None
        if column is not None and (column[1] == count).all():
            return column[0].reshape([len(self.examples), *sizes])
        for i in range(len(self.examples)):
            found = self.values(i, key, dtype)
            if found is None:
                if not default.size and count:
                    name, word = key.decode(errors="replace"), kind_of(dtype)[1]
                    raise invalid(
                        f"{self.name(i)}Feature: {name} (data type: {word}) is required but could not be found."
                    )
                found = default
            elif found.size != count:
                raise invalid(
                    f"{self._where(i, key)}Number of {kind_of(dtype)[1]} values != expected.  "
                    f"Values size: {found.size} but output shape: {brackets(sizes)}"
                )
            out[i] = found
        return out.reshape(sizes if self.single else [len(self.examples), *sizes])

    def _padded(self, key: bytes, dtype: Any, sizes: list[int], default: Array) -> Array:
        """Rows of `sizes`, as many as the longest example has; the others are filled up."""
        stride = int(np.prod(sizes, dtype=np.int64))
        rows = [self.values(i, key, dtype) for i in range(len(self.examples))]
        for i, row in enumerate(rows):
            if row is not None and stride and row.size % stride:
                raise invalid(
                    f"{self._where(i, key)}Number of {kind_of(dtype)[1]} values is not a multiple of stride length. "
                    f"Saw {row.size} values but output shape is: {brackets(['?', *sizes])}"
                )
        out = pad(rows, dtype, np.ravel(default)[0])
        steps = out.shape[1] // stride if stride else 0
        return out.reshape([steps, *sizes] if self.single else [len(rows), steps, *sizes])


def gather(parts: list[Array], single: bool, dtype: Any) -> tuple[Array, Array, Array]:
    """A sparse tensor with one row for each part."""
    lengths = np.array([part.size for part in parts], np.intp)
    return _sparse(np.concatenate([np.zeros(0, dtype.as_numpy_dtype), *parts]), lengths, single)


def _sparse(values: Array, lengths: Array, single: bool) -> tuple[Array, Array, Array]:
    """A sparse tensor of rows that are so long."""
    longest = lengths.max(initial=0)
    columns = np.arange(values.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    if single:
        return columns[:, None], values, np.array([longest], np.int64)
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.stack([rows, columns], axis=1), values, np.array([len(lengths), longest], np.int64)


def pad(rows: list[Array | None], dtype: Any, filler: Any) -> Array:
    """A matrix of the rows, as long as the longest, filled up."""
    longest = max((row.size for row in rows if row is not None), default=0)
    out = np.empty((len(rows), longest), dtype.as_numpy_dtype)
    out[...] = filler
    for i, row in enumerate(rows):
        if row is not None:
            out[i, : row.size] = row
    return out
