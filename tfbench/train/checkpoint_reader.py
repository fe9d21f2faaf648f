"""Checkpoints read without a graph: `NewCheckpointReader`, `list_variables`, `load_variable`."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from tfbench.engine.dtypes import DType
from tfbench.train.checkpoint_state import latest_checkpoint

Array = np.ndarray[Any, Any]


class CheckpointReader:
    """The tensors of one checkpoint, of either format.

    Raises:
      NotFoundError: if there is none. DataLossError: if it is damaged.
    """

    def __init__(self, filepattern: Any) -> None:
        from tfbench.formats.checkpoint_files import open_checkpoint

        self._reader = open_checkpoint(os.fsdecode(filepattern))

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of that name."""
        return self._key(tensor_str) in set(self._reader.names())

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """Shapes by name."""
        return {self._text(name): list(self._reader.shape(name)) for name in self._reader.names()}

    def get_variable_to_dtype_map(self) -> dict[str, DType]:
        """Types by name."""
        return {self._text(name): self._reader.dtype(name) for name in self._reader.names()}

    def get_tensor(self, tensor_str: str) -> Any:
        """The value of a tensor; one that was saved in slices is put together.

        Raises:
          NotFoundError: if there is none of that name. DataLossError: if its bytes are damaged.
        """
        array = self._reader.read(self._key(tensor_str))
        return array if array.ndim else array[()]

    def debug_string(self) -> bytes:
        """One line per entry: name, type, shape."""
        entries = getattr(self._reader, "entries", None)
        names = list(entries) if entries is not None else self._reader.names()
        lines = []
        for name in names:
            kind = self._reader.dtype(name)
            sizes = ",".join(map(str, self._reader.shape(name)))
            word = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}.get(kind.name, kind.name.upper())
            lines.append(name + f" (DT_{word}) [{sizes}]\n".encode())
        return b"".join(lines)

    @staticmethod
    def _key(name: Any) -> bytes:
        return name if isinstance(name, bytes) else str(name).encode()

    @staticmethod
    def _text(name: bytes) -> str:
        return name.decode("utf-8", "surrogateescape")


def NewCheckpointReader(filepattern: Any) -> CheckpointReader:
    """A reader of the checkpoint at `filepattern`."""
    return CheckpointReader(filepattern)


def load_checkpoint(ckpt_dir_or_file: Any) -> CheckpointReader:
    """A reader of a checkpoint, or of the last one of a folder.

    Raises:
      ValueError: if the folder has none.
    """
    return CheckpointReader(checkpoint_path(ckpt_dir_or_file))


def list_variables(ckpt_dir_or_file: Any) -> list[tuple[str, list[int]]]:
    """Names and shapes of all tensors of a checkpoint (or of the last one of a folder), by name."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def load_variable(ckpt_dir_or_file: Any, name: str) -> Any:
    """The value of one tensor of a checkpoint (or of the last one of a folder)."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def checkpoint_path(ckpt_dir_or_file: Any) -> str:
    """The prefix of a checkpoint that is given itself, or by its folder.

    Raises:
      ValueError: if the folder has none.
    """
    given = os.fsdecode(ckpt_dir_or_file)
    if not os.path.isdir(given):
        return given
    found = latest_checkpoint(given)
    if found is None:
        raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {given}")
    return found
