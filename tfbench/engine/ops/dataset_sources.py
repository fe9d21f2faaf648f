"""Ops of data sets that begin a pipeline: tensors, numbers, generators, files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.engine.opdef import CPU, op
from tfbench.engine.ops.dataset_common import (
    ELEMENTS,
    NOTE,
    BoundFunction,
    dataset_op,
    keeper,
    plain,
    strings,
)

__all__: list[str] = []  # known by op type; `tf.data` makes them

_COMPONENTS = "Toutput_types: list(type) >= 1; output_shapes: list(shape) >= 1"

tensors = dataset_op("TensorDataset", "components: Toutput_types", _COMPONENTS + NOTE, stateful=True)
tensor_slices = dataset_op(
    "TensorSliceDataset",
    "components: Toutput_types",
    f"{_COMPONENTS}; is_files: bool = false{NOTE}; replicate_on_split: bool = false",
    stateful=True,
)
sparse_slices = dataset_op(
    "SparseTensorSliceDataset", "indices: int64, values: Tvalues, dense_shape: int64", "Tvalues: type", stateful=True
)
numbers = dataset_op(
    "RangeDataset",
    "start: int64, stop: int64, step: int64",
    f"{ELEMENTS}{NOTE}; replicate_on_split: bool = false",
    stateful=True,
)
generator = dataset_op(
    "GeneratorDataset",
    "init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, "
    "finalize_func_other_args: Tfinalize_func_args",
    "init_func: func; next_func: func; finalize_func: func; Tinit_func_args: list(type) >= 0; "
    f"Tnext_func_args: list(type) >= 0; Tfinalize_func_args: list(type) >= 0; {ELEMENTS}{NOTE}",
    stateful=True,
)
records = dataset_op(
    "TFRecordDataset", "filenames: string, compression_type: string, buffer_size: int64", NOTE[2:], stateful=True
)
lines = dataset_op(
    "TextLineDataset", "filenames: string, compression_type: string, buffer_size: int64", NOTE[2:], stateful=True
)
pieces = dataset_op(
    "FixedLengthRecordDatasetV2",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64, "
    "compression_type: string",
    NOTE[2:],
    stateful=True,
)
csv = dataset_op(
    "CSVDatasetV2",
    "filenames: string, compression_type: string, buffer_size: int64, header: bool, field_delim: string, "
    "use_quote_delim: bool, na_value: string, select_cols: int64, record_defaults: output_types, exclude_cols: int64",
    "output_types: list({float, double, int32, int64, string}) >= 1; output_shapes: list(shape) >= 1",
    stateful=True,
)


@tensors.bind(CPU)
def _tensors_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.sources import Tensors

    keep = keeper(context.op._inputs)
    return lambda *values: Tensors(tuple(keep(values)))


@tensor_slices.bind(CPU)
def _tensor_slices_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.sources import Slices

    keep = keeper(context.op._inputs)
    return lambda *values: Slices(tuple(keep(values)))


@sparse_slices.bind(CPU)
def _sparse_slices_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.sources import SparseSlices

    keep = keeper(context.op._inputs)
    return lambda *values: SparseSlices(*keep(values))


@numbers.bind(CPU)
def _numbers_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.sources import Range

    (dtype,) = context.attrs["output_types"]
    return lambda start, stop, step: Range(plain(start), plain(stop), plain(step), dtype.as_numpy_dtype)


@generator.bind(CPU)
def _generator_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.sources import Generated

    attrs = context.attrs
    functions = [BoundFunction(context, name) for name in ("init_func", "next_func", "finalize_func")]
    counts = [len(attrs[name]) for name in ("Tinit_func_args", "Tnext_func_args", "Tfinalize_func_args")]
    keep = keeper(context.op._inputs)

    def make(*values: Any) -> Any:
        kept = keep(values)
        calls, given = [], []
        for function, count in zip(functions, counts, strict=True):
            own, kept = kept[:count], kept[count:]
            # The first function's arguments come with what it captured.
            first = count - function.captures
            given.append(tuple(own[:first]))
            calls.append(function.call(own[first:]))
        return Generated(given[0], tuple(calls))

    return make


@records.bind(CPU)
def _records_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.files import Records

    return lambda names, compression, buffer: Records(strings(names), plain(compression))


@lines.bind(CPU)
def _lines_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.files import Lines

    return lambda names, compression, buffer: Lines(strings(names), plain(compression))


@pieces.bind(CPU)
def _pieces_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.files import Pieces

    def make(names: Any, header: Any, size: Any, footer: Any, buffer: Any, compression: Any) -> Any:
        return Pieces(strings(names), plain(header), plain(size), plain(footer), plain(compression))

    return make


@csv.bind(CPU)
def _csv_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.csv_files import CsvRecords

    kinds = context.attrs["output_types"]

    def make(names: Any, compression: Any, buffer: Any, *rest: Any) -> Any:
        header, delimiter, quotes, missing = [plain(value) for value in rest[:4]]
        selected, excluded = rest[4].tolist(), rest[-1].tolist()
        names = strings(names)
        return CsvRecords(
            names, plain(compression), header, delimiter, quotes, missing, selected, excluded, rest[5:-1], kinds
        )

    return make


# -- sparse tensors as components ------------------------------------------------------------------------------------

_SPARSE = "sparse_indices: int64, sparse_values: T, sparse_shape: int64"
_SERIALIZED = "T: type; out_type: {string, variant} = DT_STRING"

serialize_sparse = op("SerializeSparse", _SPARSE, "serialized_sparse: out_type", _SERIALIZED)
serialize_many_sparse = op("SerializeManySparse", _SPARSE, "serialized_sparse: out_type", _SERIALIZED)
deserialize_sparse = op(
    "DeserializeSparse",
    "serialized_sparse: Tserialized",
    "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    "dtype: type; Tserialized: {string, variant} = DT_STRING",
)
for _definition in (serialize_sparse, serialize_many_sparse, deserialize_sparse):
    _definition.no_gradient("what is packed has no gradient")


@serialize_sparse.shape
def _serialize_shape(node: Any, indices: Any, values: Any, shape: Any) -> Any:
    return [(3,)]


@serialize_many_sparse.shape
def _serialize_many_shape(node: Any, indices: Any, values: Any, shape: Any) -> Any:
    return [(None, 3)]


@deserialize_sparse.shape
def _deserialize_shape(node: Any, serialized: Any) -> Any:
    return [(None, None), (None,), (None,)]


@serialize_sparse.bind(CPU)
def _serialize_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels import sparse_strings
    from tfbench.engine.kernels.datasets import sparse

    return _packing(context, sparse.packed, sparse_strings.packed)


@serialize_many_sparse.bind(CPU)
def _serialize_many_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels import sparse_strings
    from tfbench.engine.kernels.datasets import sparse

    return _packing(context, sparse.packed_rows, sparse_strings.packed_rows)


def _packing(context: Any, pack: Callable[..., Any], as_strings: Callable[..., Any]) -> Callable[..., Any]:
    dtype = context.attrs["T"]
    if context.attrs["out_type"].name != "variant":
        return lambda indices, values, shape: as_strings(indices, values, shape, dtype)
    keep = keeper(context.op._inputs)
    return lambda *values: pack(*keep(values))


@deserialize_sparse.bind(CPU)
def _deserialize_bind(context: Any) -> Callable[..., Any]:
    from tfbench.engine.kernels.datasets.sparse import unpacked

    dtype = context.attrs["dtype"].as_numpy_dtype
    return lambda handles: unpacked(handles, dtype)
