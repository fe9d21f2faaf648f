"""The op behind `tf.parse_single_sequence_example`: SequenceExample messages to a context and to sequences."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfbench.engine.graph import Operation
from tfbench.engine.kernel_errors import brackets, invalid, unimplemented
from tfbench.engine.kernels import examples
from tfbench.engine.kernels.wire import BadMessage
from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.parse_ops import Batch, dense_shape, kind_of, sparse_shapes
from tfbench.engine.shape_math import with_rank, with_rank_at_most
from tfbench.engine.shapes import Shape

__all__: list[str] = []

Array = Any

_TYPES = "list({float, int64, string}) >= 0 = []"
_SPLITS = "list({int32, int64}) >= 0 = []"

parse_sequence_example_v2 = op(
    "ParseSequenceExampleV2",
    "serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, "
    "context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, "
    "feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, "
    "context_dense_defaults: Tcontext_dense",
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "context_ragged_values: context_ragged_value_types, context_ragged_row_splits: context_ragged_split_types, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, "
    "feature_list_dense_values: feature_list_dense_types, "
    "feature_list_dense_lengths: Nfeature_list_dense * int64, "
    "feature_list_ragged_values: feature_list_ragged_value_types, "
    "feature_list_ragged_outer_splits: feature_list_ragged_split_types, "
    "feature_list_ragged_inner_splits: feature_list_ragged_split_types",
    f"Ncontext_sparse: int >= 0 = 0; Tcontext_dense: {_TYPES}; context_sparse_types: {_TYPES}; "
    f"context_ragged_value_types: {_TYPES}; context_ragged_split_types: {_SPLITS}; "
    "context_dense_shapes: list(shape) >= 0 = []; Nfeature_list_sparse: int >= 0 = 0; "
    f"Nfeature_list_dense: int >= 0 = 0; feature_list_dense_types: {_TYPES}; feature_list_sparse_types: {_TYPES}; "
    f"feature_list_ragged_value_types: {_TYPES}; feature_list_ragged_split_types: {_SPLITS}; "
    "feature_list_dense_shapes: list(shape) >= 0 = []",
    fresh=True,
)
#: of one example; graphs of TensorFlow 1 hold it
parse_single_sequence_example_v1 = op(
    "ParseSingleSequenceExample",
    "serialized: string, feature_list_dense_missing_assumed_empty: string, "
    "context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, "
    "feature_list_sparse_keys: Nfeature_list_sparse * string, feature_list_dense_keys: Nfeature_list_dense * string, "
    "context_dense_defaults: Tcontext_dense, debug_name: string",
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, "
    "feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types",
    "Ncontext_sparse: int >= 0 = 0; Ncontext_dense: int >= 0 = 0; Nfeature_list_sparse: int >= 0 = 0; "
    f"Nfeature_list_dense: int >= 0 = 0; context_sparse_types: {_TYPES}; Tcontext_dense: {_TYPES}; "
    f"feature_list_dense_types: {_TYPES}; context_dense_shapes: list(shape) >= 0 = []; "
    f"feature_list_sparse_types: {_TYPES}; feature_list_dense_shapes: list(shape) >= 0 = []",
    fresh=True,
)
for _declared in (parse_sequence_example_v2, parse_single_sequence_example_v1):
    _declared.no_gradient("what is read from strings has no gradient")


@parse_sequence_example_v2.shape
def _shape(node: Operation, serialized: Shape, names: Shape, *others: Shape) -> list[Shape]:
    batch, attrs = with_rank_at_most(serialized, 1), node.attrs
    ragged: list[Shape] = [(None,)]
    return [
        *sparse_shapes(attrs["Ncontext_sparse"], batch),
        *[dense_shape(batch, shape) for shape in attrs["context_dense_shapes"]],
        *ragged * (2 * len(attrs["context_ragged_value_types"])),
        *sparse_shapes(attrs["Nfeature_list_sparse"], batch, 2),
        *[dense_shape(batch, shape, None) for shape in attrs["feature_list_dense_shapes"]],
        *[batch] * attrs["Nfeature_list_dense"],
        *ragged * (3 * len(attrs["feature_list_ragged_value_types"])),
    ]


@parse_single_sequence_example_v1.shape
def _single_shape(node: Operation, serialized: Shape, *others: Shape) -> list[Shape]:
    with_rank(serialized, 0)
    attrs = node.attrs
    return [
        *sparse_shapes(attrs["Ncontext_sparse"], ()),
        *[dense_shape((), shape) for shape in attrs["context_dense_shapes"]],
        *sparse_shapes(attrs["Nfeature_list_sparse"], (), 2),
        *[dense_shape((), shape, None) for shape in attrs["feature_list_dense_shapes"]],
    ]


@parse_single_sequence_example_v1.bind(CPU)
def _single_bind(context: Any) -> Any:
    attrs = context.attrs
    counts = [attrs[f"N{kind}"] for kind in ("context_sparse", "context_dense", "feature_list_sparse")]
    counts.append(attrs["Nfeature_list_dense"])
    parse = _parser(attrs)

    def run(serialized: Array, may_be_missing: Array, *others: Array) -> list[Array]:
        keys, at = [], 0
        for count in counts:
            keys.append([np.asarray(key)[()] for key in others[at : at + count]])
            at += count
        names, allowed = np.asarray(others[-1]), set(np.ravel(may_be_missing).tolist())
        results = parse(np.asarray(serialized), names, keys, [key in allowed for key in keys[3]], others[at:-1])
        return results[: len(results) - counts[3]]  # without the numbers of steps

    return run


@parse_sequence_example_v2.bind(CPU)
def _bind(context: Any) -> Any:
    parse = _parser(context.attrs)

    def run(serialized: Array, names: Array, *others: Array) -> list[Array]:
        keys = [np.ravel(key).tolist() for key in others[:6]]
        context_sparse, context_dense, context_ragged, list_sparse, list_dense, list_ragged = keys
        if context_ragged or list_ragged:
            raise unimplemented("tfbench has no ragged tensors: use VarLenFeature.")
        keys = [context_sparse, context_dense, list_sparse, list_dense]
        return parse(np.asarray(serialized), np.asarray(names), keys, np.ravel(others[6]).tolist(), others[7:])

    return run


def _parser(attrs: dict[str, Any]) -> Any:
    """What parses with an op's types and shapes: (serialized, names, four lists of keys, may be missing, defaults)."""
    context_types, list_types = attrs["context_sparse_types"], attrs["feature_list_sparse_types"]
    dense_types, dense_shapes = attrs["Tcontext_dense"], attrs["context_dense_shapes"]
    row_types, row_shapes = attrs["feature_list_dense_types"], attrs["feature_list_dense_shapes"]

    def parse(
        serialized: Array, names: Array, keys: list[list[bytes]], may_be_missing: list[bool], defaults: Any
    ) -> list[Array]:
        context_sparse, context_dense, list_sparse, list_dense = keys
        batch = _Sequences(serialized, names)
        sparse = [batch.sparse(*feature) for feature in zip(context_sparse, context_types, strict=True)]
        features = zip(context_dense, dense_types, dense_shapes, defaults, strict=True)
        dense = [batch.dense(*feature) for feature in features]
        sparse_lists = [batch.sparse_list(*feature) for feature in zip(list_sparse, list_types, strict=True)]
        rows = zip(list_dense, row_types, row_shapes, may_be_missing, strict=True)
        lists = [batch.dense_list(*feature) for feature in rows]
        return [
            *_columns(sparse), *dense, *_columns(sparse_lists), *[one[0] for one in lists], *[one[1] for one in lists]
        ]  # fmt: skip

    return parse


