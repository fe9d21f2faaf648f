"""Data sets of what files hold. Each file is a data set of its own, and they come one after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfbench.data import calls, sources, specs
from tfbench.data.dataset import Dataset
from tfbench.data.transformations import AUTOTUNE, integer
from tfbench.engine import dtypes
from tfbench.engine.convert import convert_to_tensor
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


def _compression_and_buffer(compression_type: Any, buffer_size: Any) -> tuple[Tensor, Tensor]:
    return _string(compression_type), _or(buffer_size, _BUFFER, "buffer_size")


def _string(compression_type: Any) -> Tensor:
    value = "" if compression_type is None else compression_type
    return convert_to_tensor(value, dtype=dtypes.string, name="compression_type")


def _or(value: Any, default: int, name: str) -> Tensor:
    return integer(default if value is None else value, name)
