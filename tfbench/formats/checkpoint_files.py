"""A checkpoint of either format, as the ops and functions that read and write it see it.

Which of the two it is, its files say: V2 has an index.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tfbench import errors
from tfbench.engine.dtypes import DType, type_word
from tfbench.engine.kernel_errors import brackets
from tfbench.engine.kernels.tensor_slices import TensorSlice, parse_spec
from tfbench.formats import bundle_writer
from tfbench.formats.bundle_reader import BundleReader, OpenFiles, text
from tfbench.formats.bundle_writer import BundleWriter, index_file
from tfbench.formats.checkpoint_v1 import V1Reader, V1Writer
from tfbench.formats.safe_files import newest

Array = np.ndarray[Any, Any]

merge = bundle_writer.merge
remove = bundle_writer.remove


def open_checkpoint(prefix: str) -> BundleReader | V1Reader:
    """The checkpoint at `prefix`.

    Raises:
      NotFoundError: if there is none. DataLossError: if it is damaged.
    """
    index = index_file(prefix)
    return BundleReader(prefix) if os.path.exists(newest(index, index)) else V1Reader(prefix)


class _Checked(threading.local):
    def __init__(self) -> None:
        self.readers: dict[str, BundleReader | V1Reader] = {}


_checked = _Checked()


@contextlib.contextmanager
def restoring(prefix: str) -> Iterator[None]:
    """Meanwhile this thread reads the index of the checkpoint at `prefix` once, and not for each that asks."""
    _checked.readers[prefix] = open_checkpoint(prefix)
    try:
        yield
    finally:
        _checked.readers.pop(prefix, None)


def opened(prefix: str) -> BundleReader | V1Reader:
    """The checkpoint at `prefix`, where `restoring` has opened it."""
    return _checked.readers.get(prefix) or open_checkpoint(prefix)


def save(
    prefix: str, names: Sequence[bytes], specs: Sequence[bytes], arrays: Sequence[Array], dtypes: Sequence[DType],
    version: int = 2,
) -> None:  # fmt: skip
    """Writes a checkpoint: all of it, or nothing.

    Args:
      specs: '' for a whole tensor, else the full shape and the part that the array is (`6 2 0,2:-`).
    """
    writer: BundleWriter | V1Writer = BundleWriter(prefix) if version == 2 else V1Writer(prefix)
    try:
        for name, spec, array, dtype in zip(names, specs, arrays, dtypes):
            if not spec:
                writer.add(name, array, dtype)
                continue
            shape, part = parse_spec(spec.decode())
            if part.shape_of(shape) != array.shape:
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    "Slice in shape_and_slice specification does not match the shape of the tensor to save: "
                    f"{spec.decode()}, tensor {text(name)}: {brackets(array.shape)}",
                )
            writer.add_slice(name, shape, part, array, dtype)
        writer.finish()
    finally:
        writer.discard()


def restore(prefix: str, names: Sequence[bytes], specs: Sequence[bytes], dtypes: Sequence[DType]) -> list[Array]:
    """The tensors, or parts of them. All names, types and shapes are looked at before the first value is read.

    Raises:
      NotFoundError: if the checkpoint or a name is not there.
      InvalidArgumentError: if a type or a full shape is another.
      DataLossError: if a file is damaged.
    """
    reader = opened(prefix)
    parts: list[TensorSlice | None] = []
    for name, spec, dtype in zip(names, specs, dtypes):
        found = reader.dtype(name)
        if found is not dtype.base_dtype:
            raise wrong_type(reader, name, dtype)
        parts.append(None)
        if spec:
            shape, parts[-1] = parse_spec(spec.decode())
            if shape != reader.shape(name):
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"tensor_name = {text(name)}; shape in shape_and_slice spec {brackets(shape)} does not match the "
                    f"shape stored in checkpoint: {brackets(reader.shape(name))}",
                )
    if isinstance(reader, V1Reader):
        return [reader.read(name, part) for name, part in zip(names, parts)]
    with OpenFiles() as files:
        return [reader.read(name, part, files) for name, part in zip(names, parts)]


def wrong_type(reader: BundleReader | V1Reader, name: bytes, dtype: DType) -> errors.InvalidArgumentError:
    """The error where a tensor has another type in the checkpoint."""
    wanted, found = type_word(dtype), type_word(reader.dtype(name))
    if isinstance(reader, V1Reader):
        message = f"Expected to restore a tensor of type {wanted}, got a tensor of type {found} instead: "
        return errors.InvalidArgumentError(None, None, f"{message}tensor_name = {text(name)}")
    return errors.InvalidArgumentError(
        None, None, f"tensor_name = {text(name)}; expected dtype {wanted} does not equal original dtype {found}"
    )
