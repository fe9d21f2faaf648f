"""Checkpoints of format V2, written: `PREFIX.data-00000-of-00001` has the tensors' bytes, `PREFIX.index` the rest.

The index is a table (`sstable`). Its first key, '', holds a BundleHeaderProto, every other one a BundleEntryProto:
type, shape, and which bytes of which data file, with their masked CRC-32C. A tensor that was saved in slices has an
entry of its own with the list of slices and no bytes, and one for each of them (`TensorSlice.key`).

Numbers are stored little-endian, in C order. Of strings come the lengths (varints), a masked checksum of the lengths
(four bytes each, eight where that is not enough), then the strings.
"""

from __future__ import annotations

import contextlib
import glob
import os
import struct
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfbench.engine.dtypes import DType, string
from tfbench.engine.kernels.tensor_slices import TensorSlice
from tfbench.engine.ops.files import file_error
from tfbench.errors import InvalidArgumentError, NotFoundError, UnimplementedError
from tfbench.formats import protos
from tfbench.formats.crc32c import crc32c, mask
from tfbench.formats.safe_files import NewFile, commit_together, finish_renaming, locked
from tfbench.formats.sstable import TableWriter, varint

Array = np.ndarray[Any, Any]

_LITTLE = sys.byteorder == "little"


def data_file(prefix: str, shard: int, shards: int) -> str:
    """The name of a file with bytes of tensors."""
    return f"{prefix}.data-{shard:05d}-of-{shards:05d}"


def index_file(prefix: str) -> str:
    return f"{prefix}.index"


