"""Data sets of what files hold. Each file is a data set of its own, and they come one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.data import calls, sources, specs
from tfbench.data.dataset import Dataset
from tfbench.data.transformations import AUTOTUNE, integer
from tfbench.engine import dtypes
from tfbench.engine.convert import constant, convert_to_tensor
from tfbench.engine.dtypes import DType
from tfbench.engine.ops import dataset_sources as ops
from tfbench.engine.tensor import Tensor

_BUFFER = 256 * 1024
_STRING = specs.TensorSpec([], dtypes.string)


class _Reader(Dataset):
    """What `read(name)`, the handle of the data set of one file, gives for each of `filenames`."""

    def __init__(self, filenames: Any, num_parallel_reads: Any, read: Callable[[Any], Tensor]) -> None:
        if isinstance(filenames, Dataset):
            if not specs.compatible(filenames.element_spec, _STRING):
                raise TypeError(
                    "The `filenames` argument must contain `tf.string` scalars, but the elements of the given data set "
                    f"are {filenames.element_spec!r}."
                )
            names = filenames
        else:
            names = Dataset(*sources.file_names(sources.vector_of_names(filenames)))

        def read_one_file(filename: Any) -> Dataset:
            return Dataset(read(filename), _STRING)

        if num_parallel_reads is None:
            made = calls.flat_map(names, read_one_file)
        elif num_parallel_reads == AUTOTUNE:
            made = calls.interleave(names, read_one_file, None, None, AUTOTUNE, None)
        else:
            made = calls.parallel_interleave(names, read_one_file, num_parallel_reads, 1, False, None, None)
        super().__init__(*made)


class TFRecordDataset(_Reader):
    """The records of TFRecord files, as strings.

    Args:
      filenames: names, as a string, a list of them, a tensor or a data set.
      compression_type: "", "ZLIB" or "GZIP".
      num_parallel_reads: so many files are read in turns, a record at a time.
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(filename: Any) -> Tensor:
            return ops.records(filename, *_compression_and_buffer(compression_type, buffer_size))

        super().__init__(filenames, num_parallel_reads, read)


class TextLineDataset(_Reader):
    """The lines of text files, without what ends them. The arguments are those of `TFRecordDataset`."""

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(filename: Any) -> Tensor:
            return ops.lines(filename, *_compression_and_buffer(compression_type, buffer_size))

        super().__init__(filenames, num_parallel_reads, read)


class FixedLengthRecordDataset(_Reader):
    """Records of `record_bytes` bytes, between a header and a footer of each file."""

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(filename: Any) -> Tensor:
            sizes = integer(record_bytes, "record_bytes"), _or(header_bytes, 0, "header_bytes")
            footer, buffer = _or(footer_bytes, 0, "footer_bytes"), _or(buffer_size, _BUFFER, "buffer_size")
            compression = _string(compression_type)
            return ops.pieces(filename, sizes[1], sizes[0], footer, buffer, compression)

        super().__init__(filenames, num_parallel_reads, read)


class CsvDataset(Dataset):
    """The records of CSV files, a component a column.

    Args:
      record_defaults: for each column a dtype, if it must not be empty, or what stands for an empty field.
      select_cols, exclude_cols: the numbers of the columns that are wanted, or not wanted.
    """

    def __init__(
        self,
        filenames: Any,
        record_defaults: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        header: Any = False,
        field_delim: Any = ",",
        use_quote_delim: Any = True,
        na_value: Any = "",
        select_cols: Any = None,
        exclude_cols: Any = None,
    ) -> None:
        if select_cols is not None and exclude_cols is not None:
            raise ValueError("Only one of `select_cols` and `exclude_cols` can be specified.")
        names = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
        compression = _string(compression_type)
        given = [constant([], dtype=value) if isinstance(value, DType) else value for value in record_defaults]
        defaults = [convert_to_tensor(value, name=f"record_defaults_{i}") for i, value in enumerate(given)]
        spec = tuple(specs.TensorSpec([], default.dtype) for default in defaults)
        handle = ops.csv(
            names,
            compression,
            _or(buffer_size, 4 * 1024 * 1024, "buffer_size"),
            convert_to_tensor(header, dtype=dtypes.bool, name="header"),
            convert_to_tensor(field_delim, dtype=dtypes.string, name="field_delim"),
            convert_to_tensor(use_quote_delim, dtype=dtypes.bool, name="use_quote_delim"),
            convert_to_tensor(na_value, dtype=dtypes.string, name="na_value"),
            integer([] if select_cols is None else select_cols, "select_cols"),
            defaults,
            integer([] if exclude_cols is None else exclude_cols, "exclude_cols"),
            output_shapes=specs.flat_shapes(spec),
        )
        super().__init__(handle, spec)


def _compression_and_buffer(compression_type: Any, buffer_size: Any) -> tuple[Tensor, Tensor]:
    return _string(compression_type), _or(buffer_size, _BUFFER, "buffer_size")


def _string(compression_type: Any) -> Tensor:
    value = "" if compression_type is None else compression_type
    return convert_to_tensor(value, dtype=dtypes.string, name="compression_type")


def _or(value: Any, default: int, name: str) -> Tensor:
    return integer(default if value is None else value, name)
