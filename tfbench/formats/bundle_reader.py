"""Checkpoints of format V2, read. What the files hold is in `bundle_writer`."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.dtypes import DType, as_dtype, string
from tfbench.engine.kernels.tensor_slices import TensorSlice, overlap
from tfbench.engine.ops.files import file_error
from tfbench.formats import protos
from tfbench.formats.bundle_writer import data_file, fixed_lengths, index_file
from tfbench.formats.crc32c import crc32c, mask, unmask
from tfbench.formats.safe_files import newest
from tfbench.formats.sstable import Table, read_varint

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class BundleReader:
    """One checkpoint. `entries` are the BundleEntryProto messages by key, in the file's order.

    Raises:
      NotFoundError: if there is no such checkpoint, or a file of it is missing.
      DataLossError: if a file is damaged: which one, which tensor, and where.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.entries: dict[bytes, Any] = {}
        path = newest(index_file(prefix), index_file(prefix))
        try:
            with open(path, "rb") as file:
                self._read_index(Table(file, path), path)
        except FileNotFoundError:
            raise errors.NotFoundError(
                None,
                None,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for " + prefix,
            ) from None
        except OSError as error:
            raise file_error(path, error) from None

    def _read_index(self, table: Table, path: str) -> None:
        from google.protobuf.message import DecodeError

        key = b""
        try:
            for key, value in table:
                if key == b"":
                    header = protos.BundleHeaderProto.FromString(value)
                    if header.endianness != 0:
                        raise errors.UnimplementedError(None, None, f"{path} was written on a big-endian machine.")
                    self.shards = header.num_shards
                else:
                    entry = self.entries[key] = protos.BundleEntryProto.FromString(value)
                    if any(dim.size < 0 for dim in entry.shape.dim):
                        raise DecodeError
        except DecodeError:
            raise errors.DataLossError(None, None, f"Entry for tensor {text(key)} in {path} is damaged.") from None
        if not hasattr(self, "shards"):
            raise errors.DataLossError(None, None, f"{path} has no header entry: it is no checkpoint's index.")

    def shard_path(self, shard: int) -> str:
        return newest(data_file(self.prefix, shard, self.shards), index_file(self.prefix))

    # -- what there is -------------------------------------------------------------------------------------------

    def names(self) -> list[bytes]:
        """The tensors; one that was saved in slices is one tensor."""
        parts: set[bytes] = set()
        for name, entry in self.entries.items():
            for part in entry.slices:
                parts.add(TensorSlice.from_proto(part).key(name))
        return [name for name in self.entries if name not in parts]

    def entry(self, name: bytes) -> Any:
        """The message about a tensor."""
        entry = self.entries.get(name)
        if entry is None:
            raise errors.NotFoundError(None, None, f"Key {text(name)} not found in checkpoint")
        return entry

    def dtype(self, name: bytes) -> DType:
        return self._dtype(name, self.entry(name))

    def _dtype(self, name: bytes, entry: Any) -> DType:
        try:
            return as_dtype(entry.dtype)
        except TypeError:
            what = f"tensor {text(name)} has no known type ({entry.dtype})"
            raise errors.DataLossError(None, None, f"{index_file(self.prefix)}: {what}") from None

    def shape(self, name: bytes) -> Shape:
        return _dims(self.entry(name))

    # -- values -----------------------------------------------------------------------------------------------------

    def read(self, name: bytes, part: TensorSlice | None = None) -> Array:
        """A tensor, or a part of one."""
        entry = self.entry(name)
        if not entry.slices:
            array = self._read_entry(name, entry)
            if part is None or part.is_whole:
                return array
            return np.array(array[tuple(slice(*bounds) for bounds in part.bounds(array.shape))])
        shape = self.shape(name)
        wanted = TensorSlice.whole(len(shape)) if part is None else part
        return self._assemble(name, entry, shape, wanted)

    def _assemble(self, name: bytes, entry: Any, shape: Shape, wanted: TensorSlice) -> Array:
        bounds = wanted.bounds(shape)
        covered = 0
        stored: list[list[tuple[int, int]]] = []
        pieces: list[tuple[TensorSlice, Any, Any]] = []
        for message in entry.slices:
            part = TensorSlice.from_proto(message)
            own = part.bounds(shape)
            if any(overlap(own, other) for other in stored):
                raise errors.InternalError(None, None, f"Overlapping slices of tensor {text(name)}: {part} and another")
            stored.append(own)
            common = overlap(own, bounds)
            if common is None:
                continue
            source = tuple(slice(a - o, b - o) for (a, b), (o, _) in zip(common, own))
            target = tuple(slice(a - o, b - o) for (a, b), (o, _) in zip(common, bounds))
            pieces.append((part, source, target))
            covered += math.prod(b - a for a, b in common)
        if covered != math.prod(b - a for a, b in bounds):
            raise errors.InvalidArgumentError(
                None,
                None,
                f"Does not have sufficient slices for partitioned tensor {text(name)} to restore in slice_spec: "
                f"{wanted}",
            )
        result = np.empty(wanted.shape_of(shape), numpy_type(self._dtype(name, entry)))
        for part, source, target in pieces:
            own_entry = self.entries.get(part.key(name))
            if own_entry is None or _dims(own_entry) != part.shape_of(shape) or own_entry.dtype != entry.dtype:
                what = f"slice {part} of tensor {text(name)} is missing, or of another shape or type"
                raise errors.DataLossError(None, None, f"{index_file(self.prefix)}: {what}")
            result[target] = self._read_entry(name, own_entry)[source]
        return result

    def _read_entry(self, name: bytes, entry: Any) -> Array:
        path = self.shard_path(entry.shard_id)
        shape, dtype = _dims(entry), self._dtype(name, entry)
        count = math.prod(shape)
        kind = numpy_type(dtype)
        try:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if entry.offset < 0 or entry.size < 0 or entry.offset + entry.size > size:
                    raise self._damaged(name, entry, path, f"Read less bytes than requested: the file has {size}")
                if dtype is not string and count * kind.itemsize != entry.size:
                    raise self._damaged(
                        name, entry, path, f"Invalid size in bundle entry: {count * kind.itemsize} bytes expected"
                    )
                file.seek(entry.offset)
                data = np.fromfile(file, np.uint8, entry.size)
        except FileNotFoundError as error:
            raise file_error(path, error) from None
        except OSError as error:
            raise file_error(path, error) from None
        if data.size != entry.size:
            raise self._damaged(name, entry, path, f"Read less bytes than requested: {data.size}")
        if dtype is string:
            return self._strings(name, entry, path, data.tobytes(), count).reshape(shape)
        self._check(name, entry, path, crc32c(data))
        return data.view(kind.newbyteorder("<")).astype(kind, copy=False).reshape(shape)

    def _strings(self, name: bytes, entry: Any, path: str, data: bytes, count: int) -> Array:
        lengths: list[int] = []
        position = 0
        try:
            for _ in range(count):
                length, position = read_varint(data, position)
                lengths.append(length)
        except ValueError:
            raise self._damaged(name, entry, path, "the lengths of the strings are not there") from None
        start = position + 4
        crc = crc32c(fixed_lengths(lengths))
        if int.from_bytes(data[position:start], "little") != mask(crc) or start + sum(lengths) != len(data):
            raise self._damaged(name, entry, path, "the lengths of the strings do not match their checksum")
        self._check(name, entry, path, crc32c(data[start:], crc32c(data[position:start], crc)))
        result = np.empty(count, object)
        for number, length in enumerate(lengths):
            result[number] = data[start : start + length]
            start += length
        return result

    def _check(self, name: bytes, entry: Any, path: str, crc: int) -> None:
        if mask(crc) != entry.crc32c:
            raise self._damaged(
                name,
                entry,
                path,
                f"Checksum does not match: stored {unmask(entry.crc32c)} vs. calculated on the restored bytes {crc}",
            )

    def _damaged(self, name: bytes, entry: Any, path: str, what: str) -> errors.DataLossError:
        where = f"bytes {entry.offset} to {entry.offset + entry.size} of {path}"
        return errors.DataLossError(
            None,
            None,
            f"TensorBundle at {self.prefix} shard {entry.shard_id} ({entry.size} bytes): tensor {text(name)}, {where}: "
            f"{what}",
        )


def _dims(entry: Any) -> Shape:
    return tuple([dim.size for dim in entry.shape.dim])


def numpy_type(dtype: DType) -> np.dtype[Any]:
    """The type of arrays with values of `dtype`.

    Raises:
      UnimplementedError: for types whose values are no arrays.
    """
    try:
        return np.dtype(object) if dtype is string else np.dtype(dtype.as_numpy_dtype)
    except KeyError:
        raise errors.UnimplementedError(None, None, f"Values of type {dtype.name} are not read.") from None


def text(name: bytes) -> str:
    """A key of a checkpoint as messages show it."""
    return name.decode("utf-8", "backslashreplace")
