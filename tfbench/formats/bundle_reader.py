"""Checkpoints of format V2, read. What the files hold is in `bundle_writer`."""

from __future__ import annotations

import math
import os
import sys
from typing import Any, BinaryIO

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

_LITTLE = sys.byteorder == "little"
#: the types whose numbers were met
_types: dict[int, DType] = {}


class BundleReader:
    """One checkpoint. `entries` are the BundleEntryProto messages by key, in the file's order.

    Raises:
      NotFoundError: if there is no such checkpoint, or a file of it is missing.
      DataLossError: if a file is damaged: which one, which tensor, and where.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.entries: dict[bytes, Any] = {}
        self._shapes: dict[bytes, Shape] = {}
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
                    shape = self._shapes[key] = _dims(entry)
                    if shape and min(shape) < 0:
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
            import difflib

            near = difflib.get_close_matches(text(name), [text(key) for key in self.names()], n=3)
            hint = f" Near names in it: {', '.join(near)}." if near else ""
            raise errors.NotFoundError(None, None, f"Key {text(name)} not found in checkpoint {self.prefix}.{hint}")
        return entry

    def dtype(self, name: bytes) -> DType:
        return self._dtype(name, self.entry(name))

    def _dtype(self, name: bytes, entry: Any) -> DType:
        found = _types.get(entry.dtype)
        if found is not None:
            return found
        try:
            found = _types[entry.dtype] = as_dtype(entry.dtype)
            return found
        except TypeError:
            what = f"tensor {text(name)} has no known type ({entry.dtype})"
            raise errors.DataLossError(None, None, f"{index_file(self.prefix)}: {what}") from None

    def shape(self, name: bytes) -> Shape:
        shape = self._shapes.get(name)
        return _dims(self.entry(name)) if shape is None else shape

    # -- values -----------------------------------------------------------------------------------------------------

    def read(self, name: bytes, part: TensorSlice | None = None, files: OpenFiles | None = None) -> Array:
        """A tensor, or a part of one. `files`: data files that are open already, where several tensors are read."""
        if files is None:
            with OpenFiles() as files:
                return self.read(name, part, files)
        entry = self.entry(name)
        if not entry.slices:
            array = self._read_entry(name, entry, self._shapes[name], files)
            if part is None or part.is_whole:
                return array
            return np.array(array[tuple(slice(*bounds) for bounds in part.bounds(array.shape))])
        shape = self.shape(name)
        wanted = TensorSlice.whole(len(shape)) if part is None else part
        return self._assemble(name, entry, shape, wanted, files)

    def _assemble(self, name: bytes, entry: Any, shape: Shape, wanted: TensorSlice, files: OpenFiles) -> Array:
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
            key, size = part.key(name), part.shape_of(shape)
            own_entry = self.entries.get(key)
            if own_entry is None or self._shapes[key] != size or own_entry.dtype != entry.dtype:
                what = f"slice {part} of tensor {text(name)} is missing, or of another shape or type"
                raise errors.DataLossError(None, None, f"{index_file(self.prefix)}: {what}")
            result[target] = self._read_entry(name, own_entry, size, files)[source]
        return result

    def _read_entry(self, name: bytes, entry: Any, shape: Shape, files: OpenFiles) -> Array:
        path = files.current(self, entry.shard_id)
        dtype = self._dtype(name, entry)
        offset, wanted = entry.offset, entry.size
        count = math.prod(shape)
        kind = numpy_type(dtype)
        try:
            file, size = files.open(path)
            if offset < 0 or wanted < 0 or offset + wanted > size:
                raise self._cut_off(name, entry, path, f"the file has {size}")
            if dtype is not string and count * kind.itemsize != wanted:
                raise self._damaged(
                    name, entry, path, f"Invalid size in bundle entry: {count * kind.itemsize} bytes expected"
                )
            file.seek(offset)
            data = np.empty(wanted, np.uint8)
            found = file.readinto(data) if wanted else 0  # type: ignore[attr-defined]
        except OSError as error:
            raise file_error(path, error) from None
        if found != wanted:
            raise self._cut_off(name, entry, path, f"{found} of them")
        if dtype is string:
            return self._strings(name, entry, path, data.tobytes(), count).reshape(shape)
        self._check(name, entry, path, crc32c(data))
        if not _LITTLE:
            return data.view(kind.newbyteorder("<")).astype(kind).reshape(shape)
        return data.view(kind).reshape(shape)

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
        return errors.DataLossError(None, None, f"{self._where(name, entry, path)}: {what}")

    def _cut_off(self, name: bytes, entry: Any, path: str, what: str) -> errors.OutOfRangeError:
        """For a file that ends too soon TensorFlow has this kind of error, not the one for damaged bytes."""
        told = f"{self._where(name, entry, path)}: Read less bytes than requested: {what}"
        return errors.OutOfRangeError(None, None, told)

    def _where(self, name: bytes, entry: Any, path: str) -> str:
        where = f"bytes {entry.offset} to {entry.offset + entry.size} of {path}"
        return (
            f"TensorBundle at {self.prefix} shard {entry.shard_id} ({entry.size} bytes): tensor {text(name)}, {where}"
        )


class OpenFiles:
    """Data files that stay open while several tensors are read, and how large they are."""

    def __init__(self) -> None:
        self._paths: dict[int, str] = {}
        self._files: dict[str, tuple[BinaryIO, int]] = {}

    def current(self, reader: BundleReader, shard: int) -> str:
        """The path of a data file; the same one for all tensors."""
        path = self._paths.get(shard)
        if path is None:
            path = self._paths[shard] = reader.shard_path(shard)
        return path

    def open(self, path: str) -> tuple[BinaryIO, int]:
        found = self._files.get(path)
        if found is None:
            file = open(path, "rb")  # noqa: SIM115 - closed by `__exit__`
            found = self._files[path] = file, os.fstat(file.fileno()).st_size
        return found

    def __enter__(self) -> OpenFiles:
        return self

    def __exit__(self, *_: object) -> None:
        for file, _size in self._files.values():
            file.close()


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