class BundleWriter:
    """Writes one checkpoint of one data file. Nothing is under its name before `finish`; `discard` leaves nothing."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self._folder = _make_folder(prefix)
        self._data = NewFile(data_file(prefix, 0, 1))
        self._entries: dict[bytes, Any] = {}

    def add(self, name: bytes, array: Array, dtype: DType) -> None:
        """Adds a whole tensor.

        Raises:
          InvalidArgumentError: if there is a tensor of that name.
        """
        if not name:
            raise InvalidArgumentError(None, None, "A tensor of a checkpoint needs a name, but got ''.")
        if name in self._entries:
            raise InvalidArgumentError(None, None, f"Adding duplicate key: {_text(name)}")
        self._entries[name] = self._write(array, dtype)

    def add_slice(self, name: bytes, full_shape: Sequence[int], part: TensorSlice, array: Array, dtype: DType) -> None:
        """Adds a part of the tensor `name`, which is of `full_shape`."""
        if part.is_whole:
            self.add(name, array, dtype)
            return
        entry = self._entries.get(name)
        if entry is None:
            entry = self._entries[name] = protos.BundleEntryProto(dtype=dtype.base_dtype.as_datatype_enum)
            set_shape(entry.shape, full_shape)
        part.add_to_proto(entry.slices.add())
        self.add(part.key(name), array, dtype)

    def finish(self) -> None:
        """Gives the files their names."""
        self._data.close()
        index = NewFile(index_file(self.prefix))
        try:
            write_index(index, self._entries, 1)
            index.close()
            commit_together([(self._data.temporary, self._data.path), (index.temporary, index.path)])
        except BaseException:
            index.discard()
            raise

    def discard(self) -> None:
        """Removes what was written so far."""
        self._data.discard()
        if self._folder:
            with contextlib.suppress(OSError):  # not where something is in it
                os.rmdir(self._folder)

    def _write(self, array: Array, dtype: DType) -> Any:
        dtype = dtype.base_dtype
        offset = self._data.size
        crc = self._write_strings(array) if dtype is string else self._write_numbers(array, dtype)
        size = self._data.size - offset
        number = dtype.as_datatype_enum
        entry = protos.BundleEntryProto(dtype=number, offset=offset, size=size, crc32c=mask(crc))
        set_shape(entry.shape, array.shape)
        return entry

    def _write_numbers(self, array: Array, dtype: DType) -> int:
        if array.dtype.hasobject:
            raise UnimplementedError(None, None, f"A checkpoint cannot hold values of type {dtype.name}.")
        # A copy, because a training step in another thread may change a variable between checksum and write.
        data = (array if _LITTLE else array.astype(array.dtype.newbyteorder("<"))).tobytes()
        self._data.write(data)
        return crc32c(data)

    def _write_strings(self, array: Array) -> int:
        items = [item if isinstance(item, bytes) else str(item).encode() for item in array.ravel().tolist()]
        lengths = b"".join(varint(len(item)) for item in items)
        crc = crc32c(fixed_lengths([len(item) for item in items]))
        checksum = struct.pack("<I", mask(crc))
        strings = b"".join(items)
        self._data.write(lengths + checksum)
        self._data.write(strings)
        return crc32c(strings, crc32c(checksum, crc))


def fixed_lengths(lengths: Sequence[int]) -> bytes:
    """The lengths of strings as their checksum sees them."""
    return b"".join(struct.pack("<I" if length < 1 << 32 else "<Q", length) for length in lengths)


def set_shape(message: Any, shape: Sequence[int]) -> None:
    message.SetInParent()
    add = message.dim.add
    for size in shape:
        add(size=size)


def write_index(file: NewFile, entries: dict[bytes, Any], shards: int) -> None:
    """The table of an index file."""
    table = TableWriter(file.write)
    header = protos.BundleHeaderProto(num_shards=shards)
    header.version.producer = 1
    table.add(b"", header.SerializeToString())
    for key in sorted(entries):
        table.add(key, entries[key].SerializeToString(deterministic=True))
    table.finish()


def merge(prefixes: Sequence[str], destination: str, delete_old_dirs: bool, allow_missing: bool) -> None:
    """Makes one checkpoint of several: their data files are renamed, their indexes become one.

    Raises:
      InvalidArgumentError: if two have a tensor of the same name, or one is missing.
    """
    from tfbench.formats.bundle_reader import BundleReader

    entries: dict[bytes, Any] = {}
    shards: list[str] = []
    for prefix in prefixes:
        if not os.path.exists(index_file(prefix)):
            if allow_missing:
                continue
            raise InvalidArgumentError(
                None,
                None,
                f"allow_missing_files was set to false and {prefix} did not exist. It is to be merged into "
                f"{destination}.",
            )
        reader = BundleReader(prefix)
        _merge_entries(entries, reader.entries, len(shards), prefix)
        shards.extend(reader.shard_path(number) for number in range(reader.shards))
    if not shards:
        raise NotFoundError(None, None, f"There is nothing to merge into {destination}: no prefix exists.")
    index = NewFile(index_file(destination))
    try:
        write_index(index, entries, len(shards))
        index.close()
        moves = [(path, data_file(destination, number, len(shards))) for number, path in enumerate(shards)]
        commit_together([*moves, (index.temporary, index.path)])
    except BaseException:
        index.discard()
        raise
    _clean_up(prefixes, delete_old_dirs)


def _merge_entries(entries: dict[bytes, Any], others: dict[bytes, Any], first_shard: int, prefix: str) -> None:
    for key, entry in others.items():
        known = entries.get(key)
        if known is not None:
            if not (known.slices and entry.slices):
                raise InvalidArgumentError(
                    None, None, f"Duplicate tensor keyed by {_text(key)} encountered, when merging prefix: {prefix}"
                )
            if known.shape != entry.shape or known.dtype != entry.dtype:
                raise InvalidArgumentError(
                    None, None, f"Slices of {_text(key)} disagree in shape or type, when merging prefix: {prefix}"
                )
            known.slices.extend(entry.slices)
            continue
        if not entry.slices:
            entry.shard_id += first_shard
        entries[key] = entry


def _clean_up(prefixes: Sequence[str], delete_folders: bool) -> None:
    for prefix in prefixes:
        with contextlib.suppress(OSError):
            os.remove(index_file(prefix))
    for folder in dict.fromkeys(os.path.dirname(prefix) for prefix in prefixes) if delete_folders else ():
        with contextlib.suppress(OSError):
            os.rmdir(folder)


def remove(prefix: str) -> list[str]:
    """Removes the files of a checkpoint; gives their names. The index goes first: without it the rest is nothing."""
    with locked(index_file(prefix)):
        finish_renaming(index_file(prefix))  # else what a crash left would be the checkpoint again
    paths = [index_file(prefix), *sorted(glob.glob(f"{glob.escape(prefix)}.data-?????-of-?????"))]
    removed = []
    for path in paths:
        try:
            os.remove(path)
            removed.append(path)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise file_error(path, error) from None
    return removed


def _make_folder(prefix: str) -> str:
    """Makes the folder of a prefix where only that is missing (a sharded save writes into one of its own)."""
    folder = os.path.dirname(prefix)
    try:
        os.mkdir(folder)
    except OSError:
        return ""
    return folder


def _text(name: bytes) -> str:
    return name.decode("utf-8", "backslashreplace")
