"""Checkpoints of format V1: one table a file, with the tensors themselves in it.

The first key, '', holds a SavedTensorSlices message with the shapes, types and slices of all tensors; every other one
(`TensorSlice.key`) holds a SavedTensorSlices message with the values of one slice. Several files, found by a pattern,
are one checkpoint.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.dtypes import DType, as_dtype, string
from tfbench.engine.kernels.tensor_slices import TensorSlice, overlap
from tfbench.engine.ops.files import file_error
from tfbench.formats import protos
from tfbench.formats.bundle_reader import numpy_type, text
from tfbench.formats.bundle_writer import set_shape
from tfbench.formats.safe_files import NewFile
from tfbench.formats.sstable import Table, TableWriter
from tfbench.formats.tensor_proto import array_to_proto, make_ndarray

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


def v1_files(pattern: str) -> list[str]:
    """The files of a V1 checkpoint: a file, or those that a pattern means."""
    if os.path.isfile(pattern):
        return [pattern]
    return sorted(path for path in glob.glob(pattern) if os.path.isfile(path))


class V1Reader:
    """One checkpoint; the same questions as `bundle_reader.BundleReader`.

    Raises:
      NotFoundError: if no file matches. DataLossError: if one is damaged.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._meta: dict[bytes, Any] = {}
        self._slices: dict[bytes, list[tuple[str, TensorSlice]]] = {}
        files = v1_files(pattern)
        if not files:
            raise errors.NotFoundError(
                None,
                None,
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {pattern}",
            )
        for path in files:
            meta = self._message(path, b"", b"the header").meta
            for tensor in meta.tensor:
                name = tensor.name.encode()
                known = self._meta.setdefault(name, tensor)
                if known.shape != tensor.shape or known.type != tensor.type:
                    raise errors.InvalidArgumentError(
                        None, None, f"The files of {pattern} disagree in shape or type of {tensor.name}."
                    )
                parts = self._slices.setdefault(name, [])
                parts.extend((path, TensorSlice.from_proto(part)) for part in tensor.slice)

    def _message(self, path: str, key: bytes, name: bytes) -> Any:
        from google.protobuf.message import DecodeError

        try:
            with open(path, "rb") as file:
                value = Table(file, path).get(key)
        except OSError as error:
            raise file_error(path, error) from None
        try:
            if value is not None:
                return protos.SavedTensorSlices.FromString(value)
        except DecodeError:
            pass
        raise errors.DataLossError(None, None, f"Entry for {text(name)} in {path} is damaged or missing.")

    def names(self) -> list[bytes]:
        return list(self._meta)

    def _found(self, name: bytes) -> Any:
        found = self._meta.get(name)
        if found is None:
            raise errors.NotFoundError(
                None, None, f'Tensor name "{text(name)}" not found in checkpoint files {self.pattern}'
            )
        return found

    def dtype(self, name: bytes) -> DType:
        return as_dtype(self._found(name).type)

    def shape(self, name: bytes) -> Shape:
        return tuple([dim.size for dim in self._found(name).shape.dim])

    def read(self, name: bytes, part: TensorSlice | None = None) -> Array:
        """A tensor, or a part of one."""
        shape, dtype = self.shape(name), self.dtype(name)
        wanted = TensorSlice.whole(len(shape)) if part is None else part
        bounds = wanted.bounds(shape)
        result = np.empty(wanted.shape_of(shape), numpy_type(dtype))
        covered = 0
        for path, stored in self._slices[name]:
            own = stored.bounds(shape)
            common = overlap(own, bounds)
            if common is None:
                continue
            values = make_ndarray(_with_shape(self._message(path, stored.key(name), name).data.data, own, dtype))
            source = tuple(slice(a - o, b - o) for (a, b), (o, _) in zip(common, own))
            target = tuple(slice(a - o, b - o) for (a, b), (o, _) in zip(common, bounds))
            result[target] = values[source]
            covered += int(np.prod([b - a for a, b in common], dtype=np.int64))
        if covered != result.size:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Does not have sufficient slices for partitioned tensor {text(name)} to restore in slice_spec: "
                f"{wanted}",
            )
        return result


def _with_shape(message: Any, bounds: Sequence[tuple[int, int]], dtype: DType) -> Any:
    """The TensorProto of a slice, which has neither shape nor type."""
    message.dtype = dtype.as_datatype_enum
    set_shape(message.tensor_shape, [end - start for start, end in bounds])
    return message


class V1Writer:
    """Writes one file; nothing is under its name before `finish`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._meta: dict[bytes, Any] = {}
        self._values: dict[bytes, Any] = {}

    def add(self, name: bytes, array: Array, dtype: DType) -> None:
        """Adds a whole tensor."""
        self.add_slice(name, array.shape, TensorSlice.whole(array.ndim), array, dtype)

    def add_slice(self, name: bytes, full_shape: Sequence[int], part: TensorSlice, array: Array, dtype: DType) -> None:
        """Adds a part of the tensor `name`, which is of `full_shape`."""
        kind = dtype.base_dtype
        meta = self._meta.get(name)
        if meta is None:
            meta = self._meta[name] = protos.SavedSliceMeta(name=name.decode(), type=kind.as_datatype_enum)
            set_shape(meta.shape, full_shape)
        part.add_to_proto(meta.slice.add())
        message = protos.SavedTensorSlices()
        message.data.name = name.decode()
        part.add_to_proto(message.data.slice)
        message.data.data.CopyFrom(_values(array, kind))
        self._values[part.key(name)] = message

    def finish(self) -> None:
        """Writes the file."""
        header = protos.SavedTensorSlices()
        header.meta.tensor.extend(self._meta[name] for name in sorted(self._meta))
        header.meta.versions.producer = 1
        with NewFile(self._path) as file:
            table = TableWriter(file.write)
            table.add(b"", header.SerializeToString())
            for key in sorted(self._values):
                table.add(key, self._values[key].SerializeToString())
            table.finish()

    def discard(self) -> None:
        """Nothing is on the disk before `finish`."""


def _values(array: Array, dtype: DType) -> Any:
    """A TensorProto that has the values alone, one by one, as this format wants them."""
    if dtype is not string and array.size:
        array = np.array(array)
    message = array_to_proto(array.reshape(-1)[:1], dtype)  # which list they go into
    message.ClearField("tensor_shape")
    field = next((found.name for found, _ in message.ListFields() if found.name.endswith("_val")), None)
    if field is not None and array.size > 1:
        for value in array.reshape(-1)[1:]:
            getattr(message, field).extend(getattr(array_to_proto(np.array(value, array.dtype), dtype), field))
    message.ClearField("dtype")
    return message
