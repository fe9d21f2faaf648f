"""Where files of data sets are, and how they are read: pickled arrays without running any code in them."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path
from typing import IO, Any

import numpy as np

_STORE = "https://storage.googleapis.com/tensorflow/tf-keras-datasets/"

#: what pickled arrays and lists are made of
_HARMLESS = {
    ("numpy", "dtype"), ("numpy", "ndarray"), ("_codecs", "encode"), ("builtins", "list"),
    ("numpy.core.multiarray", "_reconstruct"), ("numpy.core.multiarray", "scalar"),
    ("numpy._core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "scalar"),
}  # fmt: skip


def local_file(name: str, origin: str = "", folder: str = "datasets") -> Path:
    """The file or folder `name`: a path, or one in ~/.keras/datasets, where Keras keeps what it downloads.

    Raises:
      FileNotFoundError: if it is not there; says where it is from and where to put it.
    """
    place = Path.home() / ".keras" / folder
    for path in (place / name, Path(name)):
        if path.exists():
            return path
    raise FileNotFoundError(
        f"There is no {place / name}, and tfbench downloads nothing. Get it from {origin or _STORE + Path(name).name}"
        f"{' and unpack it' if origin.endswith('.tar.gz') else ''}, and put it there."
    )


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _HARMLESS:
            raise pickle.UnpicklingError(f"{module}.{name} has no place in a file of data")
        return super().find_class(module, name)


def unpickled(file: IO[bytes], encoding: str = "ASCII") -> Any:
    """What was pickled: arrays, lists, dictionaries, numbers, text.

    Raises:
      UnpicklingError: for anything else.
    """
    return _Unpickler(file, encoding=encoding).load()


def arrays(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of an .npz file, by name; those of objects, too."""
    found = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as file:
                version = np.lib.format.read_magic(file)
                read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
                shape, fortran, dtype = read(file)
                if dtype.hasobject:
                    values = unpickled(file, encoding="latin1").reshape(shape)
                else:
                    values = np.frombuffer(file.read(), dtype).reshape(shape, order="F" if fortran else "C")
            found[name.removesuffix(".npy")] = np.array(values)
    return found


def shuffled(seed: int, *values: Any) -> list[Any]:
    """Arrays of one length, all in the same random order. Sets NumPy's seed."""
    np.random.seed(seed)
    order = np.arange(len(values[0]))
    np.random.shuffle(order)
    return [one[order] for one in values]