def _columns(parts: list[tuple[Array, Array, Array]]) -> list[Array]:
    """All indices, then all values, then all shapes."""
    return [part[i] for i in range(3) for part in parts]


class _Sequences(Batch):
    """SequenceExamples that were taken apart."""

    def __init__(self, serialized: Array, names: Array) -> None:
        super().__init__(np.zeros([0] * serialized.ndim, object) if serialized.ndim else np.array(b"", object), names)
        self.examples = []
        self.lists = []
        for i, data in enumerate(serialized.ravel().tolist()):
            try:
                context, lists = examples.parse_sequence(data)
            except BadMessage as error:
                raise invalid(f"{self.name(i)}Invalid protocol message input, value: {data[:60]!r}. {error}") from None
            self.examples.append(context)
            self.lists.append(lists)

    def name(self, i: int) -> str:
        return f"Name: {self._names[i] if i < len(self._names) and self._names[i] else '<unknown>'}, "

    def _step(self, i: int, key: bytes, step: int, feature: Any, dtype: Any) -> Array:
        """The values of one step of a list."""
        kind, word = kind_of(dtype)
        if not feature[0]:
            return np.zeros(0, dtype.as_numpy_dtype)
        where = f"{self.name(i)}Feature list: {key.decode(errors='replace')}, Index: {step}.  "
        if feature[0] & 7 != kind:
            raise invalid(f"{where}Data types don't match. Expected type: {word}")
        try:
            return examples.values(feature)
        except BadMessage as error:
            raise invalid(f"{where}{error}") from None

    def _steps(self, i: int, key: bytes, dtype: Any) -> list[Array]:
        return [self._step(i, key, n, feature, dtype) for n, feature in enumerate(self.lists[i].get(key, []))]

    def sparse_list(self, key: bytes, dtype: Any) -> tuple[Array, Array, Array]:
        """Indices [n, 3] (example, step, place), values and shape; [n, 2] for one example alone."""
        indices = [np.zeros((0, 3), np.int64)]
        values = [np.zeros(0, dtype.as_numpy_dtype)]
        longest = widest = 0
        for i in range(len(self.lists)):
            steps = self._steps(i, key, dtype)
            longest = max(longest, len(steps))
            for n, part in enumerate(steps):
                widest = max(widest, part.size)
                places = np.empty((part.size, 3), np.int64)
                places[:, 0], places[:, 1], places[:, 2] = i, n, np.arange(part.size)
                indices.append(places)
                values.append(part)
        shape = np.array([len(self.lists), longest, widest], np.int64)
        found = np.concatenate(indices)
        if self.single:
            found, shape = found[:, 1:], shape[1:]
        return found, np.concatenate(values), shape

    def dense_list(self, key: bytes, dtype: Any, shape: Any, may_be_missing: bool) -> tuple[Array, Array]:
        """Values [batch, steps, …], zero where an example has fewer steps, and the numbers of steps."""
        sizes = shape.as_list()
        count = int(np.prod(sizes, dtype=np.int64))
        found = []
        for i, lists in enumerate(self.lists):
            if key not in lists and not may_be_missing:
                raise invalid(
                    f"{self.name(i)}Feature list '{key.decode(errors='replace')}' is required but could not be found.  "
                    "Did you mean to include it in feature_list_dense_missing_assumed_empty or "
                    "feature_list_dense_defaults?"
                )
            steps = self._steps(i, key, dtype)
            for n, part in enumerate(steps):
                if part.size != count:
                    total = sum(found.size for found in steps)
                    name = key.decode(errors="replace")
                    raise invalid(
                        f"{self.name(i)}Feature list '{name}' has an unexpected number of values."
                        f"  Total values size: {total} is not consistent with output shape: {brackets(['?', *sizes])}; "
                        f"values size of step {n}: {part.size} but output shape: {brackets(sizes)}"
                    )
            found.append(steps)
        longest = max((len(steps) for steps in found), default=0)
        out = np.zeros((len(found), longest, count), dtype.as_numpy_dtype)
        if out.dtype == object:
            out[...] = b""
        for i, steps in enumerate(found):
            for n, part in enumerate(steps):
                out[i, n] = part
        lengths = np.array([len(steps) for steps in found], np.int64)
        if self.single:
            return out[0].reshape([longest, *sizes]), lengths[0]
        return out.reshape([len(found), longest, *sizes]), lengths
